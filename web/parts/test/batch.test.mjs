// Batches without a page: reviews and writes of several documents, also if one of them fails.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeAdvice } from '../src/advice.js';
import { Batch } from '../src/batch.js';
import { review } from '../src/review.js';
import { parse } from '../src/yaml.js';

const absent = (message = 'absent') => Object.assign(new Error(message), { code: 'not-found', status: 404 });
const JOB = 'apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: once-, namespace: shop}\n';
const MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: shop}\ndata: {a: "1"}\n';
const SPACE = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n';

/** A server that records the jobs it creates. It rejects objects in namespaces other than `namespaces`, also in a dry run. */
function serverOf({ namespaces = ['shop'], applied = () => {} } = {}) {
  const jobs = [];
  const exists = (space) => {
    if (!namespaces.includes(space)) throw absent(`namespaces "${space}" not found`);
  };
  const client = {
    get: async () => Promise.reject(absent()),
    create: async (object, { dryRun }) => {
      exists(object.metadata.namespace);
      const made = { ...object, metadata: { ...object.metadata, name: `once-${jobs.length}` } };
      if (!dryRun) jobs.push(made);
      return made;
    },
    apply: async (text, { dryRun, ref }) => {
      const [{ object }] = parse(text).documents;
      if (object.kind !== 'Namespace') exists(ref.metadata.namespace);
      if (dryRun) return object;
      applied(object);
      if (object.kind === 'Namespace') namespaces.push(object.metadata.name);
      return object;
    },
  };
  return { client, jobs };
}

const reviewed = (batch, client, ...texts) => batch.review(parse(texts.join('---\n')).documents, (document) => review(client, document, {}));

test('an object with a generated name is not created again after a later document failed', async () => {
  let fails = true;
  const { client, jobs } = serverOf({ applied: () => fails && assert.fail('no') });
  const batch = new Batch();
  const { all } = await reviewed(batch, client, JOB, MAP);
  await batch.send(client, all[0]);
  await assert.rejects(batch.send(client, all[1]));
  fails = false;
  const again = await reviewed(batch, client, JOB, MAP.replace('"1"', '"2"'));
  assert.deepEqual(again.all.map(({ method }) => method), ['none', 'apply']);
  for (const one of again.all) assert.ok(await batch.send(client, one));
  assert.equal(jobs.length, 1);
  // Each created object stands for one document: of two equal documents, the second one creates another Job.
  const twice = await reviewed(batch, client, JOB, JOB);
  assert.deepEqual(twice.all.map(({ method }) => method), ['none', 'create']);
  const other = await reviewed(batch, client, JOB.replace('once-', 'other-'));
  assert.deepEqual(other.all.map(({ method }) => method), ['create']);
});

test('documents in a namespace that an earlier document creates are not checked, and are created', async () => {
  const { client, jobs } = serverOf({ namespaces: [] });
  const batch = new Batch();
  const { all, failed } = await reviewed(batch, client, SPACE, MAP, JOB);
  assert.equal(failed, undefined);
  assert.deepEqual(all.map(({ method, isUnchecked = false }) => [method, isUnchecked]), [['apply', false], ['apply', true], ['create', true]]);
  assert.equal(all[1].after.data.a, '1');
  for (const one of all) await batch.send(client, one);
  assert.equal(jobs[0].metadata.namespace, 'shop');
});

test('a namespace that no earlier document creates is an error of the document', async () => {
  for (const texts of [[MAP], [MAP, SPACE], [SPACE.replace('shop', 'other'), MAP]]) {
    const { failed } = await reviewed(new Batch(), serverOf({ namespaces: [] }).client, ...texts);
    assert.deepEqual([failed.at, failed.error.message], [texts.indexOf(MAP), 'namespaces "shop" not found']);
  }
});

test('the advice about a write without a response says only that it may have been carried out', () => {
  const error = (code, request) => Object.assign(new Error(), { code, request });
  const unsure = 'The request may have been carried out: look before you send it again. The text is kept.';
  for (const code of ['network', 'timeout', 'decode']) assert.equal(writeAdvice(error(code, 'PATCH /api'), 0, 1), unsure);
  assert.equal(writeAdvice(error('network', 'POST /api'), 1, 3), `1 of 3 objects were applied. ${unsure}`);
  assert.equal(writeAdvice(error('network', 'GET /api'), 0, 1), 'Nothing was changed. The text is kept: review it again.', 'a read changes nothing');
  assert.equal(writeAdvice(error('invalid'), 0, 2), 'Nothing was changed. The text is kept: review it again.');
  assert.equal(writeAdvice(error('invalid'), 1, 2), '1 of 2 objects were applied. The text is kept: review it again.');
});
