// Comparison of two texts: removed and added lines, with unchanged lines folded.
import { yaml } from '@codemirror/lang-yaml';
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { pair } from './secret.js';
import { colours, escapes, frame } from './theme.js';

/** Masked texts of two Secrets, given as JSON. They differ where the values differ. */
const masked = ({ before, after }) => {
  const [from, to] = pair(JSON.parse(before), JSON.parse(after));
  return { before: from, after: to };
};

/**
 * Puts a comparison into `parent`: `before` and `after` are texts, `label` names it for screen readers. With `secret`, the texts
 * are the JSON of Secrets, and no value is shown. `show()` replaces both texts, which it receives as JSON. `onShown` is called for
 * each pair of texts, with whether the shown lines are equal.
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
        // Content that is not editable can have the focus only with a tabindex.
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
