// Permissions: number of requests, and lifetime of cached results.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientStage, failure, json } from './client-stage.mjs';

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

test('where rules cannot be asked for, access reviews decide', async () => {
  const { client, asked } = await clientStage((_, path) => (path.endsWith('rulesreviews') ? failure(403, 'Forbidden', 'no') : answer(true)));
  assert.equal(await client.can('get', 'v1/pods', { namespace: 'shop' }), true);
  assert.deepEqual(paths(asked), ['selfsubjectrulesreviews', 'selfsubjectaccessreviews']);
});
