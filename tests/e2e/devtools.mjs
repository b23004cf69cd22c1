// DevTools of the SharedWorker, which Playwright does not give: it shows pages and dedicated workers only.

export class SharedWorkerDevTools {
  #session;
  #sessionId;
  #last = 0;
  #waiting = new Map();

  /** Speaks to the newest one there is. */
  static async attach(browser) {
    const tools = new SharedWorkerDevTools();
    const session = (tools.#session = await browser.newBrowserCDPSession());
    session.on('Target.receivedMessageFromTarget', ({ sessionId, message }) => {
      if (sessionId !== tools.#sessionId) return;
      const { id, result, error } = JSON.parse(message);
      const waiting = tools.#waiting.get(id);
      tools.#waiting.delete(id);
      if (error) waiting?.reject(new Error(error.message));
      else waiting?.resolve(result);
    });
    session.on('Target.detachedFromTarget', ({ sessionId }) => {
      if (sessionId !== tools.#sessionId) return;
      tools.#sessionId = undefined;
      for (const { reject } of tools.#waiting.values()) reject(new Error('the shared worker is gone'));
      tools.#waiting.clear();
    });
    const { targetInfos } = await session.send('Target.getTargets');
    const worker = targetInfos.findLast(({ type }) => type === 'shared_worker');
    if (!worker) throw new Error('there is no shared worker');
    // Not "flatten": Playwright would not know whose messages they are.
    const { sessionId } = await session.send('Target.attachToTarget', { targetId: worker.targetId, flatten: false });
    tools.#sessionId = sessionId;
    return tools;
  }

  send(method, params = {}) {
    if (!this.#sessionId) return Promise.reject(new Error('the shared worker is gone'));
    const id = ++this.#last;
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#session
      .send('Target.sendMessageToTarget', { sessionId: this.#sessionId, message: JSON.stringify({ id, method, params }) })
      .catch((error) => this.#waiting.get(id)?.reject(error));
    return answer;
  }

  /** Lets go of it; what was set for it alone, such as a network that is away, is lifted. */
  detach() {
    return this.#session.detach();
  }
}
