// A view as a dashboard's table uses it: kubectl's columns, counts, totals, the query in force, a frozen order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Page, state } from './engine.mjs';
import { paint } from './frames.mjs';

/** A table of pods, and the engine's hand on it. */
async function open(options) {
  const page = await Page.connected();
  const informer = page.factory().forResource('v1/pods');
  const view = informer.view({ columns: 'kubectl', ...options });
  const { view: id, options: opened } = page.engine.take('openView')[0];
  const say = (message) => page.engine.say({ view: id, ...message });
  const columns = () => say({ type: 'columns', columns: [{ name: 'Name', wide: false, numeric: false }, { name: 'Restarts', wide: true, numeric: true }] });
  const result = (queryId, rejection) => say({ type: 'result', queryId, rejection });
  const rows = (queryId, changed, more) => say({ type: 'view', queryId, revision: 1, total: 1, of: 3, synced: true, start: 0, end: 1, rows: changed, ...more });
  const facets = (queryId, ...values) => say({ type: 'facets', queryId, facets: [{ column: 'Status', values, more: 2 }] });
  return { page, informer, view, id, opened, say, columns, result, rows, facets };
}

const row = (cells, more) => ({ index: 0, key: 'n/a', uid: 'u', gone: false, cells, ...more });

test('without columns of its own it has those of kubectl, once they are known', async () => {
  const { view, opened, columns } = await open({ counts: ['Status'] });
  assert.deepEqual([opened.objects, opened.columns, opened.facets], [undefined, undefined, ['Status']]);
  assert.deepEqual(view.columns, []);
  let told = 0;
  view.subscribe(() => told++);
  columns();
  paint();
  assert.deepEqual([told, view.columns], [1, [{ name: 'Name', type: 'string', priority: 0 }, { name: 'Restarts', type: 'number', priority: 1 }]]);
  assert.ok(Object.isFrozen(view.columns) && Object.isFrozen(view.columns[0]));
  for (const wrong of ['wide', 5, null]) await assert.rejects(open({ columns: wrong }), { code: 'bad-request' });
});

test('columns of its own are added to those of kubectl', async () => {
  const { opened, page } = await open({ extraColumns: { team: 'metadata.labels.team' } });
  assert.deepEqual([opened.extraColumns, opened.columns], [{ team: 'metadata.labels.team' }, undefined]);
  assert.equal('extraColumns' in (await open()).opened, false);
  const informer = page.factory().forResource('v1/pods');
  for (const [wrong, message] of [
    [{ extraColumns: { a: '.a' } }, /`extraColumns` must be omitted without `columns: "kubectl"`/],
    [{ columns: { b: '.b' }, extraColumns: {} }, /`extraColumns` must be omitted/],
    [{ columns: 'kubectl', extraColumns: { a: 5 } }, /`extraColumns.a` must be a JSONPath/],
    [{ columns: 'kubectl', extraColumns: null }, /`extraColumns` must be an object of JSONPaths/],
  ]) assert.throws(() => informer.view(wrong), { code: 'bad-request', message });
});

test('a cell is a text, a number, null, or an object that changes with time', async () => {
  const { view, columns, result, rows } = await open();
  columns();
  result(1);
  const cells = [{ text: '<b>' }, { text: '' }, { number: 0 }, 'none', { time: 5 }, { restarts: [3, null] }, { restarts: [0, 7] }, { duration: [1, null] }, { duration: [1, 2] }];
  rows(1, [row(cells)]);
  const [shown] = view.getSnapshot().rows;
  assert.deepEqual(shown, {
    key: 'n/a', uid: 'u', gone: false,
    cells: ['<b>', '', 0, null, { time: 5 }, { restarts: 3, lastAt: null }, { restarts: 0, lastAt: 7 }, { from: 1, to: null }, { from: 1, to: 2 }],
  });
  assert.ok([shown, shown.cells, shown.cells[4], shown.cells[5], shown.cells[7]].every(Object.isFrozen));
  rows(1, [row(cells, { gone: true })]);
  assert.equal(view.getSnapshot().rows[0].gone, true);
});

test('a snapshot has the totals and the query of its rows', async () => {
  const { view, columns, result, rows } = await open({ filter: 'web', counts: ['Status'] });
  assert.deepEqual([view.getSnapshot().query, view.getSnapshot().hasSynced, view.pending], [null, false, true]);
  columns();
  rows(1, [row([])], { synced: false });
  const { query } = view.getSnapshot();
  assert.deepEqual([query, view.getSnapshot().total, view.getSnapshot().unfiltered, view.getSnapshot().hasSynced], [{ filter: 'web', namespaces: [], orderBy: [], counts: ['Status'] }, 1, 3, false]);
  result(1);
  assert.deepEqual([view.getSnapshot().query === query, view.pending], [true, false], 'the answer behind the rows is no news');
  view.change({ filter: 'shop', window: [0, 9] });
  view.change({ filter: '(' });
  assert.equal(view.pending, true);
  rows(2, []);
  assert.equal(view.getSnapshot().query.filter, 'shop', 'rows may come before the answer');
  result(2);
  result(3, { error: { code: 'bad-request', message: 'no', retryable: false }, start: 0, end: 1 });
  assert.deepEqual([view.getSnapshot().query.filter, view.pending], ['shop', false]);
  assert.deepEqual([view.error.message, view.error.query.filter, view.error.range], ['no', '(', [0, 1]]);
  const before = view.getSnapshot();
  view.change({ filter: 'shop', orderBy: [['name']] });
  result(4);
  const after = view.getSnapshot();
  assert.deepEqual([after.query.orderBy, after.rows === before.rows, after.revision > before.revision, view.error], [[['name']], true, true, null], 'the same rows may answer another query');
});

test('a window that comes with a query is in force with it, and then opens the next engine', async () => {
  const { page, view, columns, result } = await open({ window: [10, 20] });
  columns();
  result(1);
  view.change({ filter: 'x', window: [0, 10] });
  assert.deepEqual(page.engine.take('changeView')[0].window, { start: 0, end: 10 });
  result(2);
  view.change({ filter: 'y', window: 'all' });
  result(3, { error: { code: 'bad-request', message: 'no', retryable: false }, start: 0, end: 0 });
  assert.equal(view.error.range, null);
  assert.throws(() => view.change({ window: [5, 1] }), { code: 'bad-request' });
  await page.crash();
  const [{ queryId, options }] = page.engine.take('openView');
  assert.deepEqual([queryId, options.filter, options.start, options.end, options.window], [2, 'x', 0, 10, undefined]);
});

test('values are counted over the rows of the query in the snapshot', async () => {
  const { page, view, columns, result, rows, facets } = await open({ counts: ['Status'] });
  assert.deepEqual(view.counts, { query: null, columns: [] });
  columns();
  result(1);
  rows(1, []);
  facets(1, { value: 'Running', count: 2 });
  const { counts } = view;
  assert.deepEqual([counts.query, counts.columns], [view.getSnapshot().query, [{ column: 'Status', values: [{ value: 'Running', count: 2 }], more: 2 }]]);
  view.change({ filter: 'web', counts: ['Status'] });
  assert.equal(view.counts, counts);
  facets(2);
  assert.deepEqual([view.counts.query.filter, view.counts.columns[0].values], ['web', []]);
  assert.throws(() => view.change({ counts: 'Status' }), { code: 'bad-request' });
  rows(2, []);
  await page.crash();
  facets(2, { value: 'Pending', count: 1 });
  assert.deepEqual(view.counts.columns[0].values, [], 'another engine does not know all rows yet');
  rows(2, [], { synced: false });
  rows(2, []);
  assert.equal(view.counts.columns[0].values[0].value, 'Pending');
});

test('values of a column are counted once, over rows of any filter', async () => {
  const { page, informer, view, id } = await open();
  const asked = view.countValues({ column: 'status', containing: 'ru', filter: 'web' });
  const [request] = page.engine.take('askView');
  assert.deepEqual([request.view, request.ask.values], [id, { column: 'status', filter: 'web', containing: 'ru' }]);
  page.engine.answer(request, { column: 'Status', values: [], more: 0 });
  assert.deepEqual(await asked, { column: 'Status', values: [], more: 0 });
  assert.throws(() => view.countValues({ column: 5 }), { code: 'bad-request' });
  const left = view.countValues({ column: 'status' });
  await informer.stop();
  assert.match(await state(left), /stopped/);
  assert.match(await state(view.countValues({ column: 'status' })), /stopped/);
});

test('an order is frozen until it is unfrozen or another query is applied, and a new engine freezes it too', async () => {
  const { page, view, columns, result, rows } = await open();
  columns();
  result(1);
  rows(1, []);
  view.freezeOrder(true);
  assert.deepEqual(page.engine.take('freeze').map(({ frozen }) => frozen), [true]);
  await page.crash();
  rows(1, [], { synced: false });
  assert.deepEqual(page.engine.take('freeze'), [], 'not before all rows have their places');
  rows(1, []);
  assert.deepEqual(page.engine.take('freeze').map(({ frozen }) => frozen), [true]);
  view.change({ filter: 'x' });
  result(2);
  await page.crash();
  rows(2, []);
  assert.deepEqual(page.engine.take('freeze'), []);
});
