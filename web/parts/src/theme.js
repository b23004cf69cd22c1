// CodeMirror theme of the editor and the comparison. Colours are the page's CSS custom properties, which the shadow root
// inherits.
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView, highlightSpecialChars } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { element } from './dom.js';
import { HIDDEN, escapeOf } from './visible.js';

/** Extension that shows hidden characters of a typed or pasted text as escapes. The text itself keeps the characters. */
export const escapes = highlightSpecialChars({
  specialChars: HIDDEN,
  render: (code) => element('span', { className: 'cm-specialChar', title: 'Hidden character' }, escapeOf(code)),
});

export const colours = syntaxHighlighting(
  HighlightStyle.define([
    { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
    { tag: [tags.string, tags.content], color: 'var(--text)' },
    { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--ok)' },
    { tag: [tags.comment, tags.meta], color: 'var(--muted)', fontStyle: 'italic' },
    { tag: [tags.punctuation, tags.separator], color: 'var(--muted)' },
  ]),
);

export const frame = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '12.5px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--muted)', border: 'none', borderRight: '1px solid var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--accent-soft)' },
  '.cm-specialChar': { padding: '0 3px', borderRadius: '3px', backgroundColor: 'var(--bad-soft)', color: 'var(--bad)' },
  '.cm-panels, .cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--text)', borderColor: 'var(--line-strong)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent-soft)', color: 'var(--text)' },
  '.cm-textfield, .cm-button': { backgroundColor: 'var(--surface)', backgroundImage: 'none', color: 'var(--text)', borderColor: 'var(--line-strong)' },
  // CodeMirror's lint markers are data: images, which the Content Security Policy blocks. The `content` of an element cannot be text,
  // but that of ::before can.
  '.cm-lint-marker': { lineHeight: '1', textAlign: 'center' },
  '.cm-lint-marker-error': { content: 'normal', color: 'var(--bad)' },
  '.cm-lint-marker-error::before': { content: '"●"' },
  '.cm-lint-marker-warning': { content: 'normal', color: 'var(--warn)' },
  '.cm-lint-marker-warning::before': { content: '"▲"' },
  '.cm-lint-marker-info': { content: 'normal', color: 'var(--accent)' },
  '.cm-lint-marker-info::before': { content: '"i"' },
  '.cm-lintRange-error, .cm-lintRange-warning, .cm-lintRange-info': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)' },
  '.cm-lintRange-warning': { textDecorationColor: 'var(--warn)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-soft)', outline: '1px solid var(--warn)' },
  '.cm-insertedLine, .cm-changedLine': { backgroundColor: 'var(--ok-soft) !important' },
  '.cm-deletedChunk, .cm-deletedLine': { backgroundColor: 'var(--bad-soft) !important' },
  '.cm-changedText': { background: 'none !important', textDecoration: 'underline', textDecorationColor: 'var(--ok)' },
  '.cm-deletedText, .cm-deletedChunk .cm-deletedText': { background: 'none !important', textDecoration: 'line-through', textDecorationColor: 'var(--bad)' },
});
