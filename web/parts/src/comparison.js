// Comparison of two texts: removed and added lines, with unchanged lines folded.
import { yaml } from '@codemirror/lang-yaml';
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { pair } from './secret.js';
import { colours, escapes, frame } from './theme.js';

/** Both texts of Secrets, given in JSON: masked, and different where the values are. */
const masked = ({ before, after }) => {
  const [from, to] = pair(JSON.parse(before), JSON.parse(after));
  return { before: from, after: to };
};

/**
 * Puts a comparison into `parent`: `before` and `after` are texts, `label` names it for screen readers. With `secret` they are
 * the JSON of Secrets, of which no value is shown. `show()` takes both again, as JSON. `onShown` receives whether the shown
 * lines are equal.
 */
export function createComparison(parent, { before, after, label, secret = false, onShown }) {
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' });
  const stateOf = (texts) => {
    const { before, after } = secret ? masked(texts) : texts;
    onShown?.(before === after);
    return EditorState.create({
      doc: after,
      extensions: [
        lineNumbers(), yaml(), colours, escapes, frame,
        unifiedMergeView({ original: before, mergeControls: false, gutter: true, collapseUnchanged: { margin: 3, minSize: 6 }, syntaxHighlightDeletions: false }),
        EditorState.readOnly.of(true), EditorView.editable.of(false),
        // Not editable, it would be out of the reach of the keyboard.
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0', role: 'textbox', 'aria-readonly': 'true', 'aria-multiline': 'true' }),
      ],
    });
  };
  const view = new EditorView({ parent: root, root, state: stateOf({ before, after }) });
  return {
    show(texts) {
      const { scrollTop } = view.scrollDOM;
      view.setState(stateOf(JSON.parse(texts)));
      view.scrollDOM.scrollTop = scrollTop;
    },
    focus: () => view.focus(),
    destroy() {
      view.destroy();
    },
  };
}
