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
