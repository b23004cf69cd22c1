// Content Security Policy and Trusted Types: the page obeys its own policy in every part, and the policy is strict.
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PATIENCE, TEST, eventually, freshness, setStage } from '../support/harness.mjs';

const stage = await setStage({ args: ['--pods', '100', '--churn', '0'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

const options = { ...TEST, skip: stage.unavailable };
const dist = fileURLToPath(new URL('../../dist', import.meta.url));
const canvasRow = (page) => page.locator('.canvas [role=row][data-key]:not([hidden])').first();

/** A page that records each violation of a policy from its first script on. */
async function open(hash, place = '') {
  const context = await stage.browser.newContext();
  const page = await context.newPage();
  const violations = [];
  await page.exposeFunction('violated', (violation) => violations.push(violation));
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample, sourceFile, lineNumber }) => {
      globalThis.violated([violatedDirective, blockedURI, sample, `${sourceFile}:${lineNumber}`].join(' '));
    });
  });
  page.on('pageerror', (error) => stage.errors.push(`page: ${error.stack ?? error}`));
  await page.goto(stage.url(`${place}${hash}`));
  return { page, violations };
}

for (const place of ['', '?worker=dedicated', '?worker=elected', '?worker=off']) {
  test(`no part of the page violates the policy${place && ` with ${place}`}`, options, async () => {
    const { page, violations } = await open('#/v1/pods', place);
    await freshness(page, 'live').waitFor({ timeout: PATIENCE });
    await canvasRow(page).click();
    await page.locator('.summary dl').first().waitFor({ timeout: PATIENCE });
    await page.getByRole('tab', { name: 'Related' }).click();
    await page.getByRole('button', { name: 'Picture', exact: true }).click();
    await page.locator('.picture .own.placed').waitFor({ timeout: PATIENCE });
    await page.getByRole('tab', { name: 'YAML' }).click();
    await page.locator('.yaml .line').first().waitFor({ timeout: PATIENCE });
    await page.getByRole('tab', { name: 'Events' }).click();
    await page.locator('.panel .hint, .events li').first().waitFor({ timeout: PATIENCE });
    await page.keyboard.press('Escape');
    await page.getByTitle('Show details').click();
    await page.locator('.steps li').first().waitFor({ timeout: PATIENCE });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Theme/ }).click();
    await page.locator('.chip.more:not([hidden])').first().click();
    await page.locator('.options.values .chip').first().click();
    await page.getByRole('combobox', { name: 'Filter' }).fill('nothing-matches (');
    await page.locator('.wrong').waitFor({ timeout: PATIENCE });
    await page.getByRole('combobox', { name: 'Filter' }).fill('nothing-matches');
    await page.locator('.empty').waitFor({ timeout: PATIENCE });
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.locator('dialog[open]').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Namespace' }).click();
    await page.locator('#namespaces [role=option]').first().waitFor({ timeout: PATIENCE });
    await page.getByRole('searchbox', { name: 'Find a kind' }).fill('no such kind');
    await page.getByRole('searchbox', { name: 'Find a kind' }).fill('');
    await page.evaluate(() => (location.hash = '#/not-a-resource'));
    await page.locator('.banner').waitFor();
    assert.deepEqual(violations, []);
    await page.context().close();
  });
}

test('the policy is the documented one, and precedes every other element that loads', options, async () => {
  const html = await readFile(join(dist, 'index.html'), 'utf8');
  const policy = html.match(/http-equiv="Content-Security-Policy"\s+content="([^"]*)"/)?.[1].split(/;\s*/);
  assert.deepEqual(policy?.toSorted(), [
    "base-uri 'none'", "connect-src 'self'", "default-src 'none'", "form-action 'none'", "img-src 'self'",
    "require-trusted-types-for 'script'", "script-src 'self' 'wasm-unsafe-eval'", "style-src 'self'",
    'trusted-types kube-informer kube-informer-map kube-informer-demo', "worker-src 'self'",
  ]);
  assert.ok(html.indexOf('http-equiv') < html.search(/<(script|link)\b/), 'a policy does not apply to elements above it');
});

test('no string becomes HTML or the address of a script', options, async () => {
  const { page, violations } = await open('#/v1/pods');
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  const refused = await page.evaluate(() => {
    const attempts = {
      html: () => (document.createElement('template').innerHTML = '<b>a</b>'),
      script: () => (document.createElement('script').src = 'boot.js'),
      worker: () => new Worker('boot.js'),
      another: () => trustedTypes.createPolicy('default', { createHTML: (html) => html }),
      again: () => trustedTypes.createPolicy('kube-informer', { createHTML: (html) => html }),
    };
    const refuses = (attempt) => {
      try {
        attempt();
        return false;
      } catch (error) {
        return error instanceof TypeError;
      }
    };
    return Object.keys(attempts).filter((name) => refuses(attempts[name]));
  });
  assert.deepEqual(refused, ['html', 'script', 'worker', 'another', 'again']);
  await eventually('each attempt is reported', PATIENCE, () => violations.length >= refused.length);
  await page.context().close();
});

test('nothing in the generated glue writes HTML', options, async () => {
  // Leptos creates elements without dynamic parts from HTML, unless their text or an attribute is written as {"…"}: then it uses
  // createElement. If no element needs it, the glue has no function that writes HTML.
  for (const file of (await readdir(dist, { recursive: true })).filter((file) => file.endsWith('.js'))) {
    const text = await readFile(join(dist, file), 'utf8');
    const writes = text.match(/\.(innerHTML|outerHTML)\s*=|insertAdjacentHTML|document\.write|\beval\(/g);
    assert.equal(writes, null, `${file} writes HTML`);
  }
});
