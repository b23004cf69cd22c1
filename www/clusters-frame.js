// Frame of a cluster: its dashboard in a frame of the same origin, and what the page around it follows: address, title, freshness and keys.

/** A name as text that shows each of its characters: control characters and those that reverse text are invisible otherwise. */
export const visible = (name) => name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0).toString(16)}}`);

/**
 * Opens the dashboard of a cluster at a hash, in a panel. Returns `{ hash(), title(), freshness(), go(hash), focus(), setTheme(name, value) }`.
 *
 * `on.moved()` is called after each change of its address, `on.changed()` after one of its title or freshness, and `on.key(event)`
 * before its page gets a key.
 */
export function openFrame({ name, path }, hash, panel, on) {
  const frame = document.createElement('iframe');
  frame.title = `Cluster ${visible(name)}`;
  // With a name that stays the same, browsers restore the frame's own history after a reload.
  frame.name = `cluster ${encodeURIComponent(name)}`;
  frame.src = `${path}/ui/${hash}`;
  let status;

  /** Follows the page that was loaded: the first one, or after a reload of the frame. */
  function follow() {
    const page = frame.contentWindow;
    for (const method of ['pushState', 'replaceState']) {
      const change = page.history[method];
      // Neither method fires an event.
      page.history[method] = function (...state) {
        change.apply(this, state);
        on.moved();
      };
    }
    for (const event of ['popstate', 'hashchange']) page.addEventListener(event, on.moved);
    page.addEventListener('keydown', on.key, { capture: true });
    new MutationObserver(on.changed).observe(page.document.head, { childList: true, characterData: true, subtree: true });
    status = undefined;
    const marks = new MutationObserver((records) => {
      if (!status?.isConnected || records.some(({ type }) => type === 'attributes')) update();
    });
    const update = () => {
      status = page.document.querySelector('.status [data-freshness]');
      on.changed();
    };
    marks.observe(page.document.body, { childList: true, subtree: true, attributeFilter: ['data-freshness'] });
    update();
    on.moved();
  }

  frame.addEventListener('load', () => {
    try {
      follow();
    } catch {
      // A page of another origin, or an error page of the browser: there is nothing to follow.
    }
  });
  panel.append(frame);

  return {
    /** The hash of its address; undefined while its page is not loaded. */
    hash() {
      try {
        const { pathname, hash } = frame.contentWindow.location;
        return pathname === `${path}/ui/` ? hash : undefined;
      } catch {
        return undefined; // a page of another origin
      }
    },
    title: () => frame.contentDocument?.title ?? '',
    freshness: () => status?.dataset.freshness ?? 'loading',
    /** Goes to a hash, without another entry in the history. */
    go: (hash) => frame.contentWindow.location.replace(`${path}/ui/${hash || '#'}`),
    focus: () => frame.contentWindow.focus(),
    setTheme: (name, value) => frame.contentDocument && setTheme(frame.contentDocument, name, value),
  };
}

/** Sets the theme or the density of a document, or removes it. */
export function setTheme(page, name, value) {
  if (value) page.documentElement.dataset[name] = value;
  else delete page.documentElement.dataset[name];
}
