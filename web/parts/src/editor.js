// YAML editor: CodeMirror 6 in a shadow root, where the page's Content Security Policy allows its styles.
import { autocompletion, startCompletion } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, codeFolding, foldGutter, foldKeymap, indentOnInput, indentUnit } from '@codemirror/language';
import { lintGutter, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap, search } from '@codemirror/search';
import { Compartment, EditorState } from '@codemirror/state';
import { EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from '@codemirror/view';
import { colours, escapes, frame } from './theme.js';
import { visible } from './visible.js';

/** Offset of a line and a column, both from 1; the nearest offset in the text. */
function position(doc, { line, column = 1 }) {
  const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
  return Math.min(at.from + Math.max(column, 1) - 1, at.to);
}

/**
 * Puts an editor into `parent`.
 *
 * `onChange()` is called when the text has changed. `complete(path, line)` resolves to the fields that are allowed on a line below
 * a path of keys: `[{ name, type, description, required, values }]`. `values` are the allowed values of a field, if they are few. In
 * a list with few allowed values, the entries are these values, with the type `value`. Tab indents; Escape, then Tab, leaves the
 * editor.
 */
export function createEditor(parent, { text, label, onChange, complete }) {
  const root = parent.attachShadow({ mode: 'open' });
  const access = new Compartment();
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), foldGutter(), codeFolding(), lintGutter(), history(), drawSelection(), indentOnInput(), bracketMatching(),
        highlightActiveLine(), highlightActiveLineGutter(), highlightSelectionMatches(), search({ top: true }),
        indentUnit.of('  '), yaml(), colours, escapes, frame,
        autocompletion({ override: [(context) => values(context, complete), (context) => fields(context, complete)] }),
        keymap.of([...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, indentWithTab]),
        access.of(EditorState.readOnly.of(false)),
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange();
        }),
      ],
    }),
  });
  return {
    get text() {
      return view.state.doc.toString();
    },
    /** Replaces the text. The replacement is a step of the undo history. */
    setText(text) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    /** Sets the diagnostics: `[{ line, column, message, severity }]`, severity `error`, `warning` or `info`. */
    setProblems(problems) {
      const { doc } = view.state;
      const diagnostics = problems.map(({ message, severity = 'error', ...place }) => {
        const from = position(doc, place);
        return { from, to: Math.max(from, doc.lineAt(from).to), message: visible(message), severity };
      });
      view.dispatch(setDiagnostics(view.state, diagnostics.sort((a, b) => a.from - b.from)));
    },
    goTo(place) {
      const anchor = position(view.state.doc, place);
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
      view.focus();
    },
    /** Makes the editor read-only, or editable again. It keeps the focus and the cursor. */
    setReadOnly: (is) => view.dispatch({ effects: access.reconfigure(EditorState.readOnly.of(is)) }),
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

/** Path of the keys above a line, by indentation: `spec`, `template`, `spec`, `containers`. A list item has no key of its own. */
export function pathAt(doc, lineNumber, column) {
  const path = [];
  let indent = column;
  for (let number = lineNumber - 1; number >= 1 && indent > 0; number--) {
    const { text } = doc.line(number);
    if (/^---(\s|$)/.test(text)) break;
    const line = /^(\s*(?:- +)*)([^\s#'"][^:]*|"[^"]*"|'[^']*'):(?:\s|$)/.exec(text);
    if (!line || line[1].length >= indent) continue;
    path.unshift(line[2].replace(/^["']|["']$/g, ''));
    // A key beside the dash of an item is as deep as the item's other keys; the list's own key is above the dash.
    indent = /-/.test(line[1]) ? line[1].search(/-/) + (line[1].length < indent ? 0 : 1) : line[1].length;
    if (/-/.test(line[1])) indent = Math.max(indent, 0) + 1;
  }
  return path;
}

/** Completes a field, or a value of a list of values. */
async function fields(context, complete) {
  const { state, pos } = context;
  const line = state.doc.lineAt(pos);
  const before = line.text.slice(0, pos - line.from);
  const key = /^(\s*(?:- +)*)([\w./-]*)$/.exec(before);
  if (!key || (!context.explicit && key[2] === '')) return null;
  const offered = await complete(pathAt(state.doc, line.number, key[1].length), line.number);
  if (!offered?.length || context.aborted) return null;
  const options = offered.map(({ name, type, description, required, values: few }) => ({
    label: visible(name),
    detail: visible(type),
    info: description ? visible(description) : undefined,
    boost: required ? 1 : 0,
    apply: type === 'value' ? name : few.length ? (view, _, from, to) => withValue(view, `${name}: `, from, to) : `${name}: `,
  }));
  return { from: pos - key[2].length, options, validFor: /^[\w./-]*$/ };
}

/** Inserts a key, and offers its values. */
function withValue(view, insert, from, to) {
  view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length }, userEvent: 'input.complete' });
  startCompletion(view);
}

/** Completes the value after a key. */
async function values(context, complete) {
  const { state, pos } = context;
  const line = state.doc.lineAt(pos);
  const found = /^(\s*(?:- +)*)([\w./-]+):\s+([\w./-]*)$/.exec(line.text.slice(0, pos - line.from));
  if (!found || (!context.explicit && found[3] === '')) return null;
  const [, indent, key, typed] = found;
  const offered = await complete(pathAt(state.doc, line.number, indent.length), line.number);
  const few = offered?.find(({ name }) => name === key)?.values ?? [];
  if (!few.length || context.aborted) return null;
  return { from: pos - typed.length, options: few.map((value) => ({ label: visible(value), apply: value, type: 'enum' })), validFor: /^[\w./-]*$/ };
}
