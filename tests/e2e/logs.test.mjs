// Logs: followed, merged, searched, filtered, opened; the document has only the lines near the visible ones.
//
// Lines are written on command: by the embedded apiserver, or on a real one by the stub kubelet.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { violations } from '../support/axe.mjs';
import { PATIENCE, eventually, row } from '../support/harness.mjs';
import { setStageWithRunner } from '../support/runner.mjs';

const { stage, runner, options } = await setStageWithRunner(['--still']);

const send = async (method, path, body) => {
  const response = await fetch(`http://127.0.0.1:${stage.proxyPort}${path}`, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${text}`);
  return text.startsWith('{') ? JSON.parse(text) : text;
};
const { order } = runner;
const moment = (secondsAgo = 0) => new Date(Date.now() - secondsAgo * 1000).toISOString().replace(/\.\d+/, '');

let namespaces = 0;
async function namespace() {
  const name = `logs-${namespaces++}`;
  await send('POST', '/api/v1/namespaces', { metadata: { name } });
  return name;
}

/** A running pod that writes only on command. */
async function pod(namespace, name, { labels = {}, containers = ['app'], status = {}, restartPolicy = 'Never' } = {}) {
  const spec = { restartPolicy, nodeName: 'stub-node', containers: containers.map((name) => ({ name, image: 'i' })) };
  const made = await send('POST', `/api/v1/namespaces/${namespace}/pods`, { metadata: { name, labels }, spec });
  const running = (name) => ({ name, restartCount: 0, ready: true, image: 'i', imageID: '', state: { running: { startedAt: moment() } }, ...status });
  made.status = { phase: 'Running', containerStatuses: containers.map(running) };
  await send('PUT', `/api/v1/namespaces/${namespace}/pods/${name}/status`, made);
  await order({ log: 'pace', per_second: 0, namespace, pod: name });
  const on = { namespace, pod: name };
  return { write: (text, container) => order({ log: 'line', text, ...on, container }), order: (command) => order({ ...command, ...on }) };
}

const open = (kind, namespace, name, profile) => stage.open(`#/${kind}?namespace=${namespace}&object=${namespace}%2F${name}&tab=logs`, profile);
/** Texts of the lines in the document that were written on command: the pod's own lines may precede them. */
const texts = (page) => page.locator('.log-line .log-text').allTextContents().then((all) => all.filter((text) => !/^(level=|\{"ts"|(INFO|WARN|ERROR|DEBUG) \S+.* line=)/.test(text)));
async function shows(page, what, check) {
  let last;
  await eventually(what, PATIENCE, async () => check((last = await texts(page)))).catch(async (error) => {
    throw new Error(`${error.message}; there are ${JSON.stringify(last)}, ${await state(page).textContent()}`);
  });
}
const state = (page) => page.locator('.log-state');
const following = (page) => page.locator('.log-state', { hasText: /^Following|following/ }).waitFor({ timeout: PATIENCE });
const search = (page) => page.getByRole('textbox', { name: 'Search lines' });

test('a log is followed, a dropped stream is resumed without gap or duplicate, and an end is shown', options, async () => {
  const ns = await namespace();
  const one = await pod(ns, 'one');
  const page = await open('v1/pods', ns, 'one');
  await following(page);
  const expected = [];
  for (let number = 0; number < 20; number++) {
    await one.write(`line ${number}`);
    expected.push(`line ${number}`);
    if (number === 9) {
      await shows(page, 'ten lines', (lines) => lines.join() === expected.join());
      await one.order({ log: 'drop' });
    }
  }
  await shows(page, 'all lines once', (lines) => lines.join() === expected.join());
  await one.order({ log: 'end', exit_code: 3 });
  await eventually('the end', PATIENCE, async () => (await state(page).textContent()) === 'Ended: Error, exit code 3');
  assert.deepEqual(await texts(page), expected);

  // A selection has the text of the lines; a download has all lines with their times.
  const copied = await page.evaluate(() => {
    getSelection().selectAllChildren(document.querySelector('.log-block'));
    return String(getSelection());
  });
  assert.ok(copied.includes('line 3') && copied.includes('line 4'), copied);
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()]);
  assert.equal(download.suggestedFilename(), 'one.log');
  const file = await readFile(await download.path(), 'utf8');
  assert.match(file, /^\d{4}-\d\d-\d\dT\S+Z line 19$/m);

  // Times in UTC, as the kubelet wrote them.
  await page.getByLabel('Timestamps').selectOption('utc');
  assert.match(await page.locator('.log-line', { hasText: 'line 7' }).locator('.log-time').textContent(), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z $/);
  await page.getByRole('button', { name: 'Clear' }).click();
  await shows(page, 'no line', (lines) => lines.length === 0);
  await page.context().close();
});

test('a restarted container is followed into its next run, which is shown', options, async () => {
  const ns = await namespace();
  const one = await pod(ns, 'one', { restartPolicy: 'Always' });
  const page = await open('v1/pods', ns, 'one');
  await following(page);
  await one.write('before');
  await shows(page, 'the first run', (lines) => lines.join() === 'before');
  await one.order({ log: 'end', exit_code: 3 });
  await eventually('the end', PATIENCE, async () => (await state(page).textContent()) === 'Ended: Error, exit code 3; waiting for the container to start again');
  const path = `/api/v1/namespaces/${ns}/pods/one`;
  const { status, ...again } = await send('GET', path);
  const [{ state: lastState, ...container }] = status.containerStatuses;
  // The end is a whole second, and may be in the future.
  const startedAt = new Date(Date.parse(lastState.terminated.finishedAt) + 1000).toISOString().replace(/\.\d+/, '');
  await send('PUT', `${path}/status`, { ...again, status: { ...status, containerStatuses: [{ ...container, restartCount: 1, lastState, state: { running: { startedAt } } }] } });
  await eventually('the next run', PATIENCE, async () => (await state(page).textContent()) === 'Following; the previous run ended: Error, exit code 3');
  await eventually('its beginning', PATIENCE, () => Date.now() > Date.parse(startedAt));
  await one.write('after');
  await shows(page, 'both runs', (lines) => lines.join() === 'before,after');
  await page.context().close();
});

test('a view that is higher for one frame goes on to follow', options, async () => {
  const ns = await namespace();
  const one = await pod(ns, 'one');
  const page = await open('v1/pods', ns, 'one');
  await following(page);
  for (let number = 0; number < 30; number++) await one.write(Array.from({ length: 20 }, () => `${number} `.repeat(20)).join('\n'));
  await one.write('before');
  await shows(page, 'the end', (lines) => lines.at(-1) === 'before');
  // Simulates a state sentence that shrinks from two lines to one: the view becomes higher, so the browser changes the scroll position,
  // and reports that a frame later, when the view has its old height again.
  await page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const status = document.querySelector('.log-status');
    for (let time = 0; time < 5; time++) {
      await frame();
      status.hidden = true;
      await new Promise((resolve) => setTimeout(resolve));
      status.hidden = false;
      await frame();
      await frame();
    }
  });
  await one.write('after');
  await shows(page, 'a later line', (lines) => lines.at(-1) === 'after');
  await page.context().close();
});

test('the previous run and a chosen container are read', options, async () => {
  const ns = await namespace();
  const ended = { exitCode: 1, reason: 'Error', startedAt: moment(60), finishedAt: moment(30) };
  await pod(ns, 'again', { status: { restartCount: 1, lastState: { terminated: ended } } });
  const two = await pod(ns, 'two', { containers: ['app', 'side'] });
  const page = await open('v1/pods', ns, 'again');
  await following(page);
  await page.getByLabel('Previous run').check();
  await eventually('the previous run', PATIENCE, async () => (await state(page).textContent()).startsWith('Ended') && (await page.locator('.log-line').count()) > 0);
  await page.context().close();

  const other = await open('v1/pods', ns, 'two');
  await following(other);
  await other.getByLabel('Container', { exact: true }).selectOption('side');
  await following(other);
  await two.write('of app', 'app');
  await two.write('of side', 'side');
  await shows(other, 'the line of one', (lines) => lines.includes('of side'));
  assert.ok(!(await texts(other)).includes('of app'));
  await other.getByLabel('Container', { exact: true }).selectOption('*');
  await shows(other, 'the lines of both', (lines) => lines.includes('of side') && lines.includes('of app'));
  const names = await other.locator('.log-pod').allTextContents();
  assert.ok(names.includes('two/app ') && names.includes('two/side '), names.join());

  // If there is no previous run, the reason is on screen.
  await other.getByLabel('Container', { exact: true }).selectOption('side');
  await other.getByLabel('Previous run').check();
  await eventually('the reason', PATIENCE, async () => /^Failed: .*previous terminated container/.test(await state(other).textContent()));
  await other.context().close();
});

test('all pods of a deployment are merged, and a new one joins automatically', options, async () => {
  const ns = await namespace();
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'i' }] } };
  await send('POST', `/apis/apps/v1/namespaces/${ns}/deployments`, { metadata: { name: 'web' }, spec: { replicas: 2, selector: { matchLabels: labels }, template } });
  const a = await pod(ns, 'web-a', { labels });
  const b = await pod(ns, 'web-b', { labels });
  await pod(ns, 'other');
  const page = await open('apps/v1/deployments', ns, 'web');
  await eventually('both', PATIENCE, async () => (await state(page).textContent()) === '2 containers: 2 following');
  await a.write('from a');
  await shows(page, 'the line of a', (lines) => lines.includes('from a'));
  await b.write('from b');
  await shows(page, 'the line of b', (lines) => lines.indexOf('from b') > lines.indexOf('from a'));
  const c = await pod(ns, 'web-c', { labels });
  await eventually('three', PATIENCE, async () => (await state(page).textContent()) === '3 containers: 3 following');
  await c.write('from c');
  await shows(page, 'the line of c', (lines) => lines.includes('from c'));
  const line = page.locator('.log-line', { hasText: 'from c' });
  assert.equal(await line.locator('.log-pod').textContent(), 'web-c/app ');
  await page.context().close();
});

const marks = (page) => page.locator('.marks');
const heading = (page, name) => page.locator('.drawer').getByRole('heading', { name, exact: true }).waitFor({ timeout: PATIENCE });
async function openMarked(kind, namespace, names, profile) {
  const page = await stage.open(`#/${kind}?namespace=${namespace}`, profile);
  for (const name of names) await row(page, `${namespace}/${name}`).click({ modifiers: ['Control'], timeout: PATIENCE });
  await marks(page).locator('.number', { hasText: `${names.length} row${names.length === 1 ? '' : 's'} marked` }).waitFor({ timeout: PATIENCE });
  return page;
}
const isFocused = (page, what, selector) => eventually(what, PATIENCE, () => page.evaluate((selector) => document.activeElement?.matches(selector), selector));

test('the logs of marked pods are merged, by key alone, and survive Back, Forward and a reload', options, async () => {
  const ns = await namespace();
  const [a, b, c] = [await pod(ns, 'a'), await pod(ns, 'b', { containers: ['app', 'side'] }), await pod(ns, 'c')];
  const page = await openMarked('v1/pods', ns, ['a', 'b']);
  await page.locator('.grid').focus();
  await page.keyboard.press('l');
  await heading(page, 'Logs of 2 pods');
  await isFocused(page, 'the focus is on the lines', '.log-lines');
  await page.locator('.log-state', { hasText: '2 containers: 2 following' }).waitFor({ timeout: PATIENCE });
  await a.write('from a');
  await shows(page, 'the line of a', (lines) => lines.includes('from a'));
  await b.write('from b', 'app');
  await c.write('from c');
  await shows(page, 'the line of b', (lines) => lines.indexOf('from b') > lines.indexOf('from a'));
  assert.ok(!(await texts(page)).includes('from c'), 'the log of a pod that is not marked is not merged');
  assert.equal(await page.locator('.log-line', { hasText: 'from b' }).locator('.log-pod').textContent(), 'b/app ');

  // The containers of all pods can be chosen.
  await page.getByLabel('Container', { exact: true }).selectOption('side');
  await page.locator('.log-state', { hasText: /^Following/ }).waitFor({ timeout: PATIENCE });
  await b.write('of the side', 'side');
  await shows(page, 'the line of one container', (lines) => lines.includes('of the side'));

  await page.locator('.log-lines').focus();
  await page.keyboard.press('f');
  await page.locator('.drawer.full').waitFor({ timeout: PATIENCE });
  await page.reload();
  await heading(page, 'Logs of 2 pods');
  await page.locator('.drawer.full').waitFor({ timeout: PATIENCE });
  // The lines may be in any order: old lines of a log whose connection opens late are not inserted before shown lines.
  await shows(page, 'the lines again', (lines) => ['from a', 'from b'].every((line) => lines.includes(line)));
  await page.goBack();
  await page.locator('.drawer:not(.full)').waitFor({ timeout: PATIENCE });
  await page.goBack();
  await page.locator('.drawer').waitFor({ state: 'detached', timeout: PATIENCE });
  await page.goForward();
  await heading(page, 'Logs of 2 pods');
  await page.locator('.log-lines').focus();
  await page.keyboard.press('Escape');
  await page.locator('.drawer').waitFor({ state: 'detached', timeout: PATIENCE });
  await isFocused(page, 'the focus is on the table', '.grid');
  await page.context().close();
});

test('the logs of marked deployments are merged, a new pod joins, and what cannot be read is told', options, async () => {
  const ns = await namespace();
  for (const app of ['api', 'web']) {
    const labels = { app };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'i' }] } };
    await send('POST', `/apis/apps/v1/namespaces/${ns}/deployments`, { metadata: { name: app }, spec: { replicas: 1, selector: { matchLabels: labels }, template } });
  }
  const [api] = [await pod(ns, 'api-1', { labels: { app: 'api' } }), await pod(ns, 'web-1', { labels: { app: 'web' } })];
  const page = await openMarked('apps/v1/deployments', ns, ['api', 'web']);
  await marks(page).getByRole('button', { name: 'Logs' }).click();
  await heading(page, 'Logs of 2 deployments');
  await page.locator('.log-state', { hasText: '2 containers: 2 following' }).waitFor({ timeout: PATIENCE });
  await api.write('of the api');
  await shows(page, 'the line of one', (lines) => lines.includes('of the api'));
  const late = await pod(ns, 'web-2', { labels: { app: 'web' } });
  await page.locator('.log-state', { hasText: '3 containers: 3 following' }).waitFor({ timeout: PATIENCE });
  await late.write('of the new one');
  await shows(page, 'the line of the new pod', (lines) => lines.includes('of the new one'));
  await page.context().close();

  const other = await stage.open(`#/apps/v1/deployments?namespace=${ns}&object=${ns}%2Fapi%2C${ns}%2Fgone&tab=logs`);
  await heading(other, 'Logs of 2 deployments');
  await other.locator('.log-state', { hasText: '2 containers: 1 following, 1 failed' }).waitFor({ timeout: PATIENCE });
  await other.getByText('Containers that are not followed').click();
  await other.locator('.log-status li', { hasText: new RegExp(`${ns}/gone: Failed: .*not found`) }).waitFor({ timeout: PATIENCE });
  await other.context().close();
});

test('one marked pod opens in its own panel, and kinds without logs have no such button', options, async () => {
  const ns = await namespace();
  const one = await pod(ns, 'one');
  const page = await openMarked('v1/pods', ns, ['one']);
  await marks(page).getByRole('button', { name: 'Logs' }).click();
  await heading(page, 'one');
  assert.equal(await page.getByRole('tab', { name: 'Logs' }).getAttribute('aria-selected'), 'true');
  await following(page);
  await one.write('alone');
  await shows(page, 'its line', (lines) => lines.includes('alone'));
  await page.context().close();
  await send('POST', `/api/v1/namespaces/${ns}/configmaps`, { metadata: { name: 'settings' } });
  const other = await openMarked('v1/configmaps', ns, ['settings']);
  assert.equal(await marks(other).getByRole('button', { name: 'Logs' }).count(), 0);
  await other.locator('.grid').focus();
  await other.keyboard.press('l');
  assert.equal(await other.locator('.drawer').count(), 0);
  await other.context().close();
});

test('in a small window the logs of marked rows fit, and nothing is wrong for axe', options, async () => {
  const ns = await namespace();
  for (const name of ['a', 'b']) await pod(ns, name);
  const page = await openMarked('v1/pods', ns, ['a', 'b'], { viewport: { width: 380, height: 700 }, bypassCSP: true });
  await marks(page).getByRole('button', { name: 'Logs' }).click();
  await heading(page, 'Logs of 2 pods');
  await page.locator('.log-state', { hasText: '2 containers: 2 following' }).waitFor({ timeout: PATIENCE });
  const box = await page.locator('.drawer').boundingBox();
  assert.ok(box.x >= 0 && box.x + box.width <= 380, JSON.stringify(box));
  assert.deepEqual(await violations(page), []);
  await page.getByRole('button', { name: 'Close' }).click();
  await isFocused(page, 'the focus is on the table', '.grid');
  await page.context().close();
});

test('search, levels, colours, JSON and hostile lines', options, async () => {
  const ns = await namespace();
  const one = await pod(ns, 'one');
  const page = await open('v1/pods', ns, 'one');
  await following(page);
  const hostile = '<img src=x onerror="window.hit=1"> \u202Etxt.exe';
  const written = ['plain words', '\u001b[31mERROR\u001b[0m disk \u001b[1mfull\u001b[0m', '{"level":"warn","msg":"slow query","http":{"marker":503}}', 'level=info msg="marker=200"', hostile, 'E1123 01:02:03.000000       1 main.go:7] no quorum'];
  for (const text of written) await one.write(text);
  await order({ log: 'bytes', base64: Buffer.from([0x61, 0, 0xff, 0x1b, 0x62]).toString('base64'), namespace: ns, pod: 'one' });
  await shows(page, 'all lines', (lines) => lines.length >= 6);
  const line = (text) => page.locator('.log-line', { hasText: text });
  await line('a␀').waitFor();
  assert.equal(await line('a␀').locator('.log-text').textContent(), 'a␀\uFFFD␛b');
  assert.equal(await line('disk').locator('.log-text').textContent(), 'ERROR disk full');
  assert.equal(await line('disk').locator('.c1').textContent(), 'ERROR');
  assert.equal(await line('<img').locator('.escape').textContent(), '\\u202e');
  assert.deepEqual([await page.evaluate(() => window.hit), await page.locator('.log-line img').count()], [undefined, 0]);

  // A JSON line opens, by keyboard.
  await line('slow query').getByRole('button', { name: 'Show the fields' }).focus();
  await page.keyboard.press('Enter');
  const fields = line('slow query').locator('.log-fields');
  await fields.waitFor();
  assert.deepEqual(await fields.locator('dt').allTextContents(), ['level', 'msg', 'http.marker']);
  assert.deepEqual(await fields.locator('dd').allTextContents(), ['warn', 'slow query', '503']);
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-expanded')), 'true', 'the focus stays');

  // Search, by keyboard.
  await page.locator('.log-lines').focus();
  await page.keyboard.press('/');
  await page.keyboard.type('MARKER');
  const found = page.locator('.log-found');
  // Each prefix of the typed words matches the same lines.
  const marked = async () => (await page.locator('.log-text mark').allTextContents()).join();
  await eventually('two lines', PATIENCE, async () => (await found.textContent()) === '2 lines' && (await marked()) === 'marker,marker');
  await page.keyboard.press('Enter');
  await eventually('a match', PATIENCE, async () => (await found.textContent()).endsWith(' of 2'));
  const first = await found.textContent();
  await page.keyboard.press('Shift+Enter');
  await eventually('the other match', PATIENCE, async () => (await found.textContent()) !== first);
  assert.equal(await page.locator('.log-line.current').count(), 1);
  await page.getByRole('button', { name: 'Match case' }).click();
  await eventually('none', PATIENCE, async () => (await found.textContent()) === 'No match');
  await page.getByRole('button', { name: 'Regular expression' }).click();
  await search(page).fill('marker.*[25]0[03]');
  await eventually('both', PATIENCE, async () => (await found.textContent()) === '2 lines');
  await page.getByRole('button', { name: 'Only lines that match' }).click();
  await shows(page, 'only these', (lines) => lines.every((text) => text.includes('marker')));
  await search(page).fill('(');
  await page.locator('.log-problem').waitFor();
  await search(page).press('Escape');
  assert.equal(await search(page).inputValue(), '');
  assert.equal(await page.locator('.drawer').count(), 1, 'Escape emptied the box, and closed nothing');

  await page.getByLabel('Level', { exact: true }).selectOption('error');
  await shows(page, 'errors', (lines) => lines.length === 2 && lines[0].includes('disk') && lines[1].includes('quorum'));
  await page.context().close();
});

test('100,000 lines stay windowed, and a reader is not carried away', options, async () => {
  const ns = await namespace();
  const one = await pod(ns, 'one');
  await one.order({ log: 'pace', per_second: 1000, style: 'json', backlog: 100_000 });
  const page = await open('v1/pods', ns, 'one');
  await following(page);
  await page.getByLabel('Last lines of each container').selectOption('0');
  const held = async () => Number((await page.locator('.log-figures').textContent()).match(/^[\d,]+/)[0].replaceAll(',', ''));
  await eventually('all lines', PATIENCE, async () => (await held()) >= 100_000);
  assert.ok((await page.locator('.log-line').count()) < 200);
  // The view follows the newest line.
  const last = () => page.locator('.log-line').last().getAttribute('data-id').then(Number);
  const before = await last();
  await eventually('newer lines', PATIENCE, async () => (await last()) > before);

  // Scrolled up, the lines do not move, and new ones are counted.
  await page.locator('.log-lines').hover();
  const jump = page.getByRole('button', { name: /Jump to newest/ });
  // If new lines are painted between the scroll and its event, the view jumps back to the end.
  await eventually('it no longer follows', PATIENCE, async () => {
    await page.mouse.wheel(0, -2000);
    return jump.isVisible();
  });
  const top = () => page.evaluate(() => {
    const view = document.querySelector('.log-lines').getBoundingClientRect();
    const line = [...document.querySelectorAll('.log-line')].find((line) => line.getBoundingClientRect().bottom > view.top + 40);
    return `${line.dataset.id} ${Math.round(line.getBoundingClientRect().top - view.top)}`;
  });
  // The wheel scrolls for many frames.
  await page.locator('.log-lines').evaluate(async (lines) => {
    for (let frames = 0, before; frames < 20; frames = lines.scrollTop === before ? frames + 1 : 0) {
      before = lines.scrollTop;
      await new Promise(requestAnimationFrame);
    }
  });
  const still = await top();
  await eventually('new lines are counted', PATIENCE, async () => /\([\d,]+ new lines\)/.test(await jump.textContent()));
  assert.equal(await top(), still);

  // The first line is reachable, and the whole view is filled.
  await page.locator('.log-lines').press('Home');
  const isAtStart = () => page.evaluate(() => {
    const view = document.querySelector('.log-lines');
    const line = document.querySelector('.log-line');
    return view.scrollTop === 0 && Math.abs(line.getBoundingClientRect().top - view.getBoundingClientRect().top) <= 1;
  });
  await eventually('the first line', PATIENCE, isAtStart);
  await page.evaluate(() => (document.querySelector('.log-lines').scrollTop = 700_000));
  const filled = () => page.evaluate(() => {
    const view = document.querySelector('.log-lines').getBoundingClientRect();
    const block = document.querySelector('.log-block').getBoundingClientRect();
    return block.top <= view.top && block.bottom >= view.bottom;
  });
  await eventually('the middle', PATIENCE, filled);
  await page.locator('.log-lines').press('End');
  await jump.waitFor({ state: 'detached' });
  await eventually('the newest', PATIENCE, async () => (await last()) > before);

  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  const paused = await last();
  await eventually('the button counts new lines', PATIENCE, async () => /new lines/.test(await jump.textContent()));
  assert.equal(await last(), paused);
  await page.getByRole('button', { name: 'Resume' }).click();
  await eventually('newer lines', PATIENCE, async () => (await last()) > paused);
  await page.context().close();
});
