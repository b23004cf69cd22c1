// Second and third wasm file, deferred.wasm and extras.wasm: the time of their loading, and failures to load them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, beforeEach, test } from 'node:test';
import { PATIENCE, eventually, openPage, setStage } from './stage.mjs';

const stage = await setStage();
after(() => stage.end());
const options = { timeout: PATIENCE };
const files = join(stage.folder, 'dist');

let context;
let page;
let errors;
beforeEach(async () => {
  context = await stage.browser.newContext();
  stage.front.served.length = 0;
  ({ page, errors } = await openPage(stage, context));
});
afterEach(async () => {
  assert.deepEqual(await page.evaluate('unhandled'), []);
  await context.close();
  assert.deepEqual(errors, []);
});

const fetched = () => ['deferred', 'extras'].map((name) => stage.front.served.filter((path) => path.endsWith(`${name}.wasm`)).length);

/** In a page: whether a view and an index over a path work, otherwise their errors. */
const looks = (page, entry, options) =>
  page.evaluate(async ([entry, { bytes, ...options }]) => {
    const { connect } = await import(entry);
    if (bytes) options.wasm = fetch('/package/dist/informer.wasm');
    const factory = await connect(options);
    const spaces = factory.forResource('v1/namespaces');
    factory.start();
    const view = spaces.view({ filter: 'default' });
    const seen = await rejection(view.ready.then(() => until('a row', () => view.getSnapshot().rows.length === 1)));
    const index = await rejection(spaces.addIndexers({ phase: '{.status.phase}' }));
    // Features without deferred code continue to work.
    await factory.waitForCacheSync();
    const listed = (await spaces.lister.list()).length > 0;
    return { seen: seen.message ?? seen, index: index.message ?? index, listed, factory: 0 };
  }, [entry, options]);

for (const worker of ['shared', 'dedicated', false]) {
  test(`each is fetched once, and only for pages that use it (${worker || 'in the page'})`, options, async () => {
    await page.evaluate(async ([worker]) => {
      // A heartbeat is in it, too, which is sent after ten silent seconds while a page is visible.
      Object.defineProperty(document, 'visibilityState', { configurable: true, value: 'hidden' });
      const { connect } = await import('kube-informer');
      window.factory = await connect({ worker, persist: false }); // snapshots are in it
      const spaces = factory.forResource('v1/namespaces');
      factory.start();
      await factory.waitForCacheSync();
      await spaces.indexer.byIndex('namespace', '');
    }, [worker]);
    assert.deepEqual(fetched(), [0, 0]);
    await page.evaluate(() => {
      delete document.visibilityState;
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await page.evaluate(async () => {
      const view = factory.forResource('v1/namespaces').view({ filter: 'default' });
      await view.ready;
    });
    assert.deepEqual(fetched(), [1, 0], 'a view needs the second file alone');
    const { seen, index } = await looks(page, 'kube-informer', { worker });
    assert.deepEqual([seen, index], ['resolved', 'resolved']);
    // A dedicated worker is of its factory alone.
    assert.deepEqual(fetched(), worker === 'dedicated' ? [2, 1] : [1, 1]);
  });
}

test('slim finds it beside the wasm, if that is a URL', options, async () => {
  const { seen, index } = await looks(page, 'kube-informer/slim', { worker: 'dedicated', wasm: '/package/dist/informer.wasm' });
  assert.deepEqual([seen, index], ['resolved', 'resolved']);
});

test('slim with bytes takes its URL as an option, or names the missing option', options, async () => {
  const lines = [];
  page.on('console', (message) => lines.push(message.text()));
  const without = await looks(page, 'kube-informer/slim', { worker: false, bytes: true });
  assert.match(without.seen, /could not be loaded/);
  assert.match(without.index, /could not be loaded/);
  assert.ok(without.listed);
  await eventually('the hint', () => /pass the option `deferred` to connect\(\), as you pass `wasm`/.test(lines.join()));
  const second = await looks(page, 'kube-informer/slim', { worker: false, bytes: true, deferred: '/package/dist/deferred.wasm' });
  assert.equal(second.seen, 'resolved');
  assert.match(second.index, /extras\.wasm could not be loaded/);
  await eventually('the other hint', () => /pass the option `extras` to connect\(\), as you pass `wasm`/.test(lines.join()));
  const { seen, index } = await looks(page, 'kube-informer/slim', { worker: false, bytes: true, deferred: '/package/dist/deferred.wasm', extras: '/package/dist/extras.wasm' });
  assert.deepEqual([seen, index], ['resolved', 'resolved']);
});

test('a missing file costs its features, until another page names a source that exists', options, async () => {
  const without = await looks(page, 'kube-informer', { worker: 'shared', deferred: '/nowhere.wasm' });
  assert.match(without.seen, /could not be loaded/);
  assert.ok(without.listed);
  const { seen, index } = await looks(page, 'kube-informer', { worker: 'shared' });
  assert.deepEqual([seen, index], ['resolved', 'resolved']);
});

for (const file of ['deferred', 'extras']) test(`a work queue whose code is missing reports the missing file (${file})`, options, async () => {
  const errors = await page.evaluate(async ([file]) => {
    const { connect } = await import('kube-informer');
    const factory = await connect({ worker: 'dedicated', [file]: '/nowhere.wasm' });
    const queue = factory.forResource('v1/namespaces').workQueue();
    factory.start();
    await factory.waitForCacheSync();
    return Promise.all([queue.get(), queue.length(), queue.shutDownWithDrain()].map(rejection));
  }, [file]);
  for (const { code, message } of errors) {
    assert.equal(code, 'internal');
    assert.match(message, new RegExp(`${file}\\.wasm could not be loaded`));
  }
});

for (const file of ['deferred', 'extras']) test(`one of another build is not joined (${file})`, options, async () => {
  const other = readFileSync(join(files, `${file}.wasm`));
  other[other.length - 1] ^= 1;
  stage.front.made.set(`/made/${file}.wasm`, other);
  const lines = [];
  page.on('console', (message) => lines.push(message.text()));
  const { seen, index, listed } = await looks(page, 'kube-informer', { worker: false, [file]: `/made/${file}.wasm` });
  assert.match(file === 'extras' ? index : seen, /could not be loaded/);
  if (file === 'extras') assert.equal(seen, 'resolved');
  assert.ok(listed);
  await eventually('the reason', () => /of another build than informer\.wasm/.test(lines.join()));
});
