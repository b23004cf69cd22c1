// The DevTools of a dedicated worker, which Playwright does not give: heap, garbage collection, CPU profile.

export class WorkerDevTools {
  #session;
  #sessionId;
  #last = 0;
  #waiting = new Map();

  /** To be called before the page has a worker; it speaks to the newest one. */
  static async attach(page) {
    const tools = new WorkerDevTools();
    tools.#session = await page.context().newCDPSession(page);
    tools.#session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      if (targetInfo.type === 'worker') tools.#sessionId = sessionId;
    });
    tools.#session.on('Target.receivedMessageFromTarget', ({ sessionId, message }) => {
      if (sessionId !== tools.#sessionId) return;
      const { id, result, error } = JSON.parse(message);
      const waiting = tools.#waiting.get(id);
      tools.#waiting.delete(id);
      if (error) waiting?.reject(new Error(error.message));
      else waiting?.resolve(result);
    });
    // Not "flatten": Playwright would not know whose messages they are.
    await tools.#session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
    return tools;
  }

  send(method, params = {}) {
    if (!this.#sessionId) return Promise.reject(new Error('there is no worker to speak to'));
    const id = ++this.#last;
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#session
      .send('Target.sendMessageToTarget', { sessionId: this.#sessionId, message: JSON.stringify({ id, method, params }) })
      .catch((error) => this.#waiting.get(id)?.reject(error));
    return answer;
  }

  /** Bytes of V8's heap in use after two collections: the second one takes what the first one's finalisers let go. */
  async heap() {
    await this.send('HeapProfiler.collectGarbage');
    await this.send('HeapProfiler.collectGarbage');
    const { usedSize, backingStorageSize } = await this.send('Runtime.getHeapUsage');
    return { used: usedSize, backing: backingStorageSize };
  }

  async profile(work) {
    await this.send('Profiler.enable');
    await this.send('Profiler.setSamplingInterval', { interval: 500 });
    await this.send('Profiler.start');
    await work();
    const { profile } = await this.send('Profiler.stop');
    return profile;
  }
}
