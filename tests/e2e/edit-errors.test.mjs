// Errors of an edit: schema errors while the user types, and rejections by the server, by a webhook and under load. The typed text is
// kept.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { createCertificate } from '../support/certificate.mjs';
import { change, closes, comparison, openEditor, press, text, type } from '../support/editor.mjs';
import { PATIENCE, TEST, eventually, setStage } from '../support/harness.mjs';

const isKube = process.env.E2E_CLUSTER === 'kube';
const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
// Chromium styles text that replaces a selection in an editable element, and the page's policy blocks that. The only effect is a
// message on the console.
afterEach(() => assert.deepEqual(stage.errors.splice(0).filter((error) => !/Applying inline style/.test(error)), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const apply = (object) => stage.kubectl(['apply', '--server-side', '--force-conflicts', '--field-manager=kube-informer', '-n', 'default', '-f', '-'], JSON.stringify(object));
const get = async (...args) => JSON.parse(await stage.kubectl(['get', ...args, '-n', 'default', '-o', 'json']));
const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1', imagePullPolicy: 'Always' }] } };
const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'lamps.home.example' },
  spec: {
    group: 'home.example', scope: 'Namespaced', names: { plural: 'lamps', singular: 'lamp', kind: 'Lamp', listKind: 'LampList' },
    versions: [{
      name: 'v1', served: true, storage: true,
      schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', required: ['watts'], properties: { watts: { type: 'integer', maximum: 100 }, colour: { type: 'string', enum: ['warm', 'cold'] } } } } } },
    }],
  },
};

before(async () => {
  if (stage.unavailable) return;
  await stage.kubectl(['create', '-f', '-'], JSON.stringify(DEFINITION));
  await stage.kubectl(['wait', '--for=condition=Established', 'crd/lamps.home.example', '--timeout=120s']);
});

beforeEach(async () => {
  if (stage.unavailable) return;
  await apply({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', annotations: { 'example.com/note': 'a' } }, spec: { replicas: 1, selector: { matchLabels: template.metadata.labels }, template } });
  await apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', labels: { guarded: 'yes' } }, data: { mode: 'slow' } });
});

const deployment = () => openEditor(stage, '#/apps/v1/deployments?object=default%2Fweb&tab=yaml');
const settings = () => openEditor(stage, '#/v1/configmaps?object=default%2Fsettings&tab=yaml');

/** Waits until exactly these places are marked, as `severity: text`. */
const marks = (page, expected) => eventually(`the marks ${expected.join(', ')}`, PATIENCE, async () => {
  const found = await page.locator('.cm-lintRange-error, .cm-lintRange-warning').evaluateAll((ranges) =>
    ranges.map((range) => `${range.className.match(/cm-lintRange-(error|warning)/)[1]}: ${range.textContent}`));
  return JSON.stringify([...new Set(found)]) === JSON.stringify(expected);
});
const problem = (page, says) => page.locator('.problems li', { hasText: says }).first().waitFor({ timeout: PATIENCE });
const failed = (page, says) => page.locator('.outcome.failed', { hasText: says }).waitFor({ timeout: PATIENCE });

test('a field that the kind does not have is marked after a review, and the text is kept', options, async () => {
  const page = await deployment();
  await change(page, 'replicas: 1', 'replicas: 1\n  replicsa: 2');
  await press(page, 'Review');
  await failed(page, 'The server rejects the object as invalid (500)');
  await problem(page, '.spec.replicsa: The kind has no such field.');
  await marks(page, ['error: replicsa: 2']);
  // The content of the element itself is the marker's image, which the page's policy blocks.
  const marker = (element) => [getComputedStyle(element).content, getComputedStyle(element, '::before').content];
  assert.deepEqual(await page.locator('.cm-lint-marker-error').evaluate(marker), ['normal', '"●"']);
  await page.locator('.problems').getByRole('button', { name: /^Line \d+, column 3$/ }).click();
  assert.match(await page.locator('.cm-activeLine').innerText(), /replicsa: 2/);
  await change(page, '\n  replicsa: 2', '');
  await change(page, 'replicas: 1', 'replicas: 2');
  await press(page, 'Review');
  await comparison(page, /replicas: 2/);
  await press(page, 'Apply');
  await closes(page);
  assert.equal((await get('deployment', 'web')).spec.replicas, 2);
  await page.context().close();
});

test('values of another type are marked, also of an item and of a key with dots', options, async () => {
  const page = await deployment();
  await change(page, 'example.com/note: a', 'example.com/note: true');
  await press(page, 'Review');
  await problem(page, '.metadata.annotations.example.com/note: expected string, got true');
  await marks(page, ['error: example.com/note: true']);
  await change(page, 'example.com/note: true', 'example.com/note: a');
  await change(page, 'image: web:1', 'image: 7');
  await press(page, 'Review');
  await problem(page, '.spec.template.spec.containers[name="web"].image: expected string, got 7');
  await marks(page, ['error: image: 7']);
  await page.context().close();
});

test('what the schema does not allow is a warning while one types, and does not prevent a review', options, async () => {
  const page = await deployment();
  await change(page, 'replicas: 1', 'replicas: many\n  replicsa: 2');
  await problem(page, 'Expected an integer, not a string.');
  await problem(page, 'The kind has no field replicsa here.');
  await marks(page, ['warning: many', 'warning: replicsa: 2']);
  await change(page, 'imagePullPolicy: Always', 'imagePullPolicy: Sometimes');
  await problem(page, 'Expected one of: Always, IfNotPresent, Never.');
  await change(page, /\n +selector:\n +matchLabels:\n +app: web/, '');
  await problem(page, 'The field selector is missing.');
  await press(page, 'Review');
  await failed(page, 'The server rejects the object as invalid');
  await page.context().close();
});

test('a text that the schema allows has no warnings', options, async () => {
  const page = await deployment();
  await change(page, 'replicas: 1', 'replicas: many');
  await marks(page, ['warning: many']);
  await change(page, 'replicas: many', 'replicas: 3');
  await marks(page, []);
  await page.locator('.problems li').first().waitFor({ state: 'detached', timeout: PATIENCE });
  await page.context().close();
});

/** A page with the editor for new objects. */
async function creation() {
  const page = await stage.open('#/v1/configmaps', { viewport: { width: 1400, height: 900 } });
  await page.getByRole('button', { name: 'Create from YAML' }).waitFor({ timeout: PATIENCE });
  await page.keyboard.press('c');
  await page.locator('.cm-content').first().waitFor({ timeout: PATIENCE });
  return page;
}

test('a custom kind is judged by its definition: while one types, and by the server', options, async () => {
  const page = await creation();
  const lamp = (spec) => `apiVersion: home.example/v1\nkind: Lamp\nmetadata:\n  name: desk\n  namespace: default\nspec: ${spec}\n`;
  await type(page, lamp('{watts: 60, colour: green}'));
  await problem(page, 'Expected one of: warm, cold.');
  await type(page, lamp('{colour: warm}'));
  await problem(page, 'The field watts is missing.');
  await press(page, 'Review');
  await failed(page, 'The server rejects the object as invalid (422)');
  await problem(page, 'spec.watts: Required value');
  // Only the server checks the maximum of a number.
  await type(page, lamp('\n  watts: 500'));
  await press(page, 'Review');
  await problem(page, 'spec.watts: Invalid value: 500: spec.watts in body should be less than or equal to 100');
  await marks(page, ['error: watts: 500']);
  await page.context().close();
});

test('values of an enumeration, and booleans, are completed', options, async () => {
  const page = await deployment();
  const choose = async (label) => {
    await page.locator('.cm-tooltip-autocomplete li', { hasText: label }).first().click({ timeout: PATIENCE });
  };
  await type(page, 'apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      restartPolicy: ');
  await page.keyboard.press('Control+Space');
  await choose('OnFailure');
  assert.match(await text(page), /restartPolicy: OnFailure$/);
  await type(page, 'apiVersion: apps/v1\nkind: Deployment\nspec:\n  ');
  await page.keyboard.type('paus');
  await choose('paused');
  await choose('true');
  assert.match(await text(page), /\n {2}paused: true$/);
  await page.context().close();
});

test('a 422 of the server names its fields, and marks them', options, async () => {
  const page = await creation();
  await type(page, 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: labelled\n  namespace: default\n  labels:\n    other: "not a label"\n');
  await press(page, 'Review');
  await failed(page, 'The server rejects the object as invalid (422)');
  // The real server may name a field several times.
  await page.locator('.outcome.failed li', { hasText: 'metadata.labels' }).first().waitFor({ timeout: PATIENCE });
  await problem(page, 'metadata.labels: Invalid value: "not a label"');
  await marks(page, ['error: labels:']);
  assert.match(await text(page), /other: "not a label"/, 'the text is kept');
  await page.context().close();
});

test('a 429 is told as such, and the next review is accepted', options, async () => {
  const page = await settings();
  await change(page, 'mode: slow', 'mode: fast');
  // The response of a real server that has too many requests.
  await page.route(/dryRun=All/, (route) => route.fulfill({ status: 429, headers: { 'retry-after': '1' }, contentType: 'text/plain; charset=utf-8', body: 'Too many requests, please try again later.\n' }), { times: 1 });
  await press(page, 'Review');
  await failed(page, 'Not now (429)');
  await failed(page, 'Too many requests, please try again later.');
  assert.match(await text(page), /mode: fast/);
  await press(page, 'Review');
  await comparison(page, /mode: fast/);
  await page.context().close();
});

/** Responses of the real server: when a webhook rejects the request, and when the webhook does not respond. */
const REFUSED = {
  kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 403, reason: 'Forbidden',
  message: 'admission webhook "settings.guard.example" denied the request: the mode "forbidden" is not for this cluster',
};
const SILENT = {
  kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 500, reason: 'InternalError',
  message: 'Internal error occurred: failed calling webhook "settings.guard.example": failed to call webhook: Post "https://127.0.0.1:1/?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused',
};

/**
 * Guards the config maps with the label by a webhook of the real server. The embedded server has no webhooks, so there the test responds
 * in its place.
 */
async function guard(page) {
  if (!isKube) {
    let answer = REFUSED;
    await page.route(/configmaps\/settings\?.*dryRun=All/, (route) => route.fulfill({ status: answer.code, json: answer }));
    return { stop: async () => void (answer = SILENT) };
  }
  const certificate = await createCertificate();
  const server = createServer(certificate, async (incoming, outgoing) => {
    let body = '';
    for await (const chunk of incoming.setEncoding('utf8')) body += chunk;
    const { request: { uid, object } } = JSON.parse(body);
    const allowed = object.data.mode !== 'forbidden';
    const response = { uid, allowed, status: allowed ? undefined : { code: 403, reason: 'Forbidden', message: `the mode "${object.data.mode}" is not for this cluster` } };
    outgoing.setHeader('content-type', 'application/json').end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration', metadata: { name: 'guard' },
    webhooks: [{
      name: 'settings.guard.example', sideEffects: 'None', admissionReviewVersions: ['v1'], failurePolicy: 'Fail',
      clientConfig: { url: `https://127.0.0.1:${server.address().port}/`, caBundle: certificate.cert.toString('base64') },
      objectSelector: { matchLabels: { guarded: 'yes' } },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] }],
    }],
  };
  await stage.kubectl(['create', '-f', '-'], JSON.stringify(configuration));
  // The server learns of the webhook by a watch, so it takes a moment.
  const forbidden = ['patch', 'configmap', 'settings', '-n', 'default', '--dry-run=server', '--type=merge', '-p', '{"data":{"mode":"forbidden"}}'];
  await eventually('the webhook is called', PATIENCE, () => stage.kubectl(forbidden).then(() => false, (error) => /denied the request/.test(error.message)));
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const end = async () => {
    await stage.kubectl(['delete', 'validatingwebhookconfiguration', 'guard']);
    if (server.listening) await stop();
    const allowed = ['patch', 'configmap', 'settings', '-n', 'default', '--dry-run=server', '--type=merge', '-p', '{"data":{"mode":"a"}}'];
    await eventually('the webhook is forgotten', PATIENCE, () => stage.kubectl(allowed).then(() => true, () => false));
  };
  return { stop, end };
}

test('the refusal of a webhook is shown with its name and its message, and so is one that does not respond', options, async () => {
  const page = await settings();
  const { stop, end } = await guard(page);
  try {
    await change(page, 'mode: slow', 'mode: forbidden');
    await press(page, 'Review');
    await failed(page, 'An admission webhook rejected the request (403)');
    await failed(page, 'the mode "forbidden" is not for this cluster');
    await page.locator('.outcome.failed code', { hasText: /^settings\.guard\.example$/ }).waitFor({ timeout: PATIENCE });
    assert.match(await text(page), /mode: forbidden/, 'the text is kept');
    await stop();
    await press(page, 'Review');
    await failed(page, 'An admission webhook does not respond (500)');
    await failed(page, "Check that the webhook's service runs.");
    assert.match(await text(page), /mode: forbidden/);
    assert.equal((await get('configmap', 'settings')).data.mode, 'slow');
  } finally {
    await end?.();
  }
  await page.context().close();
});
