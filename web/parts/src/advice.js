// Advice after a failure: what it means for the objects and for the text, and what to do.

/** Codes of writes without a readable answer: the server may have carried them out. */
const UNSURE = ['network', 'timeout', 'decode'];

/** Of a review that failed. */
export function ofReview({ code, conflicts = [] }) {
  if (conflicts.some(({ manager }) => manager)) return 'Take over: this edit wins, and the fields belong to kube-informer from then on. Or set them back in the text.';
  if (conflicts.length) return '"Take over" overwrites the changes of others. Or start again from the current state.';
  if (code === 'not-found') return 'The object, its namespace or its kind does not exist. The text is kept.';
  if (code === 'conflict') return 'The object has changed during the review: review it again. The text is kept.';
  return 'The text is kept.';
}

/** Of a write that failed after `done` of `total` objects. */
export function ofSend({ code, request }, done, total) {
  const isUnsure = UNSURE.includes(code) && !request?.startsWith('GET ');
  const applied = done ? `${done} of ${total} objects were applied. ` : isUnsure ? '' : 'Nothing was changed. ';
  return applied + (isUnsure ? 'The request may have been carried out: look before you send it again. The text is kept.' : 'The text is kept: review it again.');
}
