// Drafts: texts of editors that were closed before their text was applied. They live as long as the page, and are never stored.
import { element } from './dom.js';

/** Maximum number of drafts; the oldest are dropped. */
const MOST = 20;

/** By the edited object; the newest are last. */
const drafts = new Map();

/** The draft of an object; `undefined` if there is none. */
export const draftOf = (key) => drafts.get(key);

/** Keeps a draft in place of an earlier one of the same object. */
export function keep(key, draft) {
  drafts.delete(key);
  drafts.set(key, draft);
  if (drafts.size > MOST) forget(drafts.keys().next().value);
}

export const forget = (key) => drafts.delete(key);

/** Notice that offers a draft, if there is one, until one of its buttons is pressed. */
export function offerOf(draft, { resume, discard }) {
  if (!draft) return null;
  const button = (textContent, act) => element('button', {
    className: 'button', type: 'button', textContent,
    onclick: () => {
      notice.remove();
      act(draft);
    },
  });
  const notice = element('div', { className: 'notice', role: 'status' },
    `The editor was closed at ${draft.closedAt.toLocaleTimeString()} with changes that were not applied.`,
    element('div', {}, button('Continue these changes', resume), ' ', button('Discard them', discard)));
  return notice;
}
