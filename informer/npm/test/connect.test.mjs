// Time limit of connect(): a worker or a wasm file that never responds is an error that names it.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Deadline, engineStarts, workerAnswers } from '../src/deadline.js';
import { PATIENCE, openPage, pageForEach, setStage } from './stage.mjs';

const stage = await setStage();
after(() => stage.end());
const options = { timeout: PATIENCE };

let context;
let page;
pageForEach(stage, (...made) => ([page, context] = made));

/** The package below a path of its own, with one file changed. */
function copyDist(place, changed, content) {
  for (const name of readdirSync(join(stage.folder, 'dist')).filter((name) => /\.(js|wasm)$/.test(name))) {
    stage.front.made.set(`${place}/${name}`, name === changed ? content : readFileSync(join(stage.folder, 'dist', name)));
  }
  return `${place}/index.js`;
}

/** In a page: the error of a connect() with a short deadline, and its leftovers. */
const attempt = (page, entry, worker, timeoutMs = 1000) =>
  page.evaluate(async ([entry, worker, timeoutMs]) => {
    const { connect } = await import(entry);
    return rejection(connect({ worker, timeoutMs }));
  }, [entry, worker, timeoutMs]);

/**
 * The error of a connect() that names `file`. On a loaded machine nothing may be known of the file after a second: then the
 * deadline is longer.
 */
async function named(page, entry, worker, file) {
  let error;
  for (let timeoutMs = 1_000; timeoutMs <= 64_000 && !error?.message.includes(file); timeoutMs *= 4) error = await attempt(page, entry, worker, timeoutMs);
  assert.ok(error.message.includes(file), error.message);
  return error;
}

const broken = { empty: '', throwing: 'throw new Error("not today")' };
for (const worker of ['shared', 'elected', 'dedicated']) {
  for (const [kind, content] of Object.entries(broken)) {
    test(`a worker whose file is ${kind} rejects connect and is named (${worker})`, options, async () => {
      const place = `/made/${kind}-${worker}`;
      const entry = copyDist(place, 'worker.js', content);
      const file = `${stage.origin}${place}/worker.js`;
      // An exception is reported immediately.
      const { name, code, message } = await (kind === 'empty' ? named(page, entry, worker, file) : attempt(page, entry, worker, PATIENCE));
      assert.equal(name, 'InformerError');
      assert.ok(message.includes(file), message);
      const isEmpty = kind === 'empty';
      assert.equal(code, isEmpty ? 'timeout' : 'internal', message);
      assert.match(message, isEmpty ? /did not respond within \d+ s/ : /could not be started: .*not today/);
    });
  }
}

test('a second connect onto a shared worker that is dead is rejected, too', options, async () => {
  const entry = copyDist('/made/dead', 'worker.js', broken.throwing);
  const dead = (page) => named(page, entry, 'shared', '/made/dead/worker.js');
  const errors = await Promise.all([dead(page), dead(page)]);
  const { page: other } = await openPage(stage, context);
  errors.push(await dead(other));
  // Browsers differ in whether a later page receives the worker's exception.
  for (const { code, message } of errors) assert.match(code, /^(timeout|internal)$/, message);
});

for (const worker of ['shared', 'elected', 'dedicated', false]) {
  test(`a wasm that never comes rejects connect and is named (${worker || 'in the page'})`, options, async () => {
    const entry = copyDist(`/made/slow-${worker}`, 'informer.wasm', undefined);
    const file = `${stage.origin}/made/slow-${worker}/informer.wasm`;
    const { code } = await named(page, entry, worker, file);
    assert.equal(code, 'timeout');
  });
}

test('a response in time is no error, and the browser’s constructors are restored', options, async () => {
  const results = await page.evaluate(async () => {
    const { connect } = await import('kube-informer');
    const before = [Worker, SharedWorker];
    const works = [];
    for (const worker of ['shared', 'elected', 'dedicated', false]) {
      works.push((await (await connect({ worker, timeoutMs: Infinity })).resources()).length > 0);
    }
    return [works, before[0] === Worker, before[1] === SharedWorker];
  });
  assert.deepEqual(results, [[true, true, true, true], true, true]);
});

test('a deadline restarts for the next step, not for the same one', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const deadline = new Deadline(10_000);
  const late = [];
  const begin = (what) => deadline.begin(what, ({ message }) => late.push(message));
  begin(workerAnswers('/worker.js'));
  t.mock.timers.tick(9_000);
  begin(workerAnswers('/worker.js'));
  begin(engineStarts('/informer.wasm'));
  t.mock.timers.tick(9_999);
  begin(engineStarts('/informer.wasm'));
  assert.deepEqual(late, []);
  t.mock.timers.tick(1);
  assert.match(late.join(), /^the engine did not start from \/informer\.wasm within 10 s\. /);
  begin(workerAnswers('/worker.js'));
  deadline.end();
  t.mock.timers.tick(60_000);
  assert.equal(late.length, 1);
});
