// Pages, workers and wasm: sharing, and missing or dying parts.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { PATIENCE, eventually, openPage, setStage } from './stage.mjs';

const stage = await setStage();
after(() => stage.end());
const options = { timeout: PATIENCE };
const file = '/package/dist/worker.js';
const wasm = '/package/dist/informer.wasm';

let context;
let page;
let errors;
beforeEach(async () => {
  context = await stage.browser.newContext();
  ({ page, errors } = await openPage(stage, context));
});
afterEach(async () => {
  assert.deepEqual(await page.evaluate('unhandled'), []);
  await context.close();
  assert.deepEqual(errors, []);
});

/** In a page: an informer that watches, as `window.informer`. */
const watch = (page, worker, ns) =>
  page.evaluate(async ([worker, ns]) => {
    const { connect } = await import('kube-informer');
    window.factory = await connect({ worker });
    window.informer = factory.forResource('v1/configmaps', { namespace: ns });
    window.seen = [];
    informer.addEventListener('error', ({ error }) => seen.push(error.code));
    factory.start();
    await until('watching', () => informer.hasSynced && informer.status.phase === 'watching');
  }, [worker, ns]);

describe('tabs', () => {
  test('two tabs share one list and one watch of a shared worker', options, async () => {
    await page.evaluate(() => namespace('tabs'));
    await watch(page, 'shared', 'tabs');
    const { page: other } = await openPage(stage, context);
    await watch(other, undefined, 'tabs'); // shared is the default
    const counts = () => [informer.status.lists, informer.status.watches];
    assert.deepEqual(await page.evaluate(counts), await other.evaluate(counts));
    await eventually('one watch', () => stage.front.watches('/tabs/') === 1);

    await page.evaluate(() => informer.stop());
    await other.evaluate(async () => {
      await create('tabs', 'after');
      await until('told', () => informer.indexer.getByKey('tabs/after'));
    });
    await eventually('the watch that the other tab still wants', () => stage.front.watches('/tabs/') === 1);
    await other.evaluate(() => factory.shutdown());
    await eventually('no watch', () => stage.front.watches('/tabs/') === 0);
  });

  test('two dedicated workers share nothing', options, async () => {
    await page.evaluate(() => namespace('apart'));
    await watch(page, 'dedicated', 'apart');
    const { page: other } = await openPage(stage, context);
    await watch(other, 'dedicated', 'apart');
    await eventually('two watches', () => stage.front.watches('/apart/') === 2);
  });

  test('a tab that crashes does not keep its watch', options, async () => {
    await page.evaluate(() => namespace('crash'));
    const { page: other } = await openPage(stage, context);
    await other.evaluate(() => import('kube-informer').then(({ connect }) => connect()).then(() => {}));
    await watch(page, 'shared', 'crash');
    await eventually('one watch', () => stage.front.watches('/crash/') === 1);
    const crashed = page;
    page = other;
    await Promise.all([crashed.waitForEvent('crash'), crashed.goto('chrome://crash').catch(() => {})]);
    await eventually('no watch', () => stage.front.watches('/crash/') === 0);
  });
});

describe('the wasm', () => {
  for (const worker of ['shared', 'dedicated', false]) {
    test(`slim takes it as URL, Response, Request and bytes (${worker || 'in the page'})`, options, async () => {
      const phases = await page.evaluate(async ([worker, wasm]) => {
        const { connect } = await import('kube-informer/slim');
        const sources = [wasm, new URL(wasm, location), new Request(wasm), fetch(wasm), (await fetch(wasm)).arrayBuffer()];
        const results = [];
        for (const source of sources) {
          const factory = await connect({ worker, wasm: source, deferred: '/package/dist/deferred.wasm' });
          results.push((await factory.resources()).length > 0);
          await factory.shutdown();
        }
        return results;
      }, [worker, wasm]);
      assert.deepEqual(phases, [true, true, true, true, true]);
    });
  }

  test('the example of slim in README runs', options, async () => {
    const examples = [...readFileSync(join(stage.folder, 'README.md'), 'utf8').matchAll(/```js\n(.*?)```/gs)];
    assert.equal(examples.length, 14, 'an example that no test runs');
    const [, example] = examples.find(([, code]) => code.includes('kube-informer/slim'));
    stage.front.made.set('/made/slim.js', `${example}; export { factory };`);
    for (const file of ['informer.wasm', 'deferred.wasm']) stage.front.made.set(`/assets/${file}`, readFileSync(join(stage.folder, 'dist', file)));
    assert.ok(await page.evaluate('import("/made/slim.js").then(({ factory }) => factory.resources()).then(({ length }) => length)'));
  });

  test('slim without it names the missing option', options, async () => {
    const error = await page.evaluate(async () => {
      const { connect } = await import('kube-informer/slim');
      return rejection(connect());
    });
    assert.equal(error.code, 'bad-request');
    assert.match(error.message, /`wasm` must be/);
  });

  test('the module that init has compiled is used, and init is idempotent', options, async () => {
    const result = await page.evaluate(async ([wasm]) => {
      const { connect, init } = await import('kube-informer/slim');
      const failed = await rejection(init('/nowhere.wasm'));
      const [first, second] = await Promise.all([init(wasm), init('/not/looked/at')]);
      const works = [];
      for (const worker of ['shared', 'dedicated', false]) works.push((await (await connect({ worker, deferred: '/package/dist/deferred.wasm' })).resources()).length > 0);
      return [failed.message, first instanceof WebAssembly.Module, first === second, works];
    }, [wasm]);
    assert.match(result[0], /404/);
    assert.deepEqual(result.slice(1), [true, true, [true, true, true]]);
  });

  test('a module goes to a dedicated worker, and is refused for a shared one', options, async () => {
    const result = await page.evaluate(async ([wasm, file]) => {
      const { connect, init } = await import('kube-informer');
      const module = await init(wasm);
      await connect({ worker: 'dedicated', wasm: module });
      await connect({ worker: false, wasm: module });
      const shared = await rejection(connect({ worker: 'shared', wasm: module }));
      // A port does not show its worker: the worker reports it itself.
      const { port } = new SharedWorker(file, { type: 'module' });
      const through = await rejection(connect({ worker: port, wasm: module }));
      return [shared, through];
    }, [wasm, file]);
    assert.equal(result[0].code, 'bad-request');
    assert.match(result[0].message, /shared worker/);
    assert.equal(result[1].code, 'internal');
  });

  for (const worker of ['shared', 'dedicated', false]) {
    test(`a missing file rejects connect, without further effect (${worker || 'in the page'})`, options, async () => {
      const result = await page.evaluate(async ([worker]) => {
        const { connect } = await import('kube-informer');
        const { name, code, message } = await rejection(connect({ worker, wasm: '/nowhere.wasm' }));
        const factory = await connect({ worker });
        return { name, code, message, then: (await factory.resources()).length > 0 };
      }, [worker]);
      assert.match(result.message, /could not be loaded: HTTP 404/);
      assert.deepEqual({ ...result, message: '' }, { name: 'InformerError', code: 'internal', message: '', then: true });
    });
  }
});

describe('workers of the caller', () => {
  test('a Worker, a SharedWorker and a MessagePort', options, async () => {
    const works = await page.evaluate(async ([file]) => {
      const { connect } = await import('kube-informer');
      const type = { type: 'module' };
      const channel = new MessageChannel();
      const worker = new Worker(file, type);
      worker.postMessage({ type: 'port' }, [channel.port2]);
      const results = [];
      for (const place of [worker, new SharedWorker(file, type), new SharedWorker(file, type).port, channel.port1]) {
        results.push((await (await connect({ worker: place })).resources()).length > 0);
      }
      return results;
    }, [file]);
    assert.deepEqual(works, [true, true, true, true]);
  });

  test('if the browser rejects a worker, the next host is used, unless it was named', options, async () => {
    const results = await page.evaluate(async () => {
      const { connect } = await import('kube-informer');
      const works = async () => (await (await connect()).resources()).length > 0;
      const refused = class {
        constructor() {
          throw new DOMException('not with cookies blocked', 'SecurityError');
        }
      };
      window.SharedWorker = refused;
      const first = await works();
      window.Worker = refused;
      return [first, await works(), await rejection(connect({ worker: 'shared' })), await rejection(connect({ worker: 'dedicated' }))];
    });
    assert.deepEqual(results.slice(0, 2), [true, true]);
    for (const { code, message } of results.slice(2)) assert.deepEqual([code, message], ['internal', 'connecting failed: not with cookies blocked']);
    assert.equal(page.workers().length, 1);
  });

  test('one whose file is missing rejects connect', options, async (t) => {
    const attempt = () => page.evaluate(async () => {
      const { connect } = await import('kube-informer');
      const type = { type: 'module' };
      return Promise.all([new Worker('/package/no.js', type), new SharedWorker('/package/no.js', type)].map((worker) => rejection(connect({ worker }))));
    });
    let errors = await attempt();
    if (errors.some(({ code }) => code === 'timeout')) {
      // Chromium lost a worker's error event once, on a machine under load. The deadline of connect() is for that.
      t.diagnostic('an error event did not come');
      errors = await attempt();
    }
    for (const { name, code, message } of errors) {
      assert.deepEqual([name, code], ['InformerError', 'internal']);
      assert.match(message, /worker could not be started/);
    }
  });

  test('an invalid worker, and an invalid url, are bad requests', options, async () => {
    const errors = await page.evaluate(async () => {
      const { connect } = await import('kube-informer');
      const wrong = [{ worker: 'sharde' }, { url: 'ftp://host/' }, { url: '/?a=b' }, { url: 'http://user:secret@host/' }, { url: 'http://' }];
      return Promise.all(wrong.map((options) => rejection(connect(options))));
    });
    for (const { code, message } of errors) {
      assert.equal(code, 'bad-request');
      assert.doesNotMatch(message, /secret/);
    }
  });
});

describe('an engine that dies or refuses', () => {
  test('a dedicated worker that is ended fails its informers', options, async () => {
    await page.evaluate(() => namespace('ended'));
    const result = await page.evaluate(async ([file]) => {
      const { connect } = await import('kube-informer');
      const worker = new Worker(file, { type: 'module' });
      const factory = await connect({ worker });
      const informer = factory.forResource('v1/configmaps', { namespace: 'ended' });
      const told = new Promise((resolve) => informer.addEventListener('error', ({ error }) => resolve(error.code)));
      const waiting = rejection(informer.synced);
      worker.terminate();
      return [await told, informer.status.phase, (await waiting).code, (await rejection(informer.indexer.list())).code];
    }, [file]);
    assert.deepEqual(result, ['internal', 'failed', 'internal', 'internal']);
  });

  /** In the page: the engine's end of a port, which sends the test's messages. */
  const withEngine = (body) =>
    page.evaluate(`(async () => {
      const { connect } = await import("kube-informer");
      const { port1, port2 } = new MessageChannel();
      const heard = [];
      const answers = {};
      port2.onmessage = ({ data }) => {
        heard.push(data);
        const answer = answers[data.type]?.(data);
        if (answer) port2.postMessage(answer);
      };
      return (${body})({ connect, port: port1, heard, answers, say: (message) => port2.postMessage(message) });
    })()`);

  test('the wasm and the url come first, absolute', options, async () => {
    const first = await withEngine(async ({ connect, port, heard, answers }) => {
      answers.connect = () => ({ type: 'connected', version: 15 });
      await connect({ worker: port, url: 'k8s/', wasm: 'x.wasm' });
      return heard.map(({ lock, ...message }) => message);
    });
    assert.deepEqual(first, [
      { type: 'wasm', wasm: `${stage.origin}/x.wasm`, deferred: `${stage.origin}/deferred.wasm`, extras: `${stage.origin}/extras.wasm`, protobuf: `${stage.origin}/protobuf.wasm`, persist: false },
      { type: 'connect', version: 15, url: `${stage.origin}/k8s`, persist: false },
      { type: 'visible', visible: true },
    ]);
  });

  const refused = { type: 'refused', error: { code: 'bad-request', message: 'other version', retryable: false } };

  test('a refusal rejects connect', options, async () => {
    const error = await withEngine(`async ({ connect, port, answers }) => {
      answers.connect = () => (${JSON.stringify(refused)});
      return rejection(connect({ worker: port }));
    }`);
    assert.deepEqual(error, { name: 'InformerError', code: 'bad-request', message: 'other version', status: undefined, retryable: false });
  });

  test('a refusal later fails everything', options, async () => {
    const result = await withEngine(`async ({ connect, port, answers, say, heard }) => {
      answers.connect = () => ({ type: "connected", version: 1 });
      const factory = await connect({ worker: port });
      const pods = factory.forResource("v1/pods");
      const told = [];
      pods.addEventListener("error", ({ error }) => told.push(error.code));
      factory.start();
      const waiting = [pods.indexer.list(), factory.resources(), factory.waitForCacheSync(), pods.synced, pods.changes().next()].map(rejection);
      await until("asked", () => heard.some(({ type }) => type === "resources"));
      say(${JSON.stringify(refused)});
      const messages = (await Promise.all(waiting)).map(({ message }) => message);
      await until("told", () => told.length > 0);
      return [[...new Set(messages)], told, pods.status.phase, pods.status.lastError.code, (await rejection((async () => factory.forResource("v1/pods"))())).message];
    }`);
    assert.deepEqual(result, [['other version'], ['bad-request'], 'failed', 'bad-request', 'other version']);
  });

  test('a message that cannot be read fails everything', options, async () => {
    const result = await withEngine(`async ({ connect, port, answers }) => {
      answers.connect = () => ({ type: "connected", version: 1 });
      const factory = await connect({ worker: port });
      const pods = factory.forResource("v1/pods");
      port.dispatchEvent(new MessageEvent("messageerror"));
      return [(await rejection(pods.synced)).message, pods.status.phase];
    }`);
    assert.deepEqual(result, ['a message from the engine could not be deserialised', 'failed']);
  });

  test('an exception of a handler is reported as uncaught, unless a listener prevents it', options, async () => {
    const reported = await withEngine(`async ({ connect, port, answers, say }) => {
      answers.connect = () => ({ type: "connected", version: 1 });
      let handler;
      answers.addEventHandler = (message) => void (handler = message.handler);
      const factory = await connect({ worker: port });
      const pods = factory.forResource("v1/pods");
      const seen = [];
      pods.addEventHandler({ onDelete: ({ text }) => seen.push(text) && undefined.name });
      await until("known", () => handler);
      const reported = [];
      addEventListener("error", (event) => reported.push(event.error instanceof TypeError));
      const change = (text) => ({ type: "delete", key: text, object: { text }, finalStateUnknown: false });
      const tell = (text) => say({ type: "changes", handler, resourceVersion: "1", relist: false, changes: [change(text)] });
      tell("loud");
      await until("loud", () => reported.length === 1);
      pods.addEventListener("error", (event) => event.preventDefault());
      tell("quiet");
      await until("quiet", () => seen.length === 2);
      return [seen, reported];
    }`);
    assert.deepEqual(reported, [['loud', 'quiet'], [true]]);
    assert.equal(errors.splice(0).length, 1, 'and so in the console');
  });

  test('each batch that a handler or a reader has processed is acknowledged once, and none after the end', options, async () => {
    const result = await withEngine(`async ({ connect, port, answers, say, heard }) => {
      answers.connect = () => ({ type: "connected", version: 1 });
      const factory = await connect({ worker: port });
      const pods = factory.forResource("v1/pods");
      const ids = [];
      answers.addEventHandler = ({ handler }) => void ids.push(handler);
      const reader = pods.changes();
      let calls = 0;
      pods.addEventHandler({ onAdd: () => { calls += 1; } });
      const leaver = pods.addEventHandler({ onAdd: () => leaver.remove() });
      const abort = new AbortController();
      const aborted = pods.changes({ signal: abort.signal });
      await until("known", () => ids.length === 4);
      const add = { type: "add", key: "a", object: "{}", isInInitialList: false };
      for (const handler of ids) for (let i = 0; i < 3; i++) say({ type: "changes", handler, resourceVersion: "1", relist: false, changes: [add, add] });
      await until("called", () => calls === 6);
      const acknowledged = () => ids.map((id) => heard.filter(({ type, handler }) => type === "ack" && handler === id).length).join();
      await until("acknowledged", () => acknowledged() === "0,3,0,0");
      await reader.next();
      await reader.next();
      await aborted.next();
      await until("read", () => acknowledged() === "2,3,0,1");
      await reader.return();
      abort.abort("enough");
      const ends = [await reader.next(), await rejection(aborted.next()), await aborted.next()];
      await until("removed", () => heard.filter(({ type }) => type === "removeEventHandler").length === 3);
      return [acknowledged(), ends];
    }`);
    const done = { value: undefined, done: true };
    assert.deepEqual(result, ['2,3,0,1', [done, 'enough', done]]);
  });

  test('a get that is given up asks the engine, and a key that was on its way comes all the same', options, async () => {
    const result = await withEngine(`async ({ connect, port, answers, say, heard }) => {
      answers.connect = () => ({ type: "connected", version: 1 });
      const factory = await connect({ worker: port });
      const queue = factory.forResource("v1/pods").workQueue({ qps: 2 });
      const asked = [];
      answers.askQueue = ({ request }) => void asked.push(request);
      const [first, second, never] = [new AbortController(), new AbortController(), new AbortController()];
      const gets = [first, second, never].map(({ signal }) => queue.get({ signal }));
      await until("asked", () => asked.length === 3);
      first.abort("mine");
      second.abort("too late");
      await until("heard", () => heard.filter(({ type }) => type === "cancel").length === 2);
      const cancelled = heard.filter(({ type }) => type === "cancel").map(({ request }) => asked.indexOf(request));
      say({ type: "failed", request: asked[0], error: { code: "aborted", message: "", retryable: false } });
      say({ type: "reply", request: asked[1], json: "a/b" });
      say({ type: "reply", request: asked[2], json: null });
      const results = [await rejection(gets[0]), await gets[1], await gets[2]];
      never.abort();
      queue.addAfter("k", "7");
      queue.done("a/b");
      await until("said", () => heard.some(({ call }) => call?.done));
      const { informer, queue: _, ...opened } = heard.find(({ type }) => type === "openQueue");
      const calls = heard.filter(({ type }) => type === "queue").map(({ call }) => call);
      return { cancelled, results, opened, calls, cancels: heard.filter(({ type }) => type === "cancel").length };
    }`);
    assert.deepEqual(result, {
      cancelled: [0, 1], results: ['mine', 'a/b', undefined], cancels: 2,
      opened: { type: 'openQueue', options: { baseDelayMs: 5, maxDelayMs: 1e6, qps: 2, burst: 100, resyncPeriod: undefined } },
      calls: [{ addAfter: { key: 'k', ms: 7 } }, { done: 'a/b' }],
    });
  });

  test('relists raise an event, and the first status raises none', options, async () => {
    const events = await withEngine(`async ({ connect, port, answers, say }) => {
      answers.connect = () => ({ type: "connected", version: 1 });
      const factory = await connect({ worker: port });
      let id;
      answers.informer = ({ informer }) => void (id = informer);
      const pods = factory.forResource("v1/pods");
      const events = [];
      for (const type of ["synced", "relist", "status"]) pods.addEventListener(type, () => events.push(type));
      await until("known", () => id);
      const status = { ...pods.status, phase: "watching" };
      say({ type: "status", informer: id, status: { ...status, relists: 3 } });
      say({ type: "status", informer: id, status: { ...status, relists: 3, hasSynced: true } });
      say({ type: "status", informer: id, status: { ...status, relists: 4, hasSynced: true } });
      await until("all", () => events.length === 5);
      return [events, pods.status.relists, Object.isFrozen(pods.status)];
    }`);
    assert.deepEqual(events, [['status', 'synced', 'status', 'relist', 'status'], 4, true]);
  });

  test('waitForCacheSync resolves at its deadline with the informers that have not synced', options, async () => {
    const synced = await withEngine(`async ({ connect, port, answers }) => {
      answers.connect = () => ({ type: "connected", version: 1 });
      const factory = await connect({ worker: port });
      factory.forResource("v1/pods");
      factory.start();
      return factory.waitForCacheSync({ timeoutMs: 10 });
    }`);
    assert.deepEqual(synced, { 'v1/pods': false });
  });

  test('a page that is shown again, and whose port was the caller\'s, gets an error that asks to connect again', options, async () => {
    const errors = await withEngine(`async ({ connect, port, answers }) => {
      answers.connect = () => ({ type: "connected", version: 1 });
      const pods = (await connect({ worker: port })).forResource("v1/pods");
      const told = [];
      pods.addEventListener("error", ({ error }) => told.push(error.code));
      dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }));
      dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
      await until("told", () => told.length > 0);
      return [told, pods.status.phase];
    }`);
    assert.deepEqual(errors, [['closed'], 'failed']);
  });

  test('a page that leaves closes its port, and one that is online again retries', options, async () => {
    const types = await withEngine(`async ({ connect, port, answers, heard }) => {
      answers.connect = () => ({ type: "connected", version: 1 });
      await connect({ worker: port });
      dispatchEvent(new Event("online"));
      dispatchEvent(new PageTransitionEvent("pagehide"));
      await until("heard", () => heard.length === 5);
      return heard.slice(2).map(({ type }) => type);
    }`);
    assert.deepEqual(types, ['visible', 'wake', 'close']);
  });
});
