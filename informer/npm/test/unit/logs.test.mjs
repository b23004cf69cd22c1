// Logs: of one container, of its runs, and of several targets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientStage, failure, json } from './client-stage.mjs';
import { at, bytes, chunked, crash, line, restarted, stopClock, texts } from './log-stage.mjs';

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

/** Follows a log over WebSockets: each is driven by one of `scripts`, which gets the function that says a text. */
async function overSockets(scripts, answers = []) {
  class Socket extends EventTarget {
    constructor() {
      super();
      const script = scripts.shift();
      setImmediate(() => {
        this.onopen();
        script((text) => this.onmessage({ data: bytes(text).buffer }));
      });
    }

    close() {
      if (!this.isClosed) setImmediate(() => this.onclose({ code: 1000, wasClean: true }));
      this.isClosed = true;
    }
  }
  globalThis.WebSocket = Socket;
  try {
    return await readLog(answers, { follow: true, container: 'c' });
  } finally {
    globalThis.WebSocket = undefined;
  }
}

test('a log that comes faster than it is read is resumed, and one that never gets on is read by fetch', async () => {
  // Lines of one second, 40 MB: more than may wait.
  const all = Array.from({ length: 4000 }, (_, number) => `${at(1, `${number}`.padStart(9, '0'))} ${number} ${'x'.repeat(10_000)}\n`);
  const sayAll = (say) => all.forEach(say);
  // The second one gets as far as the first one, so none of its lines is new.
  const { lines, states, asked } = await overSockets([sayAll, sayAll], [chunked([all.join('')])]);
  assert.deepEqual(lines.map(({ text }) => Number(text.split(' ')[0])), all.map((_, number) => number));
  assert.deepEqual(states.filter(({ state }) => state === 'following').map(({ via }) => via), ['websocket', 'websocket', 'fetch']);
  assert.equal(asked.length, 1, 'by fetch');
});

test('the logs of a workload’s pods are merged', async (t) => {
  stopClock(t);
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

/** A cluster with the deployment `web`, whose pods are p2 and p3, and the pods p1 and p2. */
async function severalTargets(targets, options) {
  const item = (name) => ({ metadata: { name, namespace: 'n', uid: name }, spec: { containers: [{ name: 'c' }] } });
  const { client, asked } = await clientStage((_, path) => {
    const name = path.split('/')[6]?.split('?')[0];
    if (path.includes('/log')) return chunked([`${at(9 - Number(name[1]))} ${name}\n`]);
    if (path.includes('/deployments/web')) return json({ spec: { selector: { matchLabels: { app: 'web' } } } });
    if (path.includes('labelSelector')) return json({ items: ['p2', 'p3'].map(item) });
    return ['p1', 'p2'].includes(name) ? json(item(name)) : failure(404, 'NotFound', 'not found');
  });
  const [batches, states] = [[], []];
  for await (const batch of client.logs(targets, { onState: (state) => states.push(state), ...options })) batches.push(batch);
  return { batches, lines: options?.joined ? [] : batches.flat(), states, asked };
}

const named = (name, resource = 'v1/pods') => ({ resource, namespace: 'n', name });

test('several targets are merged, and a pod of two of them is read once', async (t) => {
  stopClock(t);
  const { lines, asked } = await severalTargets([named('p1'), named('p2'), named('web', 'apps/v1/deployments'), { namespace: 'n', labelSelector: 'app=web' }]);
  assert.deepEqual(lines.map(({ pod, container, text }) => `${pod}/${container} ${text}`), ['p3/c p3', 'p2/c p2', 'p1/c p1']);
  assert.equal(asked.filter((one) => one.includes('/log')).length, 3);
  assert.deepEqual((await severalTargets([named('p1')])).lines.map(({ pod }) => pod), ['p1'], 'an array of one has origins as well');
});

test('joined lines are columns', async (t) => {
  stopClock(t);
  const { batches } = await severalTargets([named('p1'), named('p2')], { joined: true, maxLineBytes: 22 });
  const all = (name) => batches.map((batch) => batch[name]);
  // They may come in one batch or in two.
  assert.deepEqual([all('lines').reduce((sum, lines) => sum + lines), all('texts').join('\n'), all('times').join('\n')], [2, 'p\np', `${at(7)}\n${at(8)}`]);
  assert.deepEqual(all('cuts').flat().map(([, cut]) => cut), [1, 1]);
  assert.deepEqual(all('origins').flat().map(({ namespace, pod, container }) => [namespace, pod, container]), [['n', 'p2', 'c'], ['n', 'p1', 'c']]);
});

test('a target that cannot be read is told, and the others are read', async () => {
  const gone = named('gone', 'apps/v1/deployments');
  const { lines, states } = await severalTargets([gone, named('p1')]);
  assert.deepEqual(texts(lines), ['p1']);
  const [{ state, ref, error, pod }] = states;
  assert.deepEqual([state, ref, error.code, pod], ['failed', gone, 'not-found', undefined]);
  await assert.rejects(severalTargets([gone, named('px')]), { code: 'not-found' });
  for (const targets of [[], [named('p1'), null], [named('p1'), { labelSelector: '' }]]) {
    await assert.rejects(severalTargets(targets), { code: 'bad-request' }, JSON.stringify(targets));
  }
});

test('several targets share the limit of containers that are read at once', async () => {
  const { lines, states } = await severalTargets([named('p1'), named('p2'), named('web', 'apps/v1/deployments')], { maxStreams: 1 });
  assert.deepEqual(texts(lines).toSorted(), ['p1', 'p2', 'p3']);
  assert.deepEqual(states.filter(({ state }) => state === 'limited').map(({ waiting }) => waiting), [1, 2]);
});

test('options of logs are checked', async () => {
  const { client } = await clientStage(() => json({}));
  const ref = { resource: 'v1/pods', namespace: 'n', name: 'p' };
  for (const options of [{ tail: -1 }, { since: 'yesterday' }, { previous: true, follow: true }, { lines: 3 }, { onState: 1 }]) {
    await assert.rejects(client.logs(ref, options).next(), { code: 'bad-request' }, JSON.stringify(options));
  }
  await assert.rejects(client.logs({ labelSelector: '' }).next(), { code: 'bad-request' });
});
