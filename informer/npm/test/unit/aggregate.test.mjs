// Aggregate of a page: its request, its groups, and their state between two engines.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Page, state } from './engine.mjs';
import { paint } from './frames.mjs';

/** An aggregate of pods, and the engine's hand on it. */
async function open(options) {
  const page = await Page.connected();
  const informer = page.factory().forResource('v1/pods');
  const [{ informer: id }] = page.engine.take();
  const aggregate = await informer.aggregate(options);
  const [opened] = page.engine.take();
  const say = (message) => page.engine.say({ view: opened.view, ...message });
  const patch = (more) => say({ type: 'patch', patch: { synced: true, count: 0, total: [0], gone: [], groups: [], ...more } });
  const seen = [];
  const forget = aggregate.subscribe(() => seen.push(aggregate.error?.message ?? lines(aggregate)));
  return { page, informer, id, aggregate, opened, say, patch, seen, forget };
}

const group = (id, key, ...values) => ({ id, key: [key], values });
const lines = (aggregate) => aggregate.getSnapshot().groups.map(({ key, values }) => `${key.join('/')}=${values.join()}`).join(' ');

test('it opens with one count of all objects, or with its options', async () => {
  const { opened, id, aggregate } = await open();
  const defaults = { by: [], of: [{ op: 'count', column: undefined }], filter: '', namespaces: [], labelSelector: undefined, columns: {}, extraColumns: {}, limit: 1000 };
  assert.deepEqual(opened, { type: 'openAggregate', view: opened.view, informer: id, queryId: 1, options: defaults });
  assert.deepEqual(aggregate.getSnapshot(), { groups: [], more: 0, total: null, hasSynced: false, revision: 0 });
  const asked = {
    by: ['node', 'status'], of: [{ op: 'sum', column: 'cpu' }, { op: 'max', column: 'age' }], filter: 'web', namespaces: ['shop'], labelSelector: 'app=web',
    columns: { cpu: '.spec.cpu' }, extraColumns: { team: '.metadata.labels.team' }, limit: 10,
  };
  assert.deepEqual((await open(asked)).opened.options, asked);
});

test('invalid options are rejected by their names, and nothing is sent', async () => {
  const page = await Page.connected();
  const informer = page.factory().forResource('v1/pods');
  page.engine.take();
  for (const [options, says] of [
    [{ by: 'node' }, /`by` must be an array of at most two columns/],
    [{ by: ['a', 'b', 'c'] }, /`by`/],
    [{ by: [1] }, /`by`/],
    [{ of: [] }, /`of` must be an array of 1 to 16 values/],
    [{ of: new Array(17).fill({ op: 'count' }) }, /`of`/],
    [{ of: ['count'] }, /`of`/],
    [{ of: [null] }, /`of`/],
    [{ of: [{ op: 'avg', column: 'x' }] }, /`of`/],
    [{ of: [{ op: 'sum' }] }, /`of`/],
    [{ of: [{ op: 'count', column: 'x' }] }, /`of`/],
    [{ of: [{ op: 'sum', column: 'x', as: 'y' }] }, /`of`/],
    [{ filter: 1 }, /`filter` must be a string/],
    [{ namespaces: 'shop' }, /`namespaces`/],
    [{ labelSelector: {} }, /`labelSelector`/],
    [{ columns: { a: 1 } }, /`columns.a` must be a JSONPath/],
    [{ limit: 0 }, /`limit`/],
    [{ limit: 10_001 }, /`limit` must be at most 10000/],
    [{ group: ['node'] }, /aggregate\(\) has no option `group`/],
  ]) {
    await assert.rejects(informer.aggregate(options), { code: 'bad-request', message: says });
  }
  assert.deepEqual(page.engine.take(), []);
  await informer.stop();
  await assert.rejects(informer.aggregate(), { code: 'closed' });
});

test('a patch replaces the groups that changed, and the others stay the same objects', async () => {
  const { aggregate, patch, seen } = await open({ by: ['node'] });
  patch({ synced: false, count: 1, total: [1], groups: [group(0, 'n1', 1)], order: [0] });
  assert.deepEqual([await state(aggregate.ready), aggregate.getSnapshot().hasSynced], ['pending', false]);
  patch({ count: 3, total: [6], groups: [group(1, 'n2', 3), group(2, 'n3', 2)], order: [1, 2, 0] });
  assert.equal(await state(aggregate.ready), 'resolved');
  const before = aggregate.getSnapshot();
  assert.deepEqual([lines(aggregate), before.more, before.total, before.hasSynced], ['n2=3 n3=2 n1=1', 0, [6], true]);
  patch({ count: 9, total: [8.5], groups: [group(0, 'n1', null)] });
  const after = aggregate.getSnapshot();
  assert.deepEqual([after.groups.map(({ values }) => values), after.total, after.more], [[[3], [2], [null]], [8.5], 6]);
  assert.deepEqual([after.groups[0] === before.groups[0], after.groups[2] === before.groups[2], after.revision], [true, false, before.revision + 1]);
  for (const frozen of [after, after.groups, after.total, after.groups[0], after.groups[0].key, after.groups[0].values]) assert.ok(Object.isFrozen(frozen));
  patch({ count: 1, total: [1], gone: [1, 0], groups: [group(0, 'n4', 1)], order: [0] });
  assert.equal(lines(aggregate), 'n4=1', 'an id is used again');
  patch({ count: 0, total: [0], gone: [0], order: [] });
  paint();
  assert.deepEqual([lines(aggregate), seen], ['', ['']], 'one call for a frame');
});

test('values are numbers, however the connection reads large integers', async () => {
  const { aggregate, patch } = await open();
  patch({ total: [2n ** 60n, '1152921504606846976', 0.5, null] });
  assert.deepEqual(aggregate.getSnapshot().total, [2 ** 60, 2 ** 60, 0.5, null]);
});

test('rejected options have their place in the filter', async () => {
  for (const [start, end, range] of [[2, 5, [2, 5]], [0, 0, null]]) {
    const { aggregate, say, seen } = await open({ filter: 'a b:c' });
    say({ type: 'columns', columns: [] });
    say({ type: 'result', queryId: 1, rejection: { error: { code: 'bad-request', message: 'no', retryable: false }, start, end } });
    paint();
    assert.deepEqual([await state(aggregate.ready), aggregate.error.code, aggregate.error.range, seen], ['no', 'bad-request', range, ['no']]);
    assert.deepEqual(aggregate.getSnapshot().groups, []);
  }
  const { aggregate, say, seen } = await open();
  say({ type: 'result', queryId: 1 });
  paint();
  assert.deepEqual([aggregate.error, seen], [null, []]);
});

test('a replacement engine counts again, and the groups stay until it knows as much', async () => {
  const { page, aggregate, opened, patch } = await open({ by: ['node'] });
  patch({ count: 2, total: [3], groups: [group(0, 'n1', 2), group(1, 'n2', 1)], order: [0, 1] });
  const before = aggregate.getSnapshot();
  await page.crash();
  assert.deepEqual(page.engine.take('openAggregate'), [opened]);
  patch({ synced: false, count: 1, total: [1], groups: [group(0, 'n2', 1)], order: [0] });
  assert.equal(aggregate.getSnapshot(), before);
  patch({ count: 2, total: [4], groups: [group(1, 'n1', 3)], order: [1, 0] });
  assert.deepEqual([lines(aggregate), aggregate.getSnapshot().revision], ['n1=3 n2=1', before.revision + 1]);
});

test('disposing closes it once, and it ends with its informer', async () => {
  const { page, informer, aggregate, opened, patch, seen } = await open();
  aggregate[Symbol.dispose ?? Symbol.for('Symbol.dispose')]();
  aggregate.close();
  assert.deepEqual(page.engine.take(), [{ type: 'closeView', view: opened.view }]);
  assert.equal(await state(aggregate.ready), 'this aggregate has been stopped');
  patch({ total: [1] });
  paint();
  assert.deepEqual(seen, []);
  const other = await informer.aggregate();
  page.engine.take();
  await informer.stop();
  assert.deepEqual(page.engine.take().map(({ type }) => type), ['closeView', 'stop']);
  assert.equal(await state(other.ready), 'the informer of v1/pods has been stopped');
});
