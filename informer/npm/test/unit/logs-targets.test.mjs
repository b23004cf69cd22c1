// Targets and options of logs: the pods that each target selects, the query of each option, and the errors of invalid ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientStage, failure, json } from './client-stage.mjs';
import { at, chunked, p, readAll, texts, told } from './log-stage.mjs';
import { joined } from '../../src/client/log-columns.js';

const podOf = (name, namespace = 'n', containers = ['c']) => ({ metadata: { name, namespace, uid: `${namespace}/${name}` }, spec: { containers: containers.map((container) => ({ name: container })) } });
const logOf = (path) => chunked([`${at(1)} ${path.split('/').slice(4, 7).join('/')} ${/container=([^&]*)/.exec(path)?.[1]}\n`]);
const web = { resource: 'apps/v1/deployments', namespace: 'n', name: 'web' };
const path = (one) => decodeURIComponent(one).replaceAll('+', ' ');

/** The query for the pods of an object with this spec. */
async function podsOf(spec, options) {
  const { asked, error } = await readAll((at) => json(at.includes('/deployments/') ? { spec } : {}), web, options);
  if (error) return error;
  assert.deepEqual(asked.map((one) => one.split('?')[0]), ['GET /apis/apps/v1/namespaces/n/deployments/web', 'GET /api/v1/namespaces/n/pods']);
  return path(asked[1]).split('labelSelector=')[1];
}

test('the selector of an object selects its pods, in each of its forms', async () => {
  assert.equal(await podsOf({ selector: { app: 'web', tier: 'a' } }), 'app=web,tier=a', 'of a service');
  assert.equal(await podsOf({ selector: { matchLabels: { app: 'web' } } }), 'app=web');
  const expression = (operator, values) => ({ key: 'k', operator, values });
  const all = [expression('In', ['a', 'b']), expression('NotIn', ['c']), expression('Exists'), expression('DoesNotExist')];
  assert.equal(await podsOf({ selector: { matchExpressions: all } }), 'k in (a,b),k notin (c),k,!k');
  assert.equal(await podsOf({ selector: { matchLabels: { a: 'b' }, matchExpressions: [expression('Exists')] } }), 'a=b,k');
});

test('an object that selects no pods, or by an unknown operator, is an error', async () => {
  const none = 'the object of deployments selects no pods: name a pod, or give a labelSelector';
  for (const spec of [undefined, {}, { selector: {} }, { selector: { matchLabels: {} } }]) assert.equal((await podsOf(spec)).message, none);
  assert.equal((await podsOf({ selector: { matchExpressions: [{ key: 'k', operator: 'Gt' }] } })).message, '`spec.selector` must be of a known operator, not Gt');
});

test('a custom object without a selector has the pods that it owns', async () => {
  const run = { resource: 'tekton.dev/v1/taskruns', namespace: 'n', name: 'build' };
  const owned = (name, uid) => ({ ...podOf(name), metadata: { ...podOf(name).metadata, ownerReferences: [{ uid }] } });
  const items = [owned('a', 'u1'), owned('b', 'u2'), podOf('c'), owned('d', 'u1')];
  const answer = (at) => (at.includes('/log') ? logOf(at) : json(at.includes('/taskruns/') ? { metadata: { uid: 'u1' }, spec: {} } : { items }));
  const { asked, lines } = await readAll(answer, run);
  assert.deepEqual(asked.slice(0, 2), ['GET /apis/tekton.dev/v1/namespaces/n/taskruns/build', 'GET /api/v1/namespaces/n/pods']);
  assert.deepEqual(texts(lines).sort(), ['n/pods/a c', 'n/pods/d c']);
  // Objects of Kubernetes itself do not own pods without a selector.
  const ingress = await readAll(() => json({ metadata: { uid: 'u1' }, spec: {} }), { resource: 'networking.k8s.io/v1/ingresses', namespace: 'n', name: 'web' });
  assert.equal(ingress.error.message, 'the object of ingresses selects no pods: name a pod, or give a labelSelector');
});

test('a selection is of a namespace, or of all', async () => {
  const read = (ref) => readAll((at) => (at.includes('/log') ? logOf(at) : json({ items: [podOf('a', 'x'), podOf('b', 'y')] })), ref);
  const { asked, lines } = await read({ labelSelector: 'app=web' });
  assert.equal(path(asked[0]), 'GET /api/v1/pods?labelSelector=app=web');
  assert.deepEqual(texts(lines).sort(), ['x/pods/a c', 'y/pods/b c']);
  assert.equal(path((await read({ resource: 'v1/pods', namespace: 'n', labelSelector: 'app=web' })).asked[0]), 'GET /api/v1/namespaces/n/pods?labelSelector=app=web');
  const nothing = await readAll(() => json({}), { labelSelector: 'app=web' });
  assert.deepEqual([nothing.lines, nothing.error], [[], undefined]);
  const page = await readAll(() => new Response('<html>'), { labelSelector: 'app=web' });
  assert.deepEqual([page.error.code, page.error.request], ['decode', 'GET /api/v1/pods']);
});

test('all containers of a pod, or one of each selected pod', async () => {
  const pods = [podOf('a', 'n', ['c', 'd']), podOf('b', 'n', ['d'])];
  const answer = (at) => (at.includes('/log') ? logOf(at) : json(at.includes('/pods/') ? pods[0] : { items: pods }));
  const all = await readAll(answer, p, { container: '*' });
  assert.deepEqual(all.lines.map(({ container }) => container).sort(), ['c', 'd']);
  const ofEach = async (container) => (await readAll(answer, { labelSelector: 'a' }, { container })).lines.map((line) => `${line.pod}/${line.container}`).sort();
  assert.deepEqual(await ofEach('*'), ['a/c', 'a/d', 'b/d']);
  assert.deepEqual(await ofEach('c'), ['a/c'], 'one without it is left out');
  assert.deepEqual(await ofEach(undefined), ['a/c', 'b/d']);
});

test('a pod of a namespace and one of its name in another are two', async () => {
  const pod = (namespace) => ({ resource: 'v1/pods', namespace, name: 'a' });
  const answer = (at) => (at.includes('/log') ? logOf(at) : json(podOf('a', at.split('/')[4])));
  const { lines } = await readAll(answer, [pod('x'), pod('y'), pod('x')]);
  assert.deepEqual(lines.map(({ namespace }) => namespace).sort(), ['x', 'y']);
});

test('a log whose container is named does not read the pod, unless it is followed', async () => {
  const answer = (at) => (at.includes('/log') ? logOf(at) : json({ ...podOf('p'), spec: { ...podOf('p').spec, restartPolicy: 'Never' }, status: { containerStatuses: [{ name: 'c', state: { terminated: { exitCode: 0 } } }] } }));
  const requests = async (options) => (await readAll(answer, p, options)).asked.map((one) => one.split('?')[0].split('/').at(-1));
  assert.deepEqual(await requests({ container: 'c' }), ['log']);
  assert.deepEqual(await requests({}), ['p', 'log']);
  assert.deepEqual((await requests({ container: 'c', follow: true })).slice(0, 2), ['p', 'log']);
});

test('each option is a parameter of the request', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1e12 });
  const query = async (options) => {
    const { asked, error } = await readAll(() => chunked([]), p, { container: 'c', ...options });
    return error ?? path(asked[0]).split('timestamps=true')[1].concat(asked[0].includes('previous=true') ? ' previous' : '');
  };
  assert.equal(await query({}), '');
  assert.equal(await query({ previous: true }), ' previous');
  assert.equal(await query({ tail: 0 }), '&tailLines=0');
  assert.equal(await query({ since: 60.5, tail: 7 }), '&sinceSeconds=61&tailLines=7');
  assert.equal(await query({ since: 0 }), '&sinceSeconds=1', 'the server rejects 0');
  for (const since of ['2026-01-01T00:00:00Z', '2026-01-01T01:00:00+01:00', new Date('2026-01-01T00:00:00Z')]) assert.equal(await query({ since }), '&sinceTime=2026-01-01T00:00:00.000Z');
});

test('invalid arguments are named, and no request is sent', async () => {
  const { client, asked } = await clientStage(() => json({}));
  const refuses = (ref, options, message) => assert.rejects(client.logs(ref, options).next(), { code: 'bad-request', message });
  const since = '`since` must be a number of seconds, a Date or an RFC 3339 time';
  for (const wrong of ['yesterday', new Date(NaN), {}, null, true]) await refuses(p, { since: wrong }, since);
  await refuses(p, { since: -1 }, '`since` must be a number, 0 or more');
  await refuses(p, { container: 1 }, '`container` must be a string');
  await refuses(p, { tail: -1 }, '`tail` must be a whole number, 0 or more');
  await refuses(p, { maxLineBytes: 0 }, '`maxLineBytes` must be a whole number, 1 or more');
  await refuses(p, { maxStreams: 0 }, '`maxStreams` must be a whole number, 1 or more');
  await refuses(p, { onState: 1 }, '`onState` must be a function');
  await refuses(p, { previous: true, follow: true }, 'a previous container writes no more: leave out `follow` or `previous`');
  await refuses(p, { lines: 1 }, 'logs() has no option `lines`; its options are container, previous, follow, since, tail, maxLineBytes, maxStreams, joined, pastFirst, onState, signal');
  await refuses({ resource: 'v1/services', labelSelector: 'a' }, {}, '`labelSelector` selects pods: leave `resource` out');
  await refuses({ labelSelector: '' }, {}, '`labelSelector` must be a label selector that is not empty');
  await refuses({ labelSelector: 7 }, {}, '`labelSelector` must be a string');
  await refuses({ labelSelector: 'a', namespace: 7 }, {}, '`namespace` must be a string');
  await refuses([], {}, '`ref` must be an array with at least one object');
  await refuses(null, {}, '`ref` must be { resource, namespace, name }, or an object with apiVersion, kind and metadata');
  assert.deepEqual(asked, []);
});

test('a pod and its log that cannot be read are states with their origin', async () => {
  const pod = await readAll(() => failure(404, 'NotFound', 'no'), p);
  assert.deepEqual(pod.states, [{ state: 'failed', error: pod.error, namespace: 'n', pod: 'p' }]);
  const log = await readAll((at) => (at.includes('/log') ? failure(404, 'NotFound', 'no') : json(podOf('p'))), p);
  assert.deepEqual(log.states, [{ state: 'connecting', namespace: 'n', pod: 'p', container: 'c' }, { state: 'failed', error: log.error, namespace: 'n', pod: 'p', container: 'c' }]);
  const object = await readAll(() => failure(404, 'NotFound', 'no'), web);
  assert.deepEqual(object.states, [{ state: 'failed', error: object.error }]);
});

test('an error that is none of the client’s is no state', async () => {
  for (const target of [p, [p, web]]) {
    const gone = new AbortController();
    const { error, states } = await readAll(() => new Promise(() => setImmediate(() => gone.abort(new Error('left')))), target, { signal: gone.signal });
    assert.deepEqual([error.message, states], ['left', []]);
  }
});

test('the limit of containers is fifty, and each that ends makes room for one', async () => {
  const items = Array.from({ length: 53 }, (_, number) => podOf(`p${number}`));
  let most = 0;
  let open = 0;
  const answer = async (at) => {
    if (!at.includes('/log')) return json({ items });
    most = Math.max(most, ++open);
    await new Promise((resolve) => setImmediate(resolve));
    open--;
    return logOf(at);
  };
  const { lines, states } = await readAll(answer, { labelSelector: 'a' });
  assert.deepEqual([lines.length, most, states.filter(({ state }) => state === 'limited').map(({ waiting }) => waiting)], [53, 50, [1, 2, 3]]);
  assert.equal(told(states).filter((state) => state === 'ended').length, 53);
});

test('columns have the texts, the times, the cuts and each change of the origin', () => {
  const line = (text, pod, more) => ({ time: `t-${text}`, text, cut: 0, namespace: 'n', pod, container: 'c', ...more });
  const { origins, ...rest } = joined([line('a', 'p'), line('b', 'p', { cut: 3 }), line('c', 'q', { time: null }), line('d', 'q', { container: 'e' }), line('e', 'q', { container: 'e', namespace: 'o' }), line('f', 'p', { cut: 1 })]);
  assert.deepEqual(rest, { lines: 6, texts: 'a\nb\nc\nd\ne\nf', times: 't-a\nt-b\n\nt-d\nt-e\nt-f', cuts: [[1, 3], [5, 1]] });
  assert.deepEqual(origins, [
    { from: 0, namespace: 'n', pod: 'p', container: 'c' }, { from: 2, namespace: 'n', pod: 'q', container: 'c' },
    { from: 3, namespace: 'n', pod: 'q', container: 'e' }, { from: 4, namespace: 'o', pod: 'q', container: 'e' }, { from: 5, namespace: 'n', pod: 'p', container: 'c' },
  ]);
  assert.deepEqual(joined([]), { lines: 0, texts: '', times: '', cuts: [], origins: [] });
  assert.deepEqual(joined([{ time: 't', text: 'x', cut: 0 }]).origins, [], 'one log has no origins');
});
