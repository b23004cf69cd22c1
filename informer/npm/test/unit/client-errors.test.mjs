// Errors of the client: the fields for programs and the sentence for users, from each form of a rejection.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromResponse } from '../../src/client/errors.js';

const status = (code, reason, message, details) => JSON.stringify({ kind: 'Status', status: 'Failure', code, reason, message, details });
const error = (code, text, headers = {}) => fromResponse({ status: code, headers: new Headers(headers) }, text, 'PATCH /x');

test('a conflict of apply names fields and managers', () => {
  const causes = [
    { reason: 'FieldManagerConflict', message: 'conflict with "kubectl-client-side-apply" using apps/v1', field: '.spec.replicas' },
    { reason: 'FieldManagerConflict', message: 'conflict with "hpa" with subresource "scale" using autoscaling/v1', field: '.spec.x' },
  ];
  const { code, reason, status: http, conflicts, retryable, message, request } = error(409, status(409, 'Conflict', 'Apply failed with 2 conflicts', { causes }));
  assert.deepEqual([code, reason, http, retryable, request], ['conflict', 'Conflict', 409, false, 'PATCH /x']);
  assert.deepEqual(conflicts.map(({ field, manager, subresource }) => [field, manager, subresource]),
    [['.spec.replicas', 'kubectl-client-side-apply', undefined], ['.spec.x', 'hpa', 'scale']]);
  assert.equal(message, 'Apply failed with 2 conflicts. Leave these fields to their managers, or apply with `force` to take them over.');
});

test('an object that has changed can be written again, one that exists cannot', () => {
  const changed = error(409, status(409, 'Conflict', 'the object has been modified'));
  assert.deepEqual([changed.code, changed.retryable, changed.conflicts], ['conflict', true, undefined]);
  assert.match(changed.message, /Read the object again/);
  const exists = error(409, status(409, 'AlreadyExists', 'pods "x" already exists'));
  assert.deepEqual([exists.code, exists.reason, exists.retryable, exists.message], ['conflict', 'AlreadyExists', false, 'pods "x" already exists.']);
});

test('the error of an invalid object has a cause for each field', () => {
  const causes = [{ reason: 'FieldValueInvalid', message: 'Invalid value: -1: must be greater than or equal to 0', field: 'spec.replicas' }];
  const { code, causes: found } = error(422, status(422, 'Invalid', 'Deployment "web" is invalid', { causes }));
  assert.deepEqual([code, found], ['invalid', [{ field: 'spec.replicas', reason: 'FieldValueInvalid', message: 'Invalid value: -1: must be greater than or equal to 0' }]]);
});

test('an eviction that a budget forbids has the budget’s words and the pause', () => {
  const causes = [{ reason: 'DisruptionBudget', message: 'The disruption budget web needs 3 healthy pods and has 3 currently' }];
  const text = status(429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", { causes });
  const { code, retryAfterMs, retryable, message } = error(429, text, { 'retry-after': '10' });
  assert.deepEqual([code, retryAfterMs, retryable], ['throttled', 10_000, true]);
  assert.equal(message, "Cannot evict pod as it would violate the pod's disruption budget. The disruption budget web needs 3 healthy pods and has 3 currently.");
});

test('webhooks are named, those that refuse and those that are away', () => {
  const refused = error(400, status(400, 'BadRequest', 'admission webhook "policy.example.com" denied the request: no latest tag'));
  assert.deepEqual([refused.code, refused.webhook], ['bad-request', 'policy.example.com']);
  assert.match(refused.message, /no latest tag/);
  const away = error(500, status(500, 'InternalError', 'Internal error occurred: failed calling webhook "policy.example.com": connection refused'));
  assert.deepEqual([away.code, away.webhook, away.retryable], ['internal', 'policy.example.com', true]);
});

test('an error without a Status comes from a proxy', () => {
  const rejected = error(403, 'Forbidden');
  assert.deepEqual([rejected.code, rejected.retryable], ['forbidden', false]);
  assert.match(rejected.message, /--reject-paths/);
  const away = error(500, 'dial tcp 127.0.0.1:6443: connect: connection refused');
  assert.deepEqual([away.code, away.retryable], ['network', true]);
  assert.deepEqual([error(429, 'Too many requests', { 'retry-after': '1' }).retryAfterMs, error(404, '404 page not found').code], [1000, 'not-found']);
  assert.match(error(502, '<html><title>Bad Gateway</title>').message, /HTML page: Bad Gateway/);
  assert.match(error(400, '').message, /HTTP 400 without a body/);
});
