// Recording of a page: its request, its options, and its state between two engines.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Page, outcome, settle, state } from './engine.mjs';
import { paint } from './frames.mjs';

/** A recording of pods, and the engine's hand on it. */
async function open(options) {
  const page = await Page.connected();
  const informer = page.factory().forResource('v1/pods');
  const [{ informer: id }] = page.engine.take();
  const recording = await informer.recordChanges(options);
  const [opened] = page.engine.take();
  const say = (message) => page.engine.say({ view: opened.view, ...message });
  const patch = (more) => say({ type: 'patch', patch: { keptSince: 1000, count: 0, bytes: 0, ...more } });
  const seen = [];
  const forget = recording.subscribe(() => seen.push(recording.keptSince));
  return { page, informer, id, recording, opened, say, patch, seen, forget };
}

const asked = async (page) => {
  await settle();
  return page.engine.take('askView');
};

test('it opens with its maximum size, and begins with the first patch', async () => {
  const { recording, opened, id, patch, seen, forget } = await open();
  assert.deepEqual(opened, { type: 'openRecording', view: opened.view, informer: id, queryId: 1, options: { maxBytes: 33_554_432 } });
  assert.deepEqual([recording.keptSince, recording.getSnapshot(), await state(recording.ready)], [null, { keptSince: null, count: 0, bytes: 0, time: null }, 'pending']);
  patch();
  assert.deepEqual([recording.keptSince, await state(recording.ready)], [1000, 'resolved']);
  patch({ keptSince: 2000, count: 3, bytes: 700 });
  const snapshot = recording.getSnapshot();
  assert.deepEqual([snapshot, recording.getSnapshot() === snapshot, Object.isFrozen(snapshot)], [{ keptSince: 2000, count: 3, bytes: 700, time: null }, true, true]);
  paint();
  forget();
  patch();
  paint();
  assert.deepEqual(seen, [2000], 'one call for a frame');
  assert.equal((await open({ maxBytes: 5 })).opened.options.maxBytes, 5);
});

test('changes and objects of the past are requested', async () => {
  const { page, recording, opened, patch } = await open();
  patch();
  const all = recording.changes();
  const some = recording.changes({ key: 'a/b', since: 1, until: 2.5, before: 0, limit: 1000 });
  const object = recording.objectAt('a/b', 1500);
  const requests = await asked(page);
  const none = { key: undefined, since: undefined, until: undefined, before: undefined };
  assert.deepEqual(requests.map(({ view, ask }) => [view, ask]), [
    [opened.view, { changes: { ...none, limit: 100 } }],
    [opened.view, { changes: { key: 'a/b', since: 1, until: 2.5, before: 0, limit: 1000 } }],
    [opened.view, { objectAt: { key: 'a/b', time: 1500 } }],
  ]);
  const change = { id: 4, time: 1500, key: 'a/b', type: 'changed', fields: [{ path: '.spec.replicas', before: 1, after: 2 }] };
  page.engine.answer(requests[0], [change]);
  page.engine.answer(requests[1], []);
  page.engine.refuse(requests[2], 'expired', 'changes are kept since 1600');
  assert.deepEqual([await all, await some], [[change], []]);
  await assert.rejects(object, { code: 'expired', message: /kept since 1600/ });
});

test('invalid options are rejected by their names, and nothing is sent', async () => {
  const { page, informer, recording } = await open();
  for (const [options, says] of [
    [{ maxBytes: 0 }, /`maxBytes` must be a whole number, 1 or more/],
    [{ maxBytes: '1 MB' }, /`maxBytes`/],
    [{ maxBytes: 2 ** 31 }, /`maxBytes`/],
    [{ limit: 1 }, /recordChanges\(\) has no option `limit`; its options are maxBytes/],
    [null, /the options of recordChanges\(\) must be an object/],
  ]) {
    await assert.rejects(informer.recordChanges(options), { code: 'bad-request', message: says });
  }
  for (const [options, says] of [
    [{ key: 7 }, /`key` must be a string/],
    [{ key: '' }, /`key`/],
    [{ since: '1' }, /`since` must be a time in milliseconds/],
    [{ until: new Date(5) }, /`until` must be a time/],
    [{ since: NaN }, /`since`/],
    [{ until: Infinity }, /`until`/],
    [{ before: 1.5 }, /`before` must be the `id` of a change/],
    [{ before: -1 }, /`before`/],
    [{ limit: 0 }, /`limit` must be a whole number, 1 or more/],
    [{ limit: 1001 }, /`limit` must be 1 to 1000/],
    [{ from: 1 }, /changes\(\) has no option `from`/],
  ]) {
    await assert.rejects(recording.changes(options), { code: 'bad-request', message: says });
  }
  for (const [key, time, says] of [['', 1, /`key`/], [undefined, 1, /`key`/], ['a/b', undefined, /`time`/], ['a/b', NaN, /`time` must be a time/]]) {
    await assert.rejects(recording.objectAt(key, time), { code: 'bad-request', message: says });
  }
  assert.deepEqual(page.engine.take(), []);
});

test('a rejected recording rejects `ready`', async () => {
  const { recording, say } = await open();
  say({ type: 'result', queryId: 1, rejection: { error: { code: 'internal', message: 'not loaded', retryable: false }, start: 0, end: 0 } });
  await assert.rejects(recording.ready, { code: 'internal', message: 'not loaded' });
  const other = await open();
  other.say({ type: 'result', queryId: 1 });
  assert.equal(await state(other.recording.ready), 'pending');
});

test('a replacement engine begins anew', async () => {
  const { page, recording, opened, patch, seen } = await open();
  patch({ count: 2 });
  const waiting = recording.changes();
  await settle();
  await page.crash();
  assert.deepEqual([recording.keptSince, recording.getSnapshot().count], [null, 0]);
  paint();
  assert.deepEqual(seen, [null]);
  const sent = page.engine.take();
  assert.deepEqual(sent.filter(({ type }) => type === 'openRecording'), [opened]);
  const [again] = sent.filter(({ type }) => type === 'askView');
  page.engine.answer(again, []);
  assert.deepEqual(await waiting, []);
  patch({ keptSince: 9000 });
  assert.equal(recording.keptSince, 9000);
});

test('disposing closes it once, and it ends with its informer', async () => {
  const { page, informer, recording, opened, patch, seen } = await open();
  recording[Symbol.dispose ?? Symbol.for('Symbol.dispose')]();
  recording.close();
  assert.deepEqual(page.engine.take(), [{ type: 'closeView', view: opened.view }]);
  assert.equal(await state(recording.ready), 'this recording has been stopped');
  for (const refused of [recording.changes(), recording.objectAt('a/b', 1)]) {
    assert.equal((await outcome(refused)).error.code, 'closed');
  }
  patch();
  paint();
  assert.deepEqual(seen, []);
  const other = await informer.recordChanges();
  page.engine.take();
  await informer.stop();
  assert.deepEqual(page.engine.take().map(({ type }) => type), ['closeView', 'stop']);
  assert.equal(await state(other.ready), 'the informer of v1/pods has been stopped');
  await assert.rejects(informer.recordChanges(), { code: 'closed' });
});

test('counts and differences of a span of time are requested', async () => {
  const { page, recording, opened, patch } = await open();
  patch();
  const calls = [recording.countChanges({ since: 1, until: 9, parts: 2 }), recording.differences({ since: 1, until: 9 })];
  const requests = await asked(page);
  assert.deepEqual(requests.map(({ view, ask }) => [view, ask]), [
    [opened.view, { countChanges: { since: 1, until: 9, parts: 2 } }],
    [opened.view, { differences: { since: 1, until: 9, limit: 100 } }],
  ]);
  page.engine.answer(requests[0], [3, 0]);
  page.engine.answer(requests[1], []);
  assert.deepEqual([await calls[0], await calls[1]], [[3, 0], []]);
  const now = Date.now();
  recording.differences({ since: now, limit: 1000 }).catch(() => {});
  const [{ ask }] = await asked(page);
  assert.ok(ask.differences.until >= now);
  for (const call of [
    () => recording.countChanges({ since: 1, until: 9 }), () => recording.countChanges({ since: 1, until: 9, parts: 1001 }),
    () => recording.countChanges(), () => recording.differences({}), () => recording.differences({ since: 1, limit: 0 }),
    () => recording.differences({ since: 1, parts: 1 }),
  ]) assert.equal((await outcome(call())).error.code, 'bad-request');
  assert.deepEqual(await asked(page), []);
});

test('a rewind is requested, and the shown time is that of the last patch', async () => {
  const { page, recording, opened, patch, say } = await open();
  patch();
  const calls = [recording.rewind(1500), recording.rewind(null)];
  const requests = await asked(page);
  assert.deepEqual(requests.map(({ view, ask }) => [view, ask]), [[opened.view, { rewind: { time: 1500 } }], [opened.view, { rewind: { time: undefined } }]]);
  page.engine.refuse(requests[0], 'expired', 'changes are kept since 1600');
  page.engine.answer(requests[1], null);
  assert.deepEqual([(await outcome(calls[0])).error.code, await calls[1]], ['expired', undefined]);
  patch({ time: 1500 });
  assert.equal(recording.getSnapshot().time, 1500);
  patch();
  assert.equal(recording.getSnapshot().time, null);
  for (const time of [undefined, 'now', Number.NaN, Infinity]) assert.equal((await outcome(recording.rewind(time))).error.code, 'bad-request');
  assert.deepEqual(await asked(page), []);
  say({ type: 'disconnected' });
});
