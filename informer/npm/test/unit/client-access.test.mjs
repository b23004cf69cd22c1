// Permissions: number of requests, and lifetime of cached results.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientStage, failure, json } from './client-stage.mjs';
import { until } from './engine.mjs';

const rules = (...resourceRules) => json({ status: { resourceRules, incomplete: false } });
const answer = (allowed, reason) => json({ status: { allowed, reason } });
const paths = (asked) => asked.map((one) => one.split('/').at(-1));

test('one request for a namespace’s rules serves many checks', async () => {
  const { client, asked, bodies } = await clientStage((_, path) =>
    path.endsWith('rulesreviews')
      ? rules({ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', 'pods/log'] }, { verbs: ['*'], apiGroups: ['apps'], resources: ['*', '*/scale'] },
          { verbs: ['delete'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['mine'] })
      : answer(false, 'no rule allows it'));
  const can = (verb, resource, more) => client.can(verb, resource, { namespace: 'shop', ...more });
  const answers = await Promise.all([
    can('get', 'v1/pods'), can('get', 'v1/pods', { subresource: 'log' }), can('patch', 'apps/v1/deployments'),
    can('patch', 'apps/v1/deployments', { subresource: 'scale' }), can('delete', 'v1/configmaps', { name: 'mine' }),
  ]);
  assert.deepEqual(answers, [true, true, true, true, true]);
  assert.deepEqual(paths(asked), ['selfsubjectrulesreviews']);
  assert.deepEqual(JSON.parse(bodies[0]).spec, { namespace: 'shop' });
  assert.deepEqual(await client.access('delete', 'v1/configmaps', { namespace: 'shop', name: 'other' }), { allowed: false, reason: 'no rule allows it' });
  assert.equal(await can('delete', 'v1/configmaps'), false);
  assert.deepEqual(paths(asked), ['selfsubjectrulesreviews', 'selfsubjectaccessreviews', 'selfsubjectaccessreviews']);
  assert.deepEqual(JSON.parse(bodies[1]).spec.resourceAttributes, { verb: 'delete', group: '', version: 'v1', resource: 'configmaps', namespace: 'shop', name: 'other' });
});

test('a result is cached for 30 seconds, an error is not', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1e12 });
  let allowed = true;
  let fails = false;
  const { client, asked } = await clientStage(() => (fails ? failure(500, 'InternalError', 'no') : answer(allowed)));
  const can = () => client.can('delete', 'v1/nodes');
  assert.equal(await can(), true);
  allowed = false;
  t.mock.timers.tick(30_000);
  assert.deepEqual([await can(), asked.length], [true, 1]);
  t.mock.timers.tick(1);
  assert.deepEqual([await can(), asked.length], [false, 2]);
  t.mock.timers.tick(30_001);
  fails = true;
  await assert.rejects(can(), { code: 'internal' });
  fails = false;
  assert.deepEqual([await can(), asked.length], [false, 4]);
});

test('the requests are reviews, as the server reads them', async () => {
  const { client, asked, bodies, types } = await clientStage((_, path) => (path.endsWith('rulesreviews') ? rules() : answer(true)));
  await client.can('list', 'apps/v1/deployments', { namespace: 'shop' });
  const api = '/apis/authorization.k8s.io/v1';
  assert.deepEqual(asked, [`POST ${api}/selfsubjectrulesreviews`, `POST ${api}/selfsubjectaccessreviews`]);
  const apiVersion = 'authorization.k8s.io/v1';
  assert.deepEqual(bodies.map((body) => JSON.parse(body)), [
    { apiVersion, kind: 'SelfSubjectRulesReview', spec: { namespace: 'shop' } },
    { apiVersion, kind: 'SelfSubjectAccessReview', spec: { resourceAttributes: { verb: 'list', group: 'apps', version: 'v1', resource: 'deployments', namespace: 'shop' } } },
  ]);
  assert.deepEqual(types, ['application/json', 'application/json']);
});

test('the reason is that of the server, or what it could not evaluate', async () => {
  const reviews = [{ allowed: true }, { allowed: false, reason: 'no' }, { allowed: true, denied: true, reason: 'denied' }, { evaluationError: 'no role "x"' },
    { reason: 'why', evaluationError: 'not this' }, undefined];
  const { client } = await clientStage(() => json({ status: reviews.shift() }));
  const found = [];
  for (let number = 0; number < 6; number++) found.push(await client.access('get', 'v1/nodes', { name: `n${number}` }));
  assert.deepEqual(found, [
    { allowed: true, reason: '' }, { allowed: false, reason: 'no' }, { allowed: false, reason: 'denied' }, { allowed: false, reason: 'no role "x"' },
    { allowed: false, reason: 'why' }, { allowed: false, reason: '' },
  ]);
});

test('rules allow only what they name, and have no reason', async () => {
  const allowed = async (rule, verb, resource, more) => {
    const { client, asked } = await clientStage((_, path) => (path.endsWith('rulesreviews') ? rules(rule) : answer(false)));
    const found = await client.access(verb, resource, { namespace: 'shop', ...more });
    assert.deepEqual([found.reason, asked.length], ['', found.allowed ? 1 : 2]);
    return found.allowed;
  };
  const pods = { verbs: ['get'], apiGroups: [''], resources: ['pods', 'pods/log'] };
  assert.equal(await allowed(pods, 'get', 'v1/pods'), true);
  assert.equal(await allowed(pods, 'get', 'v1/services'), false);
  assert.equal(await allowed(pods, 'list', 'v1/pods'), false);
  assert.equal(await allowed(pods, 'get', 'metrics.k8s.io/v1/pods'), false);
  assert.equal(await allowed(pods, 'get', 'v1/pods', { subresource: 'exec' }), false);
  const scale = { verbs: ['*'], apiGroups: ['*'], resources: ['*/scale', '*/', '*/undefined'] };
  assert.equal(await allowed(scale, 'patch', 'apps/v1/deployments', { subresource: 'scale' }), true);
  assert.equal(await allowed(scale, 'patch', 'apps/v1/deployments', { subresource: 'status' }), false);
  assert.equal(await allowed(scale, 'patch', 'apps/v1/deployments'), false);
  assert.equal(await allowed({ ...scale, resources: ['*'] }, 'patch', 'apps/v1/deployments', { subresource: 'status' }), true);
  for (const missing of ['verbs', 'apiGroups', 'resources']) assert.equal(await allowed({ ...pods, [missing]: undefined }, 'get', 'v1/pods'), false, missing);
  assert.equal(await allowed({ ...pods, resourceNames: ['a'] }, 'get', 'v1/pods', { name: 'a' }), true);
  assert.equal(await allowed({ ...pods, resourceNames: ['a'] }, 'get', 'v1/pods', { name: 'b' }), false);
});

test('the rules of a namespace are not those of another', async () => {
  const { client, asked } = await clientStage((_, path) => (path.endsWith('rulesreviews') ? json({}) : answer(true)));
  for (const namespace of ['a', 'b', 'a', 'b']) assert.equal(await client.can('get', 'v1/pods', { namespace }), true);
  assert.equal(asked.length, 4, 'rules and a review of each');
});

test('a request that fails late does not remove the result of a newer one', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1e12 });
  let fail;
  const answers = [new Promise((resolve) => (fail = resolve)), answer(true)];
  const { client, asked } = await clientStage(() => answers.shift());
  const first = client.can('get', 'v1/nodes');
  await until(() => asked.length === 1);
  t.mock.timers.tick(30_001);
  assert.equal(await client.can('get', 'v1/nodes'), true);
  fail(failure(500, 'InternalError', 'no'));
  await assert.rejects(first, { code: 'internal' });
  assert.equal(await client.can('get', 'v1/nodes'), true);
  assert.equal(asked.length, 2);
});

test('a response that is no review is an error of its request', async () => {
  const { client } = await clientStage(() => new Response('<html>'));
  await assert.rejects(client.can('get', 'v1/nodes'), { code: 'decode', request: 'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews' });
});

test('a signal ends the wait of one caller, and the others have the result', async () => {
  let settled;
  const { client, asked } = await clientStage(() => new Promise((resolve) => (settled = resolve)));
  const gone = new AbortController();
  const left = client.can('get', 'v1/nodes', { signal: gone.signal });
  const stays = client.can('get', 'v1/nodes');
  await until(() => asked.length === 1);
  gone.abort(new Error('left'));
  await assert.rejects(left, { message: 'left' });
  await assert.rejects(client.can('get', 'v1/nodes', { signal: gone.signal }), { message: 'left' });
  settled(answer(true));
  assert.deepEqual([await stays, asked.length], [true, 1]);
});

test('where rules cannot be asked for, access reviews decide', async () => {
  const { client, asked } = await clientStage((_, path) => (path.endsWith('rulesreviews') ? failure(403, 'Forbidden', 'no') : answer(true)));
  assert.equal(await client.can('get', 'v1/pods', { namespace: 'shop' }), true);
  assert.deepEqual(paths(asked), ['selfsubjectrulesreviews', 'selfsubjectaccessreviews']);
});
