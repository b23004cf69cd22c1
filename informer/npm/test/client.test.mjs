// The client on an apiserver, with each host of the engine: writes, refusals, logs and processes, and its share of connections.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, describe, test } from 'node:test';
import { PATIENCE, eventually, inEachHost, isFirefox, openPage, setStage } from './stage.mjs';

const stage = await setStage();
after(() => stage.end());
const timeout = PATIENCE;
const send = async (method, path, body) => {
  const response = await fetch(stage.apiserver + path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${text}`);
  return text.startsWith('{') ? JSON.parse(text) : text;
};
const order = (command) => send('POST', '/admin/logs', command);

/**
 * Creates a pod and resolves once the simulated kubelet runs it. A status written by the test would not last: the kubelet
 * replaces it a few ticks later, and a container that starts again has another log.
 */
async function runningPod(namespace, name, labels) {
  await send('POST', `/api/v1/namespaces/${namespace}/pods`, { metadata: { name, labels }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  await eventually(`the kubelet runs ${name}`, async () => (await send('GET', `/api/v1/namespaces/${namespace}/pods/${name}`)).status.phase === 'Running');
}

/** A running pod that writes no further lines of its own, in a separate namespace. */
let pods = 0;
async function quietPod(labels = {}) {
  const namespace = `logs-${pods++}`;
  await send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const add = async (name) => {
    await runningPod(namespace, name, labels);
    await order({ log: 'pace', per_second: 0, namespace, pod: name });
    return { resource: 'v1/pods', namespace, name };
  };
  // Not enumerable, so it is not sent to a page.
  return Object.defineProperty(await add('p'), 'add', { value: add });
}

inEachHost(stage, ['shared', 'elected', 'dedicated', false], (inPage, worker, context) => {
  inPage('an object is applied, read, patched and deleted', async ({ connected: { client }, ns }) => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: ns }, data: { mode: 'fast' } };
    await client.apply(object, { dryRun: true });
    const missing = await rejection(client.get(object));
    const { metadata } = await client.apply(object);
    await client.patch(object, [{ op: 'add', path: '/data/size', value: '9' }]);
    const { data } = await client.get({ resource: 'v1/configmaps', namespace: ns, name: 'settings' });
    const version = await (await client.request('/version')).json();
    await client.delete(object, { uid: metadata.uid });
    const gone = await rejection(client.get(object));
    return [missing.code, metadata.managedFields[0].manager, data, typeof version.major, gone.code];
  }, assert.deepEqual, ['not-found', 'kube-informer', { mode: 'fast', size: '9' }, 'string', 'not-found']);

  inPage('another manager’s field is a conflict, which force ends', async ({ connected: { client }, ns }) => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: ns }, data: { mode: 'fast' } };
    await client.apply(object, { fieldManager: 'other' });
    object.data.mode = 'slow';
    const error = await client.apply(object).catch((cause) => cause);
    await client.apply(object, { force: true });
    const { data } = await client.get(object);
    return [error.code, error.status, error.conflicts.map(({ field, manager }) => `${field} ${manager}`), data.mode];
  }, assert.deepEqual, ['conflict', 409, ['.data.mode other'], 'slow']);

  inPage('what is read and written by the client reaches informers by the watch', async ({ connected, maps, ns }) => {
    const informer = maps();
    connected.start();
    await informer.synced;
    await connected.client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'new-', namespace: ns }, data: {} });
    return until('it is in the cache', async () => (await informer.indexer.listKeys()).length === 1);
  });

  // The connection ends with the process, here at once. Firefox then reports neither its output nor its end (log-source.js).
  if (!isFirefox) {
    test('a process has output and an exit code', { timeout }, async () => {
      const pod = await quietPod();
      const { page, errors } = await openPage(stage, context);
      const seen = await page.evaluate(async ([pod, worker]) => {
        const { connect } = await import('kube-informer');
        const { client } = await connect({ worker });
        await until('its container runs', async () => (await (await client.exec(pod, { command: ['true'] })).exit).code === 0);
        const echo = await client.exec(pod, { command: ['echo', 'hello', 'world'] });
        const [out, { code }] = await Promise.all([new Response(echo.stdout).text(), echo.exit]);
        const failed = await client.exec(pod, { command: ['false'] });
        return [out, code, (await failed.exit).code, echo.protocol];
      }, [pod, worker]);
      assert.deepEqual(seen, ['hello world\n', 0, 1, 'v5.channel.k8s.io']);
      assert.deepEqual(errors, []);
      await page.close();
    });
  }

  test('a process with input has streams, a size and an exit code', { timeout }, async () => {
    const pod = await quietPod();
    const { page, errors } = await openPage(stage, context);
    const seen = await page.evaluate(async ([pod, worker]) => {
      const { connect } = await import('kube-informer');
      const { client } = await connect({ worker });
      const text = (stream) => new Response(stream).text();
      const cat = await client.exec(pod, { command: ['cat'], stdin: true });
      const writer = cat.stdin.getWriter();
      await writer.write('through\n');
      await writer.close();
      const through = await text(cat.stdout);
      const shell = await client.exec(pod, { command: ['sh'], tty: true, stdin: true });
      shell.resize(123, 45);
      const typed = shell.stdin.getWriter();
      await typed.write('stty size\nexit\n');
      const screen = await text(shell.stdout);
      return [through, (await cat.exit).code, screen.includes('45 123'), (await shell.exit).code];
    }, [pod, worker]);
    assert.deepEqual(seen, ['through\n', 0, true, 0]);
    assert.deepEqual(errors, []);
    await page.close();
  });

  for (const upgrades of [true, false]) {
    test(`a followed log loses nothing by drops, ${upgrades ? 'over WebSocket' : 'by fetch'}`, { timeout }, async () => {
      stage.front.upgrades = upgrades;
      try {
        const pod = await quietPod();
        const { page, errors } = await openPage(stage, context);
        await page.evaluate(async ([pod, worker]) => {
          const { connect } = await import('kube-informer');
          const { client } = await connect({ worker });
          Object.assign(window, { lines: [], states: [], cuts: [], ended: false, old: [] });
          let last = -Infinity;
          for await (const [{ time }] of client.logs(pod, { tail: 1 })) last = Date.parse(time);
          (async () => {
            for await (const batch of client.logs(pod, { follow: true, tail: 0, onState: (state) => states.push(state) })) {
              // The pod writes its own lines between them.
              const ours = batch.map(({ text }) => text.slice(0, 20)).filter((text) => /^line \d+$|^abcdefghij|^\0\uFFFD\x1b\[/.test(text));
              lines.push(...ours);
              old.push(...batch.filter(({ time }) => Date.parse(time) < last));
              cuts.push(...batch.map(({ cut }) => cut).filter(Boolean));
            }
            window.ended = true;
          })();
          await until('it follows', () => states.some(({ state }) => state === 'following'));
        }, [pod, worker]);
        const expected = [];
        const on = { namespace: pod.namespace, pod: pod.name };
        for (let number = 0; number < 30; number++) {
          await order({ log: 'line', text: `line ${number}`, ...on });
          expected.push(`line ${number}`);
          if (number % 10 === 9) {
            await page.waitForFunction((count) => lines.length >= count, expected.length);
            await order({ log: 'drop', ...on });
          }
        }
        await order({ log: 'long-line', bytes: 10 << 20, ...on });
        await order({ log: 'bytes', base64: Buffer.from([0, 255, 27, 91]).toString('base64'), ...on });
        await page.waitForFunction((count) => lines.length >= count, expected.length + 2);
        await order({ log: 'end', exit_code: 7, ...on });
        // It would be started again.
        await page.waitForFunction(() => states.some(({ state }) => state === 'restarting'));
        await send('DELETE', `/api/v1/namespaces/${pod.namespace}/pods/${pod.name}?gracePeriodSeconds=0`);
        await page.waitForFunction(() => window.ended);
        const { lines, states, cuts, old } = await page.evaluate(() => ({ lines, states, cuts, old }));
        assert.deepEqual(lines.slice(0, 30), expected);
        assert.deepEqual(old, [], '`tail: 0` has no line from before');
        assert.deepEqual([lines.length, cuts.length, lines[31]], [32, 1, '\0\uFFFD\u001b[']);
        // The timestamp counts.
        const whole = (10 << 20) - (256 << 10);
        assert.ok(cuts[0] > whole && cuts[0] < whole + 40, `${cuts}`);
        assert.deepEqual(states.slice(-2).map(({ state, exitCode }) => [state, exitCode]), [['restarting', 7], ['ended', undefined]]);
        assert.ok(states.filter(({ state }) => state === 'reconnecting').length >= 2);
        assert.equal(states.find(({ via }) => via).via, upgrades ? 'websocket' : 'fetch');
        assert.deepEqual(errors, []);
        await page.close();
      } finally {
        stage.front.upgrades = true;
      }
    });
  }
});

// One browser is enough: these are about the connections, not about the browser.
(isFirefox ? () => {} : describe)('beside informers', async () => {
  let context;
  afterEach(() => context.close());
  const open = async () => {
    context = await stage.browser.newContext();
    return openPage(stage, context);
  };

  test('new pods of a selection join by themselves', { timeout }, async () => {
    const { page, errors } = await open();
    const pod = await quietPod({ app: 'merged' });
    await page.evaluate(async (namespace) => {
      const { connect } = await import('kube-informer');
      const factory = await connect();
      const { client } = factory;
      // One that the application has not started yet.
      Object.assign(window, { lines: [], states: [], waits: factory.forResource('v1/configmaps', { namespace }) });
      (async () => {
        for await (const batch of client.logs({ namespace, labelSelector: 'app=merged' }, { follow: true, tail: 0, onState: (state) => states.push(state) })) {
          lines.push(...batch.map(({ pod, container, text }) => `${pod}/${container} ${text}`));
        }
      })();
      await until('the first joins', () => states.some(({ state, pod }) => state === 'following' && pod === 'p'));
    }, pod.namespace);
    await order({ log: 'line', text: 'one', namespace: pod.namespace, pod: 'p' });
    await page.waitForFunction(() => lines.includes('p/c one'));
    await pod.add('q');
    await page.waitForFunction(() => states.some(({ state, pod }) => state === 'following' && pod === 'q'));
    await order({ log: 'line', text: 'two', namespace: pod.namespace, pod: 'q' });
    await page.waitForFunction(() => lines.includes('q/c two'));
    const seen = await page.evaluate(() => lines);
    assert.deepEqual(await page.evaluate(() => [waits.status.phase, waits.status.lists]), ['idle', 0]);
    // A pod that joins is read from its beginning: the first lines of q are its own.
    assert.deepEqual([seen[0], seen.filter((line) => line.startsWith('p/')).length, seen.at(-1)], ['p/c one', 1, 'q/c two']);
    assert.deepEqual(errors, []);
  });

  test('a selection that is invalid fails, followed or not', { timeout }, async () => {
    const { page, errors } = await open();
    const codes = await page.evaluate(async () => {
      const { connect } = await import('kube-informer');
      const { client } = await connect();
      const read = async (options) => {
        const states = [];
        const { code } = await rejection(client.logs({ namespace: 'default', labelSelector: '!!' }, { ...options, onState: ({ state }) => states.push(state) }).next());
        return [code, states];
      };
      return [await read({}), await read({ follow: true })];
    });
    assert.deepEqual(codes, [['bad-request', ['failed']], ['bad-request', ['failed']]]);
    assert.deepEqual(errors, []);
  });

  test('the examples of README run', { timeout }, async () => {
    const { page, errors } = await open();
    const lines = [];
    page.on('console', (message) => lines.push(message.text()));
    const examples = [...readFileSync(join(stage.folder, 'README.md'), 'utf8').matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code);
    const [requests, logs] = ['client.scale(', 'client.logs('].map((call) => examples.find((code) => code.includes(call)));
    const meta = (name, labels = {}) => ({ name, namespace: 'shop', labels });
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: meta('web'), spec: { replicas: 1, selector: { matchLabels: { app: 'web' } }, template } };
    await send('POST', '/api/v1/namespaces', { metadata: { name: 'shop' } });
    await send('POST', '/apis/apps/v1/namespaces/shop/deployments?fieldManager=kubectl', deployment);
    for (const name of ['web-0', 'web-1']) await runningPod('shop', name, { app: 'web' });
    stage.front.made.set('/made/client.js', `const { factory, deployment } = window;\n${requests}\nwindow.isDone = true;\n${logs}`);
    await page.evaluate(async (deployment) => {
      const { connect } = await import('kube-informer');
      Object.assign(window, { factory: await connect(), deployment: { ...deployment, spec: { ...deployment.spec, replicas: 2 } } });
      import('/made/client.js').catch((error) => console.error(error.message));
    }, deployment);
    await page.waitForFunction(() => window.isDone);
    assert.equal((await send('GET', '/apis/apps/v1/namespaces/shop/deployments/web')).spec.replicas, 3);
    assert.ok(lines.some((line) => /conflict|Array|field/i.test(line)), lines.join('\n'));
    await eventually('the evicted pod is gone', async () => (await fetch(`${stage.apiserver}/api/v1/namespaces/shop/pods/web-0`)).status === 404);
    await order({ log: 'line', text: 'from the shop', namespace: 'shop', pod: 'web-1' });
    await eventually('a line of the log', () => lines.some((line) => /^web-1 .*from the shop$/.test(line)));
    assert.deepEqual(errors, []);
  });

  test('without WebSockets, six watches and three logs share six connections, and none starves', { timeout }, async () => {
    stage.front.upgrades = false;
    try {
      const { page, errors } = await open();
      const pod = await quietPod();
      for (const name of ['q', 'r']) await pod.add(name);
      await page.evaluate(async (pod) => {
        const { connect } = await import('kube-informer');
        window.factory = await connect();
        window.names = Array.from({ length: 6 }, (_, at) => `beside-${at}`);
        for (const name of names) await namespace(name);
        window.all = names.map((namespace) => factory.forResource('v1/configmaps', { namespace }));
        factory.start();
        await factory.waitForCacheSync();
        Object.assign(window, { lines: [], opened: new Set() });
        for (const name of ['p', 'q', 'r']) {
          (async () => {
            const onState = ({ state }) => state === 'following' && opened.add(name);
            for await (const batch of factory.client.logs({ ...pod, name }, { follow: true, tail: 0, onState })) lines.push(...batch.map(({ text }) => text));
          })();
        }
        // Of the client, of a watch, and of a list.
        await Promise.all(Array.from({ length: 20 }, () => factory.client.get({ resource: 'v1/namespaces', name: names[0] })));
      }, { resource: pod.resource, namespace: pod.namespace });
      await page.waitForFunction(() => opened.size === 3);
      for (const name of ['p', 'q', 'r']) await order({ log: 'line', text: name, namespace: pod.namespace, pod: name });
      // Waiting logs read the lines that were written meanwhile once they start.
      await page.waitForFunction(() => ['p', 'q', 'r'].every((text) => lines.includes(text)));
      await page.evaluate(async () => {
        for (const name of names) await factory.client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: name } });
        await until('every watch hears', async () => (await Promise.all(all.map((informer) => informer.indexer.listKeys()))).every(({ length }) => length === 1));
      });
      // One that has had its turn may be closed a moment after the next one is opened.
      await eventually('at most four watches by fetch', () => stage.front.streams('') <= 4);
      assert.deepEqual(errors, []);
    } finally {
      stage.front.upgrades = true;
    }
  });

  test('a fast log comes in few batches', { timeout }, async (t) => {
    const { page, errors } = await open();
    const pod = await quietPod();
    const seen = await page.evaluate(async (pod) => {
      const { connect } = await import('kube-informer');
      const { client } = await connect();
      let [lines, batches] = [0, 0];
      let began;
      for await (const batch of client.logs(pod, { follow: true })) {
        if (!began) {
          // From now on, as the container runs.
          await fetch('/admin/logs', { method: 'POST', headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ log: 'pace', per_second: 50_000, namespace: pod.namespace, pod: pod.name }) });
          began = performance.now();
        }
        lines += batch.length;
        batches++;
        if (performance.now() - began > 5_000) break;
      }
      return { lines, batches };
    }, pod);
    // Per second of this machine nothing is asserted: a slow one gets fewer lines.
    t.diagnostic(JSON.stringify(seen));
    assert.ok(seen.lines > 2 * seen.batches, JSON.stringify(seen));
    assert.deepEqual(errors, []);
  });
});
