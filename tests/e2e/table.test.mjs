// Table: sorting, filtering, counting and pointing at rows.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { PATIENCE, TEST, cell, eventually, freshness, grid, row, setStage } from '../support/harness.mjs';

// Only the tests change the cluster.
const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

const options = { ...TEST, skip: stage.unavailable };
const ns = 'table';
const elsewhere = 'elsewhere';
// The orders by name and by restarts differ; two pods have the same status.
const pods = { ant: [3, 'Running'], bee: [12, 'Running'], cat: [0, 'Failed'] };

const key = (pod) => `${ns}/${pod}`;
const filterBox = (page) => page.getByRole('combobox', { name: 'Filter' });
const header = (page, column) => page.locator(`[role=columnheader][data-header=${JSON.stringify(column)}]`);
const chip = (page, value) => page.locator(`.facets > .facet > .chip[data-value=${JSON.stringify(value)}]`);
const count = (page) => page.locator('.tally .count');

async function setStatus(pod, restarts, phase) {
  const containerStatuses = [{ name: pod, image: 'pause', imageID: '', ready: phase === 'Running', restartCount: restarts, state: {}, lastState: {} }];
  const patch = JSON.stringify({ status: { phase, containerStatuses } });
  await stage.kubectl(['patch', 'pod', pod, '-n', ns, '--subresource=status', '--type=merge', '-p', patch]);
}

/** The names on screen, from the top. Read at once, because row slots are recycled. */
const names = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('.canvas [role=row][data-key]:not([hidden])')]
      .sort((a, b) => a.getAttribute('aria-rowindex') - b.getAttribute('aria-rowindex'))
      .map((row) => row.dataset.key.split('/')[1]),
  );

const shows = (page, expected) =>
  eventually(`the rows are ${expected}`, PATIENCE, async () => (await names(page)).join() === expected.join());

/**
 * Does `work` while the pointer is on a cell, so that the order stays frozen. The pointer keeps moving: the order is frozen until ten
 * seconds after its last movement.
 */
async function pointing(page, at, work) {
  await at.hover();
  // A timer of the page moves the pointer: it fires before that of the frozen order, however late both are.
  const timer = await at.evaluate((element) => {
    let step = 0;
    const canvas = element.closest('.canvas');
    const move = () => canvas.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, screenX: step++ % 2 }));
    return setInterval(move, 50);
  });
  try {
    await page.locator('.held.on').waitFor();
    await work();
  } finally {
    await page.evaluate((timer) => clearInterval(timer), timer);
  }
}

async function open(query = '', namespace = ns, place = '') {
  const page = await stage.open(`${place}#/v1/pods?${namespace ? `namespace=${namespace}` : ''}${query}`);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  return page;
}

before(async () => {
  if (stage.unavailable) return;
  for (const name of [ns, elsewhere]) {
    const manifest = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await stage.kubectl(['create', '-f', '-'], JSON.stringify(manifest));
  }
  await stage.kubectl(['run', 'dog', '-n', elsewhere, '--image=pause', '--restart=Never']);
  for (const [pod, [restarts, phase]] of Object.entries(pods)) {
    await stage.kubectl(['run', pod, '-n', ns, '--image=pause', '--restart=Never']);
    await setStatus(pod, restarts, phase);
  }
});

test('each header orders the rows, a second press turns them, shift adds a key', options, async () => {
  const page = await open();
  await shows(page, ['ant', 'bee', 'cat']);
  await header(page, 'Restarts').getByRole('button').click();
  await shows(page, ['bee', 'ant', 'cat']);
  assert.equal(await header(page, 'Restarts').getAttribute('aria-sort'), 'descending', 'the first press sorts numbers in descending order');
  // A header also works by keyboard.
  await header(page, 'Restarts').getByRole('button').press('Enter');
  await shows(page, ['cat', 'ant', 'bee']);
  await header(page, 'Status').getByRole('button').click();
  await header(page, 'Restarts').getByRole('button').click({ modifiers: ['Shift'] });
  await shows(page, ['cat', 'bee', 'ant']);
  assert.equal(await header(page, 'Status').getAttribute('aria-sort'), 'ascending');
  assert.match(await header(page, 'Restarts').innerText(), /2/);
  assert.match(page.url(), /sort=status,restarts-desc$/);
  await page.context().close();
});

test('a filter is parsed while it is typed, and an invalid one is marked', options, async () => {
  const page = await open();
  await shows(page, ['ant', 'bee', 'cat']);
  const box = filterBox(page);
  await box.pressSequentially('restarts>2');
  await shows(page, ['ant', 'bee']);
  await eventually('they are counted', PATIENCE, async () => (await count(page).innerText()) === '2 of 3');

  await box.pressSequentially(' (status=');
  // Each key has its own result: that of an earlier key may be shown for a moment.
  await eventually('the filter is marked as wrong', PATIENCE, async () => (await box.getAttribute('aria-invalid')) === 'true');
  await eventually('the reason is there', PATIENCE, async () => /\S/.test(await page.locator('#refusal').innerText()));
  await eventually('the applied filter is named', PATIENCE, async () => /“restarts>2”/.test(await page.locator('.in-force').innerText()));
  await eventually('the invalid part is marked', PATIENCE, () => page.locator('.wrong').isVisible());
  assert.deepEqual(await names(page), ['ant', 'bee'], 'the last valid filter still applies');

  await box.pressSequentially('Running)');
  await eventually('nothing is wrong any more', PATIENCE, async () => (await box.getAttribute('aria-invalid')) === null);
  await shows(page, ['ant', 'bee']);
  await box.fill('colour=red');
  await eventually('a column that is not there is said', PATIENCE, async () => /colour/.test(await page.locator('#refusal').innerText()));
  await page.context().close();
});

test('a rejected filter keeps scrolled rows visible; an applied one begins at the top', options, async () => {
  const items = Array.from({ length: 200 }, (_, at) => ({
    apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `map-${String(at).padStart(3, '0')}`, namespace: elsewhere },
  }));
  await stage.kubectl(['create', '--validate=false', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const page = await stage.open(`#/v1/configmaps?namespace=${elsewhere}`);
  await row(page, `${elsewhere}/map-000`).waitFor({ timeout: PATIENCE });
  await grid(page).evaluate((grid) => grid.scrollTo(0, 3_000));
  await row(page, `${elsewhere}/map-095`).waitFor({ timeout: PATIENCE });
  await eventually('all rows are there', PATIENCE, () => page.evaluate(() => !document.querySelector('.canvas [role=row].pending:not([hidden])')));
  const before = await names(page);
  // From here on, records the largest number of blank rows in a frame.
  await page.evaluate(() => {
    const look = () => {
      const rows = [...document.querySelectorAll('.canvas [role=row]:not([hidden])')];
      window.blanks = Math.max(window.blanks ?? 0, rows.filter((row) => !row.dataset.key).length);
      requestAnimationFrame(look);
    };
    look();
  });
  const box = filterBox(page);
  await box.pressSequentially('(');
  await eventually('the filter is marked as wrong', PATIENCE, async () => (await box.getAttribute('aria-invalid')) === 'true');
  await page.locator('.in-force', { hasText: 'all rows' }).waitFor();
  assert.deepEqual(await names(page), before);
  await box.press('Backspace');
  await eventually('nothing is wrong any more', PATIENCE, async () => (await box.getAttribute('aria-invalid')) === null);
  assert.deepEqual(await names(page), before, 'the rows are the same: the page does not scroll to the top');
  assert.equal(await page.evaluate(() => window.blanks), 0);
  await box.pressSequentially('map-1');
  await eventually('the first of the others', PATIENCE, async () => (await names(page))[0] === 'map-100');
  // Some clusters create a config map in each namespace.
  await eventually('they are counted', PATIENCE, async () => /^100 of 20\d$/.test(await count(page).innerText()));
  await page.context().close();
});

test('a chip keeps the focus when the chips are put in another order', options, async () => {
  const page = await open();
  const order = () => page.locator('.facets > .facet').first().locator('> .chip[data-value]').evaluateAll((chips) => chips.map(({ dataset }) => dataset.value).join());
  try {
    for (const [value, pod, other] of [['Failed', 'ant', 'Running'], ['Failed', 'ant', 'Failed']]) {
      // The chips are ordered by count, and keep their order while a value is chosen.
      await eventually(`the first is ${other}`, PATIENCE, async () => (await order()).startsWith(other));
      await chip(page, value).click();
      await setStatus(pod, 3, other === 'Running' ? 'Failed' : 'Running');
      const left = other === 'Running' ? '2' : '1';
      await eventually('the change is counted', PATIENCE, async () => (await chip(page, value).locator('.number').innerText()) === left);
      await chip(page, value).press('Enter');
      await eventually('the order is another one', PATIENCE, async () => !(await order()).startsWith(other));
      await eventually('the chip has the focus', PATIENCE, () => chip(page, value).evaluate((chip) => chip === document.activeElement));
    }
  } finally {
    await setStatus('ant', ...pods.ant);
  }
  await page.context().close();
});

test('a value above the table is a filter, and pressed again none', options, async () => {
  const page = await open();
  await eventually('the values are counted', PATIENCE, async () => (await chip(page, 'Running').locator('.number').innerText()) === '2');
  await chip(page, 'Failed').click();
  await shows(page, ['cat']);
  assert.equal(await filterBox(page).inputValue(), 'status=Failed');
  assert.equal(await chip(page, 'Failed').getAttribute('aria-pressed'), 'true');
  // The other values are still offered.
  await chip(page, 'Running').click();
  assert.equal(await filterBox(page).inputValue(), 'status=Failed,Running');
  await shows(page, ['ant', 'bee', 'cat']);
  await chip(page, 'Running').click();
  await chip(page, 'Failed').press('Enter');
  assert.equal(await filterBox(page).inputValue(), '');
  await shows(page, ['ant', 'bee', 'cat']);
  await page.context().close();
});

test('a row that is pointed at stays where it is until the pointer leaves', options, async () => {
  const page = await open('&sort=restarts-desc');
  await shows(page, ['bee', 'ant', 'cat']);
  await pointing(page, cell(page, key('cat'), 'Name'), async () => {
    await setStatus('cat', 40, 'Failed');
    // Its cells stay live; its position does not change.
    await cell(page, key('cat'), 'Restarts').filter({ hasText: /^40$/ }).waitFor({ timeout: PATIENCE });
    assert.deepEqual(await names(page), ['bee', 'ant', 'cat']);
  });
  await page.mouse.move(5, 5);
  await shows(page, ['cat', 'bee', 'ant']);
  await page.locator('.held.on').waitFor({ state: 'detached', timeout: PATIENCE });
  await setStatus('cat', 0, 'Failed');
  await page.context().close();
});

test('a row that goes while it is pointed at keeps its place, struck out, and cannot be opened', options, async () => {
  await stage.kubectl(['run', 'aaa', '-n', ns, '--image=pause', '--restart=Never']);
  const page = await open();
  await shows(page, ['aaa', 'ant', 'bee', 'cat']);
  await pointing(page, cell(page, key('bee'), 'Name'), async () => {
    await stage.kubectl(['delete', 'pod', 'aaa', '-n', ns, '--grace-period=0', '--force']);
    const gone = page.locator(`[role=row].gone[data-key=${JSON.stringify(key('aaa'))}]`);
    await gone.waitFor({ timeout: PATIENCE });
    assert.equal(await gone.getAttribute('aria-label'), `${key('aaa')}, gone`);
    // The test dispatches the event: the mouse would move, and the locator would wait until the row is enabled.
    await gone.locator('[role=gridcell]').first().dispatchEvent('click');
    assert.equal(await page.locator('.drawer').count(), 0, 'a row that is gone cannot be opened');
  });
  await page.mouse.move(5, 5);
  await shows(page, ['ant', 'bee', 'cat']);
  await page.context().close();
});

test('a link contains order, filter and namespace, and an unknown column in it is harmless', options, async () => {
  const page = await open('&filter=status%3DRunning&sort=restarts');
  await shows(page, ['ant', 'bee']);
  assert.equal(await filterBox(page).inputValue(), 'status=Running');
  assert.equal(await header(page, 'Restarts').getAttribute('aria-sort'), 'ascending');
  await page.context().close();

  const other = await open('&filter=status%3DRunning&sort=colour-desc');
  await shows(other, ['ant', 'bee']);
  assert.equal(await filterBox(other).getAttribute('aria-invalid'), null);
  await other.context().close();
});

test('a namespace is chosen without another list when all are there', options, async () => {
  // With the engine in the page, because requests of a shared worker are not visible here.
  const page = await open('', '', '?worker=off');
  await eventually('all pods are counted', PATIENCE, async () => Number(await grid(page).getAttribute('data-total')) > 3);
  const lists = [];
  // Lists with limit=1 are the counts of the navigation.
  page.on('request', (request) => /\/(pods|configmaps)\?(?!limit=1&)/.test(request.url()) && lists.push(request.url()));
  const box = page.getByRole('combobox', { name: 'Namespace' });
  await box.fill(ns);
  await box.press('Enter');
  await shows(page, ['ant', 'bee', 'cat']);
  assert.equal(await grid(page).getAttribute('data-total'), '3');
  assert.deepEqual(lists, []);
  // A list of another kind is visible here, so the check above works.
  await page.evaluate(() => (location.hash = '#/v1/configmaps'));
  await eventually('a list', PATIENCE, () => lists.length > 0);
  await page.context().close();
});
