// Terminal: xterm.js, with its styles in adopted style sheets, because the page's Content Security Policy allows no style elements.
import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import css from '@xterm/xterm/css/xterm.css';
import { colour } from './colour.js';

/** `setAttribute()` of the terminal's elements: the policy forbids the attribute `style`, but not the property. */
function setAttribute(name, value) {
  if (name === 'style') this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
}

/** Creates elements for xterm.js. Instead of a style element, it creates an element whose text becomes an adopted style sheet. */
function elementFactory(sheets) {
  return (name, options) => {
    const element = Document.prototype.createElement.call(document, name === 'style' ? 'span' : name, options);
    element.setAttribute = setAttribute;
    if (name !== 'style') return element;
    element.hidden = true;
    const sheet = new CSSStyleSheet();
    sheets.push(sheet);
    document.adoptedStyleSheets.push(sheet);
    return Object.defineProperty(element, 'textContent', { set: (text) => sheet.replaceSync(text), get: () => '' });
  };
}

/** The document as xterm.js sees it. */
const documentWith = (createElement) =>
  new Proxy(document, {
    get(target, key) {
      if (key === 'createElement') return createElement;
      const value = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

/**
 * Puts a terminal into `parent`. `onData(text)` receives typed and pasted text, `onResize(columns, rows)` each size, also
 * the first. F6 calls `onLeave`, because the process receives Tab and Escape.
 */
export function createTerminal(parent, { label, onData, onResize, onLeave }) {
  const sheets = [];
  const base = new CSSStyleSheet();
  base.replaceSync(css);
  sheets.push(base);
  document.adoptedStyleSheets.push(base);
  const createElement = elementFactory(sheets);
  const own = documentWith(createElement);
  const terminal = new Terminal({
    documentOverride: own,
    fontFamily: getComputedStyle(parent).getPropertyValue('--mono') || 'monospace',
    fontSize: 13,
    scrollback: 10_000,
    screenReaderMode: false,
    cursorBlink: true,
    theme: {
      background: colour(parent, '--sunken'),
      foreground: colour(parent, '--text'),
      cursor: colour(parent, '--text'),
      selectionBackground: colour(parent, '--accent-soft'),
    },
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  // The scroll bar of xterm.js 6.0 ignores `documentOverride`.
  document.createElement = createElement;
  try {
    terminal.open(parent);
  } finally {
    delete document.createElement;
  }
  // So do the rows, which have style attributes on text in 24-bit colours and on selected text. There is no public API for it.
  const rows = terminal._core?._renderService?._renderer?.value?._rowFactory;
  if (rows) rows._document = own;
  terminal.textarea?.setAttribute('aria-label', label);
  terminal.attachCustomKeyEventHandler((event) => {
    if (event.type !== 'keydown') return true;
    if (event.key === 'F6' && onLeave) {
      event.preventDefault();
      onLeave();
      return false;
    }
    const copies = (event.ctrlKey && event.shiftKey && event.code === 'KeyC') || (event.ctrlKey && event.key === 'Insert');
    if (!copies || !terminal.hasSelection()) return true;
    event.preventDefault();
    navigator.clipboard?.writeText(terminal.getSelection()).catch(() => {});
    return false;
  });
  // The page's shortcut keys do not apply in a terminal: the process receives Escape.
  parent.addEventListener('keydown', (event) => event.stopPropagation());
  terminal.onData(onData);
  terminal.onResize(({ cols, rows }) => onResize(cols, rows));
  const observer = new ResizeObserver(() => fit.fit());
  observer.observe(parent);
  fit.fit();
  onResize(terminal.cols, terminal.rows);
  return {
    /** Writes bytes or text. Resolves when they are on screen: only then should the caller write more. */
    write: (data) => new Promise((resolve) => terminal.write(data, resolve)),
    focus: () => terminal.focus(),
    get size() {
      return [terminal.cols, terminal.rows];
    },
    destroy() {
      observer.disconnect();
      terminal.dispose();
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.includes(sheet));
    },
  };
}
