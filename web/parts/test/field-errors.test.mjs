// Field errors: messages of a real kube-apiserver (1.36), and the positions of their fields in a text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldErrors, segments } from '../src/field-errors.js';
import { locate } from '../src/yaml.js';

const fields = (message) => fieldErrors(message).map(({ field }) => field);

test('a strict decoding names the unknown and the duplicate fields', () => {
  assert.deepEqual(fieldErrors('Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.foo", duplicate field "spec.bar"'), [
    { field: 'spec.foo', message: 'The kind has no such field.' },
    { field: 'spec.bar', message: 'The field appears twice.' },
  ]);
});

test('a typed patch names one field, or several', () => {
  assert.deepEqual(fieldErrors('failed to create typed patch object (default/a; apps/v1, Kind=Deployment): .spec.foo: field not declared in schema.'), [
    { field: '.spec.foo', message: 'The kind has no such field.' },
  ]);
  const several = 'failed to create typed patch object (default/a; apps/v1, Kind=Deployment): errors:\n'
    + '  .spec.template.spec.containers[name="c"].image: expected string, got &value.valueUnstructured{Value:7}\n'
    + '  .spec.replicas: expected numeric (int or float), got string\n'
    + '  .metadata.annotations.example.com/x: expected string, got &value.valueUnstructured{Value:true}\n'
    + '  .spec.paused: expected boolean, got &{yes}.';
  assert.deepEqual(fieldErrors(several), [
    { field: '.spec.template.spec.containers[name="c"].image', message: 'expected string, got 7' },
    { field: '.spec.replicas', message: 'expected numeric (int or float), got string' },
    { field: '.metadata.annotations.example.com/x', message: 'expected string, got true' },
    { field: '.spec.paused', message: 'expected boolean, got yes' },
  ]);
});

test('a value of another type is named by its path', () => {
  const message = 'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32';
  assert.deepEqual(fieldErrors(message), [{ field: 'spec.replicas', message: 'The value is a string; the field’s type is int32.' }]);
});

test('no field is read out of other messages', () => {
  for (const message of ['', undefined, 'pods "a" not found', 'admission webhook "x" denied the request: .spec.foo: no', 'configmaps "a" is forbidden: .data: x']) {
    assert.deepEqual(fields(message), [], `${message}`);
  }
  const value = 'failed to create typed patch object (default/a; /v1, Kind=ConfigMap): .data.a: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"x":" .spec.b: y"}}';
  assert.deepEqual(fields(value), ['.data.a'], 'a value that looks like a message is not parsed');
});

test('the field of a path is found in the text: by index, by the keys of an item, by a key with dots', () => {
  const text = [
    'metadata:', '  annotations:', '    example.com/x: true', '    example.com/y: "1"', 'spec:', '  containers:', '  - name: x', '  - name: "y"', '    ports:',
    '    - containerPort: 80', '      name: web', '    - containerPort: 80', '      protocol: UDP', '  finalizers:', '  - a', '  - b/c', '',
  ].join('\n');
  const line = (field) => locate(text, segments(field)).line;
  assert.equal(line('.metadata.annotations.example.com/x'), 3);
  assert.equal(line('metadata.annotations[example.com/y]'), 4);
  assert.equal(line('spec.containers[1].ports'), 9);
  assert.equal(line('.spec.containers[name="y"].ports'), 9);
  assert.equal(line('.spec.containers[name="y"].ports[containerPort=80,protocol="TCP"].name'), 11);
  assert.equal(line('.spec.containers[name="y"].ports[containerPort=80,protocol="UDP"].protocol'), 13);
  assert.equal(line('.spec.containers[name="none"].image'), 6, 'the list, if it has no such item');
  assert.equal(line('.spec.finalizers[="b/c"]'), 16);
  assert.deepEqual(segments('.spec.a[x="]\\"",y=7][0].b'), ['spec', 'a', { keys: { x: ']"', y: 7 } }, 0, 'b']);
});
