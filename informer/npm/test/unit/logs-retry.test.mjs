// Attempts to read a log: the pauses between them, what ends them, and what each request asks for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientStage, failure } from './client-stage.mjs';
import { settle } from './engine.mjs';
import { at, bytes, chunked, crash, p, readAll, restarted, texts, told } from './log-stage.mjs';

const running = (restarts = 0, lastState) => restarted(restarts, { running: {} }, lastState, {}, { uid: 'u', namespace: 'n' });
const over = () => restarted(0, { terminated: { exitCode: 0, reason: 'Completed' } }, undefined, { restartPolicy: 'Never' }, { uid: 'u', namespace: 'n' });
const away = () => failure(503, 'ServiceUnavailable', 'away');

/** Reads a log in a time that passes at once; `answer` gets the number of each request of the log. The result has `pauses` in milliseconds. */
async function reading(t, answer, options, pod = running) {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1e12 });
  let [count, isDone] = [0, false];
  const pauses = [];
  const done = readAll((path, init) => (path.includes('/log') ? answer(count++, path, init) : pod(count)), p, {
    container: 'c', ...options,
    onState: (state, stage) => {
      if (state.state === 'reconnecting') pauses.push(state.nextRetryAt - Date.now());
      options?.onState?.(state, stage);
    },
  }).finally(() => (isDone = true));
  // Time passes while nothing else happens.
  for (let turn = 1; !isDone; turn++) {
    await settle();
    if (turn % 5 === 0) t.mock.timers.tick(100);
  }
  t.mock.timers.reset();
  const log = await done;
  return { ...log, pauses, count, logs: log.asked.filter((one) => one.includes('/log')).map((one) => decodeURIComponent(one.split('/log?')[1])) };
}

test('the first attempt follows at once, the others after pauses that double up to thirty seconds', async (t) => {
  const gone = new AbortController();
  let attempts = 0;
  const { pauses, error, states } = await reading(t, away, { follow: true, signal: gone.signal, onState: ({ state }) => state === 'reconnecting' && ++attempts === 9 && gone.abort(new Error('seen')) });
  assert.deepEqual(pauses, [0, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]);
  assert.deepEqual([error.message, told(states).at(-1), states.at(-1).error.code], ['seen', 'reconnecting', 'internal']);
});

test('a server that wants a longer pause gets it', async (t) => {
  const answers = [failure(429, 'TooManyRequests', 'later', { headers: { 'retry-after': '7' } }), chunked([])];
  assert.deepEqual((await reading(t, () => answers.shift(), {})).pauses, [7_000]);
});

test('a log that is not followed fails after five attempts without progress', async (t) => {
  const { error, count, states } = await reading(t, away, {});
  assert.deepEqual([error.code, count], ['internal', 6]);
  assert.deepEqual(told(states), ['connecting', ...Array(5).fill('reconnecting'), 'failed']);
  assert.equal(states.at(-1).error, error);
});

test('new lines are progress, and delivered ones are not', async (t) => {
  const log = (number) => chunked([Array.from({ length: Math.min(number, 9) + 1 }, (_, second) => `${at(second)} ${second}\n`).join('')], true);
  const { lines, count, pauses } = await reading(t, log, {});
  assert.deepEqual(texts(lines), ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
  assert.equal(count, 15);
  assert.deepEqual(pauses, [...Array(9).fill(0), 0, 800, 1_600, 3_200, 6_400]);
});

test('a connection that was open for ten seconds is resumed at once, whatever came before', async (t) => {
  for (const [open, expected] of [[9_900, 1_600], [10_000, 0]]) {
    const gone = new AbortController();
    let breaks;
    const answer = (number) => {
      if (number !== 2) return away();
      return new Response(new ReadableStream({ start: (controller) => (breaks = () => controller.error(new TypeError('lost'))) }));
    };
    let since = 0;
    const { pauses } = await reading(t, answer, {
      follow: true,
      signal: gone.signal,
      onState: ({ state }) => {
        if (state === 'reconnecting' && ++since === 3) gone.abort();
        if (state === 'following') setTimeout(() => breaks(), open);
      },
    });
    assert.deepEqual(pauses, [0, 800, expected], `open for ${open} ms`);
  }
});

test('an error that cannot pass ends the log, followed or not', async (t) => {
  for (const follow of [false, true]) {
    const { error, states, count } = await reading(t, () => failure(403, 'Forbidden', 'no'), { follow });
    assert.deepEqual([error.code, told(states), count], ['forbidden', ['connecting', 'failed'], 1]);
  }
  const { error } = await reading(t, () => failure(400, 'BadRequest', 'container x is not valid'), { follow: true });
  assert.equal(error.code, 'bad-request');
});

test('each sentence of a container that has no log yet is waited for, if the log is followed', async (t) => {
  for (const why of ['is waiting to start', 'is not available', 'PodInitializing', 'ContainerCreating', 'no logs available', 'is terminated']) {
    const answers = () => [failure(400, 'BadRequest', `container "c" in pod "p" ${why}: so`), chunked([`${at(1)} a\n`])];
    const [followed, read] = [answers(), answers()];
    let looks = 0;
    const log = await reading(t, () => followed.shift(), { follow: true }, () => (++looks > 2 ? over() : running()));
    assert.deepEqual([texts(log.lines), told(log.states)], [['a'], ['connecting', 'reconnecting', 'following', 'ended 0']], why);
    assert.equal((await reading(t, () => read.shift(), {})).error.code, 'bad-request', why);
    // The same words with another status are another error.
    assert.equal((await reading(t, () => failure(422, 'Invalid', why), { follow: true })).error.code, 'invalid');
  }
});

test('a request is that of a plain client, and names what it wants', async (t) => {
  const accepts = [];
  const answer = (_, path, { headers }) => (accepts.push(headers.get('accept')), chunked([`${at(5)} a\n`]));
  const logs = async (options) => (await reading(t, answer, options, over)).logs;
  assert.deepEqual(await logs({ previous: true }), ['container=c&previous=true&timestamps=true']);
  assert.deepEqual(await logs({ follow: true, tail: 0 }), ['container=c&timestamps=true&tailLines=1', 'container=c&follow=true&timestamps=true&sinceTime=2026-01-01T00:00:05Z']);
  assert.deepEqual(await logs({ tail: 0 }), ['container=c&timestamps=true&tailLines=0']);
  assert.deepEqual(new Set(accepts), new Set(['*/*']));
});

test('the last line of a log is read before only its new lines are, and an empty log has new lines only', async (t) => {
  const log = async (past) => {
    const answers = [chunked([past]), chunked([`${at(1)} old\n${at(2)} new\n`])];
    const { lines, logs } = await reading(t, () => answers.shift(), { follow: true, tail: 0 }, over);
    return [texts(lines), logs[1].split('timestamps=true')[1]];
  };
  assert.deepEqual(await log(`${at(1)} old\n${at(1)} not this\n`), [['new'], '&sinceTime=2026-01-01T00:00:01Z']);
  assert.deepEqual(await log(''), [['old', 'new'], '']);
});

test('seconds before now are counted from the call, rounded up', async (t) => {
  const answers = [away(), away(), away(), chunked([])];
  const { logs } = await reading(t, () => answers.shift(), { since: 60 });
  assert.deepEqual(logs.map((one) => /sinceSeconds=(\d+)/.exec(one)[1]), ['60', '61', '61', '63']);
});

test('the existing lines are read by a request of their own, in front of the ones that are followed', async (t) => {
  const log = async (options) => {
    const { lines, logs, states } = await reading(t, (number) => chunked([`${at(1)} a\n`, number > 0 ? `${at(2)} b\n` : '']), { follow: true, pastFirst: true, ...options }, over);
    return [texts(lines), logs.map((one) => one.includes('follow=true')), told(states)];
  };
  const states = ['connecting', 'following', 'ended 0'];
  assert.deepEqual(await log({}), [['a', 'b'], [false, true], states]);
  assert.deepEqual(await log({ tail: 1_001 }), [['a', 'b'], [false, true], states]);
  assert.deepEqual(await log({ tail: 1_000 }), [['a'], [true], states]);
  assert.deepEqual(await log({ pastFirst: false }), [['a'], [true], states]);
});

test('the rest of a run that ended meanwhile is read from where it was, if it is still there', async (t) => {
  const log = (previous) => {
    const gone = new AbortController();
    return reading(t, (_, path) => {
      if (path.includes('previous=true')) return previous(gone);
      return chunked([path.includes('follow=true') ? `${at(3)} next\n` : `${at(1)} a\n`]);
    }, { follow: true, pastFirst: true, signal: gone.signal, onState: ({ state }) => state === 'reconnecting' && gone.abort(new Error('seen')) },
    (count) => (count === 0 ? running() : running(1, crash(at(2)))));
  };
  const there = await log(() => chunked([`${at(1)} a\n${at(2)} b\n`, `${at(2)} without its end`]));
  assert.deepEqual([texts(there.lines), there.error.message], [['a', 'b', 'without its end', 'next'], 'seen']);
  assert.equal(there.logs.find((one) => one.includes('previous')), 'container=c&previous=true&timestamps=true&sinceTime=2026-01-01T00:00:01Z');
  const gone = await log(() => failure(400, 'BadRequest', 'previous terminated container "c" not found'));
  assert.deepEqual(texts(gone.lines), ['a', 'next']);
  const left = await log((abort) => new Promise(() => setImmediate(() => abort.abort(new Error('left')))));
  assert.deepEqual([texts(left.lines), left.error.message], [['a'], 'left']);
});

test('a batch has at most two thousand lines', async () => {
  const all = Array.from({ length: 4_500 }, (_, number) => `${at(1)} ${number}\n`).join('');
  const { client } = await clientStage(() => new Response(bytes(all)));
  const sizes = [];
  for await (const batch of client.logs(p, { container: 'c' })) sizes.push(batch.length);
  assert.deepEqual([Math.max(...sizes), sizes.reduce((sum, size) => sum + size)], [2_000, 4_500]);
});
