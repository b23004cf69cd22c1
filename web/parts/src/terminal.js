// The terminal: xterm.js, with its styles given to the document as a sheet, because the page allows no style elements.
import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import css from '@xterm/xterm/css/xterm.css';
import { colour } from './colour.js';

/** Of an element of the terminal: a style as an attribute is forbidden, as a property it is not. */
function setAttribute(name, value) {
  if (name === 'style') this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
}

/** Makes elements for xterm.js. Instead of a style element it gets one that fills a sheet of the document. */
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
  // Its scroll bar always uses the real document (6.0).
  document.createElement = createElement;
  try {
    terminal.open(parent);
  } finally {
    delete document.createElement;
  }
  // So do the rows, whose runs of 24-bit colours and of selected text have styles. There is no public way to it.
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
  // The page's shortcut keys are not for a terminal: Escape is the process's.
  parent.addEventListener('keydown', (event) => event.stopPropagation());
  terminal.onData(onData);
  terminal.onResize(({ cols, rows }) => onResize(cols, rows));
  const observer = new ResizeObserver(() => fit.fit());
  observer.observe(parent);
  fit.fit();
  onResize(terminal.cols, terminal.rows);
  return {
    /** Bytes or text; resolves when they are on screen, which is the time to ask for more. */
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
