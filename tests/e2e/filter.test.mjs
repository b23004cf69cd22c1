// Filter box: unfinished terms, suggestions with their counts, and invalid terms.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { PATIENCE, TEST, eventually, freshness, row, setStage, settled } from '../support/harness.mjs';

// Only the tests change the cluster.
const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

const options = { ...TEST, skip: stage.unavailable };
const ns = 'filter';
// Two names contain the beginning of "status", so the half-typed word is a valid filter.
const pods = { ant: [3, 'Running'], bee: [12, 'Running'], cat: [0, 'Failed'], state: [0, 'Running'], static: [5, 'Failed'] };
const all = Object.keys(pods);

const box = (page) => page.getByRole('combobox', { name: 'Filter' });
const offered = (page) => page.locator('#completions [role=option]');
const refusal = (page) => page.locator('#refusal');
const count = (page) => page.locator('.tally .count');
const chip = (page, value) => page.locator(`.facets > .facet > .chip[data-value=${JSON.stringify(value)}]`);

/** The names on screen, from the top. Read at once, because row slots are recycled. */
const names = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('.canvas [role=row][data-key]:not([hidden])')]
      .sort((a, b) => a.getAttribute('aria-rowindex') - b.getAttribute('aria-rowindex'))
      .map((row) => row.dataset.key.split('/')[1]),
  );
const shows = (page, expected) =>
  eventually(`the rows are ${expected}`, PATIENCE, async () => (await names(page)).join() === expected.join());
const isMarked = (page, marked) =>
  eventually(`it is ${marked ? '' : 'not '}marked as wrong`, PATIENCE, async () => (await box(page).getAttribute('aria-invalid')) === (marked ? 'true' : null));
const hasFocus = (page) => box(page).evaluate((input) => input === document.activeElement);

async function open(query = '') {
  const page = await stage.open(`#/v1/pods?namespace=${ns}${query}`);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await row(page, `${ns}/ant`).waitFor({ timeout: PATIENCE });
  return page;
}

before(async () => {
  if (stage.unavailable) return;
  await stage.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } }));
  for (const [pod, [restartCount, phase]] of Object.entries(pods)) {
    await stage.kubectl(['run', pod, '-n', ns, '--image=pause', '--restart=Never']);
    const containerStatuses = [{ name: pod, image: 'pause', imageID: '', ready: phase === 'Running', restartCount, state: {}, lastState: {} }];
    const patch = JSON.stringify({ status: { phase, containerStatuses } });
    await stage.kubectl(['patch', 'pod', pod, '-n', ns, '--subresource=status', '--type=merge', '-p', patch]);
  }
});

test('a term without a value hides no rows, and a hint marks it as unfinished', options, async () => {
  const page = await open();
  for (const unfinished of ['status=', 'status!=', 'restarts>', '-status=', 'age<30', 'label=app=', 'status = ']) {
    await box(page).fill(unfinished);
    await eventually('it is said to be unfinished', PATIENCE, async () => (await page.locator('.in-force').innerText()).includes(`“${unfinished.replace(/^-/, '').trim()}”`));
    await shows(page, all);
    await isMarked(page, false);
    await settled(`all are counted with ${unfinished}`, () => count(page).innerText(), '5');
  }
  await box(page).fill('restarts>2 status=');
  await shows(page, ['ant', 'bee', 'static']);
  await box(page).fill('name=ant OR status=');
  await shows(page, ['ant']);
  // The syntax of an empty value.
  await box(page).fill('node!=""');
  await shows(page, []);
  await settled('the filter is finished', () => page.locator('.in-force').innerText(), '');
  await page.context().close();

  const linked = await open('&filter=status%3D');
  await shows(linked, all);
  await chip(linked, 'Failed').click();
  await shows(linked, ['cat', 'static']);
  assert.equal(await box(linked).inputValue(), 'status=Failed');
  await linked.context().close();
});

test('values are offered with their number of rows, for any typed part of the term', options, async () => {
  const page = await open();
  const offers = (expected) =>
    eventually(`offered is ${expected}`, PATIENCE, async () => (await offered(page).allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim()).join() === expected);
  // Typed key by key: the rows of each half-typed word are counted meanwhile.
  await box(page).pressSequentially('stat');
  await shows(page, ['state', 'static']);
  await box(page).pressSequentially('us');
  await shows(page, []);
  await box(page).pressSequentially('=');
  await offers('Running 3,Failed 2');
  await box(page).pressSequentially('r');
  await offers('Running 3');
  await shows(page, all); // a prefix of a value counts as half-typed, and does not filter
  await box(page).pressSequentially('x');
  await shows(page, []); // any other text is a value
  await box(page).fill('');
  await box(page).pressSequentially('restarts>2 status=');
  await offers('Running 2,Failed 1');
  await box(page).fill('');
  await box(page).pressSequentially('name=ant OR (restarts > 3 status = ');
  await offers('Failed 1,Running 1');
  await page.context().close();
});

test('Enter and Tab take a suggestion and stay in the box', options, async () => {
  const page = await open();
  await box(page).pressSequentially('stat');
  await offered(page).first().waitFor();
  assert.equal(await offered(page).first().getAttribute('aria-selected'), 'true', 'the suggestion that Enter takes is marked');
  await box(page).press('Tab');
  assert.equal(await box(page).inputValue(), 'status=');
  assert.ok(await hasFocus(page));
  await offered(page).nth(1).waitFor();
  await box(page).press('ArrowDown');
  await box(page).press('Enter');
  assert.equal(await box(page).inputValue(), 'status=Failed');
  assert.ok(await hasFocus(page));
  await shows(page, ['cat', 'static']);
  await box(page).fill('');
  await box(page).pressSequentially('status=Ru');
  await offered(page).first().waitFor();
  await box(page).press('Enter');
  assert.equal(await box(page).inputValue(), 'status=Running');
  await shows(page, ['ant', 'bee', 'state']);
  await eventually('nothing is offered', PATIENCE, async () => (await offered(page).count()) === 0);
  await box(page).press('Tab');
  assert.ok(!(await hasFocus(page)), 'without a suggestion, Tab leaves the box');
  await page.context().close();
});

test('an invalid term is explained, and blanks around an operator are accepted', options, async () => {
  const page = await open();
  for (const [wrong, says] of [
    ['restarts>x', /"x" is not a number.*restarts>3/],
    ['status:Running', /status=Running/],
    ['name=a colour=red', /no column is named "colour"/],
  ]) {
    await box(page).fill('');
    await shows(page, all);
    await box(page).pressSequentially(wrong);
    await isMarked(page, true);
    await eventually(`${wrong} is explained`, PATIENCE, async () => says.test(await refusal(page).innerText()));
  }
  await box(page).fill('name=ant');
  await shows(page, ['ant']);
  await box(page).pressSequentially(' restarts>x');
  await isMarked(page, true);
  await shows(page, ['ant']);
  await box(page).fill('"status:Running"');
  await shows(page, []);
  await box(page).fill('restarts > 4');
  await shows(page, ['bee', 'static']);
  await isMarked(page, false);
  await box(page).fill('status = Failed');
  await shows(page, ['cat', 'static']);
  assert.equal(await chip(page, 'Failed').getAttribute('aria-pressed'), 'true');
  await chip(page, 'Failed').click();
  await shows(page, all);
  assert.equal(await box(page).inputValue(), '');
  await page.context().close();
});
