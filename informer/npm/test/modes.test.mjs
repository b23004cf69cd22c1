// Guarantees of the package, in each engine host.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { PATIENCE, eventually, inEachHost, openPage, setStage } from './stage.mjs';

const stage = await setStage();
after(() => stage.end());
const timeout = PATIENCE;

inEachHost(stage, ['shared', 'elected', 'dedicated', false], (inPage, worker, context) => {
  test('the example of README runs', { timeout }, async () => {
    const [, example] = readFileSync(join(stage.folder, 'README.md'), 'utf8').match(/```js\n(.*?)```/s);
    assert.ok(example.includes('await connect();'));
    // In the first mode to the letter.
    const code = worker === 'shared' ? example : example.replace('connect()', `connect({ worker: ${JSON.stringify(worker)} })`);
    stage.front.made.set('/made/readme.js', code);
    const { page, errors, logs } = await openPage(stage, context);
    const pod = (name) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers: [{ name: 'c', image: 'pause' }] } });
    await page.evaluate(([pod]) => api('POST', '/api/v1/namespaces/default/pods', pod), [pod(`before-${worker}`)]);
    await page.evaluate('import("/made/readme.js")');
    await eventually('synced', () => logs.some((line) => line.startsWith('synced')));
    const keys = await eventually('keys', () => logs.find((line) => line.startsWith('keys')));
    assert.ok(keys.includes(`default/before-${worker}`), keys);
    const name = `readme-${worker}`;
    await page.evaluate(([pod]) => api('POST', '/api/v1/namespaces/default/pods', pod), [pod(name)]);
    await eventually(`+ ${name}`, () => logs.includes(`+ ${name}`));
    await page.evaluate(([name]) => api('DELETE', `/api/v1/namespaces/default/pods/${name}?gracePeriodSeconds=0`), [name]);
    await eventually(`- ${name}`, () => logs.includes(`- ${name}`));
    assert.ok(logs.indexOf(`+ ${name}`) < logs.indexOf(`- ${name}`));
    assert.deepEqual(errors, []);
    await page.close();
  });

  test('the view of README runs', { timeout }, async () => {
    const examples = [...readFileSync(join(stage.folder, 'README.md'), 'utf8').matchAll(/```js\n(.*?)```/gs)];
    const [, example] = examples.find(([, code]) => code.includes('pods.view('));
    const options = worker === 'shared' ? '' : `{ worker: ${JSON.stringify(worker)} }`;
    const code = `import { connect } from "kube-informer";
      const factory = await connect(${options});
      const pods = factory.forResource("v1/pods", { namespace: "default" });
      factory.start();
      const render = ({ rows, total }) => console.log("shown " + total + " " + rows.map((row) => row.name));
      ${example}`;
    stage.front.made.set('/made/view.js', code);
    const { page, errors, logs } = await openPage(stage, context);
    const name = `web-${worker}`;
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { nodeName: 'node-0', containers: [{ name: 'c', image: 'pause' }] } };
    await page.evaluate(([pod]) => api('POST', '/api/v1/namespaces/default/pods', pod), [pod]);
    await page.evaluate('import("/made/view.js")');
    // In the end the window is beyond the few rows, so the total is checked.
    await eventually('shown', () => logs.some((line) => /^shown [1-9]/.test(line)));
    assert.deepEqual(errors, []);
    await page.evaluate(([name]) => api('DELETE', `/api/v1/namespaces/default/pods/${name}?gracePeriodSeconds=0`), [name]);
    await page.close();
  });

  inPage('handlers are told of what comes, changes and goes, in order, and reads show it', async ({ connected, ns, maps }) => {
    const informer = maps();
    const told = [];
    const reads = [];
    informer.addEventHandler({
      onAdd(object, isInInitialList) {
        told.push(['add', object.metadata.name, isInInitialList]);
        reads.push(informer.indexer.getByKey(`${ns}/${object.metadata.name}`));
      },
      onUpdate: (before, after) => told.push(['update', before.data.step, after.data.step]),
      onDelete: (object, finalStateUnknown) => told.push(['delete', object.metadata.name, finalStateUnknown]),
    });
    connected.start();
    await connected.waitForCacheSync();
    const before = told.length;
    await create(ns, 'one');
    await until('added', () => told.length === before + 1);
    await patch(ns, 'one', { step: '2' });
    await patch(ns, 'one', { step: '3' });
    await remove(ns, 'one');
    await until('deleted', () => told.at(-1)[0] === 'delete');
    const added = await Promise.all(reads);
    return { told: told.slice(before), read: added.at(-1).metadata.name };
  }, assert.deepEqual, {
    told: [['add', 'one', false], ['update', '1', '2'], ['update', '2', '3'], ['delete', 'one', false]],
    read: 'one',
  });

  inPage('a view holds its rows in their order, and tells once a frame what changed', async ({ ns, connected, maps }) => {
    for (const name of ['web-10', 'web-9', 'db']) await create(ns, name);
    await patch(ns, 'web-9', { step: '7' });
    const informer = maps();
    connected.start();
    const columns = { name: '{.metadata.name}', step: '.data.step', none: '{.a.b}' };
    const view = informer.view({ columns, orderBy: [['name', 'desc']], filter: 'web', window: [0, 2] });
    await view.ready;
    const first = view.getSnapshot();
    const same = first === view.getSnapshot() && Object.isFrozen(first.rows[0]);
    let calls = 0;
    const unsubscribe = view.subscribe(() => calls++);
    await patch(ns, 'web-10', { step: '2' });
    await until('changed', () => view.getSnapshot().rows[0].step === '2');
    const kept = view.getSnapshot().rows[1] === first.rows[1];
    await create(ns, 'web-11');
    await until('moved', () => view.getSnapshot().total === 3);
    const moved = view.getSnapshot();
    view.setWindow(2, 9);
    await until('scrolled', () => view.getSnapshot().start === 2);
    const scrolled = view.getSnapshot();
    view.setWindow(1, 3);
    await until('scrolled back', () => view.getSnapshot().start === 1);
    const back = view.getSnapshot().rows.map((row) => row?.name);
    view.change({ filter: 'step=1,7 -db', orderBy: [['step', 'desc']] });
    await until('changed', () => view.getSnapshot().total === 2);
    view.change({ filter: 'colour=red' });
    await until('refused', () => view.error);
    const refused = view.error.code;
    await until('told', () => calls > 2);
    // Rejected and applied in one turn: only the last counts, and its success is reported, too.
    const heard = [];
    view.subscribe(() => heard.push(view.error?.code ?? view.getSnapshot().total));
    view.change({ filter: 'db (' });
    view.change({ filter: 'db' });
    await until('granted', () => view.error === null && view.getSnapshot().total === 1);
    // A frame that was requested before may report the rejection once more.
    await until('told of that', () => heard.at(-1) === 1);
    unsubscribe();
    view[Symbol.dispose ?? Symbol.for('Symbol.dispose')]();
    const [before, after] = [first, moved].map(({ rows, start, total }) => ({ rows, start, total }));
    return { before, same, kept, after, scrolled: scrolled.rows, back, refused };
  }, ({ before, same, kept, after, scrolled, back, refused }) => {
    const strip = (rows) => rows.map(({ key, ...row }) => row);
    assert.deepEqual([strip(before.rows), before.start, before.total],
      [[{ name: 'web-10', step: '1', none: null }, { name: 'web-9', step: '7', none: null }], 0, 2]);
    assert.ok(before.rows[0].key.endsWith('/web-10'));
    assert.deepEqual([same, kept, refused], [true, true, 'bad-request']);
    assert.deepEqual(strip(after.rows).map(({ name }) => name), ['web-11', 'web-10']);
    assert.deepEqual(strip(scrolled).map(({ name }) => name), ['web-9']);
    assert.deepEqual(back, ['web-10', 'web-9']);
  });

  inPage('a view without columns holds the objects, and ends with its informer', async ({ ns, connected, maps }) => {
    for (const name of ['a', 'b']) await create(ns, name);
    const informer = maps();
    connected.start();
    const view = informer.view({ orderBy: [['name', 'desc']], labelSelector: '!x', namespaces: [ns] });
    await view.ready;
    const names = view.getSnapshot().rows.map(({ metadata }) => metadata.name).filter((name) => name.length === 1);
    const bad = informer.view({ filter: 'a (b' });
    const unreadable = informer.view({ columns: { x: '{' } });
    const refusals = await Promise.all([bad, unreadable].map((view) => rejection(view.ready)));
    const waits = maps({ labelSelector: 'never' });
    const pendingView = waits.view();
    await waits.stop();
    const ended = await rejection(pendingView.ready);
    let threw;
    try { waits.view(); } catch (error) { threw = error.code; }
    return { names, refusals: refusals.map(({ code }) => code), ended: ended.code, threw };
  }, assert.deepEqual, { names: ['b', 'a'], refusals: ['bad-request', 'bad-request'], ended: 'closed', threw: 'closed' });

  inPage('a late handler is first told of everything that is cached', async ({ connected, ns, maps }) => {
    await create(ns, 'early');
    const informer = maps();
    connected.start();
    await informer.synced;
    const told = [];
    const registration = informer.addEventHandler({
      onAdd: (object, isInInitialList) => told.push(`${object.metadata.name} ${isInInitialList}`),
    });
    const first = { hasSynced: registration.hasSynced, told: told.length };
    await registration.synced;
    const replayed = told.includes('early true');
    await create(ns, 'late');
    await until('told of the late one', () => told.includes('late false'));
    return { first, replayed, hasSynced: registration.hasSynced };
  }, assert.deepEqual, { first: { hasSynced: false, told: 0 }, replayed: true, hasSynced: true });

  inPage('a handler that throws loses that one call, and the error event tells it', async ({ InformerError, connected, ns, maps }) => {
    await create(ns, 'a');
    await create(ns, 'b');
    const informer = maps();
    const [thrower, other, errors] = [[], [], []];
    informer.addEventListener('error', (event) => {
      event.preventDefault();
      errors.push([event.error instanceof InformerError, event.error.code, event.error.cause.message]);
    });
    const noted = (to) => (object) => /^[ab]$/.test(object.metadata.name) && to.push(object.metadata.name);
    informer.addEventHandler({
      onAdd(object) {
        noted(thrower)(object);
        if (object.metadata.name === 'a') throw new Error('no a');
      },
    });
    informer.addEventHandler({ onAdd: noted(other) });
    connected.start();
    await until('both told', () => other.length === 2 && thrower.length === 2);
    return { thrower, other, errors, phase: informer.status.phase !== 'failed' };
  }, assert.deepEqual, { thrower: ['a', 'b'], other: ['a', 'b'], errors: [[true, 'internal', 'no a']], phase: true });

  inPage('a handler that is removed in the middle of a batch gets nothing more', async ({ connected, ns, maps }) => {
    for (const name of ['a', 'b', 'c']) await create(ns, name);
    const informer = maps();
    connected.start();
    await informer.synced;
    let calls = 0;
    const registration = informer.addEventHandler({
      onAdd() {
        calls += 1;
        registration.remove();
      },
    });
    const reason = await rejection(registration.synced);
    // The reply to the next registration arrives after all messages to the first.
    await informer.addEventHandler({}).synced;
    return [calls, reason.code];
  }, assert.deepEqual, [1, 'closed']);

  inPage('waitForCacheSync names the started informers', async ({ connected, ns, maps }) => {
    maps();
    connected.forResource('apps/v1/deployments', { labelSelector: 'a=b' });
    const none = await connected.waitForCacheSync();
    connected.start();
    connected.forResource({ group: '', version: 'v1', resource: 'nodes' });
    const synced = await connected.waitForCacheSync();
    return [none, Object.entries(synced).map(([name, is]) => [name.replace(ns, 'NS'), is])];
  }, assert.deepEqual, [{}, [['v1/configmaps?namespace=NS', true], ['apps/v1/deployments?labelSelector=a%3Db', true]]]);

  inPage('the resources with a scale say so', async ({ connected }) => {
    const scales = (await connected.resources()).filter(({ group }) => ['', 'apps'].includes(group)).map(({ resource, scale }) => [resource, scale]);
    return ['deployments', 'statefulsets', 'daemonsets', 'pods'].map((name) => scales.find(([resource]) => resource === name));
  }, assert.deepEqual, [['deployments', true], ['statefulsets', true], ['daemonsets', false], ['pods', false]]);

  inPage('the same resource and options give the same informer, and an invalid option throws', async ({ connected, InformerError }) => {
    const same = connected.forResource('v1/pods') === connected.forResource({ version: 'v1', resource: 'pods' });
    const other = connected.forResource('v1/pods') !== connected.forResource('v1/pods', { namespace: 'default' });
    const code = (...args) => {
      try {
        connected.forResource(...args);
      } catch (error) {
        return error instanceof InformerError && error.code;
      }
    };
    const wrong = ['pods', '', '/v1/pods', 'a/b/c/d', '../v1/pods', 'v1/pods?x', { version: 'v1' }].map((resource) => code(resource));
    wrong.push(code('v1/pods', { namespace: '../x' }), code('v1/pods', { pageSize: -1 }), code('v1/pods', { pageSize: '5' }));
    // None of them has closed the connection.
    return { same, other, wrong: new Set(wrong).size === 1 && wrong[0], alive: (await connected.resources()).length > 5 };
  }, assert.deepEqual, { same: true, other: true, wrong: 'bad-request', alive: true });

  inPage('indexer and lister read the cache', async ({ connected, ns, maps }) => {
    for (const name of ['a', 'b']) await create(ns, name);
    const informer = connected.forResource('v1/configmaps');
    connected.start();
    await informer.synced;
    const { indexer, lister } = informer;
    const names = (objects) => objects.map(({ metadata }) => metadata.name).filter((name) => /^[ab]$/.test(name)).sort();
    const mine = ({ length }) => length;
    return {
      got: (await indexer.getByKey(`${ns}/a`)).data,
      none: (await indexer.getByKey(`${ns}/x`)) === undefined,
      list: (await indexer.list()).length === (await indexer.listKeys()).length,
      byIndex: names(await indexer.byIndex('namespace', ns)),
      keys: (await indexer.indexKeys('namespace', ns)).filter((key) => /\/[ab]$/.test(key)).map((key) => key.replace(ns, 'NS')),
      values: (await indexer.listIndexFuncValues('namespace')).includes(ns),
      unknown: (await rejection(indexer.byIndex('node', 'x'))).name,
      lister: mine(await lister.list()) === mine(await indexer.list()),
      inNamespace: names(await lister.namespace(ns).list()),
      get: (await lister.namespace(ns).get('b')).metadata.name,
      missing: (await rejection(lister.namespace(ns).get('x'))).code,
      byKey: (await lister.get(`${ns}/a`)).metadata.name,
    };
  }, assert.deepEqual, {
    got: { step: '1' }, none: true, list: true, byIndex: ['a', 'b'], keys: ['NS/a', 'NS/b'], values: true, unknown: 'InformerError',
    lister: true, inNamespace: ['a', 'b'], get: 'b', missing: 'not-found', byKey: 'a',
  });

  inPage('resources are discovered', async ({ connected }) => {
    const resources = await connected.resources();
    const { group, version, kind, namespaced } = resources.find(({ resource }) => resource === 'deployments');
    return { group, version, kind, namespaced };
  }, assert.deepEqual, { group: 'apps', version: 'v1', kind: 'Deployment', namespaced: true });

  inPage('stop is counted and idempotent, and rejects what waits', async ({ connected, ns, maps }) => {
    const [first, second] = [maps(), maps()];
    connected.start();
    await first.synced;
    await first.stop();
    const still = Array.isArray(await second.indexer.list());
    const late = maps({ labelSelector: 'never=started' });
    const waiting = [late.synced, second.indexer.list(), second.changes({ replay: false }).next()];
    await second.stop();
    await late.stop();
    await second.stop();
    const codes = (await Promise.all(waiting.map(rejection))).map(({ code }) => code);
    codes.push((await rejection(second.indexer.list())).code, (await rejection((async () => second.addEventHandler({}))())).code);
    return { still, codes: [...new Set(codes)], phase: second.status.phase, left: Object.keys(connected.status().informers), anew: maps() !== second };
  }, assert.deepEqual, { still: true, codes: ['closed'], phase: 'stopped', left: [], anew: true });

  inPage('shutdown is idempotent and rejects what waits', async ({ connected, maps }) => {
    const informer = maps();
    const never = informer.synced;
    const waiting = [informer.indexer.list(), connected.resources()];
    connected.start();
    waiting.push(connected.waitForCacheSync());
    const shut = connected.shutdown();
    await connected.shutdown();
    await shut;
    waiting.push(connected.resources(), connected.waitForCacheSync(), never);
    const codes = (await Promise.all(waiting.map(rejection))).map(({ code }) => code);
    const again = await rejection((async () => maps())());
    return [[...new Set(codes)], again.code, informer.status.phase];
  }, assert.deepEqual, [['closed'], 'closed', 'stopped']);

  inPage('an AbortSignal rejects with its own reason', async ({ connect, connected, maps, worker }) => {
    const signal = AbortSignal.abort('mine');
    const informer = maps();
    const reasons = [
      await rejection(connect({ worker, signal })),
      await rejection(connected.waitForCacheSync({ signal })),
      await rejection(informer.changes({ signal }).next()),
      await rejection(informer.addEventHandler({}, { signal }).synced),
    ];
    // The start may come too late: nothing has synced before this task ends.
    connected.start();
    const later = new AbortController();
    const waiting = [
      connect({ worker, signal: later.signal }), // too early to be connected
      connected.waitForCacheSync({ signal: later.signal }),
      informer.changes({ signal: later.signal }).next(),
      informer.addEventHandler({}, { signal: later.signal }).synced,
    ].map(rejection);
    later.abort('later');
    const whole = new AbortController();
    const factory = await connect({ worker, signal: whole.signal });
    const pods = factory.forResource('v1/pods');
    whole.abort('whole');
    return [reasons, await Promise.all(waiting), await rejection(pods.synced)];
  }, assert.deepEqual, [['mine', 'mine', 'mine', 'mine'], ['later', 'later', 'later', 'later'], 'whole']);

  inPage('changes come as batches, in one order for all', async ({ connected, ns, maps }) => {
    await create(ns, 'old');
    const informer = maps();
    const all = informer.changes();
    const fresh = informer.changes({ replay: false });
    connected.start();
    const words = [];
    const mine = ({ key }) => /\/(old|new)$/.test(key);
    const read = async (iterator, to, last) => {
      for await (const batch of iterator) {
        for (const { type, key, object, previous, isInInitialList } of batch.changes.filter(mine)) {
          to.push([type, key.split('/')[1], object.data.step, previous?.data.step ?? '-', isInInitialList].join(' '));
        }
        if (typeof batch.resourceVersion !== 'string' || typeof batch.relist !== 'boolean') throw new Error('not a batch');
        if (to.at(-1)?.startsWith(last)) return;
      }
    };
    const since = [];
    const reading = Promise.all([read(all, words, 'delete'), read(fresh, since, 'delete')]);
    await informer.synced;
    await create(ns, 'new');
    await patch(ns, 'new', { step: '2' });
    await remove(ns, 'new');
    await reading;
    return { words, since, after: await all.next() };
  }, assert.deepEqual, {
    words: ['add old 1 - true', 'add new 1 - false', 'update new 2 1 false', 'delete new 2 - false'],
    since: ['add new 1 - false', 'update new 2 1 false', 'delete new 2 - false'],
    after: { value: undefined, done: true },
  });

  inPage('a bad selector fails its informer for good, and no other', async ({ connected, maps }) => {
    const bad = connected.forResource('v1/pods', { labelSelector: '!!' });
    const good = maps();
    const errors = [];
    bad.addEventListener('error', ({ error }) => errors.push(error.code));
    connected.start();
    const synced = await connected.waitForCacheSync();
    return {
      synced: Object.values(synced), reason: (await rejection(bad.synced)).code, phase: bad.status.phase,
      lastError: bad.status.lastError.code, good: good.hasSynced, errors: errors.every((code) => code === 'bad-request'),
    };
  }, assert.deepEqual, { synced: [false, true], reason: 'bad-request', phase: 'failed', lastError: 'bad-request', good: true, errors: true });

  test('an outage of the server appears in status and error event, and ends without an action', { timeout }, async () => {
    const { page, errors } = await openPage(stage, context);
    await page.evaluate(async ([worker]) => {
      const { connect } = await import('kube-informer');
      window.factory = await connect({ worker });
      window.ns = await namespace(`away-${worker}`);
      window.maps = factory.forResource('v1/configmaps', { namespace: ns });
      window.seen = { errors: [], phases: [], added: [] };
      maps.addEventListener('error', ({ error }) => seen.errors.push({ name: error.name, code: error.code, retryable: error.retryable }));
      maps.addEventListener('status', () => seen.phases.push(maps.status.phase));
      maps.addEventHandler({ onAdd: ({ metadata }) => seen.added.push(metadata.name) });
      factory.start();
      await until('watching', () => maps.status.phase === 'watching' && maps.hasSynced);
      seen.phases.length = 0;
    }, [worker]);
    stage.front.goAway();
    try {
      const away = await page.evaluate(async () => {
        const is = ({ phase, freshness, lastError }) => phase === 'reconnecting' && freshness === 'disconnected' && lastError && maps.status;
        const status = await until('an error', () => seen.errors.length > 0 && is(maps.status));
        return { ...status, lastError: status.lastError.code, keys: await maps.indexer.listKeys() };
      });
      assert.equal(away.lastError, 'network');
      assert.equal(away.hasSynced, true);
      assert.equal(away.keys.length, away.objects);
    } finally {
      stage.front.comeBack();
    }
    const back = await page.evaluate(async () => {
      await create(ns, 'after');
      dispatchEvent(new Event('online')); // as the browser does; not to wait for the backoff
      await until('told of what came after', () => seen.added.includes('after'));
      await until('watching', () => maps.status.phase === 'watching' && maps.status.lastError === null);
      return seen;
    });
    assert.deepEqual(back.errors[0], { name: 'InformerError', code: 'network', retryable: true });
    assert.ok(back.phases.includes('reconnecting') && back.phases.at(-1) === 'watching', back.phases.join());
    assert.deepEqual(errors, []);
    await page.close();
  });

  test('a page that closes releases its watch', { timeout }, async () => {
    const { page } = await openPage(stage, context);
    const ns = `gone-${worker}`;
    await page.evaluate(async ([worker, ns]) => {
      const { connect } = await import('kube-informer');
      const factory = await connect({ worker });
      const informer = factory.forResource('v1/configmaps', { namespace: await namespace(ns) });
      factory.start();
      await until('watching', () => informer.status.phase === 'watching');
    }, [worker, ns]);
    await eventually('its watch', () => stage.front.watches(ns) === 1);
    // Another tab uses the same worker, so the worker does not end with the page.
    const { page: other } = await openPage(stage, context);
    await other.evaluate(([worker]) => import('kube-informer').then(({ connect }) => connect({ worker })).then(() => {}), [worker]);
    await page.goto('about:blank');
    await eventually('no watch', () => stage.front.watches(ns) === 0);
    await Promise.all([page.close(), other.close()]);
  });
});
