// URL of a worker's file: noted while the worker is made, mended for dev servers, and trusted if the page demands that.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { packageURL } from '../../src/package-url.js';

let pages = 0;
/** Another page, whose module has made no policy yet. */
const page = async () => (await import(`../../src/worker-url.js?${++pages}`)).madeFrom;

class Made {
  constructor(...args) {
    this.args = args;
  }
}

afterEach(() => {
  delete globalThis.Worker;
  delete globalThis.trustedTypes;
});

test('the URL and the options are those of the call, which is made as it is written', async () => {
  const madeFrom = await page();
  globalThis.Worker = Made;
  const { made, url } = madeFrom('Worker', () => new Worker(new URL('http://x/worker.js'), { type: 'module' }));
  assert.ok(made instanceof Made);
  assert.deepEqual([url, made.args], ['http://x/worker.js', ['http://x/worker.js', { type: 'module' }]]);
  assert.equal(globalThis.Worker, Made, 'the constructor is back in its place');
});

test('a constructor that throws is back in its place, too', async () => {
  const madeFrom = await page();
  globalThis.Worker = class {
    constructor() {
      throw new Error('no');
    }
  };
  const { Worker } = globalThis;
  assert.throws(() => madeFrom('Worker', () => new globalThis.Worker('http://x/worker.js')), { message: 'no' });
  assert.equal(globalThis.Worker, Worker);
});

test('without the constructor the call decides', async () => {
  const madeFrom = await page();
  assert.deepEqual(madeFrom('Worker', () => 'made'), { made: 'made', url: 'worker.js' });
  assert.equal('Worker' in globalThis, false);
  globalThis.Worker = Made;
  assert.deepEqual(madeFrom('Worker', () => 'of another'), { made: 'of another', url: 'worker.js' }, 'it makes none of them');
});

test('a page that demands trusted types gets the URL from one policy', async () => {
  const madeFrom = await page();
  const policies = [];
  globalThis.Worker = Made;
  globalThis.trustedTypes = {
    createPolicy: (name, { createScriptURL }) => (policies.push(name), { createScriptURL: (url) => ({ trusted: createScriptURL(url) }) }),
  };
  for (const file of ['a', 'b']) {
    const { made, url } = madeFrom('Worker', () => new Worker(`http://x/${file}.js`));
    assert.deepEqual([url, made.args], [`http://x/${file}.js`, [{ trusted: `http://x/${file}.js` }]]);
  }
  assert.deepEqual(policies, ['kube-informer']);
});

test('a page that forbids the policy gets the plain URL', async () => {
  const madeFrom = await page();
  globalThis.Worker = Made;
  globalThis.trustedTypes = { createPolicy: () => { throw new TypeError('forbidden'); } };
  assert.deepEqual(madeFrom('Worker', () => new Worker('http://x/worker.js')).made.args, ['http://x/worker.js']);
});

test('a file that a dev server bundles is asked for from the package’s folder', () => {
  assert.equal(packageURL(new URL('http://x/app/node_modules/.vite/deps/worker.js?v=1')), 'http://x/app/node_modules/kube-informer/dist/worker.js?v=1');
  assert.equal(packageURL('http://x/assets/worker.js'), 'http://x/assets/worker.js');
});
