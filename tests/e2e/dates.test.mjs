// Future times: a date column shows the remaining time, and an age is invalid, as in kubectl.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { PATIENCE, TEST, cell, eventually, freshness, row, setStage } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

const options = { ...TEST, skip: stage.unavailable };
const ns = 'moments';
const group = 'moments.example.dev';
const day = 86_400_000;

const create = (manifest) => stage.kubectl(['create', '--validate=false', '-f', '-'], JSON.stringify(manifest));
const box = (page) => page.getByRole('combobox', { name: 'Filter' });

before(async () => {
  if (stage.unavailable) return;
  await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } });
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const additionalPrinterColumns = [
    { name: 'Expires', type: 'date', jsonPath: '.spec.notAfter' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ];
  await create({
    apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: `passes.${group}` },
    spec: { group, scope: 'Namespaced', names: { plural: 'passes', singular: 'pass', kind: 'Pass', listKind: 'PassList' }, versions: [{ name: 'v1', served: true, storage: true, schema, additionalPrinterColumns }] },
  });
  for (const [name, days] of [['far', 404.5], ['near', 10.5], ['past', -5.5]]) {
    const notAfter = `${new Date(Date.now() + days * day).toISOString().slice(0, 19)}Z`;
    await eventually('the kind is served', PATIENCE, () =>
      create({ apiVersion: `${group}/v1`, kind: 'Pass', metadata: { name, namespace: ns }, spec: { notAfter } }).catch(() => false).then((out) => out !== false));
  }
});

test('a date ahead reads in which time it is, and is filtered by that', options, async () => {
  const page = await stage.open(`#/${group}/v1/passes?namespace=${ns}`);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  const expires = (name, text) => cell(page, `${ns}/${name}`, 'Expires').filter({ hasText: text }).waitFor({ timeout: PATIENCE });
  await expires('far', /^in 404d$/);
  await expires('near', /^in 10d$/);
  await expires('past', /^5d11h$|^5d12h$/);
  await box(page).fill('expires < 30d');
  await eventually('the far one is hidden', PATIENCE, async () => (await row(page, `${ns}/far`).count()) === 0 || !(await row(page, `${ns}/far`).isVisible()));
  assert.ok(await row(page, `${ns}/near`).isVisible());
  assert.ok(await row(page, `${ns}/past`).isVisible());
  await page.context().close();
});

test('an age ahead is invalid', options, async () => {
  const page = await stage.open();
  // The page's clock is an hour behind, so the creation time of a new object is in the future.
  await page.clock.setFixedTime(Date.now() - 3_600_000);
  await page.goto(stage.url(`?late#/${group}/v1/passes?namespace=${ns}`));
  await cell(page, `${ns}/far`, 'Age').filter({ hasText: /^<invalid>$/ }).waitFor({ timeout: PATIENCE });
  // The columns of the definition arrive later.
  await cell(page, `${ns}/far`, 'Expires').filter({ hasText: /^in 404d$/ }).waitFor({ timeout: PATIENCE });
  await page.context().close();
});
