// Page parts: the files below parts/ are requested when they are first used, and not before.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { act, dialog } from '../support/actions.mjs';
import { PATIENCE, TEST, freshness, row, setStage, settled } from '../support/harness.mjs';
import { objectsIn } from '../support/objects.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const ns = 'on-demand';
const { create, object, begin } = objectsIn(stage, ns);
const at = (resource, name, more = '') => `#/${resource}?namespace=${ns}&object=${ns}%2F${name}${more}`;

before(async () => {
  if (stage.unavailable) return;
  await begin();
  await create(
    object('v1', 'ConfigMap', 'one', { data: { mode: 'slow' } }), object('v1', 'ConfigMap', 'two', { data: { mode: 'fast' } }),
    object('v1', 'Pod', 'pod', { spec: { containers: [{ name: 'main', image: 'pause', envFrom: [{ configMapRef: { name: 'one' } }] }] } }),
    { apiVersion: 'v1', kind: 'Node', metadata: { name: 'on-demand' } },
  );
});

/** Opens a page. `requested()` gives the names of the parts that it has requested so far, without the code that they share. */
async function open(hash) {
  const files = new Set();
  const page = await stage.open(hash, { viewport: { width: 1400, height: 900 } }, {}, (page) => page.context().on('request', (request) => {
    const [, file] = /\/ui\/parts\/([^?]+)/.exec(request.url()) ?? [];
    if (file) files.add(file);
  }));
  return { page, requested: () => [...files].filter((file) => !file.startsWith('chunk-')).toSorted(), files };
}
const tab = (page, name) => page.getByRole('tab', { name, exact: true }).click({ timeout: PATIENCE });
const shown = (page, selector) => page.locator(selector).first().waitFor({ timeout: PATIENCE });
const isIdle = (page) => page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));

test('the table and the tabs of an object request no part, and the editor requests its own', options, async () => {
  const { page, requested, files } = await open(`#/v1/configmaps?namespace=${ns}`);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await row(page, `${ns}/one`).click({ timeout: PATIENCE });
  await shown(page, '.drawer .summary dl');
  await page.locator('.drawer .summary .reading').waitFor({ state: 'detached', timeout: PATIENCE });
  await tab(page, 'Related');
  await page.locator('.drawer .kind', { hasText: 'Pod' }).first().waitFor({ timeout: PATIENCE });
  await tab(page, 'Changes');
  await page.getByText(/No changes since/).waitFor({ timeout: PATIENCE });
  await tab(page, 'YAML');
  await shown(page, '.drawer .yaml .line');
  await page.locator('.drawer').getByRole('button', { name: 'Actions' }).click({ timeout: PATIENCE });
  await shown(page, '.drawer [role=menuitem][data-action=Edit]');
  await isIdle(page);
  assert.deepEqual([...files], [], 'nothing below parts/ before its first use');
  await page.locator('.drawer [role=menuitem][data-action=Edit]').click();
  await shown(page, 'dialog.action .cm-content');
  await settled('the parts', requested, ['edit.js']);
  await page.context().close();
});

/** First uses: the parts, an address, and how the part is brought on screen there. */
const USES = [
  [['edit.js'], `#/v1/configmaps?namespace=${ns}`, async (page) => {
    await page.getByRole('button', { name: 'Create from YAML' }).click({ timeout: PATIENCE });
    await shown(page, 'dialog.action .cm-content');
  }],
  [['comparison.js'], at('v1/configmaps', 'one', '&tab=yaml'), async (page) => {
    await page.getByRole('combobox', { name: 'Compare with' }).selectOption('object', { timeout: PATIENCE });
    const name = page.getByRole('combobox', { name: 'Object to compare with' });
    await name.fill('two');
    await name.press('Enter');
    await shown(page, '.compared .comparison .cm-line');
  }],
  [['drain.js'], '#/v1/nodes?object=on-demand', async (page) => {
    await act(page, 'Drain');
    await dialog(page).getByRole('button', { name: 'Drain', exact: true }).waitFor({ timeout: PATIENCE });
  }],
  [['picture.js'], at('v1/configmaps', 'one', '&tab=related'), async (page) => {
    await page.locator('.drawer').getByRole('button', { name: 'Picture' }).click({ timeout: PATIENCE });
    await shown(page, '.drawer .own.placed');
  }],
  [['shell.js'], at('v1/pods', 'pod'), async (page) => {
    await tab(page, 'Shell');
    await page.locator('.shell').getByText('The proxy does not allow shells').waitFor({ timeout: PATIENCE });
  }],
  [['map-layout.js', 'map.js'], `#/map?namespace=${ns}`, (page) => shown(page, '.map-part[data-layout=ready]')],
  [['timeline.js'], `#/changes?namespace=${ns}`, (page) => shown(page, '.timeline-chart canvas')],
  [['chart.js'], '#/overview', (page) => shown(page, '.overview canvas')],
];
for (const [parts, hash, use] of USES) {
  test(`${parts.join(' and ')}: requested by the first use, alone`, options, async () => {
    const { page, requested } = await open(hash);
    await use(page);
    await settled('the parts', requested, parts);
    await page.context().close();
  });
}
