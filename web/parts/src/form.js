// Form of an edit: conversion of an object to text and back, and the review. Secrets have a separate form.
import { element, fill } from './dom.js';
import { editable, edited, textOf } from './manifest.js';
import { review } from './review.js';
import * as secrets from './secret.js';
import { parse } from './yaml.js';

/** Matches `metadata.resourceVersion` in the YAML of an object. An Event also has the version of another object, outside `metadata`. */
const VERSION = /^metadata:\n(?:(?: {2}.*)?\n)*? {2}resourceVersion: ["']?([^"'\n]+)/m;

/** The texts of two states for a comparison. No value of a Secret is in them, unless its key is in `revealed`. */
export function pairOf(before, after, revealed) {
  if (secrets.isSecret(before ?? after)) return secrets.pair(before, after, revealed);
  return [textOf(before), textOf(after)];
}

/** Form of all kinds but Secrets: the text is edited as it is. `shown` is YAML. */
export function plainForm() {
  const peek = (shown) => {
    const text = editable(shown);
    return { text, state: text };
  };
  return {
    open(shown) {
      const opened = peek(shown);
      return { ...opened, shown, base: parse(opened.text).documents[0]?.object ?? null };
    },
    peek,
    versionOf: (shown) => VERSION.exec(shown)?.[1] ?? null,
    /** The two texts of a comparison of two states. */
    comparison: (before, after) => [before.text, after.text],
    read: parse,
    pair: (before, after) => pairOf(before, after),
    review,
    error: (error) => error,
    warning: (text) => text,
    updateButtons() {},
    isEdited: (text, original) => text !== original,
    revealed: () => [],
    reveal() {},
  };
}

/** Form of Secrets. `shown` is JSON. `tools` is the element of the Reveal and Hide buttons. */
export function secretForm(tools) {
  const revealed = new Set();
  let base = null;
  /** The object that was last read from the text. */
  let lastRead = null;
  const peek = (shown) => {
    const object = shown ? JSON.parse(shown) : null;
    return { base: object, state: object && JSON.stringify(edited(object)) };
  };
  return {
    /** Starts the edit from this state. */
    open(shown) {
      const opened = peek(shown);
      base = opened.base;
      revealed.clear();
      return { ...opened, shown, text: base ? secrets.hide(base) : '' };
    },
    /** Whether a text differs by more than revealed values. */
    isEdited(text, original) {
      if (text === original) return false;
      const object = parse(text).documents[0]?.object;
      if (!object) return true;
      return secrets.hidden(object, base).revealed.reduce((text, key) => secrets.replace(text, object, key, secrets.MASK), text) !== original;
    },
    /** Keys whose values the user has revealed. */
    revealed: () => [...revealed],
    reveal: (keys) => keys.forEach((key) => revealed.add(key)),
    peek,
    versionOf: (shown) => (shown ? JSON.parse(shown).metadata.resourceVersion : null),
    comparison: (before, after) => secrets.pair(before.base, after.base, revealed),
    read(text) {
      const parsed = parse(text);
      if (parsed.problems.length || parsed.documents.length !== 1) return parsed;
      const [document] = parsed.documents;
      const { object, problems } = secrets.fill(document.object, text, base, revealed);
      lastRead = object;
      return problems.length ? { documents: [], problems } : { documents: [{ ...document, object }], problems };
    },
    pair: (before, after) => secrets.pair(before, after, revealed),
    review: secrets.reviewSecret,
    error: (error) => secrets.scrub(error, [base, lastRead]),
    warning: (text) => secrets.clean(text, [base, lastRead]),
    /** Offers buttons to reveal hidden values, and to hide unchanged ones. */
    updateButtons(text, change) {
      const parsed = () => parse(text()).documents[0]?.object;
      const object = parsed();
      if (!object) return;
      const keys = secrets.hidden(object, base);
      const button = (verb, key, value) => element('button', {
        className: 'button', type: 'button', 'data-key': key,
        onclick: () => {
          const object = parsed();
          if (!object) return;
          if (verb === 'Reveal') revealed.add(key);
          else revealed.delete(key);
          change(secrets.replace(text(), object, key, value), key);
        },
      }, `${verb} ${key}`);
      fill(tools, ...keys.masked.map((key) => button('Reveal', key, secrets.revealedValue(base, key))),
        ...keys.revealed.map((key) => button('Hide', key, secrets.MASK)));
    },
  };
}
