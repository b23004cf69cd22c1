// Arguments of the client's methods: each error names the argument and what it must be, and nothing is sent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientStage, json } from './client-stage.mjs';

const web = { resource: 'apps/v1/deployments', namespace: 'shop', name: 'web' };
const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'shop' } };
const REF = '`ref` must be { resource, namespace, name }, or an object with apiVersion, kind and metadata';
const OBJECT = '`object` must be an object of Kubernetes, or its text';

/** Checks that each call is refused with a message, and that no request was sent. */
async function refuses(calls) {
  const { client, asked } = await clientStage(() => json({}));
  for (const [call, message] of calls) {
    await assert.rejects(async () => call(client), (error) => {
      assert.deepEqual([error.code, error.message], ['bad-request', message], `${call}`);
      return true;
    });
  }
  assert.deepEqual(asked, []);
}

test('a reference names a resource, or a kind with its version', () => refuses([
  [(client) => client.get(7), REF],
  [(client) => client.get(null), REF],
  [(client) => client.get({}), REF],
  [(client) => client.get({ apiVersion: 'v1' }), REF],
  [(client) => client.get({ kind: 'Pod' }), REF],
  [(client) => client.get({ apiVersion: 1, kind: 'Pod' }), REF],
  [(client) => client.get({ apiVersion: 'v1', kind: 2 }), REF],
  [(client) => client.get({ resource: 'v1/pods' }), 'name the object of pods in `name`'],
]));

test('a name is a segment of a path, as the server accepts it', () => {
  const named = (name) => (client) => client.get({ resource: 'v1/nodes', name });
  const of = (name, what = 'name') => [`\`${what}\` must be a name, not ${JSON.stringify(name)}`];
  return refuses([
    ...['.', '..', 'a/b', 'a%b', '/', '%'].map((name) => [named(name), ...of(name)]),
    [named(7), '`name` must be a string'],
    [(client) => client.get({ ...web, namespace: '..' }), ...of('..', 'namespace')],
    [(client) => client.get({ ...web, subresource: 'a/b' }), ...of('a/b', 'subresource')],
    [(client) => client.get({ ...web, subresource: '' }), ...of('', 'subresource')],
  ]);
});

test('names with dots, and with characters of a URL, are names', async () => {
  const { client, asked } = await clientStage(() => json({}));
  for (const name of ['...', 'a..', '.a', '..a', 'a.b', 'a?b', 'a b']) await client.get({ resource: 'v1/nodes', name });
  assert.deepEqual(asked, ['...', 'a..', '.a', '..a', 'a.b', 'a%3Fb', 'a%20b'].map((name) => `GET /api/v1/nodes/${name}`));
});

test('bodies, patches and their types', () => refuses([
  [(client) => client.create(null), OBJECT],
  [(client) => client.create(7), OBJECT],
  [(client) => client.apply(undefined, { ref: settings }), OBJECT],
  [(client) => client.apply('kind: ConfigMap'), '`object` must be JSON; for YAML give `ref` beside it'],
  [(client) => client.patch(web, null), '`patch` must be an object, or an array of JSON patch operations'],
  [(client) => client.patch(web, 'x'), '`patch` must be an object, or an array of JSON patch operations'],
  [(client) => client.patch(web, {}, { type: 'apply' }), '`type` must be "merge", "json" or "strategic"'],
]));

test('YAML without a reference keeps the error of its parser', async () => {
  const { client } = await clientStage(() => json({}));
  await assert.rejects(client.apply('kind: ConfigMap'), ({ cause }) => cause instanceof SyntaxError);
});

test('values of options', () => refuses([
  [(client) => client.scale(web), '`replicas` must be a whole number, 0 or more'],
  [(client) => client.scale(web, 1.5), '`replicas` must be a whole number, 0 or more'],
  [(client) => client.patch(web, {}, { fieldManager: '' }), '`fieldManager` must be a string that is not empty'],
  [(client) => client.patch(web, {}, { fieldManager: 7 }), '`fieldManager` must be a string that is not empty'],
  [(client) => client.get(web, { timeoutMs: 0 }), '`timeoutMs` must be a number, 1 or more'],
  [(client) => client.delete(web, { gracePeriodSeconds: -1 }), '`gracePeriodSeconds` must be a whole number, 0 or more'],
  [(client) => client.evict(web, { gracePeriodSeconds: 0.5 }), '`gracePeriodSeconds` must be a whole number, 0 or more'],
  [(client) => client.delete(web, { propagation: 'Background' }), '`propagation` must be "background", "foreground" or "orphan"'],
  [(client) => client.delete(web, { propagation: 'toString' }), '`propagation` must be "background", "foreground" or "orphan"'],
  [(client) => client.delete(web, { onWarning: {} }), '`onWarning` must be a function'],
  [(client) => client.can('', 'v1/pods'), '`verb` must be a verb of the API: "get", "delete"'],
  [(client) => client.can(7, 'v1/pods'), '`verb` must be a string'],
  [(client) => client.can('get', 'v1/pods', { namespace: 7 }), '`namespace` must be a string'],
  [(client) => client.can('get', 'v1/pods', { name: 7 }), '`name` must be a string'],
  [(client) => client.can('get', 'v1/pods', { subresource: 7 }), '`subresource` must be a string'],
  [(client) => client.request('version'), '`path` must be a path of the apiserver: "/version"'],
  [(client) => client.request(7), '`path` must be a path of the apiserver: "/version"'],
  [(client) => client.request('/version', { timeoutMs: 'soon' }), '`timeoutMs` must be a number, 1 or more'],
  [(client) => client.request('/version', { throwOnError: 'yes' }), '`throwOnError` must be true or false'],
  [(client) => client.request('/version', { body: '{}' }), '`body` cannot be sent by GET: set `method`'],
  [(client) => client.request('/version', { method: 'head', body: '' }), '`body` cannot be sent by HEAD: set `method`'],
]));

test('a body can be sent by each other method', async () => {
  const { client, asked } = await clientStage(() => json({}));
  for (const method of ['POST', 'TARGET', 'GETTER']) await client.request('/x', { method, body: '{}' });
  await client.request('/x', { body: null });
  assert.deepEqual(asked, ['POST /x', 'TARGET /x', 'GETTER /x', 'GET /x']);
});

test('an unknown option is an error that lists those of the method', () => refuses([
  ['get()', 'signal, timeoutMs', (client, options) => client.get(web, options)],
  ['create()', 'dryRun, fieldManager, fieldValidation, onWarning, signal, timeoutMs', (client, options) => client.create(settings, options)],
  ['apply()', 'dryRun, fieldManager, fieldValidation, onWarning, signal, timeoutMs, force, ref', (client, options) => client.apply(settings, options)],
  ['patch()', 'dryRun, fieldManager, fieldValidation, onWarning, signal, timeoutMs, type', (client, options) => client.patch(web, {}, options)],
  ['delete()', 'dryRun, propagation, gracePeriodSeconds, uid, resourceVersion, onWarning, signal, timeoutMs', (client, options) => client.delete(web, options)],
  ['scale()', 'dryRun, fieldManager, fieldValidation, onWarning, signal, timeoutMs', (client, options) => client.scale(web, 1, options)],
  ['evict()', 'dryRun, gracePeriodSeconds, uid, onWarning, signal, timeoutMs', (client, options) => client.evict(web, options)],
  ['can()', 'namespace, name, subresource, signal', (client, options) => client.can('get', 'v1/pods', options)],
  ['request()', 'method, headers, body, stream, throwOnError, signal, timeoutMs', (client, options) => client.request('/x', options)],
].map(([name, names, call]) => [(client) => call(client, { other: 1 }), `${name} has no option \`other\`; its options are ${names}`])));
