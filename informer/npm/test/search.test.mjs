// Search with a real engine and a real apiserver: matches, the places where words are found, and rejected requests.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { PATIENCE, inEachHost, openPage, setStage } from './stage.mjs';

const stage = await setStage();
after(() => stage.end());

inEachHost(stage, ['shared', false], (inPage) => {
  inPage('an object is found by name, label, column and index, before and after a change', async ({ connected, ns, maps }) => {
    const informer = maps();
    connected.start();
    await informer.addIndexers({ team: '{.data.team}' });
    for (const name of ['cart', 'cart-settings', 'till']) await create(ns, name);
    await patch(ns, 'till', { team: 'checkout' });
    await until('three objects', async () => (await informer.search('t')).total === 3);
    const found = async (words, options) => {
      const { matches } = await informer.search(words, options);
      return matches.map((match) => `${match.key.split('/')[1]}:${match.in}:${match.name}`);
    };
    const indexes = ['team', 'unknown'];
    await until('the index follows', async () => (await found('checkout', { indexes })).length === 1);
    const results = [await found('CART'), await found('checkout'), await found('checkout', { indexes }), await found('till checkout', { indexes }), await found(' ')];
    const { total, of, matches } = await informer.search('cart', { limit: 1 });
    await remove(ns, 'cart');
    await until('the deleted object is not found', async () => (await found('cart')).join() === 'cart-settings:name:');
    return [results, total, of, matches.length];
  }, assert.deepEqual, [[['cart:name:', 'cart-settings:name:'], [], ['till:index:team'], ['till:index:team'], []], 2, 3, 1]);

  inPage('invalid arguments, and an informer that is stopped', async ({ maps }) => {
    const informer = maps();
    const refused = [[undefined], [7], ['a', { limit: -1 }], ['a', { columns: 'IP' }], ['a', { indexes: [7] }], ['a', { colour: 'red' }]];
    const codes = [];
    for (const given of refused) codes.push((await rejection(informer.search(...given))).code);
    await informer.stop();
    return [codes, (await rejection(informer.search('a'))).code];
  }, assert.deepEqual, [Array(6).fill('bad-request'), 'closed']);
});

test('the example of README runs', { timeout: PATIENCE }, async () => {
  const all = [...readFileSync(join(stage.folder, 'README.md'), 'utf8').matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code);
  const examples = all.filter((code) => code.includes('.search('));
  assert.equal(examples.length, 1);
  const before = 'import { connect } from "kube-informer"; const factory = await connect(), pods = factory.forResource("v1/pods"); factory.start();';
  stage.front.made.set('/made/search.js', `${before}${examples[0]}; export const found = [total, matches.length];`);
  const { page, errors } = await openPage(stage, await stage.browser.newContext());
  assert.deepEqual(await page.evaluate('import("/made/search.js").then(({ found }) => found)'), [0, 0]);
  await page.context().close();
  assert.deepEqual(errors, []);
});
