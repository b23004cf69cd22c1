// Metadata mode, resync, indexes, label selectors, work queues and batches, in each engine host.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { PATIENCE, eventually, inEachHost, openPage, setStage } from './stage.mjs';

const stage = await setStage();
after(() => stage.end());
const timeout = PATIENCE;

const post = (path, body) =>
  fetch(stage.apiserver + path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
const map = (name, labels, data) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels }, data });
const MANY = 1_200;
await post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'many' } });
for (let from = 0; from < MANY; from += 100) {
  await Promise.all(Array.from({ length: 100 }, (_, i) => post('/api/v1/namespaces/many/configmaps', map(`m${from + i}`))));
}

inEachHost(stage, ['shared', 'dedicated', false], (inPage, worker, context) => {
  inPage('metadata alone is another informer, and has no bodies', async ({ connected, ns, maps }) => {
    await create(ns, 'one');
    const [all, meta] = [maps(), maps({ mode: 'metadata' })];
    connected.start();
    const synced = await connected.waitForCacheSync();
    const [whole, part] = await Promise.all([all, meta].map(({ indexer }) => indexer.getByKey(`${ns}/one`)));
    const wrong = await rejection((async () => maps({ mode: 'Metadata' }))());
    return {
      names: Object.keys(synced).map((name) => name.replace(ns, 'NS')), same: maps({ mode: 'object' }) === all,
      data: [whole.data.step, part.data], kind: part.kind, name: part.metadata.name, wrong: wrong.code,
    };
  }, assert.deepEqual, {
    names: ['v1/configmaps?namespace=NS', 'v1/configmaps?namespace=NS&mode=metadata'], same: true,
    data: ['1', undefined], kind: 'PartialObjectMetadata', name: 'one', wrong: 'bad-request',
  });

  inPage('a resync tells everything again, to whom it is to', async ({ connect, connected, ns, maps, worker }) => {
    await create(ns, 'one');
    const factory = await connect({ worker, defaultResync: 1000 });
    const informer = factory.forResource('v1/configmaps', { namespace: ns });
    const [told, never] = [[], []];
    const noting = (to) => ({ onUpdate: (before, after) => after.metadata.name === 'one' && to.push([before === after, after.data.step]) });
    informer.addEventHandler(noting(told));
    informer.addEventHandler(noting(never), { resyncPeriod: 0 });
    factory.start();
    await until('two resyncs', () => told.length >= 2);
    const batches = informer.changes({ replay: false });
    const { value } = await batches.next();
    const resynced = value.changes.find(({ object }) => object.metadata.name === 'one');
    const wrong = [() => maps({ resync: -1 }), () => maps().addEventHandler({}, { resyncPeriod: '1s' })];
    wrong.push(() => connect({ worker, defaultResync: 0.5 }));
    const codes = await Promise.all(wrong.map(async (call) => (await rejection((async () => call())())).code));
    await batches.return();
    await factory.shutdown();
    return { told: told[0], never, change: [resynced.type, resynced.previous === resynced.object], codes: [...new Set(codes)], alive: (await connected.resources()).length > 0 };
  }, assert.deepEqual, { told: [true, '1'], never: [], change: ['update', true], codes: ['bad-request'], alive: true });

  inPage('indexes over JSONPath', async ({ connected, ns, maps }) => {
    for (const name of ['a', 'b', 'c']) await create(ns, name);
    await patch(ns, 'c', { step: '2' });
    const informer = maps({ indexers: { step: '{.data.step}' } });
    connected.start();
    await informer.synced;
    const { indexer } = informer;
    const mine = (keys) => keys.filter((key) => /\/[abc]$/.test(key)).map((key) => key.split('/')[1]);
    const first = [mine(await indexer.indexKeys('step', '1')), (await indexer.byIndex('step', '2')).map(({ metadata }) => metadata.name)];
    const same = maps({ indexers: { step: '{.data.step}', name: '{.metadata.name}' } }) === informer;
    await informer.addIndexers({ both: '{.metadata.name}{.data.step}', step: '{.data.step}' });
    await patch(ns, 'a', { step: '2' });
    await until('moved', async () => mine(await indexer.indexKeys('step', '2')).join() === 'a,c');
    const errors = [];
    informer.addEventListener('error', ({ error }) => errors.push([error.code, error.message.includes('"{.data[" at byte')]));
    maps({ indexers: { bad: '{.data[' } });
    const clash = await rejection((async () => maps({ indexers: { step: '{.metadata.uid}' } }))());
    const clashes = await Promise.all([{ fresh: '{.a}', both: '{.x}' }, { namespace: '{.x}' }, { fresh: 'data.step' }].map((asked) => rejection(informer.addIndexers(asked))));
    await until('told', () => errors.length > 0);
    return {
      first, same, named: await indexer.indexKeys('name', 'b'), both: (await indexer.listIndexFuncValues('both')).includes('b'), errors,
      codes: [clash, ...clashes].map(({ code }) => code), indexers: await indexer.getIndexers(), phase: informer.status.phase !== 'failed',
    };
  }, ({ named, ...result }) => {
    assert.match(named.join(), /^npm-\d+\/b$/);
    assert.deepEqual(result, {
      first: [['a', 'b'], ['c']], same: true, both: true, errors: [['bad-request', true]], codes: Array(4).fill('bad-request'), phase: true,
      indexers: { namespace: '{.metadata.namespace}', step: '{.data.step}', name: '{.metadata.name}', both: '{.metadata.name}{.data.step}' },
    });
  });

  inPage('an index by another name for what the page itself got wrong may be asked for again', async ({ connected, ns, maps }) => {
    await create(ns, 'a');
    const informer = maps({ indexers: { step: '{.data[' } });
    connected.start();
    await new Promise((resolve) => informer.addEventListener('error', resolve, { once: true }));
    maps({ indexers: { step: '{.data.step}' } });
    await informer.synced;
    return (await informer.indexer.indexKeys('step', '1')).map((key) => key.split('/')[1]);
  }, assert.deepEqual, ['a']);

  inPage('a lister selects by labels', async ({ connected, ns, maps }) => {
    const labelled = (name, labels) => api('POST', `/api/v1/namespaces/${ns}/configmaps`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels } });
    await labelled('web', { app: 'web', tier: 'front' });
    await labelled('db', { app: 'db' });
    const informer = connected.forResource('v1/configmaps');
    connected.start();
    await informer.synced;
    const { lister } = informer;
    const names = async (objects) => (await objects).map(({ metadata }) => metadata.name).filter((name) => /^(web|db)$/.test(name)).sort().join();
    const here = lister.namespace(ns);
    return {
      names: await Promise.all([here.list(), here.list('app'), here.list('app in (web, x)'), here.list('!tier,app'), lister.namespace('none').list('app')].map(names)),
      everywhere: await Promise.all([lister.list('tier=front'), lister.namespace('').list('tier=front')].map(async (objects) => (await objects).some(({ metadata }) => metadata.namespace === ns))),
      codes: (await Promise.all([here.list('app in ('), lister.list('!!')].map(rejection))).map(({ name, code }) => `${name} ${code}`),
    };
  }, assert.deepEqual, {
    names: ['db,web', 'db,web', 'web', 'db', ''], everywhere: [true, true], codes: ['InformerError bad-request', 'InformerError bad-request'],
  });

  inPage('a work queue: each key once, done after each turn, failures again, and an end', async ({ connected, ns, maps }) => {
    await create(ns, 'busy');
    const informer = maps();
    const queue = informer.workQueue({ baseDelayMs: 1 });
    connected.start();
    await informer.synced;
    const step = async () => (await informer.indexer.getByKey(`${ns}/busy`))?.data.step ?? 'gone';
    const [seen, failures] = [[], []];
    const working = (async () => {
      for await (const key of queue) {
        if (key !== `${ns}/busy`) continue;
        seen.push(await step());
        if (seen.length === 1) {
          // While it is being processed, much happens to it.
          for (let to = 2; to < 20; to++) await patch(ns, 'busy', { step: `${to}` });
          await until('cached', async () => (await step()) === '19');
        } else if (failures.length < 2) {
          queue.addRateLimited(key);
          failures.push(await queue.numRequeues(key));
        } else if (seen.length === 4) {
          queue.forget(key);
          failures.push(await queue.numRequeues(key));
          await remove(ns, 'busy');
        }
      }
      return 'ended';
    })();
    await until('gone', () => seen.at(-1) === 'gone');
    queue.addAfter('later', 60_000);
    const left = await queue.length();
    queue.shutDown();
    return { seen, failures, left, ended: await working, after: await queue.get() };
  }, assert.deepEqual, { seen: ['1', '19', '19', '19', 'gone'], failures: [1, 2, 0], left: 0, ended: 'ended', after: undefined });

  inPage('a wait for a key can be given up, drains, and ends with the queue', async ({ connected, ns, maps }) => {
    const informer = maps({ labelSelector: 'none=such' });
    const queue = informer.workQueue();
    connected.start();
    await informer.synced;
    const early = await rejection(queue.get({ signal: AbortSignal.abort('early') }));
    const later = new AbortController();
    const [givenUp, waiting] = [rejection(queue.get({ signal: later.signal })), queue.get()];
    later.abort('later');
    const reason = await givenUp;
    queue.add('k');
    const got = await waiting;
    queue.add('k');
    const length = await queue.length();
    const drained = queue.shutDownWithDrain();
    const still = await pending(drained);
    queue.done('k');
    const again = await queue.get();
    queue.done(again);
    await drained;
    const other = informer.workQueue({ qps: 1, burst: 1, maxDelayMs: 5, resyncPeriod: 0 });
    for await (const key of (other.add('x'), other)) {
      if (key !== 'x') throw new Error(key);
      other.add('x');
      break;
    }
    const done = await other.get();
    const closed = [other.get(), (async () => { for await (const key of other); })()].map(rejection);
    await informer.stop();
    const codes = (await Promise.all(closed)).map(({ code }) => code);
    codes.push((await rejection(other.length())).code, (await rejection((async () => informer.workQueue())())).code);
    other.add('y');
    other.shutDown();
    return { early, reason, got, length, still, again, done, codes: [...new Set(codes)], alive: (await connected.resources()).length > 0 };
  }, assert.deepEqual, {
    early: 'early', reason: 'later', got: 'k', length: 0, still: true, again: 'k', done: 'x', codes: ['closed'], alive: true,
  });

  inPage('many objects come in messages of bounded size, in step with their reader', async ({ connected }) => {
    const informer = connected.forResource('v1/configmaps', { namespace: 'many' });
    const [all, abandoned, fresh] = [informer.changes(), informer.changes(), informer.changes({ replay: false })];
    const told = new Set();
    const registration = informer.addEventHandler({ onAdd: ({ metadata }) => told.add(metadata.name) });
    const gone = informer.addEventHandler({ onAdd: () => gone.remove() });
    connected.start();
    const sizes = [];
    const keys = new Set();
    for await (const { changes } of all) {
      sizes.push(changes.length);
      for (const { key } of changes) keys.add(key);
      if (sizes.length === 1) await abandoned.next().then(() => abandoned.return());
      if (keys.size >= 1200) break;
    }
    await registration.synced;
    const first = rejection(fresh.next());
    const nothing = await pending(first);
    await fresh.return();
    return { largest: Math.max(...sizes), keys: keys.size >= 1200, told: told.size >= 1200, nothing };
  }, assert.deepEqual, { largest: 500, keys: true, told: true, nothing: true });

  inPage('why an informer has not synced is in its status', async ({ connected, maps }) => {
    const there = maps();
    connected.forResource('v1/nothings');
    connected.start();
    await there.synced;
    const synced = await connected.waitForCacheSync({ timeoutMs: 10 });
    const statuses = () => Object.entries(synced).filter(([, is]) => !is).map(([name]) => [name, connected.status().informers[name]]);
    // Not while an attempt is on its way.
    const why = await until('an error', () => statuses().every(([, { phase, lastError }]) => phase === 'reconnecting' && lastError) && statuses());
    return why.map(([name, { phase, lastError, nextRetryAt }]) => [name, phase, lastError.code, lastError.request.includes('/nothings'), nextRetryAt > Date.now() - 600_000]);
  }, assert.deepEqual, [['v1/nothings', 'reconnecting', 'not-found', true, true]]);

  test('the controller of README runs', { timeout }, async () => {
    const examples = [...readFileSync(join(stage.folder, 'README.md'), 'utf8').matchAll(/```js\n(.*?)```/gs)];
    const [, example] = examples.find(([, code]) => code.includes('workQueue()'));
    assert.ok(example.includes('await connect();'));
    stage.front.made.set('/made/controller.js', example.replace('connect()', `connect({ worker: ${JSON.stringify(worker)} })`));
    const { page, errors, logs } = await openPage(stage, context);
    const name = `readme-${worker}`;
    await page.evaluate(([name]) => {
      let failed = false;
      window.reconcile = async (key, object) => {
        if (!key.endsWith(name)) return;
        console.log(`${key} ${object ? object.data.step : 'gone'}`);
        if (!failed) throw new Error(`${(failed = true)}`);
      };
      import('/made/controller.js'); // never ends
      return create('default', name);
    }, [name]);
    await eventually('tried again', () => logs.filter((line) => line === `default/${name} 1`).length === 2);
    await page.evaluate(([name]) => remove('default', name), [name]);
    await eventually('gone', () => logs.includes(`default/${name} gone`));
    assert.deepEqual(errors, []);
    await page.close();
  });
});
