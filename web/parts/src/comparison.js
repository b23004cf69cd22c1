// The comparison of two texts: what is removed and what is added, with unchanged lines folded.
import { yaml } from '@codemirror/lang-yaml';
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { colours, frame } from './theme.js';

/** Puts a comparison into `parent`: `before` and `after` are texts, `label` names it for screen readers. */
export function createComparison(parent, { before, after, label }) {
  const root = parent.attachShadow({ mode: 'open' });
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: after,
      extensions: [
        lineNumbers(), yaml(), colours, frame,
        unifiedMergeView({ original: before, mergeControls: false, gutter: true, collapseUnchanged: { margin: 3, minSize: 6 }, syntaxHighlightDeletions: false }),
        EditorState.readOnly.of(true), EditorView.editable.of(false),
        // Not editable, it would be out of the reach of the keyboard.
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0', role: 'textbox', 'aria-readonly': 'true', 'aria-multiline': 'true' }),
      ],
    }),
  });
  return { focus: () => view.contentDOM.focus(), destroy: () => view.destroy() };
}
