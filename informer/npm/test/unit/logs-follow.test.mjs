// Followed logs: the run that is read after a drop, the wait for a container, and the end of a log.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failure, json } from './client-stage.mjs';
import { at, chunked, crash, follow, followSelection, p, readAll, restarted, texts, told } from './log-stage.mjs';

const running = (uid, restarts = 0, lastState) => restarted(restarts, { running: {} }, lastState, {}, { uid, namespace: 'n' });
const over = () => restarted(0, { terminated: { exitCode: 0, reason: 'Completed' } }, undefined, { restartPolicy: 'Never' }, { uid: 'u', namespace: 'n' });

test('a log that broke off ends if its pod was recreated meanwhile', async () => {
  const { lines, states } = await follow([() => running('one'), () => running('two')], [
    () => chunked([`${at(1)} a\n`], true),
    () => chunked([`${at(1)} b\n`]),
  ]);
  assert.deepEqual(texts(lines), ['a']);
  assert.deepEqual(told(states), ['connecting', 'following', 'reconnecting', 'ended the pod is gone']);
});

test('the existing lines are read first, without gap, duplicate or half a line', async () => {
  const first = [`${at(1)} a\n${at(1)} b\n`, `${at(2)} c\n${at(2)} d\n${at(2)} hal`];
  const follows = [`${at(2)} c\n${at(2)} d\n${at(2)} half\n${at(3)} e\n`];
  for (const breaks of [false, true]) {
    // One that breaks off goes on where it was, and is followed then.
    const parts = breaks ? [() => chunked([first[0]], true), () => chunked([`${at(1)} a\n${at(1)} b\n`, first[1]])] : [() => chunked(first)];
    const { lines, asked } = await follow([() => over()], [...parts, () => chunked(follows)], { pastFirst: true, container: 'c' });
    assert.deepEqual(texts(lines), ['a', 'b', 'c', 'd', 'half', 'e']);
    const logs = asked.filter((path) => path.includes('/log'));
    assert.deepEqual(logs.map((path) => path.includes('follow=true')), [...parts.map(() => false), true]);
    assert.match(decodeURIComponent(logs.at(-1)), /sinceTime=2026-01-01T00:00:02Z/);
  }
});

test('a run that ends between the existing lines and the follower loses no line', async () => {
  const previous = `${at(1)} a\n${at(1)} b\n${at(2)} crash\n`;
  const answer = (pods) => (path) => {
    if (!path.includes('/log')) return (pods.length > 1 ? pods.shift() : pods[0])();
    if (path.includes('previous=true')) return chunked([previous]);
    return chunked([path.includes('follow=true') ? `${at(3)} next\n` : `${at(1)} a\n${at(1)} b\n`]);
  };
  const gone = new AbortController();
  const pods = [() => running('u'), () => running('u', 1, crash(at(2)))];
  const { lines } = await readAll(answer(pods), p, {
    follow: true,
    pastFirst: true,
    signal: gone.signal,
    onState: ({ state }) => state === 'reconnecting' && gone.abort(new Error('seen')),
  });
  assert.deepEqual(texts(lines), ['a', 'b', 'crash', 'next']);
});

test('an empty past is followed from the beginning, and a short one is not read apart', async () => {
  const empty = await follow([() => over()], [() => chunked([]), () => chunked([`${at(1)} a\n`])], { pastFirst: true, container: 'c' });
  assert.deepEqual(texts(empty.lines), ['a']);
  const short = await follow([() => over()], [() => chunked([`${at(1)} a\n`])], { pastFirst: true, tail: 1_000, container: 'c' });
  assert.deepEqual(texts(short.lines), ['a']);
  assert.equal(short.asked.filter((path) => path.includes('/log')).length, 1);
});

test('a log of a selection that ends before the status says so does not go on in the next run', async () => {
  const pod = async (...args) => (await running('u', ...args)).json();
  const runs = [await pod(), await pod(), await pod(1, crash(at(3)))];
  const logs = [[`${at(1)} a\n`], [`${at(4)} b\n`]];
  const gone = new AbortController();
  const { say, done } = await followSelection((path) => (path.includes('/log') ? chunked(logs.length > 1 ? logs.shift() : logs[0]) : json(runs.length > 1 ? runs.shift() : runs[0])), {
    signal: gone.signal,
    onState: ({ state, exitCode }) => state === 'ended' && exitCode === 1 && gone.abort(),
  });
  say({ type: 'add', key: 'n/p', object: runs.shift(), isInInitialList: true });
  const { lines, states } = await done;
  assert.deepEqual(texts(lines), ['a']);
  assert.deepEqual(told(states), ['connecting', 'following', 'reconnecting', 'ended 1']);
});

test('a followed log fails for good when the engine has', async () => {
  const { error, states, stage } = await readAll((path) => (path.includes('/log') ? chunked([`${at(1)} a\n`], true) : running('u')), p, {
    follow: true,
    onState: ({ state }, { page }) => state === 'reconnecting' && page.connection.end(Object.assign(new Error('it crashes again and again'), { code: 'internal', retryable: true })),
  });
  assert.equal(error.message, 'it crashes again and again');
  assert.deepEqual(told(states), ['connecting', 'following', 'reconnecting', 'failed']);
  assert.equal(states.at(-1).error, error);
  assert.equal(stage.leases.size, 0);
});

test('shutdown rejects a log that pauses, at once', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const { error } = await readAll((path) => (path.includes('/log') ? failure(500, 'InternalError', 'away') : running('u')), p, {
    follow: true,
    // The first pause has no length.
    onState: ({ state, nextRetryAt }, { factory }) => state === 'reconnecting' && setImmediate(() => (nextRetryAt > Date.now() ? factory.shutdown() : t.mock.timers.tick(1))),
  });
  assert.equal(error.code, 'closed');
});

test('shutdown and a signal reject a log that waits for the next run', async () => {
  for (const end of ['shutdown', 'abort']) {
    const gone = new AbortController();
    const ended = () => (end === 'abort' ? gone.abort(new Error('left')) : stages[0].factory.shutdown());
    const stages = [];
    let looks = 0;
    const { error, states } = await readAll((path) => {
      if (path.includes('/log')) return chunked([`${at(1)} a\n`]);
      looks++;
      // While this answer is in flight.
      if (looks === 3) setImmediate(ended);
      return looks === 1 ? running('u') : looks === 2 ? restarted(0, crash(at(3)), undefined, {}, { uid: 'u' }) : new Promise(() => {});
    }, p, { follow: true, signal: gone.signal }, (stage) => stages.push(stage));
    assert.deepEqual([error?.message, end === 'abort' || error.code === 'closed'], [end === 'abort' ? 'left' : 'the factory has been stopped', true]);
    assert.deepEqual(told(states).slice(0, 3), ['connecting', 'following', 'restarting 1']);
    assert.ok(!told(states).includes('ended'), `${told(states)}`);
  }
});

test('a pod that the kubelet does not know yet, or not again, is waited for', async () => {
  const waits = {
    bound: failure(404, 'NotFound', 'the server could not find the requested resource ( pods/log p )'),
    restarted: failure(400, 'BadRequest', 'pod "p" cannot be found - no logs available'),
    created: failure(400, 'BadRequest', 'container "c" in pod "p" is terminated'),
  };
  for (const [why, answer] of Object.entries(waits)) {
    const { lines, states } = await follow([() => running('u'), () => running('u'), () => running('u'), over], [() => answer, () => chunked([`${at(1)} a\n`])]);
    assert.deepEqual(texts(lines), ['a'], why);
    assert.deepEqual(told(states), ['connecting', 'reconnecting', 'following', 'ended 0'], why);
  }
});

test('a pod that is deleted while the kubelet is asked for its log is gone', async () => {
  const missing = () => failure(404, 'NotFound', 'pods "p" not found');
  const { states, error } = await follow([() => running('u'), missing], [missing]);
  assert.deepEqual([error, told(states)], [undefined, ['connecting', 'ended the pod is gone']]);
  const forbidden = await follow([() => running('u'), () => failure(403, 'Forbidden', 'no')], [missing]);
  assert.deepEqual(told(forbidden.states), ['connecting', 'ended the pod is gone'], 'without the right to read the pod, the kubelet decides');
});

test('a container that has ended without a log is not waited for forever', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { states } = await follow([() => running('u'), over], [() => failure(400, 'BadRequest', 'container "c" in pod "p" is terminated')], {
    onState: ({ state }) => state === 'reconnecting' && setImmediate(() => setImmediate(() => t.mock.timers.tick(30_000))),
  });
  assert.deepEqual([told(states).at(-1), new Set(told(states)).size], ['ended 0', 3]);
});

const queries = (asked) => asked.filter((one) => one.includes('/log')).map((one) => one.split('timestamps=true')[1]);

test('seconds count from the call, also after an outage', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1e12 });
  const { asked } = await follow([() => running('u'), () => running('u'), over], [() => failure(503, 'ServiceUnavailable', 'away'), () => chunked([`${at(1)} a\n`])], {
    since: 60,
    onState: ({ state }) => state === 'reconnecting' && t.mock.timers.tick(120_000),
  });
  assert.deepEqual(queries(asked), ['&sinceSeconds=60', '&sinceSeconds=180']);
});

test('the first lines of a container that is waited for are new ones', async () => {
  for (const tail of [0, 5]) {
    const waiting = () => failure(400, 'BadRequest', 'container "c" in pod "p" is waiting to start: ContainerCreating');
    const { lines, asked } = await follow([() => running('u'), () => running('u'), over], [waiting, () => chunked([`${at(1)} a\n`])], { tail });
    assert.deepEqual([texts(lines), queries(asked).at(-1)], [['a'], ''], `tail ${tail}`);
  }
});

test('a retry is announced for the time at which the server wants it', async () => {
  const began = Date.now();
  const gone = new AbortController();
  const { states } = await follow([() => running('u')], [() => failure(429, 'TooManyRequests', 'later', { headers: { 'retry-after': '600' } })], {
    signal: gone.signal,
    onState: ({ state }) => state === 'reconnecting' && gone.abort(),
  });
  assert.ok(states.at(-1).nextRetryAt >= began + 600_000, JSON.stringify(states.at(-1)));
});

test('`tail: 0` delivers only what is written from now on', async () => {
  // The request for the last line, then the log since its second.
  const old = Array.from({ length: 5 }, (_, number) => `${at(1, `${number + 1}`)} old ${number}\n`);
  const { lines } = await follow([() => running('u'), over], [() => chunked([old[4]]), () => chunked([...old, `${at(2)} new\n`])], { tail: 0 });
  assert.deepEqual(texts(lines), ['new']);
});

test('`tail: 0` delivers nothing older after a drop within the second of its beginning', async () => {
  const old = Array.from({ length: 5 }, (_, number) => `${at(1, `${number + 1}`)} old ${number}\n`);
  const since = [...old, `${at(1, '6')} a\n`];
  const { lines } = await follow([() => running('u'), () => running('u'), over], [
    () => chunked([old[4]]), () => chunked(since, true), () => chunked([...since, `${at(1, '7')} b\n`]),
  ], { tail: 0 });
  assert.deepEqual(texts(lines), ['a', 'b']);
});

test('a log whose pod cannot be read is resumed', async () => {
  const { lines } = await follow([() => running('u'), () => failure(403, 'Forbidden', 'no'), over], [() => chunked([`${at(1)} a\n`], true), () => chunked([`${at(1)} a\n${at(2)} b\n`])]);
  assert.deepEqual(texts(lines), ['a', 'b']);
});
