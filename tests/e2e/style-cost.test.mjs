// Cost of style: a change of one element recalculates the style of few others. Selectors with `:has()` can make it all of the page.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { PATIENCE, TEST, freshness, setStage } from '../support/harness.mjs';

const stage = await setStage({ args: ['--pods', '50', '--churn', '0'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

/** Performs `change` in the page twenty times; resolves to the largest number of elements whose style one of them recalculated. */
async function recalculated(page, change) {
  const devtools = await stage.browser.newBrowserCDPSession();
  const events = [];
  devtools.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  await devtools.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: ['devtools.timeline'] } });
  for (let time = 0; time < 20; time++) await page.evaluate(change);
  const complete = new Promise((resolve) => devtools.once('Tracing.tracingComplete', resolve));
  await devtools.send('Tracing.end');
  await complete;
  await devtools.detach();
  const counts = events.filter(({ name }) => name === 'UpdateLayoutTree').map(({ args }) => args.elementCount ?? 0);
  assert.ok(counts.length >= 20, `${counts.length} recalculations`);
  return Math.max(...counts);
}

/** A new element in the navigation, and the change of a text there. */
const inNavigation = () => {
  const item = document.querySelector('.kinds li');
  const added = document.createElement('span');
  item.append(added);
  document.body.getBoundingClientRect();
  added.textContent = '5';
  document.body.getBoundingClientRect();
  added.remove();
};
/** The change of a cell's text. */
const inTable = () => {
  const cell = [...document.querySelectorAll('.canvas [role=gridcell]')].find((cell) => cell.textContent !== '');
  cell.textContent = `${cell.textContent}`;
  document.body.getBoundingClientRect();
};

for (const [screen, hash] of [['the table', '#/v1/pods'], ['an open object', '#/v1/nodes'], ['grouped rows', '#/v1/pods?group=status']]) {
  test(`${screen}: a change recalculates the style of few elements`, options, async () => {
    const page = await stage.open(hash);
    await freshness(page, 'live').waitFor({ timeout: PATIENCE });
    // The deferred style sheets are there.
    await page.getByRole('button', { name: 'Columns', exact: true }).waitFor({ timeout: PATIENCE });
    if (screen === 'an open object') {
      await page.locator('.canvas [role=row][data-key]').first().click();
      await page.locator('.drawer .summary dl').first().waitFor({ timeout: PATIENCE });
    }
    assert.ok((await page.locator('*').count()) > 300);
    // A count of a kind may come meanwhile, which is such a change itself.
    for (const change of [inNavigation, inTable]) assert.ok((await recalculated(page, change)) < 60, `${await recalculated(page, change)} elements`);
    await page.context().close();
  });
}
