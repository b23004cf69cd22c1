// Counts of the kinds in the navigation, and the choice to hide empty kinds.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { PATIENCE, TEST, eventually, freshness, setStage, settled } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const entry = (page, name) => page.locator('.kinds li', { has: page.locator('a').filter({ hasText: new RegExp(`^${name}$`) }) });
/** The number beside a kind, or null. */
const count = (page, name) =>
  entry(page, name).locator('.count').allInnerTexts().then(([text]) => (text === undefined ? null : Number(text.replaceAll(',', ''))));
const isCounted = (page, name, number) => settled(`the count of ${name}`, () => count(page, name), number);
const kubectl = (...args) => stage.kubectl(args);
/** How many objects kubectl lists. */
const listed = async (...args) => (await kubectl('get', ...args, '--output=name')).split('\n').filter(Boolean).length;
const namespace = async (name) => {
  await kubectl('create', 'namespace', name);
  return name;
};

async function open(hash, profile) {
  const page = await stage.open(hash, profile);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  return page;
}

test('each kind has the number of its objects in the cluster, the table with each change', options, async () => {
  const ns = await namespace('counted');
  const page = await open('#/v1/configmaps');
  await isCounted(page, 'Deployments', await listed('deployments', '--all-namespaces'));
  await isCounted(page, 'Nodes', await listed('nodes'));
  assert.equal(await entry(page, 'Overview').locator('.count').count(), 0, 'a screen has no count');
  const before = await listed('configmaps', '--all-namespaces');
  await isCounted(page, 'ConfigMaps', before);
  await kubectl('create', 'configmap', 'one', `--namespace=${ns}`);
  await isCounted(page, 'ConfigMaps', before + 1);
  assert.equal(await entry(page, 'ConfigMaps').locator('.count.live').count(), 1);
  // The count by the server was one less, and is not repeated for minutes.
  await page.evaluate(() => (location.hash = '#/apps/v1/deployments'));
  await entry(page, 'Deployments').locator('.count.live').waitFor({ timeout: PATIENCE });
  assert.equal(await count(page, 'ConfigMaps'), before + 1, 'the count by the table stays');
  await page.context().close();
});

test('a page that is opened in the background counts all kinds at once when it is shown', options, async () => {
  const look = (hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  };
  const page = await stage.open('#/v1/configmaps', {}, {}, (page) => page.addInitScript(look, true));
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await entry(page, 'Deployments').waitFor({ timeout: PATIENCE });
  await page.locator('.table-tools').waitFor({ timeout: PATIENCE });
  assert.equal(await entry(page, 'Deployments').locator('.count').count(), 0, 'a hidden page counts nothing');
  await page.evaluate(look, false);
  // If they were counted one after the other, this would take three minutes.
  await eventually('the kinds are counted', PATIENCE, async () => (await page.locator('.kinds .count').count()) >= 30);
  await page.context().close();
});

test('in a namespace the numbers are those of the namespace', options, async () => {
  const ns = await namespace('counted-alone');
  for (const name of ['a', 'b', 'c']) await kubectl('create', 'secret', 'generic', name, `--namespace=${ns}`);
  const page = await open(`#/v1/configmaps?namespace=${ns}`);
  await isCounted(page, 'Secrets', 3);
  await isCounted(page, 'Deployments', 0);
  await isCounted(page, 'Nodes', await listed('nodes'));
  await page.evaluate(() => (location.hash = '#/v1/configmaps'));
  await isCounted(page, 'Secrets', await listed('secrets', '--all-namespaces'));
  await page.context().close();
});

test('empty kinds are hidden on demand, also after a reload before they are counted, and a search finds them', options, async () => {
  const ns = await namespace('hollow');
  const page = await open(`#/v1/configmaps?namespace=${ns}`);
  await isCounted(page, 'Jobs', 0);
  await isCounted(page, 'Ingresses', 0);
  const hide = page.getByRole('button', { name: /^Hide \d+ empty kinds$/ });
  await hide.click({ timeout: PATIENCE });
  await entry(page, 'Jobs').waitFor({ state: 'detached', timeout: PATIENCE });
  await entry(page, 'Namespaces').waitFor({ timeout: PATIENCE });
  await entry(page, 'ConfigMaps').waitFor({ timeout: PATIENCE }); // the kind of the shown table
  await page.getByLabel('Find a kind').fill('jobs');
  await entry(page, 'Jobs').waitFor({ timeout: PATIENCE });
  await page.getByLabel('Find a kind').fill('');
  await entry(page, 'Jobs').waitFor({ state: 'detached', timeout: PATIENCE });

  await page.reload();
  await entry(page, 'Namespaces').waitFor({ timeout: PATIENCE });
  assert.equal(await entry(page, 'Jobs').count(), 0);
  await page.getByRole('button', { name: /^Show \d+ empty kinds$/ }).click({ timeout: PATIENCE });
  await entry(page, 'Jobs').waitFor({ timeout: PATIENCE });
  assert.deepEqual(await page.evaluate(() => Object.keys(localStorage).filter((name) => name.includes('empty'))), []);
  await page.context().close();
});

test('the numbers fit beside the kinds, also in a sheet', options, async () => {
  for (const viewport of [{ width: 1280, height: 900 }, { width: 380, height: 760 }]) {
    const page = await open('#/v1/pods', { viewport, hasTouch: viewport.width < 500 });
    if (viewport.width < 500) await page.locator('.kind-button').tap();
    await eventually('the kinds are counted', PATIENCE, async () => (await page.locator('.kinds .count').count()) > 10);
    const wrong = await page.evaluate(() =>
      [...document.querySelectorAll('.kinds li')].flatMap((entry) => {
        const [link, count] = [entry.querySelector('a'), entry.querySelector('.count')].map((part) => part?.getBoundingClientRect());
        if (!count) return [];
        const box = entry.getBoundingClientRect();
        return link.right <= count.left + 1 && count.right <= box.right + 1 ? [] : [entry.innerText];
      }),
    );
    assert.deepEqual(wrong, []);
    if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/counts-${viewport.width}.png` });
    await page.context().close();
  }
});
