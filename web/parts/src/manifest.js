// Manifests: the text of an edited object, the removed fields, and the positions of fields.
import { print } from './yaml.js';

/** Fields that only the server writes. The uid stays: it keeps an edit from reaching another object of the same name. */
const SERVERS = ['managedFields', 'resourceVersion', 'generation', 'creationTimestamp', 'selfLink', 'deletionTimestamp', 'deletionGracePeriodSeconds'];

/** The lines of an object's YAML that a user edits: without status, and without the fields of the server. */
export function editable(text) {
  const lines = [];
  let root = '';
  let skips = false;
  for (const line of text.split('\n')) {
    const top = /^([^\s#-][^:]*):/.exec(line);
    if (top) root = top[1];
    const second = root === 'metadata' && /^ {2}([^\s-][^:]*):/.exec(line);
    if (top) skips = root === 'status';
    else if (second) skips = SERVERS.includes(second[1]);
    if (!skips) lines.push(line);
  }
  return lines.join('\n');
}

/** The same for an object. */
export function edited({ status: _, ...object }) {
  const metadata = Object.fromEntries(Object.entries(object.metadata ?? {}).filter(([key]) => !SERVERS.includes(key)));
  return { ...object, metadata };
}

/** An object's text, for comparisons. */
export const textOf = (object) => (object ? print(edited(object)) : '');

const isMap = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

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
    } else if (JSON.stringify(value) !== JSON.stringify(before[key])) patch[key] = value;
  }
  return patch;
}

/** Whether an object has an integer that JavaScript rounded: then it must not be sent from here. */
export function isRounded(value) {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  return value !== null && typeof value === 'object' && Object.values(value).some(isRounded);
}

/** The keys and indexes of a field's path: `spec.containers[0].image`, `.metadata.labels.a`. */
export const segments = (field) => (field.match(/[^.[\]]+|\[[^\]]*\]/g) ?? []).map((part) => {
  const inner = /^\["?([^\]"]*)"?\]$/.exec(part);
  if (!inner) return part;
  return /^\d+$/.test(inner[1]) ? Number(inner[1]) : inner[1];
});

/** The paths in the server's sentence about unknown fields. */
export const unknownFields = (message) => [...`${message}`.matchAll(/(?:unknown|duplicate) field "([^"]+)"/g)].map(([, field]) => field);
