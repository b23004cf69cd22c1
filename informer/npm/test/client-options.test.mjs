// The client's options on an apiserver: dry runs, signals, rights, and attach.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { PATIENCE, eventually, pageForEach, setStage } from './stage.mjs';

const stage = await setStage();
after(() => stage.end());
const options = { timeout: PATIENCE };
const namespace = 'client-options';
const send = async (method, path, body) => {
  const response = await fetch(stage.apiserver + path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${text}`);
  return text.startsWith('{') ? JSON.parse(text) : text;
};

let page;
pageForEach(stage, (given) => (page = given));
afterEach(async () => {
  stage.front.hold = () => undefined;
  await send('DELETE', '/admin/rbac');
});

const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
await send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
await send('POST', `/apis/apps/v1/namespaces/${namespace}/deployments`, { metadata: { name: 'web' }, spec: { replicas: 0, selector: { matchLabels: { app: 'a' } }, template } });
await send('POST', `/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name: 'settings' }, data: { mode: 'slow' } });
await send('POST', `/api/v1/namespaces/${namespace}/pods`, { metadata: { name: 'p' }, spec: template.spec });
const pod = { resource: 'v1/pods', namespace, name: 'p' };
await eventually('the kubelet runs the pod', async () => (await send('GET', `/api/v1/namespaces/${namespace}/pods/p`)).status.phase === 'Running');

test('a dry run is answered as the write, and changes nothing', options, async () => {
  const answers = await page.evaluate(async ([namespace, pod]) => {
    const { connect } = await import('kube-informer');
    const { client } = await connect({ worker: 'dedicated' });
    const settings = { resource: 'v1/configmaps', namespace, name: 'settings' };
    const dryRun = true;
    const made = await client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'new', namespace } }, { dryRun });
    const patched = await client.patch(settings, { data: { mode: 'fast' } }, { dryRun });
    await client.scale({ resource: 'apps/v1/deployments', namespace, name: 'web' }, 3, { dryRun });
    await client.evict(pod, { dryRun });
    await client.delete(settings, { dryRun });
    return [made.metadata.name, patched.data.mode, (await rejection(client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace } }, { dryRun }))).code];
  }, [namespace, pod]);
  assert.deepEqual(answers, ['new', 'fast', 'conflict']);
  const { items } = await send('GET', `/api/v1/namespaces/${namespace}/configmaps`);
  assert.deepEqual(items.map(({ metadata, data }) => [metadata.name, data]), [['settings', { mode: 'slow' }]]);
  assert.equal((await send('GET', `/apis/apps/v1/namespaces/${namespace}/deployments/web`)).spec.replicas, 0);
  assert.equal((await send('GET', `/api/v1/namespaces/${namespace}/pods/p`)).metadata.deletionTimestamp, undefined);
});

test('a signal that is aborted before a call sends nothing, and one that is aborted later ends the request', options, async () => {
  await page.evaluate(async () => {
    const { connect } = await import('kube-informer');
    window.client = (await connect({ worker: 'dedicated' })).client;
    window.calls = (signal) => {
      const ref = { resource: 'v1/configmaps', namespace: 'client-options', name: 'settings' };
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'client-options' } };
      const pod = { ...ref, resource: 'v1/pods', name: 'p' };
      return [
        client.get(ref, { signal }), client.create(object, { signal }), client.apply(object, { signal }), client.patch(ref, {}, { signal }),
        client.delete(ref, { signal }), client.scale({ ...ref, resource: 'apps/v1/deployments', name: 'web' }, 1, { signal }), client.evict(pod, { signal }),
        client.request('/version', { signal }), client.access('get', 'v1/pods', { signal }), client.can('get', 'v1/pods', { signal }),
        client.exec(pod, { command: ['true'], signal }), client.attach(pod, { signal }), client.logs(pod, { signal }).next(),
      ];
    };
    // The kinds are known from here on: their discovery is shared by all callers.
    await client.get({ resource: 'v1/configmaps', namespace: 'client-options', name: 'settings' });
  });
  const asked = stage.front.asked.length;
  const before = await page.evaluate(() => Promise.all(calls(AbortSignal.abort(new Error('not wanted'))).map(rejection)).then((all) => all.map(({ message }) => message)));
  assert.deepEqual(new Set(before), new Set(['not wanted']));
  assert.equal(stage.front.asked.length, asked, 'nothing was sent');

  let release;
  const released = new Promise((resolve) => (release = resolve));
  stage.front.hold = (url) => (/settings|web|eviction|version|accessreviews|log\?/.test(url) ? released : undefined);
  const during = page.evaluate(async () => {
    const life = new AbortController();
    const pending = calls(life.signal).map(rejection);
    await new Promise((resolve) => (window.abortNow = resolve));
    life.abort(new Error('too late'));
    return (await Promise.all(pending)).map(({ message }) => message);
  });
  await eventually('requests are under way', () => stage.front.asked.length > asked);
  await page.evaluate(() => abortNow());
  const messages = await during;
  assert.deepEqual(messages, Array(13).fill('too late'));
  // A review is shared by all callers: a signal ends the wait, not the request.
  release();
  assert.equal(await page.evaluate(() => client.request('/version').then(({ ok }) => ok)), true, 'their connections are free again');
});

test('rights are those of the server, and a denial comes from an access review', options, async () => {
  const reviews = () => stage.front.asked.filter((url) => url.includes('/selfsubjectaccessreviews')).length;
  const before = reviews();
  await send('POST', '/admin/rbac', { rules: [{ verbs: ['get', 'list', 'watch', 'create', 'patch'] }] });
  const answers = await page.evaluate(async (namespace) => {
    const { connect } = await import('kube-informer');
    const { client } = await connect({ worker: 'dedicated' });
    const may = await client.access('get', 'v1/pods', { namespace });
    const denied = await client.access('delete', 'v1/pods', { namespace });
    return { may, denied: denied.allowed, can: await client.can('delete', 'v1/pods', { namespace }), scale: await client.can('patch', 'apps/v1/deployments', { namespace, subresource: 'scale' }) };
  }, namespace);
  assert.deepEqual(answers, { may: { allowed: true, reason: '' }, denied: false, can: false, scale: true });
  assert.equal(reviews() - before, 1, 'one denial, whose review is cached');
});

test('attach shows what the container writes from now on, and names what is missing', options, async () => {
  const attaching = page.evaluate(async (pod) => {
    const { connect } = await import('kube-informer');
    const { client } = await connect({ worker: 'dedicated' });
    const session = await client.attach(pod);
    window.isAttached = true;
    const reader = session.stdout.getReader();
    let text = '';
    while (!text.includes('the line')) text += new TextDecoder().decode((await reader.read()).value);
    session.close();
    const absent = await rejection(client.attach({ ...pod, name: 'absent' }));
    const container = await rejection(client.attach(pod, { container: 'absent' }));
    const command = await rejection(client.attach(pod, { command: ['sh'] }));
    return [session.protocol, text.includes('the line'), absent.code, container.code, command.code];
  }, pod);
  await eventually('it is attached', () => page.evaluate(() => window.isAttached));
  await send('POST', '/admin/logs', { log: 'line', text: 'the line', namespace, pod: 'p' });
  assert.deepEqual(await attaching, ['v5.channel.k8s.io', true, 'not-found', 'bad-request', 'bad-request']);
});
