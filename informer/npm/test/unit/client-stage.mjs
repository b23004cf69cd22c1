// Stage of the client tests: a client on a fake engine that assigns connection slots, and a fake `fetch` that records requests.
import { afterEach } from 'node:test';
import { Page, settle } from './engine.mjs';

const { fetch } = globalThis;
afterEach(() => (globalThis.fetch = fetch));

export const json = (body, { status = 200, headers = {} } = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });

export const failure = (status, reason, message, { details, headers } = {}) =>
  json({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, code: status, details }, { status, headers });

/**
 * `answer(method, path, init)` returns the response to each request. The result has the `client`, the requests `asked`
 * ("GET /path?query", without `pretty`), and the slots: `leases` by request, and whether each was for one of the `streams`.
 */
export async function clientStage(answer, options = {}) {
  const page = await Page.connected(options);
  const factory = page.factory();
  const stage = { page, factory, client: factory.client, asked: [], bodies: [], types: [], leases: new Map(), streams: [], grants: true };
  const { port } = page.engine;
  const post = port.postMessage;
  port.postMessage = (message) => {
    post(message);
    if (message.type === 'lease') {
      stage.leases.set(message.request, message);
      stage.streams.push(message.stream);
      if (stage.grants) queueMicrotask(() => page.engine.answer(message, null));
    }
    if (message.type === 'cancel') stage.leases.delete(message.request);
  };
  globalThis.fetch = async (url, init = {}) => {
    const { pathname, searchParams } = new URL(url);
    searchParams.delete('pretty');
    const path = searchParams.size > 0 ? `${pathname}?${searchParams}` : pathname;
    stage.asked.push(`${init.method} ${path}`);
    stage.bodies.push(init.body);
    stage.types.push(init.headers.get('content-type'));
    const response = await Promise.race([
      answer(init.method, path, init),
      new Promise((_, reject) => init.signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))),
    ]);
    return response;
  };
  return stage;
}

export { settle };
