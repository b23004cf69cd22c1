// Second wasm file: loaded on first use, from the same build, and retried after a failure.
import assert from 'node:assert/strict';
import { test } from 'node:test';

let loads = 0;
const load = () => import(`../../src/deferred.js?${++loads}`);

/** An empty module with a mark of its build. */
function built(mark) {
  const name = 'kube-informer';
  const content = [name.length, ...Buffer.from(name), ...mark];
  return new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 0, content.length, ...content]);
}
const unmarked = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);

/** The engine's exports, and its calls. */
function engine() {
  const called = [];
  return { called, exports: { __indirect_function_table: { get: (callback) => (data, loaded) => called.push([callback, data, loaded]) } } };
}

function errors(t) {
  const said = [];
  t.mock.method(console, 'error', (text) => said.push(text));
  return said;
}

test('it is loaded once, and each that waits is called back', async (t) => {
  const said = errors(t);
  const { attach, offer, __wasm_split_load_deferred: join } = await load();
  const { called, exports } = engine();
  attach(exports, new WebAssembly.Module(built([1, 2])));
  offer(built([1, 2]));
  const instantiated = [];
  t.mock.method(WebAssembly, 'instantiate', async (_, imports) => instantiated.push(imports));
  await Promise.all([join(3, 4), join(5, 6)]);
  assert.deepEqual([called, said, instantiated.length], [[[3, 4, true], [5, 6, true]], [], 1]);
  assert.equal(instantiated[0].__wasm_split, exports);
  offer(undefined);
  await join(7, 8);
  assert.deepEqual([called.at(-1), instantiated.length], [[7, 8, true], 1]);
});

test('an unknown location, another build, and then the right one', async (t) => {
  const said = errors(t);
  const { attach, offer, __wasm_split_load_deferred: join } = await load();
  const { called, exports } = engine();
  attach(exports, new WebAssembly.Module(built([1, 2])));
  await join(1, 2);
  offer(built([1, 3]));
  offer(undefined);
  await join(1, 2);
  offer(unmarked);
  await join(1, 2);
  const start = 'kube-informer: deferred.wasm could not be loaded: ';
  const other = `${start}it is of another build than informer.wasm: deploy both together`;
  assert.deepEqual(said, [`${start}its source is unknown: pass the option \`deferred\` to connect(), as you pass \`wasm\``, other, other]);
  offer(built([1, 2]));
  t.mock.method(WebAssembly, 'instantiate', async () => ({}));
  await join(1, 2);
  assert.deepEqual(called.map(([, , loaded]) => loaded), [false, false, false, true]);
  const plain = await load();
  const bare = engine();
  plain.attach(bare.exports, new WebAssembly.Module(unmarked));
  plain.offer(unmarked);
  await plain.__wasm_split_load_deferred(1, 2);
  assert.deepEqual(bare.called, [[1, 2, true]], 'two without a mark are of one build, too');
});

test('a download that hangs fails after half a minute, and counts when it ends', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  // Node warns about mocked timers on the console.
  await new Promise(setImmediate);
  const said = errors(t);
  const { attach, offer, __wasm_split_load_deferred: join } = await load();
  const { called, exports } = engine();
  attach(exports, new WebAssembly.Module(built([1, 2])));
  let answer;
  const response = new Promise((resolve) => (answer = resolve));
  const requests = [];
  t.mock.method(globalThis, 'fetch', (url) => (requests.push(url), response));
  t.mock.method(WebAssembly, 'instantiate', async () => ({}));
  offer('http://localhost/deferred.wasm');
  const first = join(1, 2);
  t.mock.timers.tick(29_999);
  assert.deepEqual(called, []);
  t.mock.timers.tick(1);
  await first;
  assert.deepEqual(called, [[1, 2, false]]);
  assert.deepEqual(said, ['kube-informer: deferred.wasm could not be loaded: the download has not ended after 30 s']);
  const second = join(3, 4);
  answer(new Response(built([1, 2])));
  await second;
  assert.deepEqual([called.at(-1), requests.length], [[3, 4, true], 1]);
});
