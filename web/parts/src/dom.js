// DOM elements: created from names, properties and texts, never from markup.

import { visible } from './visible.js';

/** An element with properties, `on…` handlers and attributes (`aria-…`, `data-…`, `role`), and children: texts or elements. */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (/^(aria-|data-|role$|for$)/.test(key)) made.setAttribute(key, value);
    else made[key] = value;
  }
  if (children.length > 0) fill(made, ...children);
  return made;
}

/** Replaces the children of an element. */
export function fill(into, ...children) {
  into.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : visible(child))));
}

/** Sentence that describes a conflict: the manager that owns the field, or the server's message. */
const conflictOf = ({ manager, message }) => (manager ? `managed by ${manager}` : message);

/** Fields that a response names, each with a sentence. The server lists a conflict as a cause, too; its owner is what helps. */
export function invalidFields({ causes = [], conflicts = [] }) {
  const others = causes.filter(({ field }) => !conflicts.some((conflict) => conflict.field === field));
  return [...others, ...conflicts.map((conflict) => ({ field: conflict.field, message: conflictOf(conflict) }))];
}

/** Element that describes a failed request: the message, each invalid field, each owner of a field. `advice` is one more sentence. */
export function failure(error, advice = '') {
  const { status, message = String(error), title: named, causes = [], conflicts = [], webhook } = error ?? {};
  const fields = invalidFields({ causes, conflicts }).map(({ field, message }) => [field, message]);
  const title = named ?? (webhook ? (message.includes('failed calling webhook') ? 'An admission webhook does not respond' : 'An admission webhook rejected the request')
    : conflicts.length ? 'Other managers own these fields'
      // An apply with a field that is invalid for the kind is a 500 (kubernetes/kubernetes issue 122480).
      : message.startsWith('failed to create typed patch object') ? 'The server rejects the object as invalid'
      : { 403: 'Not allowed', 404: 'Not found', 409: 'Conflict', 422: 'The server rejects the object as invalid', 429: 'Not now' }[status] ?? 'The request failed');
  return element('div', { className: 'outcome failed', role: 'alert' },
    element('strong', {}, status ? `${title} (${status})` : title),
    element('p', {}, message),
    webhook && element('p', {}, 'Webhook: ', element('code', {}, webhook)),
    fields.length > 0 && element('ul', {}, ...fields.map(([field, says]) => element('li', {}, element('code', {}, field), ' ', says))),
    advice && element('p', {}, advice));
}
