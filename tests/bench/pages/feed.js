// Feed of recorded responses: replaces `fetch` for paths of the API.
//
// A body comes in chunks of 64 KiB, as from the network. The watch stays open after its last event.

const CHUNK = 64 * 1024;
const real = globalThis.fetch.bind(globalThis);

export class Feed {
  summary;
  #pages = [];
  #byToken = new Map();
  #watch;
  /** Promise that the next watch waits for before its first event. */
  #gate;
  #open = () => {};
  #done = () => {};
  drained;

  async load(path) {
    const read = async (name) => new Uint8Array(await (await real(`${path}/${name}`)).arrayBuffer());
    this.summary = await (await real(`${path}/summary.json`)).json();
    const { tokens } = this.summary;
    for (let page = 0; page < tokens.length; page++) {
      this.#byToken.set(page === 0 ? null : tokens[page - 1], page);
      this.#pages.push(await read(`list-${page}.json`));
    }
    this.#watch = await read('watch.jsonl');
    globalThis.fetch = (input, init) => this.#fetch(input, init);
  }

  /** The pages of the list as bytes. */
  get pages() {
    return this.#pages;
  }

  /** The next watch gets the recorded events after `release` is called. */
  hold() {
    this.#gate = new Promise((resolve) => (this.#open = resolve));
    this.drained = new Promise((resolve) => (this.#done = resolve));
  }

  release() {
    this.#open();
  }

  #fetch(input, init) {
    const url = new URL(typeof input === 'string' || input instanceof URL ? input : input.url, location.href);
    if (!url.pathname.startsWith('/api/')) return real(input, init);
    const signal = init?.signal ?? input.signal;
    const headers = { 'content-type': 'application/json' };
    if (url.searchParams.has('watch')) return Promise.resolve(new Response(this.#events(signal), { headers }));
    const page = this.#byToken.get(url.searchParams.get('continue'));
    if (page === undefined) throw new Error(`not recorded: ${url}`);
    return Promise.resolve(
      new Response(
        chunks(this.#pages[page], () => true),
        { headers },
      ),
    );
  }

  #events(signal) {
    const gate = this.#gate;
    this.#gate = undefined;
    const end = () => {
      if (gate) this.#done();
      return false;
    };
    return chunks(gate ? this.#watch : new Uint8Array(0), end, signal, gate);
  }
}

/** Stream of the bytes; `end` says whether it closes at their end. */
function chunks(bytes, end, signal, gate) {
  let at = 0;
  return new ReadableStream(
    {
      start(controller) {
        signal?.addEventListener('abort', () => {
          try {
            controller.error(new DOMException('aborted', 'AbortError'));
          } catch {
            // Closed before.
          }
        });
      },
      async pull(controller) {
        if (at === 0 && gate) await gate;
        if (at < bytes.length) {
          controller.enqueue(bytes.subarray(at, at + CHUNK));
          at += CHUNK;
          return;
        }
        if (end()) {
          controller.close();
          return;
        }
        await new Promise(() => {});
      },
    },
    { highWaterMark: 0 },
  );
}
