// Client of the demo's worker: sends the requests of the page to the simulated cluster.

/** Returns a function like `fetch` whose requests a worker answers (network.js). */
export function fetchThrough(worker) {
  return async (url, { method = 'GET', headers, body, signal } = {}) => {
    signal?.throwIfAborted();
    // The type of a form or a blob is one of the request's headers.
    const request = new Request(url, { method, headers, body });
    const bytes = body === undefined || body === null ? undefined : await request.arrayBuffer();
    signal?.throwIfAborted();
    const { port1: port, port2 } = new MessageChannel();
    const answers = answersOf(port);
    worker.postMessage({ type: 'demo-request', url, method, headers: [...request.headers], body: bytes }, [port2]);
    const abort = () => {
      port.postMessage('abort');
      answers.fail(signal.reason);
    };
    signal?.addEventListener('abort', abort);
    const end = () => {
      signal?.removeEventListener('abort', abort);
      port.close();
    };
    const { status, headers: received, hasBody } = await answers.next().catch((error) => {
      end();
      throw error;
    });
    if (!hasBody) end();
    return new Response(hasBody ? bodyOf(port, answers, end) : null, { status, headers: received });
  };
}

/** The messages of a port: `next()` resolves to the next one, and rejects after an error. */
function answersOf(port) {
  const arrived = [];
  const awaited = [];
  let failure;
  const fail = (error) => {
    failure ??= error;
    for (const { reject } of awaited.splice(0)) reject(failure);
  };
  port.onmessage = ({ data }) => {
    if (data.error) fail(new TypeError(data.error));
    else if (awaited.length > 0) awaited.shift().resolve(data);
    else arrived.push(data);
  };
  return {
    fail,
    next: () =>
      new Promise((resolve, reject) => {
        if (failure) reject(failure);
        else if (arrived.length > 0) resolve(arrived.shift());
        else awaited.push({ resolve, reject });
      }),
  };
}

/** The body of a response, which the worker sends chunk by chunk. */
function bodyOf(port, answers, end) {
  return new ReadableStream({
    async pull(controller) {
      port.postMessage('next');
      try {
        const { done, value } = await answers.next();
        if (!done) return controller.enqueue(value);
        end();
        controller.close();
      } catch (error) {
        end();
        controller.error(error);
      }
    },
    cancel() {
      port.postMessage('abort');
      end();
    },
  });
}
