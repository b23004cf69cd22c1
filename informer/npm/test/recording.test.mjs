// Recordings with a real engine and a real apiserver: the changes of the cluster, and its earlier states.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { PATIENCE, inEachHost, openPage, setStage } from './stage.mjs';

const stage = await setStage();
after(() => stage.end());

inEachHost(stage, ['shared', false], (inPage) => {
  inPage('changes are listed with their fields, and objects are restored', async ({ connected, ns, maps }) => {
    const informer = maps();
    const recording = await informer.recordChanges();
    connected.start();
    await recording.ready;
    const begun = recording.getSnapshot();
    await create(ns, 'web');
    await until('it is added', () => recording.getSnapshot().count === 1);
    await patch(ns, 'web', { team: 'shop' });
    await until('it has changed', () => recording.getSnapshot().count === 2);
    await patch(ns, 'web', { team: 'till', 'a.b': '1' });
    await until('it has changed again', () => recording.getSnapshot().count === 3);
    const [last] = await recording.changes({ limit: 1 });
    // Later changes have later times.
    await until('the clock goes on', () => Date.now() > last.time);
    await remove(ns, 'web');
    await until('it is deleted', () => recording.getSnapshot().count === 4);
    const changes = await recording.changes({ key: `${ns}/web` });
    const lines = changes.map(({ type, fields }) => [type, ...fields.map(({ path, before, after }) => `${path} ${JSON.stringify(before)} ${JSON.stringify(after)}`)]);
    const then = await recording.objectAt(`${ns}/web`, last.time);
    const none = [await recording.objectAt(`${ns}/web`, changes[0].time), await recording.objectAt(`${ns}/web`, recording.keptSince)];
    const older = await recording.changes({ before: last.id, until: last.time });
    const added = changes.at(-1).time;
    const between = await recording.differences({ since: added, until: last.time });
    const counts = await recording.countChanges({ since: recording.keptSince, until: Date.now(), parts: 3 });
    const spans = [between.map(({ key, type, fields }) => [key, type, fields.length]), (await recording.differences({ since: recording.keptSince })).length, counts.reduce((a, b) => a + b)];
    const early = await rejection(recording.objectAt(`${ns}/web`, 1));
    const isOrdered = changes.every(({ time, id }, at) => at === 0 || (time <= changes[at - 1].time && id < changes[at - 1].id));
    recording.close();
    return [begun.count, lines.map((line) => line.join(' ; ')), then.data, none, older.map(({ type }) => type), JSON.stringify(spans).replaceAll(ns, 'ns'), early.code, isOrdered, (await rejection(recording.changes())).code];
  }, ([count, lines, ...rest]) => {
    assert.equal(count, 0);
    assert.deepEqual(lines.map((line) => line.split(' ')[0]), ['deleted', 'changed', 'changed', 'added']);
    assert.match(lines[1], /\.data\.a\\\.b undefined "1"/);
    assert.match(lines[1], /\.data\.team "shop" "till"/);
    assert.equal(lines[2], 'changed ; .data.team undefined "shop"');
    assert.deepEqual(rest, [{ step: '1', team: 'till', 'a.b': '1' }, [null, null], ['changed', 'added'], '[[["ns/web","changed",2]],0,4]', 'expired', true, 'closed']);
  });

  inPage('views, aggregates and followed objects are rewound, and return to the present', async ({ connected, ns, maps }) => {
    const informer = maps();
    const [view, recording] = [informer.view({ window: [0, 9] }), await informer.recordChanges()];
    const [aggregate, object] = [await informer.aggregate(), informer.object(`${ns}/web`)];
    connected.start();
    await Promise.all([recording.ready, view.ready, aggregate.ready]);
    const shown = () => [view.getSnapshot().rows.map(({ metadata }) => metadata.name), aggregate.getSnapshot().total[0], object.getSnapshot()?.data?.team ?? null];
    const shows = (...expected) => until(JSON.stringify(expected), () => JSON.stringify(shown()) === JSON.stringify(expected));
    await create(ns, 'web');
    await patch(ns, 'web', { team: 'shop' });
    await shows(['web'], 1, 'shop');
    const [{ time }] = await recording.changes({ limit: 1 });
    await until('the clock goes on', () => Date.now() > time + 1);
    await patch(ns, 'web', { team: 'till' });
    await create(ns, 'till');
    await shows(['till', 'web'], 2, 'till');
    await recording.rewind(time);
    await shows(['web'], 1, 'shop');
    const during = recording.getSnapshot().time === time;
    await remove(ns, 'web');
    await until('it is deleted', async () => (await recording.changes({ limit: 1 }))[0].type === 'deleted');
    await shows(['web'], 1, 'shop');
    const later = informer.view({ window: [0, 9] });
    await later.ready;
    const rows = later.getSnapshot().rows.length;
    await recording.rewind(null);
    await shows(['till'], 1, null);
    const codes = [(await rejection(recording.rewind(1))).code, (await rejection(recording.rewind('now'))).code, (await rejection(recording.rewind())).code];
    recording.close();
    return [during, rows, codes, (await rejection(recording.rewind(null))).code];
  }, assert.deepEqual, [true, 1, ['expired', 'bad-request', 'bad-request'], 'closed']);

  inPage('of secrets only that they changed is recorded', async ({ connected, ns }) => {
    const informer = connected.forResource('v1/secrets', { namespace: ns });
    const recording = await informer.recordChanges();
    connected.start();
    await recording.ready;
    const secrets = `/api/v1/namespaces/${ns}/secrets`;
    await api('POST', secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key' }, data: { token: 'aHVzaA==' } });
    await api('PATCH', `${secrets}/key`, { data: { token: 'cXVpZXQ=' } }, 'application/merge-patch+json');
    await until('both are recorded', () => recording.getSnapshot().count >= 2);
    const changes = await recording.changes();
    const refused = await rejection(recording.objectAt(`${ns}/key`, Date.now()));
    return [changes.at(-1).type, changes.at(-2).type, changes.flatMap(({ fields }) => fields), refused.code];
  }, assert.deepEqual, ['added', 'changed', [], 'bad-request']);

  inPage('invalid options, and an informer that is stopped', async ({ maps }) => {
    const informer = maps();
    const recording = await informer.recordChanges();
    const codes = [];
    for (const call of [() => informer.recordChanges({ maxBytes: 0 }), () => recording.changes({ limit: 0 }), () => recording.objectAt('', 1)]) {
      codes.push((await rejection(call())).code);
    }
    const waiting = rejection(recording.ready);
    await informer.stop();
    return [codes, (await waiting).code, (await rejection(informer.recordChanges())).code];
  }, assert.deepEqual, [Array(3).fill('bad-request'), 'closed', 'closed']);
});

test('the example of README runs', { timeout: PATIENCE }, async () => {
  const all = [...readFileSync(join(stage.folder, 'README.md'), 'utf8').matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code);
  const examples = all.filter((code) => code.includes('.recordChanges('));
  assert.equal(examples.length, 1);
  const example = examples[0].replace('Date.now() - 60_000', 'recording.keptSince');
  const before = 'import { connect } from "kube-informer"; const factory = await connect(), pods = factory.forResource("v1/pods"); factory.start();';
  stage.front.made.set('/made/recording.js', `${before}${example}; export const found = [changes.length, before];`);
  const { page, errors } = await openPage(stage, await stage.browser.newContext());
  assert.deepEqual(await page.evaluate('import("/made/recording.js").then(({ found }) => found)'), [0, null]);
  await page.context().close();
  assert.deepEqual(errors, []);
});
