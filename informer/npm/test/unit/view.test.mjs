// View of a page: its requests, its rows, and its notifications.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { object, Page, state } from './engine.mjs';
import { frames, paint } from './frames.mjs';

/** A view of pods, and the engine's hand on it. */
async function open(options) {
  const page = await Page.connected();
  const informer = page.factory().forResource('v1/pods');
  const [{ informer: id }] = page.engine.take();
  const view = informer.view(options);
  const [opened] = page.engine.take();
  const say = (message) => page.engine.say({ view: opened.view, ...message });
  const columns = (...names) => say({ type: 'columns', columns: names.map((name) => ({ name })) });
  const result = (queryId, rejection) => say({ type: 'result', queryId, rejection });
  let revision = 0;
  const rows = (start, end, changed, more) => say({ type: 'view', queryId: 1, revision: ++revision, total: end, of: end, synced: true, start, end, rows: changed, ...more });
  const seen = [];
  const forget = view.subscribe(() => seen.push(view.getSnapshot().rows.length));
  return { page, informer, id, view, opened, say, columns, result, rows, seen, forget };
}

test('it opens with all rows of whole objects, or with its options', async () => {
  const { opened, id } = await open();
  assert.deepEqual(opened, {
    type: 'openView', view: opened.view, informer: id, queryId: 1,
    options: { filter: '', namespaces: [], orderBy: [], facets: [], labelSelector: undefined, start: 0, end: 2 ** 31 - 1, objects: true },
  });
  const asked = { filter: 'web', namespaces: ['shop'], orderBy: [['name'], ['age', 'asc'], ['restarts', 'desc']], labelSelector: 'app=web', columns: { ip: '.status.podIP' }, window: [10, 60] };
  assert.deepEqual((await open(asked)).opened.options, {
    filter: 'web', namespaces: ['shop'], labelSelector: 'app=web', start: 10, end: 60, columns: { ip: '.status.podIP' },
    orderBy: [{ column: 'name', descending: false }, { column: 'age', descending: false }, { column: 'restarts', descending: true }], facets: [],
  });
  assert.deepEqual([(await open({ window: 'all' })).opened.options.end, (await open({ labelSelector: '' })).opened.options.labelSelector], [2 ** 31 - 1, '']);
});

test('a later query is sent, and an invalid one is rejected', async () => {
  const { page, view, opened } = await open({ columns: { x: '.x' } });
  view.change({ filter: 'a', namespaces: ['n'], orderBy: [['x', 'desc']] });
  view.change({});
  view.setWindow(5, 9);
  assert.deepEqual(page.engine.take(), [
    { type: 'changeView', queryId: 2, view: opened.view, filter: 'a', namespaces: ['n'], orderBy: [{ column: 'x', descending: true }], facets: [] },
    { type: 'changeView', queryId: 3, view: opened.view, filter: '', namespaces: [], orderBy: [], facets: [] },
    { type: 'setWindow', view: opened.view, start: 5, end: 9 },
  ]);
  const refused = { code: 'bad-request' };
  for (const direction of ['up', 'ascending', 'xasc', 'descx', '']) assert.throws(() => view.change({ orderBy: [['x', direction]] }), refused, direction);
  for (const [start, end] of [[-1, 5], [0, -1], [0.5, 3], [0, 2 ** 31], [5, 2]]) assert.throws(() => view.setWindow(start, end), refused, `${start} ${end}`);
  assert.deepEqual(page.engine.take(), []);
});

test('rows are cells under the names of their columns, or the objects themselves', async () => {
  const { view, columns, rows } = await open({ columns: { a: '.a', b: '.b', c: '.c' } });
  columns('a', 'b', 'c');
  rows(0, 1, [{ index: 0, key: 'n/x', cells: [{ text: 'text' }, { number: 0 }, {}] }]);
  const [row] = view.getSnapshot().rows;
  assert.deepEqual([row, Object.isFrozen(row), Object.isFrozen(view.getSnapshot().rows), Object.isFrozen(view.getSnapshot())], [{ key: 'n/x', a: 'text', b: 0, c: null }, true, true, true]);
  const whole = await open();
  whole.columns();
  whole.rows(0, 1, [{ index: 0, key: 'n/x', cells: [], object: object('x') }]);
  assert.deepEqual(whole.view.getSnapshot().rows, [object('x')]);
});

test('a patch keeps the rows that stay, wherever the window goes', async () => {
  const { view, columns, rows } = await open({ columns: { a: '.a' } });
  columns('a');
  const row = (index) => ({ index, key: `k${index}`, cells: [{ number: index }] });
  rows(10, 13, [10, 11, 12].map(row));
  const keys = () => view.getSnapshot().rows.map(({ key }) => key);
  const [, second] = view.getSnapshot().rows;
  rows(11, 15, [13, 14].map(row), { total: 40 });
  assert.deepEqual([keys(), view.getSnapshot().start, view.getSnapshot().total], [['k11', 'k12', 'k13', 'k14'], 11, 40]);
  assert.equal(view.getSnapshot().rows[0], second, 'the same object');
  rows(9, 12, [9, 10].map(row));
  assert.deepEqual(keys(), ['k9', 'k10', 'k11']);
  rows(20, 22, [20, 21].map(row));
  assert.deepEqual(keys(), ['k20', 'k21']);
  rows(0, 0, [], { total: 0 });
  assert.deepEqual([keys(), view.getSnapshot().total], [[], 0]);
});

test('listeners are called once a frame, each of them, also beside one that throws', async () => {
  const { view, columns, rows, seen, forget } = await open();
  const reported = [];
  globalThis.reportError = (error) => reported.push(error.message);
  const others = [];
  const stop = view.subscribe(() => {
    throw new Error('mine');
  });
  const listener = () => others.push('other');
  const first = view.subscribe(listener);
  view.subscribe(listener);
  columns();
  rows(0, 1, [{ index: 0, key: 'a', object: object('a'), cells: [] }]);
  rows(0, 2, [{ index: 1, key: 'b', object: object('b'), cells: [] }]);
  assert.deepEqual([frames.length, seen], [1, []]);
  paint();
  assert.deepEqual([seen.splice(0), others.splice(0), reported], [[2], ['other', 'other'], ['mine']]);
  stop();
  assert.equal(first(), true);
  forget();
  rows(0, 1, []);
  assert.equal(frames.length, 1, 'and again in the next one');
  paint();
  assert.deepEqual([seen, others, reported.length], [[], ['other'], 1], 'a callback that subscribed twice has left once');
  delete globalThis.reportError;
  view.subscribe(() => {
    throw new Error('not handled');
  });
  rows(0, 0, []);
  paint();
});

test('without frames it is called about sixty times a second', async (t) => {
  const { columns, rows, seen } = await open();
  delete globalThis.requestAnimationFrame;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  columns();
  rows(0, 1, [{ index: 0, key: 'a', object: object('a'), cells: [] }]);
  t.mock.timers.tick(15);
  assert.deepEqual(seen, []);
  t.mock.timers.tick(1);
  assert.deepEqual(seen, [1]);
});

test('it is ready with the first rows of a cache that is synced', async () => {
  const { view, columns, result, rows } = await open();
  columns();
  result(1);
  rows(0, 1, [{ index: 0, key: 'a', object: object('a'), cells: [] }], { synced: false });
  assert.deepEqual([await state(view.ready), view.getSnapshot().rows.length], ['pending', 1]);
  rows(0, 1, []);
  assert.equal(await state(view.ready), 'resolved');
});

test('revisions go on counting through engines, and rows stay until the next one knows as much', async () => {
  const { page, view, columns, result, rows } = await open();
  columns();
  result(1);
  rows(0, 2, [{ index: 0, key: 'a', object: object('a'), cells: [] }, { index: 1, key: 'b', object: object('b'), cells: [] }]);
  const before = view.getSnapshot();
  await page.crash();
  rows(0, 1, [{ index: 0, key: 'a', object: object('a'), cells: [] }], { revision: 1, synced: false });
  assert.equal(view.getSnapshot(), before);
  rows(0, 1, [], { revision: 2 });
  assert.deepEqual([view.getSnapshot().rows.length, view.getSnapshot().revision], [1, before.revision + 1]);
});

test('disposing closes it once, rejects pending calls, and sends nothing further', async () => {
  const { page, informer, view, opened, columns, rows, seen } = await open();
  columns();
  view[Symbol.dispose ?? Symbol.for('Symbol.dispose')]();
  view[Symbol.dispose ?? Symbol.for('Symbol.dispose')]();
  assert.deepEqual(page.engine.take(), [{ type: 'closeView', view: opened.view }]);
  assert.equal(await state(view.ready), 'this view has been stopped');
  view.change({ filter: 'x' });
  view.setWindow(0, 1);
  rows(0, 1, [{ index: 0, key: 'a', object: object('a'), cells: [] }]);
  paint();
  assert.deepEqual([page.engine.take(), seen], [[], []]);
  await informer.stop();
  assert.deepEqual(page.engine.take().map(({ type }) => type), ['stop'], 'the informer does not close it again');
  await page.crash();
  assert.ok(!page.engine.take().some(({ type }) => type === 'openView'));
});
