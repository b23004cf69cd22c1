// Manifests: the editable text of an object, and the differences between its states.
import { print } from './yaml.js';

/** Fields that only the server writes. The uid stays: it prevents that an edit reaches another object of the same name. */
const SERVER_FIELDS = ['managedFields', 'resourceVersion', 'generation', 'creationTimestamp', 'selfLink', 'deletionTimestamp', 'deletionGracePeriodSeconds'];

/** The lines of an object's YAML that a user edits: without status, and without the fields of the server. */
export function editable(text) {
  const lines = [];
  let root = '';
  let isSkipped = false;
  for (const line of text.split('\n')) {
    const top = /^([^\s#-][^:]*):/.exec(line);
    if (top) root = top[1];
    const second = root === 'metadata' && /^ {2}([^\s-][^:]*):/.exec(line);
    if (top) isSkipped = root === 'status';
    else if (second) isSkipped = SERVER_FIELDS.includes(second[1]);
    if (!isSkipped) lines.push(line);
  }
  return lines.join('\n');
}

/** The fields of an object that a user edits: `editable()` for objects. */
export function edited({ status: _, ...object }) {
  const metadata = Object.fromEntries(Object.entries(object.metadata ?? {}).filter(([key]) => !SERVER_FIELDS.includes(key)));
  return { ...object, metadata };
}

/** An object's text, for comparisons. */
export const textOf = (object) => (object ? print(edited(object)) : '');

const isMap = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
const own = (map, key) => (Object.hasOwn(map, key) ? map[key] : undefined);

/** Whether two values are equal. The order of keys does not count. */
function equals(a, b) {
  if (isMap(a) && isMap(b)) {
    const keys = Object.keys(a);
    return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && equals(a[key], b[key]));
  }
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, at) => equals(item, b[at]));
  return a === b;
}

/**
 * Whether a field that the user removed from `before` is still in `after`. A server-side apply removes only fields of its
 * own manager, so such an edit needs a replacement of the whole object.
 */
export function keepsRemoved(before, wanted, after) {
  if (isMap(before) && isMap(wanted) && isMap(after)) {
    return Object.keys(before).some((key) => Object.hasOwn(after, key) && (Object.hasOwn(wanted, key) ? keepsRemoved(before[key], wanted[key], after[key]) : true));
  }
  if (Array.isArray(before) && Array.isArray(wanted) && Array.isArray(after)) {
    return after.length > wanted.length || wanted.some((item, at) => at < before.length && keepsRemoved(before[at], item, after[at]));
  }
  return false;
}

/** The JSON merge patch (RFC 7386) from one object to another: null removes, lists are replaced as a whole. */
export function mergePatch(before, after) {
  const patch = {};
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) patch[key] = null;
  for (const [key, value] of Object.entries(after)) {
    if (isMap(value) && isMap(before[key])) {
      const inner = mergePatch(before[key], value);
      if (Object.keys(inner).length) patch[key] = inner;
    } else if (!equals(value, own(before, key))) patch[key] = value;
  }
  return patch;
}

/** Result of a JSON merge patch that is applied to an object. */
export function merged(object, patch) {
  if (!isMap(patch)) return patch;
  const result = isMap(object) ? { ...object } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(own(result, key), value);
  }
  return result;
}

/** The items of a list by name; null if an item has no name, or if two items have the same name. */
function byName(list) {
  const named = list.filter((item) => isMap(item) && typeof item.name === 'string');
  const items = Object.fromEntries(named.map((item) => [`[name="${item.name}"]`, item]));
  return Object.keys(items).length === list.length ? items : null;
}

/** Paths of the fields that others have changed from `base` to `live`, and whose changes `result` reverts. */
export function reverted(base, live, result, path = '') {
  if (equals(base, live) || equals(live, result)) return [];
  const states = [base ?? (Array.isArray(live) ? [] : {}), live, result];
  const isList = states.every(Array.isArray);
  const [was, is, becomes] = isList ? states.map(byName) : states;
  if (![was, is, becomes].every(isMap)) return [path];
  const keys = new Set([...Object.keys(was), ...Object.keys(is)]);
  return [...keys].flatMap((key) => reverted(own(was, key), own(is, key), own(becomes, key), isList ? path + key : `${path}.${key}`));
}

/** Whether a value contains an integer that JavaScript may have rounded: then it must not be sent. */
export function isRounded(value) {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  return value !== null && typeof value === 'object' && Object.values(value).some(isRounded);
}
