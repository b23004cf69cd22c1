// Hidden characters, shown as escapes, as in web/src/visible.rs: text from the cluster must not reorder, hide or forge what the
// page shows.

/** Matches each hidden character. Tabs, line feeds and the variation selectors of emoji are none. */
export const HIDDEN = /(?![\n\t\ufe00-\ufe0f])[\p{Default_Ignorable_Code_Point}\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\ufff0-\ufffb]/gu;

/** The escape of a character, as double-quoted YAML writes it. */
export const escapeOf = (code) => (code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`);

/** A text with escapes in place of hidden characters. */
export const visible = (text) => `${text}`.replace(HIDDEN, (found) => escapeOf(found.codePointAt(0)));
