// Features for a dashboard, with a real engine: kubectl's columns, counts, totals, a frozen order, one followed object, a
// prestart, and a page under Trusted Types.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { PATIENCE, eventually, inEachHost, openPage, setStage } from './stage.mjs';

const stage = await setStage();
after(() => stage.end());

test('the example of columns of one\'s own in README runs', { timeout: PATIENCE }, async () => {
  const context = await stage.browser.newContext();
  const { page, errors } = await openPage(stage, context);
  const examples = [...readFileSync(join(stage.folder, 'README.md'), 'utf8').matchAll(/```js\n(.*?)```/gs)];
  const [, example] = examples.find(([, code]) => code.includes('extraColumns'));
  stage.front.made.set('/made/columns.js', `const pods = window.pods; ${example}; export { byTeam };`);
  const columns = await page.evaluate(async () => {
    const { connect } = await import('kube-informer');
    const factory = await connect({ worker: false });
    window.pods = factory.forResource('v1/pods');
    const { byTeam } = await import('/made/columns.js');
    factory.start();
    await byTeam.ready;
    const names = byTeam.columns.slice(-2).map(({ name }) => name).sort();
    await factory.shutdown();
    return names;
  });
  assert.deepEqual([columns, errors], [['gpu', 'team'], []]);
  await context.close();
});

inEachHost(stage, ['shared', false], (inPage) => {
  inPage('a view has the columns, the cells and the totals of kubectl', async ({ connected, ns, maps }) => {
    const view = maps().view({ columns: 'kubectl' });
    connected.start();
    await view.ready;
    await create(ns, 'b');
    await create(ns, 'a');
    await until('two rows', () => view.getSnapshot().total === 2);
    const { rows, unfiltered, hasSynced, query } = view.getSnapshot();
    const [{ key, uid, gone, cells }] = rows;
    const age = cells[view.columns.findIndex(({ name }) => name === 'Age')];
    return [view.columns.map(({ name, type, priority }) => `${name} ${type} ${priority}`), key === `${ns}/a`, uid.length > 8, gone,
      cells.slice(1, 3), Math.abs(Date.now() - age.time) < 3_600_000, unfiltered, hasSynced, query];
  }, assert.deepEqual, [['Namespace string 0', 'Name string 0', 'Data number 0', 'Age string 0'], true, true, false, ['a', 1], true, 2, true,
    { filter: '', namespaces: [], orderBy: [], counts: [] }]);

  inPage('columns of its own follow those of kubectl, and are filtered, sorted and counted', async ({ connected, ns, maps }) => {
    const view = maps().view({ columns: 'kubectl', extraColumns: { size: '.data.size', team: 'metadata.name' }, orderBy: [['team', 'desc']], counts: ['team'] });
    connected.start();
    await view.ready;
    for (const name of ['a', 'b', 'c']) await create(ns, name);
    view.change({ filter: 'team!=b size=', orderBy: [['team', 'desc']], counts: ['team'] });
    await until('two rows and their counts', () => view.getSnapshot().total === 2 && view.counts.columns[0]?.values.length === 2);
    const broken = maps().view({ columns: 'kubectl', extraColumns: { x: '{.a' } });
    const reason = await broken.ready.catch((error) => error);
    return [view.columns.slice(-2).map(({ name }) => name), view.getSnapshot().rows.map(({ cells }) => cells.slice(-2)), reason.code, reason.message.slice(0, 44)];
  }, assert.deepEqual, [['size', 'team'], [[null, 'c'], [null, 'a']], 'bad-request', 'column "x": invalid JSONPath "{.a" at byte 3']);

  inPage('values are counted, of the view and for another filter, and a wrong filter says where', async ({ connected, ns, maps }) => {
    const view = maps().view({ columns: 'kubectl', counts: ['Namespace'] });
    connected.start();
    await view.ready;
    for (const name of ['a', 'b', 'c']) await create(ns, name);
    const counted = () => view.counts.columns[0]?.values.map(({ value, count }) => `${value === ns} ${count}`).join();
    await until('all are counted', () => counted() === 'true 3');
    view.change({ filter: 'name=b', counts: ['Namespace'], window: [0, 5] });
    // Counts and rows of a query come in messages of their own.
    const same = await until('one is counted', () => counted() === 'true 1' && view.counts.query === view.getSnapshot().query);
    const { column, values } = await view.countValues({ column: 'namespace', containing: ns.slice(2).toUpperCase() });
    view.change({ filter: 'colour=red' });
    await until('it is judged', () => !view.pending);
    return [same, column, values.map(({ value, count }) => `${value === ns} ${count}`), view.error.code, view.error.range, view.error.query.filter, view.getSnapshot().query.filter];
  }, assert.deepEqual, [true, 'namespace', ['true 3'], 'bad-request', [0, 6], 'colour=red', 'name=b']);

  inPage('in a frozen order no row moves, and one that is gone says so', async ({ connected, ns, maps }) => {
    const view = maps().view({ columns: 'kubectl', window: [0, 9] });
    connected.start();
    await view.ready;
    for (const name of ['b', 'c']) await create(ns, name);
    const shown = () => view.getSnapshot().rows.map(({ key, gone }) => `${key.split('/')[1]}${gone ? ' gone' : ''}`).join();
    await until('two rows', () => shown() === 'b,c');
    view.freezeOrder(true);
    await create(ns, 'a');
    await remove(ns, 'b');
    await until('b is gone', () => /b gone/.test(shown()));
    const frozen = shown();
    view.freezeOrder(false);
    await until('the rows move', () => shown() === 'a,c');
    return frozen.startsWith('b gone,c');
  });

  inPage('one object is followed from before it is there until it is gone', async ({ connected, ns, maps }) => {
    const informer = maps();
    connected.start();
    await informer.synced;
    const store = informer.object(`${ns}/one`);
    await until('there is none', () => store.getSnapshot() === null);
    await create(ns, 'one');
    await until('it is there', () => store.getSnapshot()?.metadata.name === 'one');
    await patch(ns, 'one', { step: '2' });
    await until('it has changed', () => store.getSnapshot().data.step === '2');
    const same = JSON.stringify(JSON.parse(store.text())) === JSON.stringify(store.getSnapshot());
    await remove(ns, 'one');
    await until('it is gone', () => store.text() === null);
    return same;
  });
});

test('the table of README runs', { timeout: PATIENCE }, async () => {
  const examples = [...readFileSync(join(stage.folder, 'README.md'), 'utf8').matchAll(/```js\n(.*?)```/gs)];
  const [, example] = examples.find(([, code]) => code.includes('columns: "kubectl"'));
  const before = 'import { connect } from "kube-informer"; const factory = await connect(), pods = factory.forResource("v1/pods"); factory.start();';
  stage.front.made.set('/made/table.js', `${before}${example}; export const names = table.columns.map(({ name }) => name);`);
  const { page, errors } = await openPage(stage, await stage.browser.newContext());
  assert.ok((await page.evaluate('import("/made/table.js").then(({ names }) => names)')).includes('Restarts'));
  await page.context().close();
  assert.deepEqual(errors, []);
});

test('a prestarted informer lists before the page requests it, and forResource() returns it', { timeout: PATIENCE }, async () => {
  const { page, errors } = await openPage(stage, await stage.browser.newContext());
  stage.front.asked.length = 0;
  await page.evaluate(async () => {
    const { connect } = await import('kube-informer');
    window.factory = await connect({ prestart: [['v1/secrets']], awaitEngine: false });
  });
  const lists = () => stage.front.asked.filter((url) => url.startsWith('/api/v1/secrets') && !url.includes('watch=')).length;
  await eventually('a list without a request of the page', () => lists() > 0);
  const synced = await page.evaluate(async () => {
    const secrets = factory.forResource('v1/secrets');
    factory.start();
    await secrets.synced;
    return secrets.hasSynced;
  });
  assert.deepEqual([synced, lists()], [true, 1]);
  await page.context().close();
  assert.deepEqual(errors, []);
});

test('it runs under Trusted Types that allow its policy, in a shared and in a dedicated worker', { timeout: PATIENCE }, async () => {
  const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; require-trusted-types-for 'script'; trusted-types kube-informer";
  stage.front.made.set('/trusted.html', `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}"><title>test</title>`);
  const context = await stage.browser.newContext();
  const page = await context.newPage();
  await page.goto(`${stage.origin}/trusted.html`);
  for (const worker of ['shared', 'dedicated']) {
    const synced = await page.evaluate(async (worker) => {
      const { connect } = await import('/package/dist/index.js');
      const factory = await connect({ worker });
      const nodes = factory.forResource('v1/nodes');
      factory.start();
      await nodes.synced;
      await factory.shutdown();
      return nodes.hasSynced;
    }, worker);
    assert.equal(synced, true, worker);
  }
  await context.close();
});
