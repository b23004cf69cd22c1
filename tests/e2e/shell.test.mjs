// Shells in pods: through a proxy that allows them, and through one that does not.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { PATIENCE, TEST, eventually, setStage } from '../support/harness.mjs';

// The real apiserver has no kubelet here that would run a pod; conformance compares shells through the stub kubelet.
const isKube = process.env.E2E_CLUSTER === 'kube';
const stage = isKube ? { unavailable: 'no kubelet runs pods here', errors: [], end() {} } : await setStage({ args: ['--pods', '3'], proxy: ['--reject-paths=^$'] });
const closed = stage.unavailable ? stage : await setStage({ args: ['--still'] });
after(async () => {
  await stage.end();
  if (closed !== stage) await closed.end();
});
afterEach(() => assert.deepEqual([...stage.errors.splice(0), ...closed.errors.splice(0).filter((error) => !/WebSocket/.test(error))], [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

before(async () => {
  if (stage.unavailable) return;
  for (const one of [stage, closed]) await one.kubectl(['run', 'guest', '-n', 'default', '--image=pause', '--restart=Never']);
  await stage.kubectl(['wait', '--for=jsonpath={.status.phase}=Running', 'pod/guest', '-n', 'default', '--timeout=120s']);
});

async function open(stage) {
  const page = await stage.open('#/v1/pods?object=default%2Fguest', { viewport: { width: 1600, height: 900 } });
  await page.getByRole('tab', { name: 'Shell' }).click({ timeout: PATIENCE });
  await page.getByRole('button', { name: 'Open', exact: true }).click({ timeout: PATIENCE });
  return page;
}

const screen = (page) => page.locator('.terminal-frame:not([hidden]) .xterm-rows').innerText();
const shows = (page, text) => eventually(`${text} in the terminal`, PATIENCE, async () => text.test(await screen(page)));

test('a shell runs what is typed, and says how it ended', options, async () => {
  const page = await open(stage);
  await page.getByText('Connected.').waitFor({ timeout: PATIENCE });
  await page.keyboard.type('echo a$((1+1))b hello\n');
  await shows(page, /hello/);
  await page.keyboard.press('Escape');
  assert.ok(await page.locator('.drawer').isVisible(), 'Escape is for the shell');
  await page.keyboard.press('F6');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Open');
  await page.locator('.terminal textarea').focus();
  await page.keyboard.press('Control+u');
  await page.keyboard.type('exit 3\n');
  await page.getByText('The process ended with exit code 3.').waitFor({ timeout: PATIENCE });
  await page.getByRole('button', { name: 'Start again' }).click();
  await page.getByText('Connected.').waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('the proxy that rejects shells is named, with the way to allow them', options, async () => {
  const page = await open(closed);
  await page.getByText('make dashboard EXEC=1').waitFor({ timeout: PATIENCE });
  await page.getByText('no other web page reaches a shell').waitFor();
  await page.context().close();
});
