// Objects in a page: integers beyond 2^53, in reads, handlers and views.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PATIENCE, openPage, setStage } from './stage.mjs';

const stage = await setStage();
after(() => stage.end());

const LARGE = '9007199254740993';

test('large integers are rounded, BigInt or text, by the option of connect()', { timeout: PATIENCE }, async () => {
  const { page } = await openPage(stage, await stage.browser.newContext());
  // A literal body, because JavaScript cannot represent the number.
  const body = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"large"},
    "spec":{"securityContext":{"runAsUser":${LARGE}},"containers":[{"name":"c","image":"pause"}]}}`;
  const found = await page.evaluate(async ([body]) => {
    const { connect } = await import('kube-informer');
    await namespace('large');
    const headers = { 'content-type': 'application/json' };
    const made = await fetch('/api/v1/namespaces/large/pods', { method: 'POST', headers, body });
    if (!made.ok) throw new Error(await made.text());
    const found = {};
    for (const largeIntegers of [undefined, 'number', 'bigint', 'text']) {
      const factory = await connect({ largeIntegers });
      const pods = factory.forResource('v1/pods', { namespace: 'large' });
      const told = new Promise((onAdd) => pods.addEventHandler({ onAdd }));
      factory.start();
      const [whole, columns] = [pods.view(), pods.view({ columns: { user: '.spec.securityContext.runAsUser' } })];
      await Promise.all([whole.ready, columns.ready]);
      const objects = [await pods.lister.get('large/large'), await told, whole.getSnapshot().rows[0]];
      const values = objects.map(({ spec }) => spec.securityContext.runAsUser);
      values.push(columns.getSnapshot().rows[0].user);
      found[largeIntegers] = values.map((value) => `${typeof value} ${value}`);
      await factory.shutdown();
    }
    return found;
  }, [body]);
  const column = `string ${LARGE}`;
  const rounded = Array(3).fill('number 9007199254740992');
  assert.deepEqual(found, {
    undefined: [...rounded, column],
    number: [...rounded, column],
    bigint: [...Array(3).fill(`bigint ${LARGE}`), column],
    text: [...Array(3).fill(`string ${LARGE}`), column],
  });
});

test('a transform keeps and removes fields, in reads, handlers and views', { timeout: PATIENCE }, async () => {
  const { page, errors } = await openPage(stage, await stage.browser.newContext());
  const found = await page.evaluate(async () => {
    const { connect } = await import('kube-informer');
    const ns = await namespace('transformed');
    await create(ns, 'a');
    const factory = await connect();
    const columns = { step: '{.data.step}', name: '{.metadata.name}' };
    const described = async (transform) => {
      const maps = factory.forResource('v1/configmaps', { namespace: ns, transform });
      const told = new Promise((onAdd) => maps.addEventHandler({ onAdd }));
      factory.start();
      const view = maps.view({ columns });
      await Promise.all([view.ready, told]);
      const [read] = await maps.lister.list();
      await maps.stop();
      const of = ({ metadata, data }) => `${'managedFields' in metadata} ${data?.step}`;
      return [of(read), of(await told), `${view.getSnapshot().rows[0].step}`];
    };
    const plain = await described();
    const dropped = await described({ drop: ['.data'] });
    const invalid = factory.forResource('v1/configmaps', { transform: { drop: ['.data[0]'] } });
    const error = await new Promise((resolve) => invalid.addEventListener('error', ({ error }) => resolve(error), { once: true }));
    return { plain, dropped, kept: await described({ keepManagedFields: true }), error: [error.code, error.message], phase: invalid.status.phase };
  });
  assert.deepEqual(found.plain, ['false 1', 'false 1', '1']);
  assert.deepEqual(found.dropped.slice(0, 2), ['false undefined', 'false undefined']);
  assert.notEqual(found.dropped[2], '1');
  assert.deepEqual(found.kept, ['true 1', 'true 1', '1']);
  assert.equal(found.error[0], 'bad-request');
  assert.match(found.error[1], /invalid path to drop "\.data\[0\]" at byte 5/);
  assert.equal(found.phase, 'failed');
  assert.deepEqual(errors, []);
});

test('waitFor() resolves when the object has the state, comes or goes', { timeout: PATIENCE }, async () => {
  const { page, errors } = await openPage(stage, await stage.browser.newContext());
  const found = await page.evaluate(async () => {
    const { connect } = await import('kube-informer');
    const ns = await namespace('waited');
    const factory = await connect();
    const maps = factory.forResource('v1/configmaps', { namespace: ns });
    factory.start();
    const key = `${ns}/a`;
    const comes = maps.waitFor((map) => map !== undefined, key);
    const steps = maps.waitFor((map) => map?.data?.step === '2', key, { timeoutMs: 120_000 });
    await maps.synced;
    await create(ns, 'a');
    const first = (await comes).data.step;
    await patch(ns, 'a', { step: '2' });
    const second = (await steps).data.step;
    const goes = maps.waitFor((map) => map === undefined, key);
    await remove(ns, 'a');
    return { first, second, gone: (await goes) === undefined, late: (await rejection(maps.waitFor((map) => map, key, { timeoutMs: 1 }))).code };
  });
  assert.deepEqual(found, { first: '1', second: '2', gone: true, late: 'timeout' });
  assert.deepEqual(errors, []);
});
