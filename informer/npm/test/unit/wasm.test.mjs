// Sources of the engine's wasm, and their compilation.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';

globalThis.location = { href: 'http://page/dir/index.html' };

const empty = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
/** Each test has separate modules, because `init` stores its source. */
let loads = 0;
const load = () => import(`../../src/wasm.js?${++loads}`);

const server = createServer(({ url }, response) => {
  const [, type, status = '200'] = url.split('/');
  const media = { wasm: 'application/wasm', odd: 'application/wasmx', other: 'application/octet-stream' }[type];
  response.writeHead(+status, media ? { 'content-type': media } : {});
  response.end(empty);
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const origin = `http://127.0.0.1:${server.address().port}`;
after(() => (server.close(), server.closeAllConnections()));

test('a URL is made absolute, bytes and modules are as they are, responses are read', async () => {
  const { sourceFor, baseURL } = await load();
  const module = new WebAssembly.Module(empty);
  assert.equal(await sourceFor('a.wasm'), 'http://page/dir/a.wasm');
  assert.equal(await sourceFor(new URL('http://x/b.wasm')), 'http://x/b.wasm');
  assert.equal(await sourceFor(Promise.resolve('/c.wasm')), 'http://page/c.wasm');
  for (const bytes of [empty, empty.buffer, new DataView(empty.buffer), module]) assert.equal(await sourceFor(bytes), bytes);
  assert.deepEqual(new Uint8Array(await sourceFor(new Response(empty))), empty);
  assert.deepEqual(new Uint8Array(await sourceFor(new Request(`${origin}/wasm`))), empty);
  await assert.rejects(sourceFor(new Request(`${origin}/wasm/404`)), { message: `HTTP 404 for ${origin}/wasm/404` });
  assert.equal(await sourceFor(undefined, false, 'http://cdn/fallback.wasm'), 'http://cdn/fallback.wasm');
  for (const wrong of [7, {}, null, undefined]) await assert.rejects(sourceFor(wrong), { code: 'bad-request', message: /`wasm` must be a URL, Request, Response, bytes, or WebAssembly.Module of kube-informer/ });
  assert.equal(baseURL(), 'http://page/dir/index.html');
  globalThis.document = { baseURI: 'http://page/base/' };
  assert.equal(await sourceFor('a.wasm'), 'http://page/base/a.wasm');
  delete globalThis.document;
});

test('a module cannot go to a shared worker', async () => {
  const { sourceFor, lazyFor } = await load();
  const module = new WebAssembly.Module(empty);
  const refusal = { code: 'bad-request', message: /cannot be sent to a shared worker: pass its URL or its bytes/ };
  await assert.rejects(sourceFor(module, true), refusal);
  await assert.rejects(lazyFor('deferred', module, true), refusal);
  assert.equal(await lazyFor('deferred', module, false), module);
});

test('the second file is at the given URL, or beside the first', async () => {
  const { lazyFor } = await load();
  assert.equal(await lazyFor('deferred', 'd.wasm', false, 'http://cdn/x.wasm', 'http://cdn/i.wasm'), 'http://page/dir/d.wasm');
  assert.equal(await lazyFor('deferred', undefined, false, 'http://cdn/x.wasm', 'http://other/i.wasm'), 'http://cdn/x.wasm');
  for (const scheme of ['http', 'https']) for (const name of ['deferred', 'extras', 'protobuf']) assert.equal(await lazyFor(name, undefined, false, undefined, `${scheme}://cdn/dir/i.wasm`), `${scheme}://cdn/dir/${name}.wasm`);
  for (const engine of [empty, 'blob:http://page/1', 'data:application/wasm;http:', undefined]) assert.equal(await lazyFor('deferred', undefined, false, undefined, engine), undefined);
});

test('a host compiles its source with any media type', async () => {
  const { compile } = await load();
  const module = new WebAssembly.Module(empty);
  assert.equal(await compile(module), module);
  assert.ok((await compile(empty)) instanceof WebAssembly.Module);
  const streamed = [];
  const { compileStreaming } = WebAssembly;
  WebAssembly.compileStreaming = (response) => (streamed.push(response.url), compileStreaming.call(WebAssembly, response));
  for (const type of ['wasm', 'odd', 'other', 'none']) assert.ok((await compile(`${origin}/${type}`)) instanceof WebAssembly.Module, type);
  assert.deepEqual(streamed, [`${origin}/wasm`], 'only what is said to be wasm');
  await assert.rejects(compile(`${origin}/wasm/500`), { message: `HTTP 500 for ${origin}/wasm/500` });
  WebAssembly.compileStreaming = compileStreaming;
});

test('`init` compiles once, connections use its result, and it may be repeated after a failure', async () => {
  const { init, sourceFor } = await load();
  await assert.rejects(init(`${origin}/wasm/404`));
  const [one, two] = [init(`${origin}/wasm`), init('http://nowhere/')];
  assert.equal(one, two, 'the first call decides');
  const module = await one;
  assert.ok(module instanceof WebAssembly.Module);
  assert.equal(await sourceFor(undefined, false, 'fallback'), module);
  assert.equal(await sourceFor(undefined, true, 'fallback'), `${origin}/wasm`, 'across processes by its URL');
  assert.equal(await sourceFor('http://own/a.wasm', false), 'http://own/a.wasm');
});

test('a failure that is late takes no newer attempt along', async () => {
  const { init } = await load();
  let fail;
  const first = init(new Promise((_, reject) => (fail = reject)));
  first.catch(() => {});
  fail(new Error('late'));
  await assert.rejects(first, { message: 'late' });
  const second = await init(empty);
  assert.equal(await init(empty), second);
});
