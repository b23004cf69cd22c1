// Wire format: a long list and its watch are protobuf, which the inspector shows with the reason if that fails, and `?wire=json` keeps JSON.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { PATIENCE, TEST, eventually, freshness, setStage } from '../support/harness.mjs';

const stage = await setStage({ args: ['--pods', '700', '--churn', '0'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

const options = { ...TEST, skip: stage.unavailable };

/** Opens the pods, and then the inspector; resolves to the page and a function that reads the format of their watch. */
async function open(query = '', prepare = async () => {}) {
  const page = await stage.open('', { viewport: { width: 1600, height: 900 } });
  await prepare(page);
  await page.goto(`${stage.url().replace(/\/$/, '')}/${query}#/v1/pods`);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await page.getByRole('button', { name: 'Columns', exact: true }).waitFor({ timeout: PATIENCE });
  const pods = await page.locator('[role=row][data-key]').first().getAttribute('data-key');
  await page.keyboard.press('i');
  const cells = page.locator('main.inspector tr[data-informer="v1/pods"] td');
  return { page, pods, watch: async () => (await cells.allInnerTexts())[1] };
}

test('a list of more than 500 objects and its watch are protobuf, and a change arrives', options, async () => {
  const { page, pods, watch } = await open();
  await eventually('the watch is protobuf', PATIENCE, async () => (await watch()) === 'HTTP, protobuf');
  const [namespace, name] = pods.split('/');
  await stage.kubectl(['label', 'pod', '-n', namespace, name, 'wire=seen']);
  await page.goto(`${stage.url()}#/v1/pods?filter=${encodeURIComponent('label=wire=seen')}`);
  await eventually('the changed pod alone', PATIENCE, async () => (await page.locator('[role=row][data-key]:visible').count()) === 1);
  await page.context().close();
});

test('after a page that a gateway damaged JSON is requested, and the inspector says why', options, async () => {
  // With the engine in the page, its requests can be intercepted.
  const { page, watch } = await open('?worker=off', (page) =>
    page.route(/\/api\/v1\/pods\?.*continue=/, async (route) => {
      const response = await route.fetch();
      const body = await response.body();
      const isProtobuf = response.headers()['content-type'].startsWith('application/vnd.kubernetes.protobuf');
      // As a gateway that takes bytes for text does.
      await route.fulfill({ response, body: isProtobuf ? Buffer.from(body.toString('utf8')) : body });
    }),
  );
  await eventually('the watch is JSON', PATIENCE, async () => (await watch()) === 'HTTP, JSON (protobuf failed)');
  await page.locator('main.inspector tr[data-informer="v1/pods"]').getByRole('button').first().click();
  await page.getByText(/one open over HTTP, in JSON because protobuf could not be read \(.+\)/).first().waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('?wire=json requests JSON alone', options, async () => {
  const { page, watch } = await open('?wire=json');
  await eventually('the watch is JSON', PATIENCE, async () => (await watch()) === 'HTTP');
  await page.context().close();
});
