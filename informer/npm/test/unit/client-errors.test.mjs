// Errors of the client: the fields for programs and the sentence for users, from each form of a rejection.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokenOff, fromResponse, late, noResponse } from '../../src/client/errors.js';

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

/** Reasons of a Status, with the code of each and whether a retry may help. */
const REASONS = {
  Unauthorized: ['unauthorized', false], Forbidden: ['forbidden', false], NotFound: ['not-found', false], Expired: ['expired', false],
  Gone: ['expired', false], TooManyRequests: ['throttled', true], Conflict: ['conflict', true], AlreadyExists: ['conflict', false],
  Invalid: ['invalid', false], BadRequest: ['bad-request', false], NotAcceptable: ['bad-request', false],
  MethodNotAllowed: ['bad-request', false], UnsupportedMediaType: ['bad-request', false], RequestEntityTooLarge: ['bad-request', false],
  Timeout: ['timeout', true], ServerTimeout: ['timeout', true], InternalError: ['internal', true], ServiceUnavailable: ['internal', true],
};

test('the reason of a Status decides, whatever its HTTP status', () => {
  for (const [reason, expected] of Object.entries(REASONS)) {
    for (const http of [418, 500]) {
      const { code, retryable, reason: said } = error(http, status(http, reason, 'no'));
      assert.deepEqual([code, retryable, said], [...expected, reason], `${reason} with ${http}`);
    }
  }
  assert.equal(error(429, status(429, 'Forbidden', 'no')).code, 'throttled', 'client-go retries each 429');
});

test('without a known reason the HTTP status decides', () => {
  const codes = { 400: 'bad-request', 401: 'unauthorized', 403: 'forbidden', 404: 'not-found', 408: 'timeout', 409: 'conflict', 410: 'expired', 418: 'bad-request',
    422: 'invalid', 429: 'throttled', 499: 'bad-request', 500: 'internal', 501: 'internal', 504: 'timeout' };
  for (const reason of [undefined, '', 'Unheard', 'constructor']) {
    for (const [http, code] of Object.entries(codes)) assert.equal(error(Number(http), status(Number(http), reason, 'no')).code, code, `${http} with ${reason}`);
  }
  assert.equal(error(400, status(400, '', 'no')).reason, undefined);
});

test('only a Status has a reason: other JSON is text of a proxy', () => {
  for (const text of ['null', '{"kind":"Pod","reason":"Conflict","message":"no"}']) {
    const { code, reason, message } = error(500, text);
    assert.deepEqual([code, reason, message], ['network', undefined, `${text}. Check that the proxy can reach the apiserver.`]);
  }
});

test('an error says what to do about it, once its sentence has ended', () => {
  const says = (http, reason, message) => error(http, status(http, reason, message)).message;
  assert.equal(says(401, 'Unauthorized', 'Unauthorized'), 'Unauthorized. Log in again, or check the credentials of the proxy.');
  assert.equal(says(409, 'Conflict', 'it has changed!'), 'it has changed! Read the object again and repeat the change.');
  assert.equal(says(403, 'Forbidden', 'pods is forbidden'), 'pods is forbidden.');
  assert.equal(says(404, 'NotFound', 'why?'), 'why?');
  assert.equal(says(400, 'BadRequest', 'wrong:'), 'wrong:');
  assert.equal(error(403, 'Forbidden').message,
    'Forbidden. A proxy rejected the path or method: check --reject-paths and --reject-methods of kubectl proxy.');
  const webhook = 'failed calling webhook "a.example.com": timeout';
  assert.equal(says(500, 'InternalError', webhook), `${webhook}. Check that the webhook's service runs.`);
  const denied = 'admission webhook "a.example.com" denied the request: no';
  assert.equal(says(409, 'Conflict', denied), `${denied}.`, 'of a webhook that decided, no advice is known');
});

test('the text of a proxy is its first line, or the title of its page', () => {
  const says = (text) => error(400, text).message;
  assert.equal(says('  first\nsecond'), 'first.');
  assert.equal(says(`${'x'.repeat(300)}y`), `${'x'.repeat(300)}.`);
  assert.equal(says(' <html><TITLE> Sign in </TITLE>'), 'HTTP 400, an HTML page: Sign in.');
  assert.equal(says('<p>'), 'HTTP 400, an HTML page: without a title.');
  assert.equal(says(' \n '), 'HTTP 400 without a body.');
  assert.equal(error(418, status(418, 'Unheard', '')).message, status(418, 'Unheard', '').concat('.'), 'a Status without a message is shown itself');
});

test('the pause that a server wants is in the header, or in the Status', () => {
  const pause = (details, headers) => error(503, status(503, 'ServiceUnavailable', 'away', details), headers).retryAfterMs;
  assert.equal(pause({ retryAfterSeconds: 3 }), 3000);
  assert.equal(pause({ retryAfterSeconds: 3 }, { 'retry-after': '0' }), 0);
  assert.equal(pause(undefined, { 'retry-after': '-1' }), undefined);
  assert.equal(pause(undefined, { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }), undefined);
  assert.equal(pause(undefined), undefined);
});

test('causes have each field, also one that the server left out', () => {
  const { causes, conflicts } = error(422, status(422, 'Invalid', 'no', { causes: [{}] }));
  assert.deepEqual([causes, conflicts], [[{ field: '', reason: '', message: '' }], undefined]);
  assert.equal(error(422, status(422, 'Invalid', 'no', { causes: [] })).causes, undefined);
  const conflict = { reason: 'FieldManagerConflict', message: 'conflicts with "a \\"b\\"" using v1:', field: '.a' };
  assert.deepEqual(error(409, status(409, 'Conflict', 'no', { causes: [conflict, { ...conflict, message: 'it is taken' }, { reason: 'Other' }] })).conflicts,
    [{ field: '.a', manager: 'a \\"b\\"', message: conflict.message }, { field: '.a', manager: '', message: 'it is taken' }]);
});

test('no response, a lost connection and a timeout may be tried again', () => {
  const cause = new TypeError('Failed to fetch');
  const fields = ({ code, retryable, request, message }) => [code, retryable, request, message];
  assert.deepEqual(fields(noResponse('GET /x', cause)), ['network', true, 'GET /x',
    "no response: the proxy or apiserver is unreachable, or does not allow this page's origin by CORS (Failed to fetch). Check that kubectl proxy is running."]);
  assert.match(noResponse('GET /x', 'why').message, /\(why\)/);
  assert.deepEqual(fields(brokenOff('GET /x', cause)), ['network', true, 'GET /x', 'the connection was lost (Failed to fetch)']);
  assert.equal(brokenOff('GET /x', 'why').message, 'the connection was lost (why)');
  assert.deepEqual([noResponse('GET /x', cause).cause, brokenOff('GET /x', cause).cause], [cause, cause]);
  assert.deepEqual(fields(late('GET /x', 1500)), ['timeout', true, 'GET /x',
    'no complete response within 1.5 s. It may still take effect: read the object before you repeat a write.']);
});
