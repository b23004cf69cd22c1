// DevTools sessions of workers. Playwright offers none for shared workers, and only the console of dedicated ones.

/** DevTools session of one target, through the session of another. */
class DevTools {
  #session;
  #sessionId;
  #last = 0;
  #waiting = new Map();

  constructor(session) {
    this.#session = session;
    session.on('Target.receivedMessageFromTarget', ({ sessionId, message }) => {
      if (sessionId !== this.#sessionId) return;
      const { id, result, error } = JSON.parse(message);
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) waiting?.reject(new Error(error.message));
      else waiting?.resolve(result);
    });
    session.on('Target.detachedFromTarget', ({ sessionId }) => {
      if (sessionId !== this.#sessionId) return;
      this.#sessionId = undefined;
      for (const { reject } of this.#waiting.values()) reject(new Error('the worker is gone'));
      this.#waiting.clear();
    });
  }

  /** Selects the target. */
  speakTo(sessionId) {
    this.#sessionId = sessionId;
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

  /** Detaches; settings for the session, such as an offline network, are reset. */
  detach() {
    return this.#session.detach();
  }
}

// Not "flatten": Playwright could not assign the messages.

export class SharedWorkerDevTools extends DevTools {
  /** Attaches to the newest target. */
  static async attach(browser) {
    const session = await browser.newBrowserCDPSession();
    const tools = new SharedWorkerDevTools(session);
    const { targetInfos } = await session.send('Target.getTargets');
    const worker = targetInfos.findLast(({ type }) => type === 'shared_worker');
    if (!worker) throw new Error('there is no shared worker');
    const { sessionId } = await session.send('Target.attachToTarget', { targetId: worker.targetId, flatten: false });
    tools.speakTo(sessionId);
    return tools;
  }
}

/** Session of a dedicated worker: heap, garbage collection, CPU profile. */
export class WorkerDevTools extends DevTools {
  /** Must be called before the page has a worker; attaches to the newest one. */
  static async attach(page) {
    const session = await page.context().newCDPSession(page);
    const tools = new WorkerDevTools(session);
    session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      if (targetInfo.type === 'worker') tools.speakTo(sessionId);
    });
    await session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
    return tools;
  }

  /** Bytes of V8's heap in use after two collections: the second one frees objects that the finalisers of the first one release. */
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
