// Frame of a cluster: its dashboard in a frame of the same origin, and the state that the outer page follows: address, title, freshness and keys.

/** A name as text that shows each of its characters: control characters and those that reverse text are invisible otherwise. */
export const visible = (name) => name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0).toString(16)}}`);

/**
 * Opens the dashboard of a cluster at a hash, in a panel. Returns `{ hash(), entry(), title(), freshness(), visit(hash, entry), focus() }`.
 * `entry` is the state of its page's history entry.
 *
 * `on.stepped()` is called after a step of the user in its page, `on.moved()` after another change of its address, `on.changed()` after
 * one of its title or freshness, `on.key(event)` before its page gets a key, and `on.strayed()` if it took the focus while it is hidden.
 */
export function openFrame({ name, path }, hash, panel, on) {
  const frame = document.createElement('iframe');
  frame.title = `Cluster ${visible(name)}`;
  frame.src = `${path}/ui/${hash}`;
  let status;
  let replace;
  /** The element that had the focus when it left the frame. */
  let focused;

  /** Goes to a hash, without another entry in the history of the frame. */
  function visit(hash, entry) {
    // Before it is loaded its page has no state to keep.
    if (!replace) return void (frame.src = `${path}/ui/${hash}`);
    replace(entry, '', `${path}/ui/${hash}`);
    const { contentWindow: page } = frame;
    page.dispatchEvent(new page.PopStateEvent('popstate', { state: entry }));
  }

  /**
   * The history is that of the page around the frame: an entry of a frame is lost at a reload, and Back would do nothing there. A step in
   * the frame therefore replaces its own entry.
   */
  function followHistory(page) {
    replace = page.History.prototype.replaceState.bind(page.history);
    page.history.pushState = (entry, _, url) => {
      replace(entry, '', url);
      on.stepped();
    };
    page.history.replaceState = (entry, _, url) => {
      replace(entry, '', url);
      on.moved();
    };
    // Links. Browsers without the Navigation API add an entry of the frame, until a reload.
    page.navigation?.addEventListener('navigate', (event) => {
      if (event.navigationType !== 'push' || !event.hashChange || !event.cancelable) return;
      event.preventDefault();
      const { hash } = new URL(event.destination.url);
      replace(null, '', hash);
      on.stepped();
      visit(hash, null);
    });
    for (const event of ['popstate', 'hashchange']) page.addEventListener(event, on.moved);
  }

  function followStatus(page) {
    status = undefined;
    const update = () => {
      status = page.document.querySelector('.status [data-freshness]');
      on.changed();
    };
    const marks = new MutationObserver((records) => {
      if (!status?.isConnected || records.some(({ type }) => type === 'attributes')) update();
    });
    marks.observe(page.document.body, { childList: true, subtree: true, attributeFilter: ['data-freshness'] });
    new MutationObserver(on.changed).observe(page.document.head, { childList: true, characterData: true, subtree: true });
    update();
  }

  /** Keeps the focus out of the frame while it is hidden: Chromium lets a script of an inert frame take it, and keys would reach the wrong cluster. */
  function guardFocus(page) {
    const { focus } = page.HTMLElement.prototype;
    // The page also brings a focus back that a script has taken away (web/src/focus.rs), and here the tabs have it.
    const isElsewhere = () => panel.inert || ![frame, document.body].includes(document.activeElement);
    page.HTMLElement.prototype.focus = function (...how) {
      if (!isElsewhere()) focus.apply(this, how);
    };
    const listen = (event, listener) => page.addEventListener(event, listener, { capture: true });
    listen('focusin', () => panel.inert && on.strayed());
    listen('focusout', (event) => {
      if (!event.relatedTarget) focused = event.target;
    });
    listen('keydown', (event) => {
      if (!panel.inert) return on.key(event);
      event.preventDefault();
      event.stopImmediatePropagation();
      on.strayed();
    });
  }

  // The first page, and after a reload of the frame the next one.
  frame.addEventListener('load', () => {
    try {
      const page = frame.contentWindow;
      followHistory(page);
      guardFocus(page);
      followStatus(page);
      on.moved();
    } catch {
      // A page of another origin, or an error page of the browser: there is nothing to follow.
    }
  });
  panel.append(frame);

  const read = (what) => {
    try {
      const { location, history } = frame.contentWindow;
      return location.pathname === `${path}/ui/` ? what(location, history) : undefined;
    } catch {
      return undefined; // a page of another origin
    }
  };
  return {
    /** The hash of its address; undefined while its page is not loaded. */
    hash: () => read(({ hash }) => hash),
    entry: () => read((_, { state }) => state) ?? null,
    title: () => frame.contentDocument?.title ?? '',
    freshness: () => status?.dataset.freshness ?? 'loading',
    visit,
    // The element first: it may have been hidden until now, which the window does not notice.
    focus() {
      frame.focus();
      frame.contentWindow.focus();
      if (focused?.isConnected) focused.focus({ preventScroll: true });
    },
  };
}
