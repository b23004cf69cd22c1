// Field errors: the fields that a server's message names, and the segments of their paths.

/** A field's path in an error of a typed patch: `.spec.containers[name="c"].image`. Keys may have dots and slashes. */
const TYPED = /(?:^|\s)((?:\.[^\s.[\]:"]+|\[(?:[^"\]]|"(?:[^"\\]|\\.)*")*\])+): ([^\n]+)/g;
/** The decoder's message about a value of another type. It names the Go type that has the field, then the path. */
const UNMARSHAL = /json: cannot unmarshal (\w+) into Go struct field \w+\.(\S+) of type (\S+)/g;
const STRICT = /(unknown|duplicate) field "([^"]+)"/g;

/** The value in the key of a list item: JSON, such as `"c"` or `80`. */
function scalar(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Segment in brackets: an index, a key of a map, the keys of a list item as an object, or `{ is }` for an item of a set. */
function bracketed(inner) {
  if (/^\d+$/.test(inner)) return Number(inner);
  if (inner.startsWith('=')) return { is: scalar(inner.slice(1)) };
  const keys = [...inner.matchAll(/(\w+)=("(?:[^"\\]|\\.)*"|[^,]*)/g)].map(([, key, value]) => [key, scalar(value)]);
  return keys.length ? { keys: Object.fromEntries(keys) } : inner.replace(/^"(.*)"$/, '$1');
}

/** Segments of a field's path: `spec.containers[0].image`, `.metadata.labels.a`, `.spec.containers[name="c"]`. */
export const segments = (field) =>
  [...field.matchAll(/\[((?:[^"\]]|"(?:[^"\\]|\\.)*")*)\]|[^.[\]]+/g)].map(([part, inner]) => (inner === undefined ? part : bracketed(inner)));

/** Error of a typed patch without Go's type names. The last error of a message ends with a full stop. */
function plain(sentence) {
  const message = sentence.replace(/\.$/, '');
  if (message === 'field not declared in schema') return 'The kind has no such field.';
  return message.replace(/&value\.valueUnstructured\{Value:(.*)\}$/, '$1').replace(/&\{(.*)\}$/, '$1');
}

/**
 * The fields that the server's message names: `[{ field, message }]`. A strict decoding names unknown and duplicate fields; an
 * apply rejects them, and values of another type, with a 500 without causes (kubernetes/kubernetes issues 122480 and 139253).
 */
export function fieldErrors(message) {
  const text = `${message}`;
  const found = [...text.matchAll(STRICT)].map(([, which, field]) => ({
    field, message: which === 'unknown' ? 'The kind has no such field.' : 'The field appears twice.',
  }));
  found.push(...[...text.matchAll(UNMARSHAL)].map(([, given, field, type]) => ({ field, message: `The value is a ${given}; the field’s type is ${type}.` })));
  const typed = text.indexOf('failed to create typed patch object (');
  if (typed < 0) return found;
  // The object's name and kind are in brackets before it.
  const errors = text.slice(text.indexOf('): ', typed) + 3);
  found.push(...[...errors.matchAll(TYPED)].map(([, field, says]) => ({ field, message: plain(says) })));
  return found;
}
