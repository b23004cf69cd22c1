// View of a page without an engine: its reaction to messages, in any order.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { View } from '../src/view.js';

let frames = [];
globalThis.requestAnimationFrame = (paint) => frames.push(paint);
beforeEach(() => (frames = []));

/** A view, the engine's control of it, and the snapshots of its listeners: one entry per frame. */
function open(options) {
  const sent = [];
  let receive;
  const connection = {
    listen: (listener) => {
      receive = listener;
      return 7;
    },
    open: (_, message) => sent.push(message),
    send: (message) => sent.push(message),
    forget() {},
  };
  const view = new View(connection, 1, options, { onEnd() {} });
  const seen = [];
  view.subscribe(() => seen.push(view.error?.message ?? view.getSnapshot().rows.length));
  const paint = () => frames.splice(0).forEach((frame) => frame());
  const columns = () => receive({ type: 'columns', view: 7, columns: [{ name: 'name' }] });
  const applied = (queryId) => receive({ type: 'result', view: 7, queryId });
  const rejected = (queryId) => {
    const error = { code: 'bad-request', message: `no to ${queryId}`, retryable: false };
    receive({ type: 'result', view: 7, queryId, rejection: { error, start: 0, end: 0 } });
  };
  let revision = 0;
  const rows = (start, end, { synced = true, total = end, of = [start, end], queryId } = {}) => {
    const rows = Array.from({ length: of[1] - of[0] }, (_, at) => ({ index: of[0] + at, key: `k${of[0] + at}`, cells: [], object: { key: `k${of[0] + at}` } }));
    receive({ type: 'view', view: 7, queryId, revision: ++revision, total, of: total, synced, start, end, rows });
  };
  const away = () => receive({ type: 'disconnected' });
  return { view, sent, seen, paint, columns, applied, rejected, rows, away };
}

const pending = () => new Promise((resolve) => setImmediate(resolve, 'pending'));
const state = (promise) => Promise.race([promise.then(() => 'resolved', ({ message }) => message), pending()]);

test('`error` is the error of the last view query, and keeps its value while one is pending', () => {
  const { view, sent, seen, paint, columns, applied, rejected } = open({});
  columns();
  applied(1);
  view.change({ filter: '(' });
  view.change({ filter: 'web' });
  assert.deepEqual(sent.map(({ queryId }) => queryId), [1, 2, 3]);
  rejected(2);
  assert.equal(view.error, null, 'the result of the first change is not reported');
  applied(3);
  paint();
  assert.deepEqual([view.error, view.pending, seen], [null, false, [0]], 'and nothing is pending');
  seen.length = 0;

  view.change({ filter: '(' });
  assert.equal(view.error, null);
  rejected(4);
  paint();
  view.change({ filter: 'web' });
  assert.equal(view.error?.message, 'no to 4', 'the old error while the change is pending');
  applied(5);
  assert.equal(view.error, null);
  paint();
  assert.deepEqual(seen, ['no to 4', 0], 'the callback is also called when the error is gone');

  view.change({ filter: 'web' });
  view.change({ filter: '(' });
  applied(6);
  assert.equal(view.error, null);
  rejected(7);
  assert.equal(view.error.message, 'no to 7');
  assert.throws(() => view.change({ orderBy: [['name', 'up']] }), { code: 'bad-request' });
  view.change({});
  assert.equal(sent.at(-1).queryId, 8, 'an invalid query has no number');
});

test('`ready` settles with the opening query', async () => {
  const later = open({});
  later.columns();
  later.applied(1);
  later.rows(0, 2, { synced: false });
  later.view.change({ filter: '(' });
  later.rejected(2);
  assert.equal(await state(later.view.ready), 'pending');
  later.rows(0, 3, { of: [2, 3] });
  assert.equal(await state(later.view.ready), 'resolved');
  assert.equal(later.view.error.message, 'no to 2');

  const opened = open({ filter: '(' });
  opened.view.change({ filter: 'web' });
  opened.columns();
  opened.rejected(1);
  opened.applied(2);
  assert.deepEqual([await state(opened.view.ready), opened.view.error], ['no to 1', null]);
});

test('a view opened with a bad filter shows no rows before another one is applied', async () => {
  for (const isPatched of [true, false]) {
    const { view, seen, paint, columns, applied, rejected, rows } = open({ filter: '(' });
    columns();
    rejected(1);
    // The number of the applied query; 0 before the first one.
    rows(0, 3, { queryId: 0 });
    paint();
    assert.deepEqual([await state(view.ready), view.getSnapshot().rows.length, view.getSnapshot().total], ['no to 1', 0, 0]);
    assert.deepEqual(seen, ['no to 1']);
    assert.throws(() => view.change({ columns: {} }), /change\(\) has no option `columns`/);
    view.change({ filter: 'web' });
    // Rows that are in sight already are not sent again.
    if (isPatched) rows(0, 2, { queryId: 2, of: [2, 2] });
    applied(2);
    paint();
    assert.deepEqual([view.error, view.getSnapshot().rows.length, seen.at(-1)], [null, isPatched ? 2 : 3, isPatched ? 2 : 3]);
  }
});

test('a rejected view reports its error, with any following query', async () => {
  const { view, rejected } = open({ columns: { x: '{' } });
  view.change({ filter: 'web' });
  rejected(1);
  assert.deepEqual([await state(view.ready), view.error.message], ['no to 1', 'no to 1']);
});

test('a window of hundreds of thousands of rows moves in both directions, and rows that stay are the same', () => {
  const [from, to] = [300_000, 600_000];
  const { view, columns, rows } = open({ window: [from, to] });
  columns();
  rows(from, to, { total: to });
  const first = view.getSnapshot().rows;
  rows(0, to, { of: [0, from] });
  const { rows: all, start } = view.getSnapshot();
  assert.deepEqual([start, all.length, all[0].key, all[from] === first[0], all.at(-1) === first.at(-1)], [0, to, 'k0', true, true]);
  rows(10, 20, { total: to, of: [10, 10] });
  assert.deepEqual(view.getSnapshot().rows, all.slice(10, 20));
  rows(30, 31, { total: to });
  rows(2, 4, { total: to });
  assert.deepEqual(view.getSnapshot().rows.map(({ key }) => key), ['k2', 'k3'], 'away from what was there');
});

test('between two engines rows stay, and the view is opened again with the applied query and the window', () => {
  const { view, sent, columns, applied, rejected, rows, away } = open({ filter: 'web', window: [0, 5] });
  columns();
  applied(1);
  rows(0, 3);
  const { revision } = view.getSnapshot();
  view.change({ filter: 'shop' });
  applied(2);
  view.change({ filter: '(' });
  rejected(3);
  view.setWindow(1, 6);
  view.change({ filter: 'bank' });
  const heard = sent.length;
  away();
  const [{ queryId, options }] = sent;
  assert.deepEqual([queryId, options.filter, options.start, options.end], [2, 'shop', 1, 6]);
  assert.deepEqual(sent.slice(heard).map(({ type, queryId, filter }) => [type, queryId, filter]), [['changeView', 4, 'bank']]);
  rows(0, 0, { synced: false });
  rows(0, 2, { synced: false });
  assert.equal(view.getSnapshot().rows.length, 3, 'their deletion has not been reported');
  rows(0, 2, { of: [1, 2] });
  assert.equal(view.getSnapshot().rows.length, 2);
  assert.ok(view.getSnapshot().revision > revision);
});
