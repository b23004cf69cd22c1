// Second and third wasm file: loaded on first use, from the same build, and retried after a failure.
import assert from 'node:assert/strict';
import { test } from 'node:test';

let loads = 0;
const load = () => import(`../../src/deferred.js?${++loads}`);

/** An empty module with a mark of its build, and with the module of an entry. */
function built(mark, entry) {
  const section = (name, bytes) => {
    const content = [name.length, ...Buffer.from(name), ...bytes];
    return [0, content.length, ...content];
  };
  return new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, ...(entry ? section('entry', entry) : []), ...section('kube-informer', mark)]);
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
  offer({ deferred: built([1, 2]) });
  const instantiated = [];
  t.mock.method(WebAssembly, 'instantiate', async (_, imports) => instantiated.push(imports));
  await Promise.all([join(3, 4), join(5, 6)]);
  assert.deepEqual([called, said, instantiated.length], [[[3, 4, true], [5, 6, true]], [], 1]);
  assert.equal(instantiated[0].__wasm_split, exports);
  offer({});
  await join(7, 8);
  assert.deepEqual([called.at(-1), instantiated.length], [[7, 8, true], 1]);
});

test('an unknown location, another build, and then the right one', async (t) => {
  const said = errors(t);
  const { attach, offer, __wasm_split_load_deferred: join } = await load();
  const { called, exports } = engine();
  attach(exports, new WebAssembly.Module(built([1, 2])));
  await join(1, 2);
  offer({ deferred: built([1, 3]) });
  offer({});
  await join(1, 2);
  offer({ deferred: unmarked });
  await join(1, 2);
  const start = 'kube-informer: deferred.wasm could not be loaded: ';
  const other = `${start}it is of another build than informer.wasm: deploy all files together`;
  assert.deepEqual(said, [`${start}its source is unknown: pass the option \`deferred\` to connect(), as you pass \`wasm\``, other, other]);
  offer({ deferred: built([1, 2]) });
  t.mock.method(WebAssembly, 'instantiate', async () => ({}));
  await join(1, 2);
  assert.deepEqual(called.map(([, , loaded]) => loaded), [false, false, false, true]);
  const plain = await load();
  const bare = engine();
  plain.attach(bare.exports, new WebAssembly.Module(unmarked));
  plain.offer({ deferred: unmarked });
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
  offer({ deferred: 'http://localhost/deferred.wasm' });
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

test('the third file waits for the second one, whose entry is a module of its own', async (t) => {
  const said = errors(t);
  const { attach, offer, __wasm_split_load_deferred: second, __wasm_split_load_extras: third } = await load();
  const { called, exports } = engine();
  attach(exports, new WebAssembly.Module(built([1, 2])));
  const instantiated = [];
  t.mock.method(WebAssembly, 'instantiate', async (module, imports) => {
    assert.equal(imports.__wasm_split, exports);
    await new Promise(setImmediate);
    instantiated.push(module instanceof WebAssembly.Module ? WebAssembly.Module.customSections(module, 'which').map((bytes) => new Uint8Array(bytes)[0])[0] : new Uint8Array(module).length);
  });
  const which = (number, bytes) => new Uint8Array([...bytes, 0, 7, 5, ...Buffer.from('which'), number]);
  await third(1, 1);
  offer({ extras: which(3, built([1, 2])) });
  await third(2, 2);
  offer({ deferred: which(2, built([1, 2], unmarked)) });
  await Promise.all([third(3, 3), second(4, 4)]);
  await third(5, 5);
  assert.deepEqual(instantiated, [2, unmarked.length, 3], 'each once, in this order');
  assert.deepEqual(called, [[1, 1, false], [2, 2, false], [4, 4, true], [3, 3, true], [5, 5, true]]);
  assert.match(said[0], /extras\.wasm could not be loaded: its source is unknown: pass the option `extras`/);
  assert.match(said[1], /extras\.wasm could not be loaded: its source is unknown: pass the option `deferred`/);
});

test('the file is fetched before its first use if that is wanted, once', async (t) => {
  const said = errors(t);
  const requests = [];
  t.mock.method(globalThis, 'fetch', async (url) => (requests.push(url), new Response(built([1, 2]))));
  t.mock.method(WebAssembly, 'instantiate', async () => ({}));
  const { attach, offer, __wasm_split_load_deferred: join } = await load();
  const { called, exports } = engine();
  attach(exports, new WebAssembly.Module(built([1, 2])));
  offer({}, true);
  offer({ deferred: 'http://localhost/deferred.wasm' }, false);
  assert.deepEqual(requests, []);
  offer({}, true);
  assert.equal(requests.length, 1);
  await join(1, 2);
  offer({}, true);
  assert.deepEqual([requests.length, called, said], [1, [[1, 2, true]], []]);
});

test('a fetch that fails before the first use is tried again, and its error is that of the use', async (t) => {
  const said = errors(t);
  const answers = [Promise.reject(undefined), Promise.reject(undefined), Promise.resolve(new Response(built([1, 2])))];
  answers.forEach((answer) => answer.catch(() => {}));
  t.mock.method(globalThis, 'fetch', () => answers.shift());
  t.mock.method(WebAssembly, 'instantiate', async () => ({}));
  const { attach, offer, __wasm_split_load_deferred: join } = await load();
  const { called, exports } = engine();
  attach(exports, new WebAssembly.Module(built([1, 2])));
  offer({ deferred: 'http://localhost/deferred.wasm' }, true);
  await new Promise(setImmediate);
  for (let turn = 0; turn < 2; turn++) await join(1, 2);
  assert.deepEqual([said, called.map(([, , loaded]) => loaded)], [['kube-informer: deferred.wasm could not be loaded: undefined'], [false, true]]);
});

test('without protobuf.wasm nothing is said, and a slow one is given up after three seconds', async (t) => {
  const said = errors(t);
  const { attach, offer, __wasm_split_load_protobuf: fourth } = await load();
  const { called, exports } = engine();
  attach(exports, new WebAssembly.Module(built([1, 2])));
  await fourth(1, 1);
  assert.deepEqual([said, called], [[], [[1, 1, false]]]);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.mock.method(globalThis, 'fetch', () => new Promise(() => {}));
  offer({ protobuf: 'http://cdn/protobuf.wasm', deferred: 'http://cdn/deferred.wasm' });
  const loading = fourth(2, 2);
  t.mock.timers.tick(2_999);
  await new Promise(setImmediate);
  assert.equal(called.length, 1);
  t.mock.timers.tick(1);
  await loading;
  assert.deepEqual(said, ['kube-informer: protobuf.wasm could not be loaded: the download has not ended after 3 s']);
  assert.deepEqual(called.at(-1), [2, 2, false]);
});
