// Drafts: texts of editors that were closed before their text was applied. They live as long as the page, and are never stored.
import { element } from './dom.js';

/** Maximum number of drafts; the oldest are dropped. */
const MOST = 20;

/** The drafts with the keys of what they edit, the newest first. */
const drafts = [];

/** Keeps a draft: `{ text, … }`. */
export function keep(key, draft) {
  drafts.unshift({ ...draft, key, closedAt: new Date() });
  drafts.splice(MOST);
}

const forget = (draft) => drafts.splice(drafts.indexOf(draft), 1);

/**
 * Notice that offers the newest draft of a key, if there is one. `resume` gets the draft, which is then no longer kept.
 * `onDiscard` is called after one was discarded; the one before it is offered then.
 */
export function offerOf(key, { resume, onDiscard }) {
  const draft = drafts.find((draft) => draft.key === key);
  if (!draft) return null;
  const button = (textContent, act) => element('button', {
    className: 'button', type: 'button', textContent,
    onclick: () => {
      forget(draft);
      act();
    },
  });
  const notice = element('div', { className: 'notice', role: 'status' },
    `The editor was closed at ${draft.closedAt.toLocaleString()} with changes that were not applied.`,
    element('div', {},
      button('Continue these changes', () => (notice.remove(), resume(draft))),
      ' ',
      button('Discard them', () => {
        const next = offerOf(key, { resume, onDiscard });
        if (next) notice.replaceWith(next);
        else notice.remove();
        onDiscard();
      })));
  return notice;
}
