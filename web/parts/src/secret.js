// Secrets in edits and comparisons: values are masked until they are revealed, one by one.
//
// The text of an edit has a placeholder for each value. Values that are text are in `stringData`, so that a revealed or new
// one can be edited as text; others are in `data`, in base64. The request is a patch of the user's changes, without the
// values behind placeholders.
import { edited } from './manifest.js';
import { find, identify, reviewPatch } from './review.js';
import { locate, pairAt, print } from './yaml.js';

/** Placeholder of a value. */
export const MASK = '••••••••';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** Matches the rest of a placeholder that was edited. */
const DAMAGED = /•{2,}/;

export const isSecret = (object) => object?.kind === 'Secret' && object.apiVersion === 'v1';

const isMap = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
const entries = (value) => (isMap(value) ? Object.entries(value) : []);
const own = (map, key) => (isMap(map) && Object.hasOwn(map, key) ? map[key] : undefined);

/** Decodes base64; null if it is invalid. */
function decode(base64) {
  try {
    return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  } catch {
    return null;
  }
}

/** Decodes base64 to text; null if the bytes are not text. */
export function textOf(base64) {
  const bytes = typeof base64 === 'string' ? decode(base64) : null;
  if (!bytes) return null;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    // eslint-disable-next-line no-control-regex
    return /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(text) ? null : text;
  } catch {
    return null;
  }
}

/** The base64 of a text. */
export const encode = (text) => btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));

/** The object with texts in `stringData`. `shown(key, value, text)` returns the displayed form of a value. */
function split(object, shown) {
  const { data, stringData, ...rest } = edited(object);
  const parts = { stringData: [], data: [] };
  for (const [key, value] of entries(data)) {
    if (own(stringData, key) !== undefined) continue;
    const text = textOf(value);
    parts[text === null ? 'data' : 'stringData'].push([key, shown(key, value, text)]);
  }
  for (const [key, value] of entries(stringData)) parts.stringData.push([key, shown(key, encode(`${value}`), `${value}`)]);
  const annotations = rest.metadata.annotations;
  if (own(annotations, LAST_APPLIED) !== undefined) {
    rest.metadata = { ...rest.metadata, annotations: { ...annotations, [LAST_APPLIED]: shown(LAST_APPLIED, annotations[LAST_APPLIED], annotations[LAST_APPLIED]) } };
  }
  for (const [section, values] of Object.entries(parts)) if (values.length) rest[section] = Object.fromEntries(values);
  return rest;
}

/** The text of a Secret for an edit: it contains no value. */
export const hide = (object) => print(split(object, () => MASK));

const size = (value) => {
  const bytes = decode(value)?.length ?? `${value}`.length;
  return bytes === 1 ? '1 byte' : `${bytes} bytes`;
};

/**
 * Texts of two states of a Secret, which differ where values differ. They contain only the values whose keys are in `revealed`;
 * in place of another value they have its size, and whether the two values differ.
 */
export function pair(before, after, revealed = new Set()) {
  const valueOf = (object, key) => (key === LAST_APPLIED ? own(object?.metadata?.annotations, key) : own(object?.data, key));
  const side = (object, other, note) => (object
    ? print(split(object, (key, value, text) => {
      if (revealed.has(key)) return text ?? value;
      const against = valueOf(other, key);
      return `${MASK} (${size(value)}${against !== undefined && against !== valueOf(object, key) ? `, ${note}` : ''})`;
    }))
    : '');
  return [side(before, after, 'one value'), side(after, before, 'another value')];
}

/** Section of a key's value in a text. */
function sectionOf(object, key) {
  return ['stringData', 'data'].find((section) => own(object[section], key) !== undefined);
}

/**
 * Parses a text to an object, with values instead of placeholders: `{ object, problems }`. `base` is the Secret as it was
 * opened. Problems name keys and lines, and no values.
 */
export function fill(parsed, text, base, revealed) {
  const problems = [];
  const report = (path, message) => problems.push({ ...locate(text, path), message });
  const { data, stringData, ...object } = parsed;
  const values = [];
  for (const [section, given] of [['data', data], ['stringData', stringData]]) {
    if (given === undefined || given === null) continue;
    if (!isMap(given)) {
      report([section], `${section} must be a map of keys to values.`);
      continue;
    }
    for (const [key, value] of Object.entries(given)) {
      const problem = (message) => report([section, key], message);
      if (section === 'stringData' && own(data, key) !== undefined) problem(`${key} is in data, too. Remove one of them.`);
      else if (value === MASK && own(base?.data, key) !== undefined) values.push([key, base.data[key]]);
      else if (value === MASK) problem(`There is no value behind this placeholder: the Secret has no key ${key}. Type a value.`);
      else if (typeof value !== 'string') problem(`The value of ${key} must be text. Put it in quotes.`);
      else if (DAMAGED.test(value) && !revealed.has(key)) problem(`The placeholder of ${key} was changed. Restore ${MASK}, or reveal the value and edit it.`);
      else if (section === 'stringData') values.push([key, encode(value)]);
      else if (decode(value) === null) problem(`The value of ${key} is not base64. Put text below stringData.`);
      else values.push([key, value.replace(/\s+/g, '')]);
    }
  }
  const note = own(object.metadata?.annotations, LAST_APPLIED);
  if (note !== undefined) {
    const before = own(base?.metadata?.annotations, LAST_APPLIED);
    if (note === MASK && before !== undefined) object.metadata = { ...object.metadata, annotations: { ...object.metadata.annotations, [LAST_APPLIED]: before } };
    else if (DAMAGED.test(`${note}`)) report(['metadata', 'annotations', LAST_APPLIED], 'The placeholder of this annotation was changed. Restore it, or remove the annotation.');
  }
  if (values.length || own(base, 'data') !== undefined) object.data = Object.fromEntries(values);
  return { object, problems };
}

/** Dry run of an edited Secret, as `review()` does it for other objects. It is a patch: hidden values are not sent. */
export async function reviewSecret(client, { object }, { base, ref, force = false, onWarning }) {
  const checked = { dryRun: true, fieldValidation: 'Strict', onWarning };
  const before = await find(client, ref);
  identify(object, base, before);
  if (!before) return { ref, before, after: await client.create(object, checked), method: 'create', object };
  return reviewPatch(client, { object, base, before, ref, force, checked });
}

/** A text of the server with the values of Secrets masked. It may repeat them as text, in base64 or quoted. */
export function clean(text, objects) {
  const values = objects.flatMap((object) => [...entries(object?.data).map(([, value]) => value), own(object?.metadata?.annotations, LAST_APPLIED)])
    .flatMap((value) => (typeof value === 'string' ? [value, textOf(value)] : []))
    .flatMap((value) => (value ? [value, JSON.stringify(value).slice(1, -1)] : []))
    .filter((value) => value.length > 3).sort((a, b) => b.length - a.length);
  return values.reduce((text, value) => text.replaceAll(value, MASK), `${text}`);
}

/** An error with the values of Secrets masked. */
export function scrub(error, objects) {
  const { status, code, title, causes = [], conflicts = [], webhook } = error ?? {};
  const cleaned = causes.map((cause) => ({ ...cause, message: clean(cause.message ?? '', objects) }));
  return { status, code, title, webhook, conflicts, message: clean(error?.message ?? error, objects), causes: cleaned };
}

/** The keys of an object: `masked`, whose values are placeholders, and `revealed`, whose values are those of `base`. */
export function hidden(object, base) {
  const keys = { masked: [], revealed: [] };
  for (const [key, value] of entries(base?.data)) {
    const section = sectionOf(object, key);
    const given = section && object[section][key];
    if (given === MASK) keys.masked.push(key);
    else if (given !== undefined && given === (section === 'data' ? value : textOf(value))) keys.revealed.push(key);
  }
  return keys;
}

/** Replaces the value of a key in a text, such as a placeholder with its value or the reverse. The rest of the text is unchanged. */
export function replace(text, object, key, value) {
  const section = sectionOf(object, key);
  const place = section && pairAt(text, [section, key]);
  if (!place) return text;
  const [first, ...more] = print({ [key]: value }).trimEnd().split('\n');
  const indent = ' '.repeat(place.column - 1);
  return text.slice(0, place.from) + [first, ...more.map((line) => line && indent + line)].join('\n') + text.slice(place.to);
}

/** Displayed form of a revealed value. */
export const revealedValue = (base, key) => textOf(base.data[key]) ?? base.data[key];
