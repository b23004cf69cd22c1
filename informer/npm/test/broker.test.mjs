// Engine sharing: leader election, failover, crash recovery, back/forward cache.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { PATIENCE, eventually, openPage, setStage } from './stage.mjs';

const stage = await setStage();
after(() => stage.end());
const options = { timeout: PATIENCE };

let context;
let pages;
beforeEach(async () => {
  context = await stage.browser.newContext();
  pages = [];
});
afterEach(async () => {
  stage.front.comeBack();
  for (const { page, errors } of pages) {
    if (page.isClosed()) continue;
    assert.deepEqual(await page.evaluate('unhandled'), []);
    assert.deepEqual(errors, []);
  }
  await context.close();
});

/** Requests directly to the apiserver, for changes while the pages are cut off. */
const api = async (method, path, body, type = 'application/json') => {
  const init = { method, body: body && JSON.stringify(body), headers: body ? { 'content-type': type } : {} };
  const answer = await fetch(`${stage.apiserver}${path}`, init);
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`);
};
const maps = (ns) => `/api/v1/namespaces/${ns}/configmaps`;
const create = (ns, name) => api('POST', maps(ns), { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { step: '1' } });
const patch = (ns, name) => api('PATCH', `${maps(ns)}/${name}`, { data: { step: '2' } }, 'application/merge-patch+json');
const remove = (ns, name) => api('DELETE', `${maps(ns)}/${name}`);

/** A namespace with config maps a, b and c. */
async function prepare(ns) {
  await api('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } });
  for (const name of ['a', 'b', 'c']) await create(ns, name);
}

/** A tab with everything open that there is: an informer, a handler, a reader, a view, an index. */
async function tab(worker, ns, from = 'kube-informer') {
  const opened = await openPage(stage, context);
  pages.push(opened);
  await opened.page.evaluate(async ([worker, ns, from]) => {
    const { connect } = await import(from);
    window.factory = await connect({ worker });
    window.informer = factory.forResource('v1/configmaps', { namespace: ns, indexers: { step: '{.data.step}' } });
    window.log = [];
    window.seen = [];
    window.fewest = Infinity;
    window.freshness = new Set();
    const name = ({ metadata }) => metadata.name;
    informer.addEventHandler({
      onAdd: (object, isInitial) => log.push(`+${name(object)}${isInitial ? '!' : ''}`),
      onUpdate: (before, object) => log.push(before.metadata.resourceVersion === object.metadata.resourceVersion ? 'same' : `~${name(object)}`),
      onDelete: (object, unknown) => log.push(`-${name(object)}${unknown ? '?' : ''} ${object.metadata.namespace}`),
    });
    informer.addEventListener('error', ({ error }) => seen.push(`${error.code} ${error.message}`));
    window.view = informer.view({ columns: { name: '{.metadata.name}' }, orderBy: [['name', 'desc']] });
    window.names = () => view.getSnapshot().rows.map(({ name }) => name).join('');
    window.batches = [];
    (async () => {
      for await (const { changes } of informer.changes()) batches.push(...changes.map(({ type, key }) => `${type} ${key.split('/')[1]}`));
    })().catch(() => {});
    factory.start();
    await view.ready;
    await until('all told', () => log.length === 3 && batches.length === 3);
    informer.addEventListener('status', () => freshness.add(informer.status.freshness));
    view.subscribe(() => (fewest = Math.min(fewest, view.getSnapshot().rows.length)));
    await until('live', () => informer.status.freshness === 'live');
    log.length = batches.length = 0;
    freshness.clear();
  }, [worker, ns, from]);
  return opened.page;
}

/** Expected state and changes of a tab after a patch of a, a deletion of b, and a creation of d. */
async function caughtUp(page) {
  await eventually('told', () => page.evaluate(() => log.length >= 3 && batches.length >= 3 && names() === 'dca' && informer.status.hasSynced));
  const known = await page.evaluate(async () => ({
    log: log.toSorted(), batches: batches.toSorted(), fewest, freshness: freshness.has('catching-up'),
    step: await informer.indexer.indexKeys('step', '2'), hasSynced: informer.hasSynced && informer.status.hasSynced,
  }));
  return known;
}

const differences = (ns, gone = `-b? ${ns}`) => ({
  log: ['+d', gone, '~a'], batches: ['add d', 'delete b', 'update a'], fewest: 3, freshness: true, step: [`${ns}/a`], hasSynced: true,
});

const change = (ns) => Promise.all([patch(ns, 'a'), remove(ns, 'b'), create(ns, 'd')]);

const crash = (page) => Promise.all([page.waitForEvent('crash'), page.goto('chrome://crash').catch(() => {})]);

/** The package once more, at another place, and with one file changed where one is named. */
function copyDist(place, changed, change) {
  for (const name of readdirSync(join(stage.folder, 'dist')).filter((name) => /\.(js|wasm)$/.test(name))) {
    const file = readFileSync(join(stage.folder, 'dist', name));
    stage.front.made.set(`${place}/${name}`, name === changed ? change(file.toString()) : file);
  }
}

/** Crash errors that a tab received. Heartbeat timeouts, which occur on a slow machine, are excluded. */
const traps = (page) => page.evaluate(() => seen.filter((text) => text.startsWith('internal')));
const toldOfTraps = (page, count = 1) => eventually(`${count} traps are told`, async () => (await traps(page)).length === count);

/** Makes the engine of a dedicated worker trap. */
const trap = async (worker) => {
  await worker.evaluate(() => {
    setTimeout(() => {
      throw new WebAssembly.RuntimeError('unreachable');
    });
  });
};

describe('the tab that is elected', () => {
  for (const [how, end] of [['is closed', (page) => page.close()], ['crashes', crash]]) {
    test(`serves the others, and when it ${how} another one does`, options, async (t) => {
      const ns = `elected-${how.split(' ').at(-1)}`;
      await prepare(ns);
      const leader = await tab('elected', ns);
      const others = [await tab('elected', ns), await tab('elected', ns)];
      await eventually('one watch for all', () => stage.front.watches(`/${ns}/`) === 1);
      assert.deepEqual([leader, ...others].map((page) => page.workers().length), [1, 0, 0]);
      // The engine that ends cannot have delivered these.
      stage.front.goAway();
      await change(ns);
      await end(leader);
      pages.shift();
      const began = performance.now();
      stage.front.comeBack();
      for (const page of others) assert.deepEqual(await caughtUp(page), differences(ns));
      t.diagnostic(`handed over and caught up in ${Math.round(performance.now() - began)} ms`);
      await eventually('one watch', () => stage.front.watches(`/${ns}/`) === 1);
      const wrong = () => seen.filter((text) => !text.startsWith('network'));
      for (const page of others) assert.deepEqual(await page.evaluate(wrong), [], 'nothing else is wrong');
      // And on it goes.
      await create(ns, 'e');
      for (const page of others) await eventually('e', () => page.evaluate(() => log.at(-1) === '+e' && names() === 'edca'));
    });
  }

  test('a frozen leader is replaced, and serves as a follower when it wakes', options, async () => {
    await prepare('frozen');
    const leader = await tab('elected', 'frozen');
    const other = await tab('elected', 'frozen');
    await leader.evaluate(() => document.dispatchEvent(new Event('freeze')));
    await eventually('another leads', () => other.workers().length === 1 && leader.workers().length === 0);
    await leader.evaluate(() => document.dispatchEvent(new Event('resume')));
    await change('frozen');
    for (const page of [leader, other]) {
      const { log, batches } = await caughtUp(page);
      assert.deepEqual([log.length, batches.length], [3, 3]);
    }
    // The terminated worker's watch may close later.
    await eventually('one watch', () => stage.front.watches('/frozen/') === 1);
  });

  test('reports a trap to all tabs, and restarts', options, async () => {
    await prepare('elected-trap');
    const both = [await tab('elected', 'elected-trap'), await tab('elected', 'elected-trap')];
    await trap(both[0].workers()[0]);
    for (const page of both) await toldOfTraps(page);
    await change('elected-trap');
    for (const page of both) {
      const { log } = await caughtUp(page);
      assert.equal(log.length, 3);
      const told = await traps(page);
      assert.equal(told.length, 1, told.join());
      assert.match(told[0], /^internal the engine has crashed/);
    }
    pages[0].errors.length = 0; // the trap itself
    await Promise.all(both.map((page) => page.close()));
    await eventually('no watch', () => stage.front.watches('/elected-trap/') === 0);
  });

  test('reports a trap even if its message arrives after the end of the worker', options, async () => {
    // The two messages may arrive in either order.
    await context.addInitScript(() => {
      const { set } = Object.getOwnPropertyDescriptor(BroadcastChannel.prototype, 'onmessage');
      const late = (hear) => (event) => setTimeout(() => hear(event), 40);
      Object.defineProperty(BroadcastChannel.prototype, 'onmessage', { set(hear) { set.call(this, late(hear)); } });
    });
    await prepare('late-news');
    const both = [await tab('elected', 'late-news'), await tab('elected', 'late-news')];
    await trap(both[0].workers()[0]);
    for (const page of both) await eventually('told', () => page.evaluate(() => /^internal the engine has crashed/.test(seen.join())));
    pages[0].errors.length = 0; // the trap itself
  });

  for (const [what, first, later] of [
    ['it has loaded its wasm', '/made/never.wasm', undefined],
    ['a follower has sent the wasm URL', undefined, 'later'],
  ]) {
    test(`that is closed before ${what} leaves no pending request`, options, async () => {
      stage.front.made.set('/made/never.wasm', undefined);
      const [leader, other] = [await openPage(stage, context), await openPage(stage, context)];
      pages.push(leader, other);
      await leader.page.evaluate(([wasm]) => {
        import('kube-informer').then(({ connect }) => connect({ worker: 'elected', wasm })).catch(() => {});
      }, [first]);
      await eventually('a leader', () => leader.page.workers().length === 1);
      await other.page.evaluate(async ([later]) => {
        const { connect } = await import('kube-informer');
        const { postMessage } = BroadcastChannel.prototype;
        const said = [];
        BroadcastChannel.prototype.postMessage = function (message) {
          said.push(message.type);
          postMessage.call(this, message);
        };
        // Connection channels receive `hello` from the leader.
        const { set } = Object.getOwnPropertyDescriptor(BroadcastChannel.prototype, 'onmessage');
        const hear = function (handler) {
          set.call(this, (event) => {
            if (event.data.type === 'hello') said.push('hello');
            handler(event);
          });
        };
        Object.defineProperty(BroadcastChannel.prototype, 'onmessage', { set: hear });
        const wasm = later && new Promise((resolve) => (window.nameIt = () => resolve('/package/dist/informer.wasm')));
        window.connecting = connect({ worker: 'elected', wasm });
        await until('answered', () => said.includes(later ? 'hello' : 'wasm'));
      }, [later]);
      await leader.page.close();
      const kinds = await other.page.evaluate(async () => {
        window.nameIt?.();
        return (await (await connecting).resources()).length;
      });
      assert.ok(kinds > 0);
      assert.equal(other.page.workers().length, 1, 'it leads');
    });
  }

  test('whose code is missing does not become leader, and reports the error', options, async () => {
    copyDist('/made/codeless');
    stage.front.made.delete('/made/codeless/leader.js');
    const without = await openPage(stage, context);
    pages.push(without);
    const error = await without.page.evaluate(async () => {
      const { connect } = await import('/made/codeless/index.js');
      return rejection(connect({ worker: 'elected' }));
    });
    assert.match(error.message, /^the worker could not be started: .*codeless\/worker\.js/);
    await eventually('no worker', () => without.page.workers().length === 0);
    await prepare('codeless');
    assert.equal((await tab('elected', 'codeless')).workers().length, 1, 'it is another tab\'s turn');
  });

  test('keeps its worker while its own connection changes over to it', options, async () => {
    await prepare('keeps');
    const leader = await tab('elected', 'keeps');
    // The election's lock is granted before the leader's end is reported: the two may arrive in either order.
    await context.addInitScript(() => {
      const { request } = LockManager.prototype;
      LockManager.prototype.request = function (name, ...rest) {
        const granted = rest.pop();
        const late = (lock) => new Promise((resolve) => setTimeout(resolve, 40)).then(() => granted(lock));
        return request.call(this, name, ...rest, /^kube-informer [\w-]{36}$/.test(name) ? late : granted);
      };
    });
    const other = await tab('elected', 'keeps');
    const begun = [];
    other.on('worker', (worker) => begun.push(worker));
    await leader.close();
    await change('keeps');
    assert.equal((await caughtUp(other)).log.length, 3);
    assert.equal(begun.length, 1, 'one worker was begun');
    // The worker ends with its last connection.
    await other.evaluate(() => factory.shutdown());
    await eventually('no worker', () => other.workers().length === 0);
  });

  test('is the default without SharedWorker, and two versions elect one each', options, async () => {
    copyDist('/made/dist', 'engine-host.js', (text) => text.replace(/kube-informer@[\w.-]+/g, 'kube-informer@9.9.9'));
    await context.addInitScript('delete window.SharedWorker');
    await prepare('versions');
    const one = await tab(undefined, 'versions');
    const other = await tab(undefined, 'versions', '/made/dist/index.js');
    const third = await tab(undefined, 'versions');
    assert.deepEqual([one, other, third].map((page) => page.workers().length), [1, 1, 0]);
    await eventually('two watches', () => stage.front.watches('/versions/') === 2);
  });
});

describe('an engine that crashes', () => {
  test('restarts after a trap, which is reported once, and only differences are delivered', options, async () => {
    await prepare('trapped');
    const page = await tab('dedicated', 'trapped');
    stage.front.goAway();
    await change('trapped');
    await trap(page.workers()[0]);
    await eventually('told', () => page.evaluate(() => seen.some((text) => /^internal the engine has crashed/.test(text))));
    stage.front.comeBack();
    assert.deepEqual(await caughtUp(page), differences('trapped'));
    assert.equal((await traps(page)).length, 1);
    pages[0].errors.length = 0;
  });

  test('is not restarted after the fourth crash in a minute', options, async () => {
    await prepare('given-up');
    // On a loaded machine the four traps may take longer than a minute.
    await context.addInitScript(() => {
      const now = performance.now.bind(performance);
      performance.now = () => now() / 10;
    });
    const page = await tab('dedicated', 'given-up');
    for (let times = 1; times <= 4; times++) {
      await eventually('a worker', () => page.workers().length === 1 && page.evaluate(() => informer.status.freshness === 'live'));
      await trap(page.workers()[0]);
      await toldOfTraps(page, times);
    }
    assert.deepEqual(await page.evaluate(async () => [informer.status.phase, (await rejection(informer.indexer.list())).code]), ['failed', 'internal']);
    pages[0].errors.length = 0;
  });

  // A shared worker cannot be controlled from outside: this one listens for a message that makes it trap.
  const trapdoor = 'new BroadcastChannel("trap").onmessage = () => { throw new WebAssembly.RuntimeError("unreachable"); };';

  test('shared by all tabs, is started again by all of them together', options, async () => {
    await prepare('shared-trap');
    copyDist('/made/trap', 'host.js', (text) => `${text}\n${trapdoor}`);
    const both = [await tab('shared', 'shared-trap', '/made/trap/index.js'), await tab('shared', 'shared-trap', '/made/trap/index.js')];
    await both[0].evaluate(() => void new BroadcastChannel('trap').postMessage('now'));
    for (const page of both) await toldOfTraps(page);
    await change('shared-trap');
    for (const page of both) assert.equal((await caughtUp(page)).log.length, 3);
    await eventually('one watch', () => stage.front.watches('/shared-trap/') === 1);
  });

  test('is started once more where its wasm could not be loaded', options, async () => {
    await prepare('unloadable');
    copyDist('/made/unloadable', 'host.js', (text) => `${text}\n${trapdoor}`);
    const page = await tab('shared', 'unloadable', '/made/unloadable/index.js');
    const file = '/made/unloadable/informer.wasm';
    const wasm = stage.front.made.get(file);
    let tries = 0;
    stage.front.made.set(file, () => (++tries === 1 ? 'not now' : wasm));
    await page.evaluate(() => void new BroadcastChannel('trap').postMessage('now'));
    await toldOfTraps(page);
    await change('unloadable');
    assert.equal((await caughtUp(page)).log.length, 3);
    assert.equal(tries, 2);
  });
});

describe('a page', () => {
  for (const worker of ['shared', 'dedicated', 'elected', false]) {
    test(`continues after the back/forward cache (${worker || 'in the page'})`, options, async () => {
      const ns = `away-${worker}`;
      await prepare(ns);
      const page = await tab(worker, ns);
      await page.evaluate(() => {
        // Timers do not run in the back/forward cache.
        const { setTimeout } = window;
        window.setTimeout = () => 0;
        dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
        window.setTimeout = setTimeout;
        window.waiting = informer.indexer.listKeys();
      });
      await change(ns);
      if (worker === 'dedicated' || worker === 'elected') await eventually('it is released', () => page.workers().length === 0);
      await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
      const gone = worker === 'dedicated' || worker === 'elected' ? undefined : `-b? ${ns}`;
      const caught = await caughtUp(page);
      // The engine in the page goes on: its watch may bring the deletion before a list does.
      if (worker === false) caught.log = caught.log.map((text) => text.replace(/^-b (?=away)/, '-b? '));
      assert.deepEqual(caught, differences(ns, gone));
      // A late heartbeat is an error of the machine's.
      const wrong = () => seen.filter((text) => !/^timeout .* heartbeat /.test(text));
      assert.deepEqual(await page.evaluate(wrong), [], 'nothing is wrong');
      assert.equal(await page.evaluate(async () => (await waiting).length), 3, 'a request sent while the page was cached resolves after it resumes');
    });
  }

  test('that comes back to an informer finds it running, and later it is released', options, async () => {
    await prepare('linger');
    const page = await tab('shared', 'linger');
    const counts = await page.evaluate(async () => {
      await informer.stop();
      const again = factory.forResource('v1/configmaps', { namespace: 'linger' });
      factory.start();
      await again.synced;
      const { lists, watches } = again.status;
      await again.stop();
      return { lists, watches };
    });
    assert.deepEqual(counts, { lists: 1, watches: 1 });
    // A new informer would have these counts, too, after a list of its own.
    const lists = stage.front.asked.filter((url) => url.includes('/linger/configmaps') && !url.includes('watch=true'));
    assert.equal(lists.length, 1, lists.join('\n'));
    await eventually('no watch', () => stage.front.watches('/linger/') === 0);
  });
});
