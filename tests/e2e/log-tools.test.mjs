// Tools of a log: since when, wrapped lines, local time, colours by level; and a line of 10 MB.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { PATIENCE, eventually, settled } from '../support/harness.mjs';
import { setStageWithRunner } from '../support/runner.mjs';

const { stage, runner, options } = await setStageWithRunner(['--still']);

async function send(method, path, body) {
  const response = await fetch(stage.url(`..${path}`), { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  assert.ok(response.ok, `${method} ${path}: ${response.status}`);
  return response.json().catch(() => null);
}
const { order } = runner;
const ns = 'log-tools';

before(async () => {
  if (!stage.unavailable) await send('POST', '/api/v1/namespaces', { metadata: { name: ns } });
});

/** A running pod that writes only on command. */
async function pod(name) {
  const pods = `/api/v1/namespaces/${ns}/pods`;
  const made = await send('POST', pods, { metadata: { name }, spec: { nodeName: 'stub-node', containers: [{ name: 'app', image: 'i' }] } });
  const startedAt = new Date().toISOString().replace(/\.\d+/, '');
  made.status = { phase: 'Running', containerStatuses: [{ name: 'app', restartCount: 0, ready: true, image: 'i', imageID: '', state: { running: { startedAt } } }] };
  await send('PUT', `${pods}/${name}/status`, made);
  const command = (command) => order({ ...command, namespace: ns, pod: name });
  await command({ log: 'pace', per_second: 0 });
  return command;
}

async function open(name, profile) {
  const page = await stage.open(`#/v1/pods?namespace=${ns}&object=${ns}%2F${name}&tab=logs`, { viewport: { width: 1400, height: 900 }, ...profile });
  await page.locator('.log-state', { hasText: /^Following/ }).waitFor({ timeout: PATIENCE });
  return page;
}
const line = (page, text) => page.locator('.log-line', { hasText: text });
const held = async (page) => Number((await page.locator('.log-figures').textContent()).match(/^[\d,]+/)?.[0].replaceAll(',', '') ?? 0);
/** The time of the first line, once the view is there. */
async function firstTime(page) {
  await page.locator('.log-lines').press('Home');
  await eventually('the first line', PATIENCE, () => page.locator('.log-lines').evaluate((view) => {
    const line = view.querySelector('.log-line');
    return view.scrollTop === 0 && line && Math.abs(line.getBoundingClientRect().top - view.getBoundingClientRect().top) <= 1;
  }));
  return Date.parse((await page.locator('.log-line .log-time').first().textContent()).trim());
}

test('a log is read since a time that is chosen', options, async () => {
  const command = await pod('old');
  // A line a second, for two hours.
  await command({ log: 'pace', per_second: 1, style: 'json', backlog: 7200 });
  const page = await open('old');
  await page.getByLabel('Timestamps').selectOption('utc');
  await page.getByLabel('Last lines of each container').selectOption('0');
  await eventually('two hours', PATIENCE, async () => (await held(page)) >= 7200);
  const chosen = Date.now();
  assert.ok((await firstTime(page)) <= chosen - 7_100_000);
  for (const [label, seconds] of [['Last hour', 3600], ['Last 5 minutes', 300]]) {
    const before = Date.now();
    await page.getByLabel('Since').selectOption({ label });
    // Fewer lines than before, because the log is read again.
    await eventually(label, PATIENCE, async () => {
      const count = await held(page);
      return count >= seconds - 5 && count < seconds + 5 + (Date.now() - before) / 1000;
    });
    const first = await firstTime(page);
    assert.ok(first >= before - (seconds + 2) * 1000 && first <= Date.now() - (seconds - 5) * 1000, `${label}: ${new Date(first).toISOString()} of ${new Date(before).toISOString()}`);
  }
  await page.getByLabel('Since').selectOption({ label: 'Any time' });
  await eventually('two hours again', PATIENCE, async () => (await held(page)) >= 7200);
  await page.context().close();
});

test('a log is read since a date and time of one\'s own', options, async () => {
  const command = await pod('dated');
  await command({ log: 'pace', per_second: 1, style: 'json', backlog: 7200 });
  // A time zone that is neither that of the machine nor that of the container.
  const page = await open('dated', { timezoneId: 'Asia/Kathmandu' });
  await page.getByLabel('Timestamps').selectOption('utc');
  await page.getByLabel('Last lines of each container').selectOption('0');
  await eventually('two hours', PATIENCE, async () => (await held(page)) >= 7200);
  const field = page.getByLabel('Since this local time');
  assert.equal(await field.count(), 0);
  await page.getByLabel('Since', { exact: true }).selectOption({ label: 'Date and time …' });
  await eventually('the field has the focus', PATIENCE, () => field.evaluate((field) => field === document.activeElement));
  assert.ok((await held(page)) >= 7200, 'the log is not read again before a time is entered');
  const at = Math.floor(Date.now() / 1000) * 1000 - 600_000;
  // The offset of this zone is 5:45.
  await field.fill(new Date(at + 345 * 60_000).toISOString().slice(0, 19));
  await field.press('Enter');
  await eventually('ten minutes', PATIENCE, async () => {
    const count = await held(page);
    return count >= 595 && count < 605 + (Date.now() - at - 600_000) / 1000;
  });
  const first = await firstTime(page);
  assert.ok(Math.abs(first - at) <= 2000, `${new Date(first).toISOString()} of ${new Date(at).toISOString()}`);
  await field.fill('');
  await eventually('two hours again', PATIENCE, async () => (await held(page)) >= 7200);
  await page.getByLabel('Since', { exact: true }).selectOption({ label: 'Last hour' });
  await field.waitFor({ state: 'detached', timeout: PATIENCE });
  await eventually('an hour', PATIENCE, async () => (await held(page)) < 4000);
  await page.context().close();
});

for (const [key, top] of [['Home', 0], ['PageUp', undefined]]) {
  test(`${key} leaves the end of a log that grows`, options, async () => {
    const name = `chatty-${key.toLowerCase()}`;
    const command = await pod(name);
    await command({ log: 'pace', per_second: 100, style: 'json', backlog: 20 });
    const page = await open(name);
    await eventually('lines', PATIENCE, async () => (await held(page)) >= 300);
    await page.locator('.log-lines').press(key);
    await page.locator('.log-jump').waitFor({ timeout: PATIENCE });
    const before = await held(page);
    await eventually('further lines', PATIENCE, async () => (await held(page)) > before + 100);
    await page.locator('.log-jump', { hasText: /new line/ }).waitFor({ timeout: PATIENCE });
    if (top !== undefined) await settled('the top', () => page.locator('.log-lines').evaluate((view) => view.scrollTop), top);
    await page.context().close();
  });
}

test('the last lines of a longer log are read, as many as are chosen', options, async () => {
  const command = await pod('tailed');
  // One line each: for `tail` a text of several lines that is written at once is one.
  for (let number = 1; number <= 130; number++) await command({ log: 'line', text: `entry ${number}.` });
  const page = await open('tailed');
  const choice = page.getByLabel('Last lines of each container');
  await eventually('the whole log', PATIENCE, async () => (await held(page)) >= 130);
  const sockets = [];
  page.on('websocket', (socket) => sockets.push(new URL(socket.url()).searchParams.get('tailLines')));
  await choice.selectOption({ label: '100 lines' });
  await settled('100 lines', () => held(page), 100);
  assert.equal(await line(page, 'entry 130.').count(), 1, 'the last line is shown');
  await page.locator('.log-lines').press('Home');
  await line(page, 'entry 31.').waitFor({ timeout: PATIENCE });
  assert.match(await page.locator('.log-line').first().textContent(), /entry 31\.$/);
  // The choice limits the lines before now, and none that come later.
  await command({ log: 'line', text: 'later' });
  await settled('one line more', () => held(page), 101);
  await choice.selectOption({ label: '1,000 lines' });
  await eventually('the whole log again', PATIENCE, async () => (await held(page)) >= 131);
  await choice.selectOption({ label: 'All lines' });
  await eventually('another request', PATIENCE, () => sockets.length >= 3);
  assert.deepEqual(sockets.filter(Boolean), ['100', '1000']);
  await page.context().close();
});

test('long lines are wrapped, or not', options, async () => {
  const command = await pod('wide');
  const page = await open('wide');
  await command({ log: 'line', text: `begin ${'word '.repeat(200)}end` });
  await line(page, 'begin').waitFor({ timeout: PATIENCE });
  const view = () => page.locator('.log-lines').evaluate((lines) => {
    const of = [...lines.querySelectorAll('.log-line')].find((one) => one.textContent.includes('begin'));
    return { overflows: lines.scrollWidth > lines.clientWidth, height: of.getBoundingClientRect().height };
  });
  const isWrapped = async () => {
    const { overflows, height } = await view();
    return !overflows && height >= 60;
  };
  await eventually('the line is wrapped', PATIENCE, isWrapped);
  await page.getByLabel('Wrap').uncheck();
  await settled('one line', view, { overflows: true, height: 20 });
  await page.getByLabel('Wrap').check();
  await eventually('the line is wrapped again', PATIENCE, isWrapped);
  await page.context().close();
});

test('times are those of UTC or of the place', options, async () => {
  const command = await pod('times');
  // This zone has no daylight saving time.
  const page = await open('times', { timezoneId: 'Asia/Kolkata' });
  await command({ log: 'line', text: 'dated' });
  await line(page, 'dated').waitFor({ timeout: PATIENCE });
  const time = line(page, 'dated').locator('.log-time');
  assert.equal(await time.count(), 0);
  const shown = async (zone, form) => {
    await page.getByLabel('Timestamps').selectOption(zone);
    await eventually(`the time in ${zone}`, PATIENCE, async () => form.test(await time.textContent().catch(() => '')));
    return (await time.textContent()).trim();
  };
  const utc = await shown('utc', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z $/);
  const local = await shown('local', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+05:30 $/);
  assert.equal(Date.parse(local), Date.parse(utc));
  assert.ok(Math.abs(Date.parse(utc) - Date.now()) < PATIENCE);
  await page.getByLabel('Timestamps').selectOption('none');
  await time.waitFor({ state: 'detached', timeout: PATIENCE });
  await page.context().close();
});

test('lines have the colour of their level, in light and in dark', options, async () => {
  const command = await pod('levels');
  const texts = { error: 'level=error msg=broken', warn: '{"level":"warning","msg":"slow"}', info: 'INFO all is well', debug: 'DEBUG details', none: 'no level here' };
  const colours = {};
  for (const colorScheme of ['light', 'dark']) {
    const page = await open('levels', { colorScheme });
    if (colorScheme === 'light') for (const text of Object.values(texts)) await command({ log: 'line', text });
    await line(page, texts.none).waitFor({ timeout: PATIENCE });
    const of = async (text) => line(page, text).evaluate((line) => [line.dataset.level ?? 'none', getComputedStyle(line).borderLeftColor]);
    colours[colorScheme] = {};
    for (const [level, text] of Object.entries(texts)) {
      const [found, colour] = await of(text);
      assert.equal(found, level);
      colours[colorScheme][level] = colour;
    }
    const { error, warn, none } = colours[colorScheme];
    assert.equal(none, 'rgba(0, 0, 0, 0)');
    assert.equal(new Set([error, warn, none]).size, 3, JSON.stringify(colours[colorScheme]));
    await page.context().close();
  }
  assert.notEqual(colours.light.error, colours.dark.error);
});

test('a line of 10 MB is cut, says so, and leaves the page usable', options, async () => {
  const command = await pod('long');
  const page = await open('long');
  const bytes = 10 << 20;
  // More lines than the document contains at once.
  for (let at = 0; at < 200; at += 1) await command({ log: 'line', text: `before ${at}` });
  await command(runner.isKubelet ? { log: 'line', text: 'a'.repeat(bytes) } : { log: 'long-line', bytes });
  await command({ log: 'line', text: 'after the long one' });
  await line(page, 'after the long one').waitFor({ timeout: PATIENCE });
  const long = page.locator('.log-line', { hasText: /more bytes were cut/ });
  await long.waitFor({ timeout: PATIENCE });
  const notes = (await long.locator('.log-note').allTextContents()).map((note) => Number(note.match(/[\d,]+/)[0].replaceAll(',', '')));
  assert.equal(notes.length, 2, 'one note about the held bytes, and one about the cut bytes');
  assert.equal(notes[0] + notes[1], bytes);
  assert.ok(notes[0] >= 100_000, `${notes[0]} bytes are held`);
  // The document contains only the start of the line until it is opened, then all that the page holds.
  const length = () => long.locator('.log-text').evaluate((text) => text.textContent.length);
  assert.ok((await length()) <= 2_000);
  const top = () => long.evaluate((element) => element.getBoundingClientRect().top);
  // The line begins above the view, which scrolls to it with the focus.
  await long.getByRole('button', { name: 'Show the whole line' }).focus();
  const view = await page.locator('.log-lines').boundingBox();
  await eventually('its first row is in the view', PATIENCE, async () => (await top()) >= view.y && (await top()) < view.y + view.height);
  const before = await top();
  await long.getByRole('button', { name: 'Show the whole line' }).press('Enter');
  await eventually('the whole line', PATIENCE, async () => (await length()) === notes[0]);
  assert.ok(Math.abs((await top()) - before) <= 3, `the line stays at its place: ${before}, then ${await top()}`);
  await long.getByText(/more bytes were cut/).waitFor();
  // The view scrolls through the long line row by row.
  await page.locator('.log-lines').evaluate((view) => view.scrollBy(0, 1000));
  await eventually('1,000 pixels further down', PATIENCE, async () => Math.abs((await top()) - before + 1000) <= 3);
  await long.getByRole('button', { name: 'Show less of this line' }).press('Enter');
  await eventually('less of it', PATIENCE, async () => (await length()) <= 2_000);
  // Search, wrapping and following continue to work.
  await page.getByRole('textbox', { name: 'Search lines' }).fill('after the');
  await page.locator('.log-found', { hasText: '1 line' }).waitFor({ timeout: PATIENCE });
  await page.getByLabel('Wrap').uncheck();
  await page.getByRole('textbox', { name: 'Search lines' }).fill('');
  await page.locator('.log-lines').press('End');
  await command({ log: 'line', text: 'and another one' });
  await line(page, 'and another one').waitFor({ timeout: PATIENCE });
  await page.getByRole('tab', { name: 'YAML' }).click();
  await page.locator('.yaml .line').first().waitFor({ timeout: PATIENCE });
  await page.context().close();
});
