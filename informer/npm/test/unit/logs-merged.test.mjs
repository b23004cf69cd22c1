// Merged logs: ends and failures of several containers, and the informer of a followed selection.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientStage, failure, json } from './client-stage.mjs';
import { settle, status, until } from './engine.mjs';
import { at, bytes, chunked, crash, followSelection, p, readAll, texts, told } from './log-stage.mjs';

/** A pod whose containers have these statuses. */
const podOf = (name, statuses, restartPolicy) => ({
  metadata: { name, namespace: 'n', uid: name },
  spec: { restartPolicy, containers: Object.keys(statuses).map((container) => ({ name: container })) },
  status: { containerStatuses: Object.entries(statuses).map(([container, of]) => ({ name: container, restartCount: 0, ...of })) },
});
const running = { state: { running: {} } };
const completed = { state: { terminated: { exitCode: 0, reason: 'Completed' } } };
const add = (pod) => ({ type: 'add', key: `n/${pod.metadata.name}`, object: pod, isInInitialList: true });
/** A log that does not end before its request is aborted. */
const endless = ({ signal }, ...lines) => new Response(new ReadableStream({
  start(controller) {
    for (const text of lines) controller.enqueue(bytes(text));
    signal.addEventListener('abort', () => controller.error(signal.reason));
  },
}));

test('all containers of a pod that is followed end together', async () => {
  const pod = podOf('p', { c: completed, d: completed }, 'Never');
  const { lines, states } = await readAll((path) => (path.includes('/log') ? chunked([`${at(1)} ${path.match(/container=(.)/)[1]}\n`]) : json(pod)), p, { container: '*', follow: true });
  assert.deepEqual([texts(lines).sort(), told(states).filter((state) => state === 'ended 0').length], [['c', 'd'], 2]);
});

test('a reader that stops opens no further logs', async () => {
  const pod = podOf('p', { c: running, d: running, e: running });
  const { client, asked, leases } = await clientStage((_, path, init) => (path.includes('/log') ? endless(init, `${at(1)} a\n`) : json(pod)));
  const states = [];
  for await (const _ of client.logs(p, { container: '*', follow: true, maxStreams: 1, onState: (state) => states.push(state) })) break;
  await until(() => leases.size === 0);
  // What would come now comes within some turns of the event loop.
  for (let turn = 0; turn < 20; turn++) await settle();
  assert.deepEqual([told(states).filter((state) => state === 'connecting').length, asked.filter((one) => one.includes('/log')).length], [1, 1]);
});

test('a deleted pod no longer waits for a place', async () => {
  const waiting = [];
  const gone = new AbortController();
  const { say, done } = await followSelection((path, init) => (path.includes('/log') ? endless(init) : json(podOf('p', { c: running }))), {
    maxStreams: 1, signal: gone.signal, onState: (state) => state.state === 'limited' && waiting.push(state.waiting),
  });
  const [one, two, three] = ['p', 'q', 'r'].map((name) => podOf(name, { c: running }));
  say(...[one, two, three].map(add));
  say(...[two, three].map((object) => ({ type: 'delete', key: `n/${object.metadata.name}`, object })));
  gone.abort();
  await done;
  assert.deepEqual(waiting, [1, 2, 1, 0]);
});

test('a pod that cannot be read is a state and an error', async () => {
  const missing = await readAll(() => failure(404, 'NotFound', 'pods "p" not found'), p, { follow: true });
  assert.deepEqual([missing.error.code, told(missing.states), missing.states[0].pod], ['not-found', ['failed'], 'p']);
  assert.equal(missing.states[0].error, missing.error);
  const forbidden = await readAll(() => failure(403, 'Forbidden', 'no'), { namespace: 'n', labelSelector: 'app=web' });
  assert.deepEqual([forbidden.error.code, told(forbidden.states)], ['forbidden', ['failed']]);
});

test('several logs fail if each of them has', async () => {
  const merged = (refused) => readAll((path) => {
    if (!path.includes('/log')) return json({ items: ['p', 'q'].map((name) => podOf(name, { c: running })) });
    return refused.includes(path.split('/')[6]) ? failure(403, 'Forbidden', 'cannot get resource "pods/log"') : chunked([`${at(1)} a\n`]);
  }, { namespace: 'n', labelSelector: 'app=web' });
  const all = await merged(['p', 'q']);
  assert.deepEqual([all.error?.code, told(all.states).filter((state) => state === 'failed').length], ['forbidden', 2]);
  const one = await merged(['p']);
  assert.deepEqual([one.error, texts(one.lines)], [undefined, ['a']]);
});

test('a container that crashes again and again is read between two runs', async () => {
  const pod = podOf('p', { c: { restartCount: 3, state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: crash(at(2)) } });
  const gone = new AbortController();
  const log = await followSelection((path) => (path.includes('/log') ? chunked([`${at(1)} why\n`]) : json(pod)), { signal: gone.signal });
  const { say, done } = log;
  say(add(pod));
  // The status of the same run again.
  say({ type: 'update', key: 'n/p', object: pod, previous: pod });
  await until(() => log.lines.length > 0 && log.states.some(({ state }) => state === 'ended'));
  for (let turn = 0; turn < 20; turn++) await settle();
  gone.abort();
  const { lines, states } = await done;
  assert.deepEqual([texts(lines), told(states)], [['why'], ['connecting', 'following', 'ended 1']]);
});

const forbidden = { code: 'forbidden', message: 'cannot list pods', status: 403, retryable: true };

test('a selection whose pods cannot be listed says so, and when it can', async () => {
  const gone = new AbortController();
  const { say, informer, stage, done } = await followSelection((_, init) => endless(init), { signal: gone.signal });
  const tell = (more) => stage.page.engine.say({ type: 'status', informer, status: status(more) });
  tell({ phase: 'listing', hasSynced: false });
  // Between two attempts, or two engines.
  tell({ phase: 'reconnecting', hasSynced: false, lastError: forbidden, nextRetryAt: null });
  tell({ phase: 'reconnecting', hasSynced: false, lastError: forbidden, nextRetryAt: 7 });
  tell({ phase: 'reconnecting', hasSynced: false, lastError: forbidden, nextRetryAt: 7, queueDepth: 1 });
  tell({ phase: 'reconnecting', hasSynced: false, lastError: forbidden, nextRetryAt: 9 });
  tell({ phase: 'watching', lastError: forbidden });
  tell({ phase: 'watching', events: 1 });
  say(add(podOf('p', { c: running })));
  await until(() => stage.asked.some((one) => one.includes('/log')));
  gone.abort();
  const { states } = await done;
  assert.deepEqual(states.slice(0, 3).map(({ state, error, nextRetryAt, pod }) => [state, error?.code, nextRetryAt, pod]),
    [['reconnecting', 'forbidden', 7, undefined], ['reconnecting', 'forbidden', 9, undefined], ['following', undefined, undefined, undefined]]);
  assert.equal(states[3].pod, 'p');
});

test('a selection that is invalid fails', async () => {
  const { informer, stage, done } = await followSelection((_, init) => endless(init));
  const lastError = { code: 'bad-request', message: 'the label selector is invalid', retryable: false };
  stage.page.engine.say({ type: 'status', informer, status: status({ phase: 'failed', hasSynced: false, lastError }) });
  const { error, states } = await done;
  assert.deepEqual([error.code, states.at(-1)?.state, states.at(-1)?.error], ['bad-request', 'failed', error]);
});

test('a followed selection starts its own informer only', async () => {
  const gone = new AbortController();
  const { informer, stage, heard, done } = await followSelection((_, init) => endless(init), { signal: gone.signal });
  await until(() => heard('startOne'));
  assert.deepEqual(stage.page.engine.heard.filter(({ type }) => type.startsWith('start')), [{ type: 'startOne', informer }]);
  // Of the replay log, too.
  await stage.page.crash();
  assert.deepEqual(stage.page.engine.take().filter(({ type }) => type.startsWith('start')), [{ type: 'startOne', informer }]);
  gone.abort();
  await done;
  await stage.page.crash();
  assert.deepEqual(stage.page.engine.take('startOne'), []);
});

const cronJob = { resource: 'batch/v1/cronjobs', namespace: 'n', name: 'nightly' };
const ownedBy = (uid) => ({ ownerReferences: [{ uid, controller: true }] });
const job = (name, owner) => ({ metadata: { name, namespace: 'n', uid: name, ...ownedBy(owner) } });
const podOfJob = (name, owner, status = completed) => {
  const pod = podOf(name, { c: status });
  return { ...pod, metadata: { ...pod.metadata, ...ownedBy(owner) } };
};

test('logs of a CronJob are those of the pods of its jobs', async () => {
  const answers = {
    '/apis/batch/v1/namespaces/n/cronjobs/nightly': { metadata: { name: 'nightly', uid: 'cron' } },
    '/apis/batch/v1/namespaces/n/jobs': { items: [job('one', 'cron'), job('two', 'cron'), job('other', 'another')] },
    '/api/v1/namespaces/n/pods': { items: [podOfJob('p', 'one'), podOfJob('q', 'two'), podOfJob('r', 'stale')] },
  };
  const { lines, asked } = await readAll((path) => {
    const [at, query] = path.split('?');
    if (at.endsWith('/log')) return chunked([`2026-01-01T00:00:01Z of ${at.split('/')[6]}\n`]);
    if (at.endsWith('/pods')) assert.equal(new URLSearchParams(query).get('labelSelector'), 'job-name in (one,two)');
    return json(answers[at]);
  }, cronJob);
  assert.deepEqual(texts(lines).sort(), ['of p', 'of q']);
  assert.equal(asked.filter((one) => one.includes('/log')).length, 2);
  const none = await readAll((path) => json(path.includes('/jobs') ? { items: [] } : { metadata: { uid: 'cron' } }), cronJob);
  assert.deepEqual([none.lines, none.error], [[], undefined]);
});

test('pods of new jobs of a CronJob that is followed join, whichever comes first', async () => {
  const gone = new AbortController();
  const { heard, lines, say, stage, done } = await followSelection((path, init) => {
    if (path.includes('/log')) return endless(init, `2026-01-01T00:00:01Z of ${path.split('/')[6]}\n`);
    return json({ metadata: { name: 'nightly', uid: 'cron' } });
  }, { signal: gone.signal }, cronJob);
  const handlers = () => stage.page.engine.heard.filter(({ type }) => type === 'addEventHandler');
  await until(() => handlers().length === 2 && heard('startOne'));
  // The handler of jobs is added before that of pods.
  const [jobs, pods] = handlers();
  const tell = ({ informer, handler }, object) => say.to(informer, handler, { type: 'add', key: `n/${object.metadata.name}`, object, isInInitialList: true });
  tell(pods, podOfJob('early', 'one', running));
  tell(pods, podOfJob('foreign', 'other', running));
  for (let turn = 0; turn < 20; turn++) await settle();
  assert.deepEqual(texts(lines), [], 'the job is unknown');
  tell(jobs, job('one', 'cron'));
  tell(jobs, job('other', 'another'));
  await until(() => lines.length === 1);
  tell(jobs, job('two', 'cron'));
  tell(pods, podOfJob('late', 'two', running));
  await until(() => lines.length === 2);
  gone.abort();
  await done;
  assert.deepEqual(texts(lines).sort(), ['of early', 'of late']);
});

test('a pod that joins later is read from its beginning, and the first ones as the options say', async () => {
  const gone = new AbortController();
  const pod = (name) => podOf(name, { c: running });
  const { say, stage, done } = await followSelection((path, init) => (path.includes('/log') ? endless(init) : json(pod('p'))), { signal: gone.signal, tail: 3, since: 60 });
  say(add(pod('p')), { ...add(pod('q')), isInInitialList: false });
  const queries = () => stage.asked.filter((one) => one.includes('/log?')).map((one) => [one.split('/')[6], one.split('timestamps=true')[1]]);
  await until(() => queries().length === 2);
  gone.abort();
  await done;
  assert.deepEqual(queries().sort(), [['p', '&sinceSeconds=60&tailLines=3'], ['q', '']]);
});

test('a selection that fails does not end another, and all of them do', async () => {
  const { stage, done } = await followSelection((_, init) => endless(init), {}, [{ namespace: 'n', labelSelector: 'a' }, { namespace: 'n', labelSelector: 'b' }]);
  const opened = () => stage.page.engine.heard.filter(({ type }) => type === 'informer').map(({ informer }) => informer);
  await until(() => opened().length === 2);
  const fail = (informer, message) => stage.page.engine.say({ type: 'status', informer, status: status({ phase: 'failed', hasSynced: false, lastError: { code: 'bad-request', message, retryable: false } }) });
  const [first, second] = opened();
  let isOver = false;
  done.then(() => (isOver = true));
  fail(first, 'the first');
  for (let turn = 0; turn < 20; turn++) await settle();
  assert.equal(isOver, false);
  fail(second, 'the second');
  const { error, states } = await done;
  assert.deepEqual([error.message, told(states)], ['the second', ['failed', 'failed']]);
});

test('a selection that fails beside a pod that is named ends with the pod only', async () => {
  const gone = new AbortController();
  const { stage, informer, lines, done } = await followSelection((path, init) => (path.includes('/log') ? endless(init, `${at(1)} a\n`) : json(podOf('p', { c: running }))),
    { signal: gone.signal }, [p, { namespace: 'n', labelSelector: 'a' }]);
  const lastError = { code: 'bad-request', message: 'no', retryable: false };
  stage.page.engine.say({ type: 'status', informer, status: status({ phase: 'failed', hasSynced: false, lastError }) });
  await until(() => lines.length === 1);
  gone.abort(new Error('left'));
  assert.equal((await done).error.message, 'left');
});

test('a pod that is named does not leave, or join again, with a selection', async () => {
  const gone = new AbortController();
  const named = podOf('p', { c: running });
  const { say, states, stage, done } = await followSelection((path, init) => (path.includes('/log') ? endless(init) : json(named)),
    { signal: gone.signal, maxStreams: 1 }, [p, { resource: 'v1/pods', namespace: 'n', name: 'p' }, { namespace: 'n', labelSelector: 'a' }]);
  say(add(named), add(podOf('q', { c: running })), { type: 'delete', key: 'n/r', object: podOf('r', {}) });
  const limits = () => states.filter(({ state }) => state === 'limited').map(({ waiting }) => waiting);
  await until(() => limits().length > 0 && stage.asked.some((one) => one.includes('/log')));
  gone.abort(new Error('left'));
  await done;
  assert.deepEqual([limits(), stage.asked.filter((one) => one.includes('/log')).length], [[1], 1]);
});

test('a signal and shutdown end the requests before a log begins, and a merge', async () => {
  const web = { resource: 'apps/v1/deployments', namespace: 'n', name: 'web' };
  for (const ref of [web, { labelSelector: 'a' }, [p], { resource: 'batch/v1/cronjobs', namespace: 'n', name: 'x' }]) {
    const gone = new AbortController();
    const { error } = await readAll(() => new Promise(() => setImmediate(() => gone.abort(new Error('left')))), ref, { signal: gone.signal });
    assert.equal(error.message, 'left', JSON.stringify(ref));
  }
  const log = await followSelection((_, init) => endless(init));
  log.stage.factory.shutdown();
  assert.equal((await log.done).error.message, 'the factory has been stopped');
});

test('an existing log is waited for while its connection is being opened', async (t) => {
  t.mock.timers.enable({ apis: ['Date', 'setTimeout'], now: 1e12 });
  let open;
  const pods = ['p', 'q'].map((name) => podOf(name, { c: running }));
  let isDone = false;
  const reading = readAll((path) => {
    if (!path.includes('/log')) return json({ items: pods });
    return path.includes('/p/') ? chunked([`${at(2)} second\n`]) : new Promise((resolve) => (open = () => resolve(chunked([`${at(1)} first\n`]))));
  }, { namespace: 'n', labelSelector: 'a' }).finally(() => (isDone = true));
  for (let turn = 1; !isDone; turn++) {
    await settle();
    if (turn % 5 === 0) t.mock.timers.tick(100);
    if (turn === 75) open();
  }
  assert.deepEqual(texts((await reading).lines), ['first', 'second']);
});
