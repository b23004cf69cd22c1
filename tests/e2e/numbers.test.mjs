// Integers beyond the range of JavaScript numbers are shown as the server wrote them: in the YAML and in columns.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { PATIENCE, TEST, eventually, setStage } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

const options = { ...TEST, skip: stage.unavailable };
const LARGE = '9007199254740993';

test('the YAML of an object has the digits of the server', options, async () => {
  // A literal body, because JavaScript cannot represent the number.
  const pod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"large","namespace":"default"},
    "spec":{"terminationGracePeriodSeconds":${LARGE},"containers":[{"name":"c","image":"pause"}]}}`;
  await stage.kubectl(['create', '--validate=false', '-f', '-'], pod);
  const page = await stage.open('#/v1/pods?namespace=default&object=default%2Flarge&tab=yaml');
  const line = page.locator('.yaml .line', { hasText: 'terminationGracePeriodSeconds' });
  await line.waitFor({ timeout: PATIENCE });
  assert.equal((await line.innerText()).trim(), `terminationGracePeriodSeconds: ${LARGE}`);
  await page.context().close();
});

test('a column of a custom resource has the digits of the server', options, async () => {
  const schema = { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer', format: 'int64' } } } } };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } };
  version.additionalPrinterColumns = [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }];
  const names = { plural: 'lots', singular: 'lot', kind: 'Lot' };
  const spec = { group: 'numbers.example.dev', scope: 'Namespaced', names, versions: [version] };
  const definition = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'lots.numbers.example.dev' }, spec };
  await stage.kubectl(['create', '-f', '-'], JSON.stringify(definition));
  const lot = `{"apiVersion":"numbers.example.dev/v1","kind":"Lot","metadata":{"name":"large","namespace":"default"},"spec":{"size":${LARGE}}}`;
  // The server needs a moment before it serves the kind.
  await eventually('it can be created', PATIENCE, () => stage.kubectl(['create', '--validate=false', '-f', '-'], lot).then(() => true, () => false));
  const page = await stage.open('#/numbers.example.dev/v1/lots');
  // The columns of the definition may arrive after the row.
  const cell = page.locator('[role=row]', { hasText: 'large' }).locator('[role=gridcell][data-column=Size]');
  await cell.filter({ hasText: LARGE }).waitFor({ timeout: PATIENCE });
  await page.context().close();
});
