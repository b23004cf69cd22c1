// Advice after a failure: what it means for the objects and for the text, and what to do.

/** Error codes of a write without a readable response: the server may have carried it out. */
const UNKNOWN_OUTCOME = ['network', 'timeout', 'decode'];

/** Advice after a failed review. */
export function reviewAdvice({ code, conflicts = [] }) {
  if (conflicts.some(({ manager }) => manager)) return 'Take over: this edit wins, and the fields belong to kube-informer from then on. Or set them back in the text.';
  if (conflicts.length) return '"Take over" overwrites the changes of others. Or start again from the current state.';
  if (code === 'not-found') return 'The object, its namespace or its kind does not exist. The text is kept.';
  if (code === 'conflict') return 'The object has changed during the review: review it again. The text is kept.';
  return 'The text is kept.';
}

/** Advice after a failed write, when `done` of `total` objects were written. */
export function writeAdvice({ code, request }, done, total) {
  const isUnknown = UNKNOWN_OUTCOME.includes(code) && !request?.startsWith('GET ');
  const applied = done ? `${done} of ${total} objects were applied. ` : isUnknown ? '' : 'Nothing was changed. ';
  return applied + (isUnknown ? 'The request may have been carried out: look before you send it again. The text is kept.' : 'The text is kept: review it again.');
}
