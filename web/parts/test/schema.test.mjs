// Schemas of kinds: completion, and warnings while a text is typed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fields, kindAt, refresh } from '../src/schema.js';
import { validate } from '../src/validation.js';

const ref = (name) => ({ allOf: [{ $ref: `#/components/schemas/${name}` }], default: {} });
const schemas = {
  Thing: {
    type: 'object', required: ['spec'], 'x-kubernetes-group-version-kind': [{ group: 'x.io', version: 'v1', kind: 'Thing' }],
    properties: { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: ref('Meta'), spec: ref('Spec') },
  },
  Meta: { type: 'object', properties: { name: { type: 'string' }, labels: { type: 'object', additionalProperties: { type: 'string', default: '' } } } },
  Spec: {
    type: 'object', required: ['size'],
    properties: {
      size: { type: 'integer', description: 'How large.' },
      ratio: { type: 'number' },
      active: { type: 'boolean' },
      mode: { type: 'string', enum: ['', 'Always', 'Never'] },
      modes: { type: 'array', items: { type: 'string', enum: ['Always', 'Never'] } },
      port: { $ref: '#/components/schemas/IntOrString' },
      amount: { $ref: '#/components/schemas/Quantity' },
      until: { type: 'string', format: 'date-time' },
      parts: { type: 'array', items: ref('Part') },
      free: { type: 'object' },
      open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { active: { type: 'boolean' } } },
    },
  },
  Part: { type: 'object', required: ['name'], properties: { name: { type: 'string', default: '' } } },
  IntOrString: { oneOf: [{ type: 'integer' }, { type: 'string' }], format: 'int-or-string' },
  Quantity: { oneOf: [{ type: 'string' }, { type: 'number' }] },
};

/** A client of a server with that kind. `requests` are the paths of its requests. */
function clientOf(hash = () => 1, requests = []) {
  const documentAt = (path) => (path === '/openapi/v3' ? { paths: { 'apis/x.io/v1': { serverRelativeURL: `/openapi/v3/apis/x.io/v1?hash=${hash()}` } } } : { components: { schemas } });
  return { requests, request: async (path) => (requests.push(path), { ok: true, json: async () => documentAt(path) }) };
}

const of = { apiVersion: 'x.io/v1', kind: 'Thing' };

/** The warnings of a text: `line:column message`. */
const warnings = async (text, client = clientOf()) => (await validate(client, text)).map(({ line, column, message, severity }) => {
  assert.equal(severity, 'warning');
  return `${line}:${column} ${message}`;
});
const thing = (...spec) => ['apiVersion: x.io/v1', 'kind: Thing', 'spec:', '  size: 1', ...spec, ''].join('\n');

test('fields come from the schema of the kind, through references, lists and maps', async () => {
  const client = clientOf();
  assert.deepEqual((await fields(client, of, ['spec']))[0], { name: 'size', type: 'integer', description: 'How large.', required: true, values: [] });
  assert.deepEqual((await fields(client, of, ['spec', 'parts'])).map(({ name }) => name), ['name']);
  assert.equal(client.requests.length, 2, 'each document is read once');
  assert.deepEqual(kindAt('apiVersion: v1\nkind: A\n---\napiVersion: x.io/v1\nkind: Thing\nspec:\n', 6), of);
  assert.deepEqual(await fields(client, { ...of, kind: 'None' }, []), []);
});

test('the values of a boolean, of an enumeration and of a list of enumerated values are completed', async () => {
  const client = clientOf();
  const spec = await fields(client, of, ['spec']);
  const values = (name) => spec.find((field) => field.name === name).values;
  assert.deepEqual([values('active'), values('mode'), values('size')], [['true', 'false'], ['Always', 'Never'], []]);
  assert.deepEqual((await fields(client, of, ['spec', 'modes'])).map(({ name, type }) => [name, type]), [['Always', 'value'], ['Never', 'value']]);
});

test('a schema is requested again after it has changed', async () => {
  let hash = 1;
  const client = clientOf(() => hash);
  await fields(client, of, []);
  refresh(client);
  await fields(client, of, []);
  assert.equal(client.requests.length, 3, 'an unchanged document is not requested again');
  refresh(client);
  hash = 2;
  await fields(client, of, []);
  assert.deepEqual(client.requests.slice(3), ['/openapi/v3', '/openapi/v3/apis/x.io/v1?hash=2']);
});

test('an unknown field is a warning at its key', async () => {
  assert.deepEqual(await warnings(thing('  sise: 2', '  parts:', '  - name: a', '    colour: red')), [
    '5:3 The kind has no field sise here.', '8:5 The kind has no field colour here.',
  ]);
  assert.deepEqual(await warnings(thing('  free: {a: {b: 1}}', '  open: {a: 1, active: true}').replace('spec:', 'metadata: {labels: {a/b: c}}\nspec:')), [], 'no warning where any field is allowed');
  assert.deepEqual(await warnings(thing('  toString: 1')), ['5:3 The kind has no field toString here.'], 'only fields of the schema count, not properties of JavaScript objects');
});

test('a value of another type is a warning at the value', async () => {
  assert.deepEqual(await warnings(thing('  mode: 7', '  active: "true"', '  ratio: a', '  parts: {name: a}', '  until: [a]', '  amount: {a: 1}').replace('size: 1', 'size: 1.5')), [
    '4:9 Expected an integer, not a number.',
    '5:9 Expected a string, not a number.',
    '6:11 Expected true or false, not a string.',
    '7:10 Expected a number, not a string.',
    '8:10 Expected a list, not an object.',
    '9:10 Expected a string, not a list.',
    '10:11 Expected a string or a number, not an object.',
  ]);
  assert.deepEqual(await warnings(thing('  active: yes', '  ratio: 1', '  port: http', '  amount: 1', '  until: 2024-01-01T00:00:00Z', '  mode: null', '  free:')), [], 'the server accepts these values');
  assert.deepEqual(await warnings(thing('').replace('spec:', 'metadata:\n  labels: {a: 1, b: true}\nspec:')), [
    '4:15 Expected a string, not a number.', '4:21 Expected a string, not a boolean (true).',
  ]);
});

test('a value that is not in the enumeration is a warning', async () => {
  assert.deepEqual(await warnings(thing('  mode: Sometimes', '  modes: [Never, often]')), ['5:9 Expected one of: Always, Never.', '6:18 Expected one of: Always, Never.']);
});

test('a missing field is a warning at the object that requires it', async () => {
  assert.deepEqual(await warnings('apiVersion: x.io/v1\nkind: Thing\n'), ['1:1 The field spec is missing.']);
  assert.deepEqual(await warnings('apiVersion: x.io/v1\nkind: Thing\nspec:\n  parts:\n  - {}\n'), ['3:1 The field size is missing.', '5:5 The field name is missing.']);
  assert.deepEqual(await warnings('a: &a {size: 1}\napiVersion: x.io/v1\nkind: Thing\nspec:\n  <<: *a\n'), ['1:1 The kind has no field a here.'], 'a merged alias may have the field');
});

test('each document is validated against the schema of its kind, if the server has one', async () => {
  const two = `${thing('  sise: 1')}---\n${thing()}---\nkind: Thing\n`;
  assert.deepEqual(await warnings(two), ['5:3 The kind has no field sise here.']);
  assert.deepEqual(await warnings('apiVersion: x.io/v2\nkind: Thing\nsise: 1\n'), ['2:7 The server has no kind Thing in x.io/v2.']);
  const definition = 'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {group: x.io, names: {kind: Other}}\n---\napiVersion: x.io/v1\nkind: Other\n';
  assert.deepEqual((await warnings(definition)).filter((warning) => /Other/.test(warning)), [], 'the text itself defines the kind');
  const failing = { request: async () => ({ ok: false, status: 403 }) };
  assert.deepEqual(await warnings(thing('  sise: 1'), failing), []);
  assert.deepEqual(await warnings('apiVersion: x.io/v1\nkind: Thing\nspec: [\n'), [], 'the parser reports syntax errors');
});

test('the number of warnings is limited', async () => {
  const many = Array.from({ length: 500 }, (_, at) => `  a${at}: 1`);
  assert.equal((await warnings(thing(...many))).length, 50);
});
