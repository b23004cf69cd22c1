// YAML editor with its review: nothing is applied before the difference of a dry run has been shown.
import { reviewAdvice, writeAdvice } from './advice.js';
import { Batch } from './batch.js';
import { createComparison } from './comparison.js';
import { Confirmation } from './confirmation.js';
import { element, failure, fill, invalidFields } from './dom.js';
import { addDraft, draftNotice } from './drafts.js';
import { createEditor } from './editor.js';
import { fieldErrors, segments } from './field-errors.js';
import { pairOf, plainForm, secretForm } from './form.js';
import { fields, kindAt, refresh } from './schema.js';
import { validate } from './validation.js';
import { locate } from './yaml.js';

/** Debounce time between a change of the text and its validation, in milliseconds. */
const DEBOUNCE = 200;

const nameOf = ({ kind, metadata }) => `${kind} ${metadata.name ?? metadata.generateName}`;

/** Sentence about the request, with a space before it; empty if the text itself is sent. */
function requestNote({ before, method }, secret) {
  if (!before) return ` The object is created anew${secret ? ', with all its values' : ''}.`;
  if (method !== 'patch') return '';
  return ` Only what you changed is sent${secret ? ': hidden values stay as they are' : ', as a patch of this version'}.`;
}

/**
 * Puts the editor into `parent`. With `ref`, it edits that object, whose YAML is `text`. Without `ref`, it creates objects, by
 * default in `namespace`. For a Secret (`secret`), `text` is JSON, and the values are masked. `onClose()` is called when the edit
 * is finished, `onEdited(isEdited)` with whether the text has unapplied changes. If it has some when the editor is destroyed, they
 * become a draft. The next editor of the same object, or of new objects in the same namespace, offers the draft.
 */
export function edit(parent, { client, ref, text = '', secret = false, label, namespace, onClose, onEdited = () => {} }) {
  const values = element('div', { className: 'values', role: 'group', 'aria-label': 'Values' });
  const form = secret ? secretForm(values) : plainForm();
  /** The object when it was opened: as the watch showed it, its text, its state for comparisons, and its parsed form. */
  let original = ref ? form.open(text) : { shown: '', text: '', state: '', base: null };
  let latest = original;
  /** The object as the watch last showed it. */
  let shownLast = text;
  const key = ref ? JSON.stringify(ref) : `create in ${namespace}`;
  let reviewed = null;
  let batch = new Batch();
  const confirmation = new Confirmation(form.versionOf(text));
  let busy = false;
  let ended = false;
  let isApplied = false;
  let isSending = false;
  /** Draft of an editor that was destroyed while it was sending: added to the drafts if the request fails. */
  let unsent = null;
  let comparison = null;
  /** Changes of others: the `<details>` element, the newest state, and the comparison while the element is open. */
  let others = null;

  const offer = element('div', { className: 'notices' });
  const notice = element('div', { className: 'notices' });
  const place = element('div', { className: 'editor' });
  const problems = element('ul', { className: 'problems', 'aria-label': 'Problems' });
  const result = element('div', { className: 'review' });
  const back = element('button', { className: 'button', type: 'button', textContent: 'Back to the text', hidden: true, onclick: () => returnToText() });
  const check = element('button', { className: 'button primary', type: 'button', textContent: 'Review', onclick: () => runReview(false) });
  const take = element('button', { className: 'button danger', type: 'button', textContent: 'Take over', hidden: true, onclick: () => runReview(true) });
  const apply = element('button', { className: 'button primary', type: 'button', textContent: 'Apply', hidden: true, onclick: () => send() });
  const cancel = element('button', { className: 'button', type: 'button', textContent: 'Close', onclick: () => onClose() });
  fill(parent, offer, notice, secret && values, place, problems, result, element('footer', { role: 'none' }, cancel, back, take, check, apply));

  const editor = createEditor(place.appendChild(element('div', {})), {
    text: original.text,
    label,
    onChange: () => {
      onEdited(isEdited());
      clearTimeout(timer);
      timer = setTimeout(() => addWarnings(read()), DEBOUNCE);
    },
    complete: (path, line) => fields(client, kindAt(editor.text, line), path),
  });
  let timer = 0;
  /** Generation of the shown problems: warnings of an older generation are dropped. */
  let generation = 0;
  refresh(client);
  if (!ref) editor.setText('');
  fill(offer, draftNotice(key, { resume, onDiscard: () => (place.hidden ? back : editor).focus() }));
  form.updateButtons(() => editor.text, replaceWith);
  editor.focus();

  /** Whether the text has changes that are not applied. */
  function isEdited() {
    return !isApplied && !confirmation.isAccepted && form.isEdited(editor.text, original.text);
  }

  /** Resumes a draft from the state in which it was opened, so that later changes of others are conflicts. */
  function resume(draft) {
    returnToText();
    if (ref) {
      original = latest = form.open(draft.shown);
      form.reveal(draft.revealed);
    }
    batch = draft.batch;
    editor.setText(draft.text);
    editor.focus();
    read();
    if (!ref || !shownLast) return;
    notify();
    follow(shownLast);
  }

  /** Replaces the text after a value was revealed or hidden. The focus stays on the button of its key. */
  function replaceWith(text, key) {
    returnToText();
    editor.setText(text);
    // The comparison must hide the values that the text hides.
    compareOthers();
    clearTimeout(timer);
    read();
    [...values.children].find((button) => button.dataset.key === key)?.focus();
  }

  /** Replaces the notice. */
  function notify(...children) {
    others?.comparison?.destroy();
    others = null;
    fill(notice, ...children);
  }

  /** Updates the comparison with the changes of others, if it is open. It shows the currently revealed values. */
  function compareOthers() {
    if (!others) return;
    others.comparison?.destroy();
    others.comparison = null;
    const into = others.details.querySelector('div');
    fill(into);
    if (!others.details.open) return;
    const [before, after] = form.comparison(original, others.now);
    others.comparison = createComparison(into.appendChild(element('div', {})), { before, after, label: 'What others changed' });
  }

  function show(found) {
    generation += 1;
    editor.setProblems(found);
    fill(problems, ...found.map(({ message, severity = 'error', ...at }) => element('li', { 'data-severity': severity },
      element('button', { className: 'link', type: 'button', onclick: () => (returnToText(), editor.goTo(at)) }, `Line ${at.line}, column ${at.column}`),
      ` ${message}`)));
  }

  function read() {
    const parsed = form.read(editor.text);
    show(parsed.problems);
    form.updateButtons(() => editor.text, replaceWith);
    return parsed;
  }

  /** Adds the warnings of the server's schemas to the text that was read. They do not prevent a review: the server decides. */
  async function addWarnings({ problems: found }) {
    const of = generation;
    // Without documents the text has errors.
    const warnings = found.length ? [] : await validate(client, editor.text);
    if (warnings.length && of === generation && !ended) show(warnings);
  }

  /** Returns to the text. */
  function returnToText() {
    comparison?.destroy();
    comparison = null;
    reviewed = null;
    fill(result);
    for (const [button, hidden] of [[back, true], [take, true], [apply, true], [check, false]]) button.hidden = hidden;
    place.hidden = false;
  }

  function setBusy(isBusy, text = '') {
    busy = isBusy;
    for (const button of [check, take, apply, back]) button.disabled = isBusy;
    // A later change would be neither in the difference nor in the request.
    editor.setReadOnly(isBusy);
    values.inert = isBusy;
    offer.inert = isBusy;
    if (isBusy) fill(result, element('p', { className: 'outcome', role: 'status' }, text));
  }

  /** Marks the server's field errors in the text. */
  function markErrors(error, at) {
    const named = [...invalidFields(error), ...fieldErrors(error.message)];
    const found = named.filter(({ field }) => field).map(({ field, message }) => ({ ...locate(editor.text, segments(field), at), message: `${field}: ${message}` }));
    if (found.length) show(found);
  }

  async function runReview(force) {
    if (busy) return;
    clearTimeout(timer);
    const { documents, problems: found } = read();
    returnToText();
    if (found.length) return editor.goTo(found[0]);
    if (ref && documents.length !== 1) return fill(result, failure(new Error('An edit must be one document. To create other objects, close this dialog and press c.')));
    if (!documents.length) return fill(result, failure(new Error('There is no object in the text.')));
    const warnings = [];
    setBusy(true, 'The server checks it: nothing is changed …');
    const options = { base: original.base, ref, force, namespace, onWarning: (warning) => warnings.push(form.warning(warning)) };
    const { all, failed } = await batch.review(documents, (document) => form.review(client, document, options));
    if (ended) return;
    setBusy(false);
    if (failed) {
      const { at } = failed;
      const error = form.error(failed.error);
      const where = documents.length > 1 ? `Document ${at + 1} (line ${documents[at].line}). ` : '';
      fill(result, failure(error, where + reviewAdvice(error)));
      take.hidden = !error.conflicts?.length;
      return markErrors(error, at);
    }
    const left = all.filter(({ method }) => method !== 'none');
    const created = all.filter(({ method }) => method === 'none').map(({ object }) => nameOf(object));
    const unchecked = left.filter(({ isUnchecked }) => isUnchecked).map(({ after }) => nameOf(after));
    const texts = left.map(({ before, after }) => (ref ? form.pair(before, after) : pairOf(before, after)));
    const changes = texts.filter(([before, after]) => before !== after).length;
    const made = left.filter(({ before }) => !before).length;
    const sentence = !changes ? 'Nothing would change.'
      : ref ? `The server accepts this.${requestNote(all[0], secret)}`
        : `The server accepts this: ${made} to create, ${left.length - made} to change.`;
    const notes = [
      created.length && `Already created, and not created again: ${created.join(', ')}.`,
      unchecked.length && `Not checked, because the namespace does not exist yet: ${unchecked.join(', ')}.`,
    ].filter(Boolean);
    const view = element('div', { className: 'comparison' });
    fill(result, element('p', { role: 'status' }, sentence), ...notes.map((note) => element('p', { className: 'note' }, note)), ...warnings.map((warning) => element('p', { className: 'warning' }, `Warning: ${warning}`)), view);
    comparison = createComparison(view.appendChild(element('div', {})), {
      before: texts.map(([before]) => before).join('---\n'), after: texts.map(([, after]) => after).join('---\n'), label: 'Changes',
    });
    reviewed = all;
    place.hidden = true;
    back.hidden = false;
    check.hidden = true;
    apply.hidden = !changes;
    (changes ? apply : back).focus();
  }

  async function send() {
    if (busy || !reviewed) return;
    const all = reviewed;
    confirmation.send();
    busy = true;
    isSending = true;
    offer.inert = true;
    for (const button of [apply, back]) button.disabled = true;
    const outcome = result.insertBefore(element('p', { className: 'outcome', role: 'status' }, 'Sending …'), result.firstChild);
    const done = [];
    try {
      for (const [at, one] of all.entries()) {
        done.push(await batch.send(client, one));
        if (ended) return done.length < all.length && unsent && addDraft(key, unsent);
        fill(outcome, `${at + 1} of ${all.length} …`);
      }
    } catch (thrown) {
      if (ended) return unsent && addDraft(key, unsent);
      const error = form.error(thrown);
      busy = false;
      isSending = false;
      offer.inert = false;
      for (const button of [apply, back]) button.disabled = false;
      returnToText();
      fill(result, failure(error, writeAdvice(error, done.length, all.length)));
      return markErrors(error, done.length);
    }
    busy = false;
    isSending = false;
    const names = done.map(nameOf).join(', ');
    if (!ref) {
      isApplied = true;
      onEdited(false);
      for (const button of [apply, back]) button.hidden = true;
      return fill(outcome, `Applied: ${names}.`);
    }
    confirmation.accept(done[0].metadata.resourceVersion);
    onEdited(false);
    fill(outcome, 'Accepted by the server. Waiting until the watch shows it …');
    if (confirmation.isShown) onClose();
  }

  /** Closes once the watch has shown the result. */
  function confirm(version) {
    confirmation.show(version);
    if (confirmation.isShown) onClose();
  }

  /** Compares a version of the object with the one that is edited. */
  function follow(shown) {
    confirm(form.versionOf(shown));
    if (!shown || confirmation.isAccepted) return;
    const now = form.peek(shown);
    if (now.state === latest.state) return;
    latest = now;
    if (now.state === original.state) return notify();
    const details = element('details', { ontoggle: () => others?.details === details && compareOthers() },
      element('summary', {}, 'What changed'), element('div', { className: 'comparison' }));
    const adopt = element('button', {
      className: 'button', type: 'button', textContent: 'Start again from the current state',
      onclick: () => {
        if (busy) return;
        original = form.open(shown);
        returnToText();
        editor.setText(original.text);
        notify();
      },
    });
    notify(element('div', { className: 'notice', role: 'status' }, 'The object was changed by others since you opened it. Your text is kept. The review names fields that conflict. ', adopt, details));
    others = { details, now, comparison: null };
  }

  return {
    get text() {
      return editor.text;
    },
    /** Receives a new version of the object from the watch. */
    changed(shown) {
      shownLast = shown;
      follow(shown);
    },
    deleted() {
      shownLast = '';
      confirm(null);
      if (confirmation.isAccepted) return;
      notify(element('div', { className: 'notice', role: 'status' }, 'The object was deleted while you edited it. Your text is kept. To create it anew, remove the line with its uid, then review.'));
    },
    destroy() {
      const draft = isEdited() && { shown: original.shown, text: editor.text, revealed: form.revealed(), batch };
      if (isSending) unsent = draft;
      else if (draft) addDraft(key, draft);
      ended = true;
      clearTimeout(timer);
      comparison?.destroy();
      others?.comparison?.destroy();
      editor.destroy();
    },
  };
}
