// Logs: lines out of bytes, resuming without gap or duplicate, merging by time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientStage, failure, json } from './client-stage.mjs';
import { settle, until } from './engine.mjs';
import { at, bytes, chunked, crash, line, restarted, texts } from './log-stage.mjs';
import { Cursor } from '../../src/client/log-cursor.js';
import { instant, isLater, LineSplitter, stamped } from '../../src/client/log-lines.js';
import { Merge } from '../../src/client/log-merge.js';

test('lines are the same wherever the bytes are cut', () => {
  const all = bytes('one\n\nthrée 🙂\nfour\r\nlast');
  for (let first = 0; first <= all.length; first++) {
    for (let second = first; second <= all.length; second += 3) {
      const splitter = new LineSplitter(1000);
      const lines = [all.subarray(0, first), all.subarray(first, second), all.subarray(second)].flatMap((part) => splitter.push(part));
      assert.deepEqual(texts(lines), ['one', '', 'thrée 🙂', 'four\r']);
      assert.deepEqual(texts(splitter.end()), ['last']);
      assert.deepEqual(splitter.end(), []);
    }
  }
});

test('a long line is cut in bounded memory, with the number of missing bytes', () => {
  for (const piece of [7, 64 << 10, 10 << 20]) {
    const splitter = new LineSplitter(1000);
    const lines = [];
    for (let sent = 0; sent < 10 << 20; sent += piece) lines.push(...splitter.push(new Uint8Array(Math.min(piece, (10 << 20) - sent)).fill(97)));
    lines.push(...splitter.push(bytes('\nnext\n')));
    assert.deepEqual(lines.map(({ text, cut }) => [text.length, cut]), [[1000, (10 << 20) - 1000], [4, 0]]);
    if (piece === 7) continue;
    assert.deepEqual(new LineSplitter(4).push(bytes('ééé\n')).map(({ text, cut }) => [text, cut]), [['éé', 2]]);
  }
});

test('bytes that are no text do not break a log', () => {
  const splitter = new LineSplitter(1000);
  assert.deepEqual(texts(splitter.push(Uint8Array.of(0, 255, 254, 10, 65, 10))), ['\u0000\uFFFD\uFFFD', 'A']);
});

test('timestamps are split off, and compare by their value', () => {
  assert.deepEqual(stamped({ text: `${at(1, '5')} hello world`, cut: 3 }), { time: at(1, '5'), text: 'hello world', cut: 3 });
  assert.deepEqual(stamped({ text: at(1), cut: 0 }), { time: at(1), text: '', cut: 0 });
  assert.deepEqual(stamped({ text: 'rpc error', cut: 0 }), { time: null, text: 'rpc error', cut: 0 });
  // As text, "…1Z" would come after "…12Z".
  assert.ok(isLater(instant(at(1, '12')), instant(at(1, '1'))));
  assert.ok(isLater(instant('2026-01-01T01:00:00+01:00'), instant('2025-12-31T23:59:59Z')));
  assert.deepEqual(instant('2026-01-01T02:00:00.5+02:00'), instant('2026-01-01T00:00:00.500Z'));
});

test('a resumed log has no gap and no duplicate, also between equal timestamps and streams out of order', () => {
  const log = [line(at(1), 'a'), line(at(2, '9'), 'b'), line(at(2, '5'), 'c'), line(at(2, '9'), 'b'), line(at(2, '9'), 'd'), line(at(3), 'e'), line(at(2, '99'), 'f'), line(at(4), 'g')];
  for (let drop = 0; drop <= log.length; drop++) {
    const cursor = new Cursor();
    for (const one of log.slice(0, drop)) cursor.note(one);
    const since = drop === 0 ? -Infinity : instant(cursor.since)[0];
    // As the kubelet does it: each line for itself.
    const again = log.filter(({ time }) => instant(time)[0] >= since);
    for (const size of [1, 3, 10]) {
      const { filter, rest } = cursor.resume();
      const passed = [];
      for (let start = 0; start < again.length; start += size) passed.push(...filter(again.slice(start, start + size)));
      passed.push(...rest());
      // A line older than the second of the drop is indistinguishable from a delivered one.
      const expected = log.slice(drop).filter(({ time }) => instant(time)[0] >= since);
      assert.deepEqual(texts(passed), texts(expected), `dropped after ${drop}, ${size} at a time`);
    }
  }
});

test('after a rotation only later lines pass', () => {
  const cursor = new Cursor();
  for (const text of ['a', 'b', 'c']) cursor.note(line(at(5, '1'), text));
  const { filter, rest } = cursor.resume();
  assert.deepEqual(texts(filter([line(at(5, '2'), 'd'), line(at(6), 'e')])), []);
  assert.deepEqual(texts(filter([line(at(7), 'f'), line(at(8), 'g')])), ['d', 'e', 'f', 'g']);
  assert.deepEqual(rest(), []);
});

test('a merge is in the order of time, also with slow sources', async (t) => {
  // A source that has been quiet for long holds up no other.
  t.mock.timers.enable({ apis: ['Date'], now: 1e12 });
  const merge = new Merge();
  async function* source(pieces) {
    for (const piece of pieces) {
      if (typeof piece === 'number') for (let turn = 0; turn < piece; turn++) await settle();
      else yield piece;
    }
  }
  const adding = [
    merge.add(source([[line(at(1), 'a1'), line(at(4), 'a4')], 40, [line(at(7), 'a7')]]), { pod: 'a' }),
    merge.add(source([20, [line(at(2), 'b2'), line(null, 'b?')], 20, [line(at(3), 'b3'), line(at(9), 'b9')]]), { pod: 'b' }),
    merge.add(source([]), { pod: 'c' }),
  ];
  Promise.all(adding).then(() => merge.finish());
  const lines = [];
  for await (const batch of merge) lines.push(...batch);
  assert.deepEqual(texts(lines), ['a1', 'b2', 'b?', 'b3', 'a4', 'a7', 'b9']);
  assert.deepEqual([lines[0].pod, lines[1].pod], ['a', 'b']);
});

test('a merge without a reader applies backpressure to its sources', async () => {
  const merge = new Merge();
  let made = 0;
  async function* endless() {
    for (;;) {
      made++;
      yield Array.from({ length: 1000 }, () => line(at(1), 'x'));
    }
  }
  const adding = merge.add(endless(), {});
  await until(() => made === 11);
  for (let turn = 0; turn < 20; turn++) await settle();
  assert.equal(made, 11);
  merge.close();
  await adding;
});

const pod = (state, more) => json({ metadata: { name: 'p' }, spec: { restartPolicy: 'Never', containers: [{ name: 'c' }] }, status: { containerStatuses: [{ name: 'c', restartCount: 0, state }] }, ...more });

/** Reads a log of `p`, whose requests are answered in turn. */
async function readLog(answers, options) {
  const states = [];
  let state = { running: {} };
  const stage = await clientStage((_, path) => {
    if (!path.includes('/log')) return pod(state);
    const answer = answers.shift();
    if (answers.length === 0) state = { terminated: { exitCode: 3, reason: 'Error', finishedAt: at(59) } };
    return answer;
  });
  const batches = stage.client.logs({ resource: 'v1/pods', namespace: 'n', name: 'p' }, { onState: (one) => states.push(one), ...options });
  const lines = [];
  let error;
  try {
    for await (const batch of batches) lines.push(...batch);
  } catch (cause) {
    error = cause;
  }
  return { lines, error, states, asked: stage.asked.filter((one) => one.includes('/log')), leases: stage.leases, streams: stage.streams };
}

test('a log is read to its end', async () => {
  const { lines, states, asked, leases } = await readLog([chunked([`${at(1)} a\n${at(2)} `, 'b\n', `${at(3)} c`])], { tail: 10, since: 60 });
  assert.deepEqual(lines, [line(at(1), 'a'), line(at(2), 'b'), line(at(3), 'c')]);
  assert.deepEqual(asked, ['GET /api/v1/namespaces/n/pods/p/log?container=c&timestamps=true&sinceSeconds=60&tailLines=10']);
  assert.deepEqual(states.map(({ state }) => state), ['connecting', 'ended']);
  assert.equal(leases.size, 0);
});

test('the last lines of a log do not wait for a stream’s turn', async () => {
  const last = async (options) => (await readLog([chunked([`${at(1)} a\n`])], options)).streams.at(-1);
  assert.equal(await last({ container: 'c', tail: 10 }), false);
  assert.equal(await last({ container: 'c', tail: 100_000 }), true, 'they may take long');
  assert.equal(await last({ container: 'c' }), true);
});

test('a followed log continues after a drop, and reports the end of its container', async () => {
  const { lines, states, asked } = await readLog([
    chunked([`${at(1)} a\n${at(2, '1')} b\n${at(2, '1')} b\n${at(2, '2')} cut of`], true),
    chunked([`${at(2, '1')} b\n${at(2, '1')} b\n${at(2, '2')} cut off\n`]),
    chunked([`${at(2, '1')} b\n${at(2, '1')} b\n${at(2, '2')} cut off\n${at(3)} end\n`]),
  ], { follow: true, tail: 5 });
  assert.deepEqual(texts(lines), ['a', 'b', 'b', 'cut off', 'end']);
  assert.deepEqual(asked.map((one) => one.split('?')[1]), [
    'container=c&follow=true&timestamps=true&tailLines=5',
    'container=c&follow=true&timestamps=true&sinceTime=2026-01-01T00%3A00%3A02Z',
    'container=c&follow=true&timestamps=true&sinceTime=2026-01-01T00%3A00%3A02Z',
  ]);
  assert.deepEqual(states.map(({ state }) => state), ['connecting', 'following', 'reconnecting', 'following', 'reconnecting', 'following', 'ended']);
  const { exitCode, reason, finishedAt } = states.at(-1);
  assert.deepEqual([exitCode, reason, finishedAt], [3, 'Error', at(59)]);
});

/** Follows a log of `p`, whose status and whose logs are answered in turn; the last ones are repeated. */
async function followRuns(pods, logs, options) {
  const states = [];
  const next = (answers) => (answers.length > 1 ? answers.shift() : answers[0])();
  const stage = await clientStage((_, path) => next(path.includes('/log') ? logs : pods));
  const lines = [];
  for await (const batch of stage.client.logs({ resource: 'v1/pods', namespace: 'n', name: 'p' }, { follow: true, onState: (state) => states.push(state), ...options })) lines.push(...batch);
  return { lines, states, asked: stage.asked.filter((one) => one.includes('/log')).map((one) => one.split('timestamps=true')[1]) };
}

test('a followed container that is started again is followed into its next run', async () => {
  const { lines, states, asked } = await followRuns([
    () => restarted(0, { running: {} }),
    () => restarted(0, crash(at(3))),
    () => restarted(0, { waiting: { reason: 'CrashLoopBackOff' } }, crash(at(3))),
    () => restarted(1, { running: {} }, crash(at(3))),
    () => restarted(1, { terminated: { exitCode: 0, reason: 'Completed' } }, crash(at(3)), { restartPolicy: 'OnFailure' }),
  ], [() => chunked([`${at(2)} a\n${at(2, '5')} b\n`]), () => chunked([`${at(2, '9')} c\n`])], { tail: 7 });
  // A line of the new run within the last second of the old one is neither held back nor taken for a known one.
  assert.deepEqual(texts(lines), ['a', 'b', 'c']);
  assert.deepEqual(asked, ['&tailLines=7', '&sinceTime=2026-01-01T00%3A00%3A02Z']);
  assert.deepEqual(states.map(({ state, exitCode }) => (exitCode === undefined ? state : `${state} ${exitCode}`)), ['connecting', 'following', 'restarting 1', 'following', 'ended 0']);
});

test('a run that has begun before its end was noticed is read once', async () => {
  const { lines } = await followRuns([
    () => restarted(0, { running: {} }),
    // The status is late: the log is resumed, and is that of the next run already.
    () => restarted(0, { running: {} }),
    () => restarted(1, crash(at(5)), crash(at(3))),
    () => restarted(1, crash(at(5)), crash(at(3))),
    () => restarted(1, crash(at(5)), crash(at(3)), { restartPolicy: 'Never' }),
  ], [() => chunked([`${at(2)} a\n`]), () => chunked([`${at(4)} b\n`]), () => chunked([`${at(4)} b\n${at(5)} c\n`])]);
  assert.deepEqual(texts(lines), ['a', 'b', 'c']);
});

test('a container that is not started again ends its log', async () => {
  const ends = async (state, spec, more) => {
    const status = () => json({ metadata: { name: 'p', ...more }, spec: { containers: [{ name: 'c' }], ...spec }, status: { containerStatuses: [{ name: 'c', restartCount: 0, state }] } });
    const { states } = await followRuns([() => restarted(0, { running: {} }), status], [() => chunked([`${at(1)} a\n`])]);
    return states.map(({ state }) => state).join();
  };
  const once = 'connecting,following,ended';
  assert.equal(await ends(crash(at(1)), { restartPolicy: 'Never' }), once);
  assert.equal(await ends({ terminated: { exitCode: 0 } }, { restartPolicy: 'OnFailure' }), once);
  assert.equal(await ends(crash(at(1)), {}, { deletionTimestamp: at(1) }), once);
  assert.equal(await ends({ terminated: { exitCode: 0 } }, { containers: [{ name: 'd' }], initContainers: [{ name: 'c' }] }).catch(({ code }) => code), once);
  const rules = [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }];
  assert.equal(await ends(crash(at(1)), { containers: [{ name: 'c', restartPolicy: 'Never', restartPolicyRules: rules }] }), once);
});

test('a pod that was recreated under the same name ends the log of the one before', async () => {
  const pod = (uid, ...status) => async () => {
    const { metadata, ...rest } = await restarted(...status).json();
    return json({ ...rest, metadata: { ...metadata, uid } });
  };
  const ends = async (...pods) => {
    const { states } = await followRuns([pod('one', 0, { running: {} }), ...pods], [() => chunked([`${at(1)} a\n`])]);
    return [states.map(({ state }) => state).join(), states.at(-1).reason];
  };
  const other = pod('two', 0, { running: {} });
  assert.deepEqual(await ends(pod('one', 0, crash(at(1))), other), ['connecting,following,restarting,ended', 'the pod is gone'], 'between two runs');
  assert.deepEqual(await ends(other), ['connecting,following,ended', 'the pod is gone'], 'at the end of the log');
});

test('a container that has not started is waited for, another refusal fails', async () => {
  const waiting = () => failure(400, 'BadRequest', 'container "c" in pod "p" is waiting to start: ContainerCreating');
  const { lines, states } = await readLog([waiting(), chunked([`${at(1)} a\n`])], { follow: true });
  assert.deepEqual([texts(lines), states.map(({ state }) => state)], [['a'], ['connecting', 'reconnecting', 'following', 'ended']]);
  const refused = await readLog([waiting()], {});
  assert.deepEqual([refused.error.code, refused.states.at(-1).state], ['bad-request', 'failed']);
  const gone = await readLog([failure(404, 'NotFound', 'pods "p" not found')], {});
  assert.deepEqual([gone.error.code, gone.states.at(-1).error.code], ['not-found', 'not-found']);
});

test('the logs of a workload’s pods are merged', async () => {
  const asked = [];
  const { client } = await clientStage((_, path) => {
    asked.push(path);
    if (path.includes('/log')) return chunked([`${at(path.includes('/p2/') ? 1 : 2)} ${path.split('/')[6]}\n`]);
    if (path.includes('/deployments/')) return json({ spec: { selector: { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'tier', operator: 'In', values: ['a', 'b'] }] } } });
    return json({ items: ['p1', 'p2'].map((name) => ({ metadata: { name, namespace: 'n' }, spec: { containers: [{ name: 'c' }, { name: 'side' }] } })) });
  });
  const lines = [];
  for await (const batch of client.logs({ resource: 'apps/v1/deployments', namespace: 'n', name: 'web' })) lines.push(...batch);
  assert.deepEqual(lines, [{ ...line(at(1), 'p2'), namespace: 'n', pod: 'p2', container: 'c' }, { ...line(at(2), 'p1'), namespace: 'n', pod: 'p1', container: 'c' }]);
  assert.equal(asked[1], '/api/v1/namespaces/n/pods?labelSelector=app%3Dweb%2Ctier+in+%28a%2Cb%29');
});

test('options of logs are checked', async () => {
  const { client } = await clientStage(() => json({}));
  const ref = { resource: 'v1/pods', namespace: 'n', name: 'p' };
  for (const options of [{ tail: -1 }, { since: 'yesterday' }, { previous: true, follow: true }, { lines: 3 }, { onState: 1 }]) {
    await assert.rejects(client.logs(ref, options).next(), { code: 'bad-request' }, JSON.stringify(options));
  }
  await assert.rejects(client.logs({ labelSelector: '' }).next(), { code: 'bad-request' });
});
