// Aggregates with a real engine and a real apiserver: groups that follow what happens in the cluster.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { PATIENCE, inEachHost, openPage, setStage } from './stage.mjs';

const stage = await setStage();
after(() => stage.end());

inEachHost(stage, ['shared', false], (inPage) => {
  inPage('groups follow what is created, changed and deleted', async ({ connected, ns, maps }) => {
    const informer = maps();
    const columns = { team: '{.data.team}', cpu: '{.data.cpu}' };
    const of = [{ op: 'count' }, { op: 'sum', column: 'cpu' }, { op: 'max', column: 'cpu' }];
    const aggregate = await informer.aggregate({ by: ['team'], of, columns, filter: 'team!=' });
    const total = await informer.aggregate();
    connected.start();
    await Promise.all([aggregate.ready, total.ready]);
    const lines = () => aggregate.getSnapshot().groups.map(({ key, values }) => `${key}=${values}`).join(' ');
    const empty = [lines(), aggregate.getSnapshot().total.join()];
    for (const [name, data] of Object.entries({ a: { team: 'x', cpu: '100m' }, b: { team: 'x', cpu: '0.2' }, c: { team: 'y', cpu: '1' }, d: { team: 'x' }, e: {} })) {
      await create(ns, name);
      await patch(ns, name, data);
    }
    await until('all are counted', () => lines() === 'x=3,0.3,0.2 y=1,1,1' && total.getSnapshot().total[0] === 5);
    const [, y] = aggregate.getSnapshot().groups;
    await patch(ns, 'b', { cpu: '2Ki' });
    await until('the sum follows', () => lines() === 'x=3,2048.1,2048 y=1,1,1');
    const isSame = aggregate.getSnapshot().groups[1] === y;
    await remove(ns, 'b');
    await remove(ns, 'a');
    await until('what was deleted is gone', () => lines() === 'x=1,0, y=1,1,1');
    await patch(ns, 'c', { team: 'z' });
    await until('another group', () => lines() === 'x=1,0, z=1,1,1');
    const { more, total: sums, hasSynced } = aggregate.getSnapshot();
    aggregate.close();
    total.close();
    return [empty, isSame, more, sums, hasSynced];
  }, assert.deepEqual, [['', '0,0,'], true, 0, [2, 1, 1], true]);

  inPage('columns of kubectl, a limit, and invalid options', async ({ connected, ns, maps }) => {
    const informer = maps();
    connected.start();
    for (const name of ['a', 'b', 'c']) await create(ns, name);
    await patch(ns, 'c', { more: '1' });
    const of = [{ op: 'count' }, { op: 'sum', column: 'data' }, { op: 'min', column: 'age' }];
    const aggregate = await informer.aggregate({ by: ['Data'], of, limit: 1 });
    await aggregate.ready;
    const first = () => aggregate.getSnapshot().groups[0]?.values.slice(0, 2).join();
    await until('two groups', () => first() === '2,2' && aggregate.getSnapshot().more === 1);
    const { groups, total } = aggregate.getSnapshot();
    const isNow = Math.abs(Date.now() - total[2]) < 3_600_000;
    const further = await informer.aggregate({ by: ['Data', 'more'], filter: 'data>0', extraColumns: { more: '{.data.more}' } });
    await further.ready;
    await until('kubectl\'s column and a further one', () => further.getSnapshot().groups.some(({ key }) => key.join() === '2,1'));
    const wrong = await informer.aggregate({ filter: 'a colour=red' });
    const why = await rejection(wrong.ready);
    const unknown = await informer.aggregate({ by: ['colour'] });
    const { message } = await rejection(unknown.ready);
    return [groups[0].key, total.slice(0, 2), isNow, why.code, wrong.error.range, unknown.error.range, message.split(':')[0],
      (await rejection(informer.aggregate({ by: 'data' }))).code];
  }, assert.deepEqual, [['1'], [3, 4], true, 'bad-request', [2, 8], null, 'cannot group by "colour"', 'bad-request']);
});

test('the examples of README run', { timeout: PATIENCE }, async () => {
  const all = [...readFileSync(join(stage.folder, 'README.md'), 'utf8').matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code);
  const examples = all.filter((code) => code.includes('.aggregate('));
  assert.equal(examples.length, 2);
  const before = 'import { connect } from "kube-informer"; const factory = await connect(), pods = factory.forResource("v1/pods"), render = () => {}; factory.start();';
  const after = 'await usage.ready; export const synced = [usage, states].map((one) => one.getSnapshot().hasSynced);';
  stage.front.made.set('/made/aggregate.js', `${before}${examples.join('')}${after}`);
  const { page, errors } = await openPage(stage, await stage.browser.newContext());
  assert.deepEqual(await page.evaluate('import("/made/aggregate.js").then(({ synced }) => synced)'), [true, true]);
  await page.context().close();
  assert.deepEqual(errors, []);
});
