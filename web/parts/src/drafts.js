// Drafts: texts of editors that were closed before their text was applied. They live as long as the page, and are never persisted.
import { element } from './dom.js';

/** Maximum number of drafts; the oldest are dropped. */
const MOST = 20;

/** All drafts, the newest first. The key of a draft identifies the edited object. */
const drafts = [];

/** Adds a draft: `{ text, … }`. */
export function addDraft(key, draft) {
  drafts.unshift({ ...draft, key, closedAt: new Date() });
  drafts.splice(MOST);
}

const removeDraft = (draft) => drafts.splice(drafts.indexOf(draft), 1);

/**
 * Notice that offers the newest draft of a key; null if there is none. `resume(draft)` is called after the draft was removed
 * from the list. `onDiscard()` is called after a draft was discarded; the notice then offers the next older draft.
 */
export function draftNotice(key, { resume, onDiscard }) {
  const draft = drafts.find((draft) => draft.key === key);
  if (!draft) return null;
  const button = (textContent, act) => element('button', {
    className: 'button', type: 'button', textContent,
    onclick: () => {
      removeDraft(draft);
      act();
    },
  });
  const notice = element('div', { className: 'notice', role: 'status' },
    `The editor was closed at ${draft.closedAt.toLocaleString()} with changes that were not applied.`,
    element('div', {},
      button('Continue these changes', () => (notice.remove(), resume(draft))),
      ' ',
      button('Discard them', () => {
        const next = draftNotice(key, { resume, onDiscard });
        if (next) notice.replaceWith(next);
        else notice.remove();
        onDiscard();
      })));
  return notice;
}
