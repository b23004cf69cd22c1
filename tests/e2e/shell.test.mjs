// Shells in pods: through a proxy that allows them, and through one that does not; and a log as the cluster's own kubelet streams it.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { PATIENCE, TEST, eventually, row, setStage } from '../support/harness.mjs';
import { startKubelet } from '../support/kubelet.mjs';
import { openShell, openTab, screen, shows, type } from '../support/terminal.mjs';

const isKube = process.env.E2E_CLUSTER === 'kube';
const stage = await setStage({ args: ['--pods', '0', '--churn', '0'], exec: true });
const closed = stage.unavailable ? stage : await setStage({ args: ['--still'] });
// On the real apiserver, the stub kubelet runs the pods.
const kubelets = isKube && !stage.unavailable ? await Promise.all([...new Set([stage, closed])].filter((one) => !one.unavailable).map(startKubelet)) : [];
after(async () => {
  for (const kubelet of kubelets) await kubelet.stop();
  await stage.end();
  if (closed !== stage) await closed.end();
});
afterEach(() => assert.deepEqual([...stage.errors.splice(0), ...closed.errors.splice(0).filter((error) => !/WebSocket/.test(error))], [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable || closed.unavailable };

before(async () => {
  if (options.skip) return;
  if (isKube) return Promise.all(kubelets.flatMap((kubelet) => ['guest', 'visitor'].map((name) => kubelet.run(name))));
  for (const one of [stage, closed]) for (const name of ['guest', 'visitor']) await one.kubectl(['run', name, '-n', 'default', '--image=pause']);
  await stage.kubectl(['wait', '--for=jsonpath={.status.phase}=Running', 'pod/guest', 'pod/visitor', '-n', 'default', '--timeout=120s']);
});

async function open(stage) {
  const page = await openTab(stage, 'guest');
  await openShell(page);
  return page;
}

test('a shell runs typed commands, and shows its exit code', options, async () => {
  const page = await open(stage);
  await page.getByText('Connected.').waitFor({ timeout: PATIENCE });
  await type(page, 'hostname');
  // The pattern matches a whole line: typed text is after a prompt.
  await shows(page, /^guest\s*$/m);
  await page.keyboard.press('Escape');
  assert.ok(await page.locator('.drawer').isVisible(), 'the shell receives Escape, and the drawer stays');
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

/** A line of the simulated process: it has a level. */
const LINE = /level|(INFO|WARN|ERROR|DEBUG) /;

test('an attach follows the main process', options, async () => {
  const page = await stage.open('#/v1/pods?object=default%2Fguest&tab=shell', { viewport: { width: 1600, height: 900 } });
  await page.getByLabel('Process').selectOption({ label: 'main process (attach)' }, { timeout: PATIENCE });
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await page.getByRole('button', { name: '1: attach in guest' }).waitFor({ timeout: PATIENCE });
  await page.getByText('Connected.').waitFor({ timeout: PATIENCE });
  // An attached terminal shows what the process writes from now on.
  await shows(page, LINE);
  const before = await screen(page);
  await eventually('more output', PATIENCE, async () => (await screen(page)).trim().length > before.trim().length);
  await page.context().close();
});

test('a debug container is added to a running pod, and a shell attaches to it', options, async () => {
  const page = await stage.open('#/v1/pods?object=default%2Fguest', { viewport: { width: 1600, height: 900 } });
  const dialog = page.locator('dialog.action');
  const add = async () => {
    await page.locator('.drawer').getByRole('button', { name: 'Actions' }).click({ timeout: PATIENCE });
    await page.locator('.drawer [role=menuitem][data-action=Debug]').click({ timeout: PATIENCE });
    await dialog.waitFor({ timeout: PATIENCE });
  };
  await add();
  assert.equal(await dialog.getByLabel('Image').inputValue(), 'busybox:1.37');
  await dialog.getByLabel('Image').fill('busybox debug');
  assert.ok(await dialog.getByRole('button', { name: 'Add' }).isDisabled(), 'an image name with a space is invalid');
  await dialog.getByLabel('Image').fill('busybox:latest');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await dialog.waitFor({ state: 'detached', timeout: PATIENCE });
  await page.getByRole('button', { name: '1: attach in debugger-1' }).waitFor({ timeout: PATIENCE });
  await page.getByText('Connected.').waitFor({ timeout: PATIENCE });
  await type(page, 'hostname');
  await shows(page, /^guest\s*$/m);
  const pod = JSON.parse(await stage.kubectl(['get', 'pod', 'guest', '-n', 'default', '-o', 'json']));
  const [{ image, targetContainerName, stdin, tty }] = pod.spec.ephemeralContainers;
  assert.deepEqual({ image, targetContainerName, stdin, tty }, { image: 'busybox:latest', targetContainerName: 'guest', stdin: true, tty: true });
  // While the dialog is open, another client adds a debug container. The one of the dialog gets a new name, and the page attaches to it.
  await page.getByRole('tab', { name: 'YAML' }).click();
  await add();
  const other = { spec: { ephemeralContainers: [{ name: 'debugger-2', image: 'busybox:latest', terminationMessagePolicy: 'File' }] } };
  await stage.kubectl(['patch', 'pod', 'guest', '-n', 'default', '--subresource=ephemeralcontainers', '--type=strategic', '-p', JSON.stringify(other)]);
  await page.locator('.yaml .line', { hasText: 'name: debugger-2' }).first().waitFor({ timeout: PATIENCE });
  await dialog.getByLabel('Image').press('Enter');
  await page.getByRole('button', { name: '1: attach in debugger-3' }).waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('a page of another origin opens no WebSocket to the cluster', options, async () => {
  const context = await stage.browser.newContext();
  const page = await context.newPage();
  const { port } = new URL(stage.url());
  // This file has no policy, which would block the socket first. The other stage has another port, so another origin.
  await page.goto(new URL('/ui/icon.svg', closed.url()).href, { timeout: PATIENCE });
  const path = '/api/v1/namespaces/default/pods/guest/log?follow=true';
  const outcome = (origin) => page.evaluate((url) => new Promise((resolve) => {
    const socket = new WebSocket(url, ['binary.k8s.io']);
    socket.onopen = () => resolve('open');
    socket.onclose = () => resolve('refused');
  }), `${origin}${path}`);
  assert.equal(await outcome(`ws://127.0.0.1:${port}`), 'refused');
  await page.goto(new URL('/ui/icon.svg', stage.url()).href, { timeout: PATIENCE });
  assert.equal(await outcome(`ws://127.0.0.1:${port}`), 'open', 'the page itself can open the WebSocket');
  await context.close();
});

test('the log of the pod is followed', options, async () => {
  const page = await stage.open('#/v1/pods?object=default%2Fguest&tab=logs', { viewport: { width: 1600, height: 900 } });
  await page.locator('.log-state', { hasText: /^Following/ }).waitFor({ timeout: PATIENCE });
  const last = async () => Number(await page.locator('.log-line').last().getAttribute('data-id', { timeout: PATIENCE }));
  const before = await last();
  await eventually('a new line', PATIENCE, async () => (await last()) > before);
  await page.getByLabel('Timestamps').selectOption('utc');
  assert.match(await page.locator('.log-line .log-time').last().textContent(), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z $/);
  await page.context().close();
});

test('the logs of marked pods are merged and followed', options, async () => {
  const page = await stage.open('#/v1/pods?namespace=default', { viewport: { width: 1600, height: 900 } });
  for (const name of ['guest', 'visitor']) await row(page, `default/${name}`).click({ modifiers: ['Control'], timeout: PATIENCE });
  await page.locator('.marks').getByRole('button', { name: 'Logs' }).click({ timeout: PATIENCE });
  await page.locator('.drawer').getByRole('heading', { name: 'Logs of 2 pods' }).waitFor({ timeout: PATIENCE });
  await page.locator('.log-state', { hasText: '2 containers: 2 following' }).waitFor({ timeout: PATIENCE });
  for (const name of ['guest', 'visitor']) await page.locator('.log-pod', { hasText: `${name}/${name}` }).first().waitFor({ timeout: PATIENCE });
  await page.getByLabel('Timestamps').selectOption('utc');
  // The times are shown with the next frame.
  await page.locator('.log-line .log-time').first().waitFor({ timeout: PATIENCE });
  const shown = await page.locator('.log-line').evaluateAll((lines) => lines.map((line) => ['.log-pod', '.log-time'].map((part) => line.querySelector(part)?.textContent)));
  // The order is checked per pod, because a late line is not inserted before lines of other pods. Unit tests of the merge stop its clock.
  for (const name of ['guest', 'visitor']) {
    const times = shown.filter(([pod]) => pod.startsWith(name)).map(([, time]) => time);
    assert.ok(times.length > 0, `${name} has lines`);
    assert.deepEqual(times, times.toSorted(), `lines of ${name} are in the order of time`);
  }
  await page.context().close();
});

test('a proxy that rejects shells is named when the tab opens, with the way to allow them', options, async () => {
  const page = await openTab(closed, 'guest');
  await page.getByText('The proxy does not allow shells (403)').waitFor({ timeout: PATIENCE });
  await page.getByText('make dashboard EXEC=1').waitFor();
  await page.getByText('other web pages cannot open a shell').waitFor();
  const button = page.getByRole('button', { name: 'Open', exact: true });
  assert.equal(await button.getAttribute('aria-disabled'), 'true');
  await button.dispatchEvent('click');
  assert.equal(await page.locator('.terminal-frame').count(), 0, 'the button opens no terminal');
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByText('The proxy does not allow shells (403)').waitFor();
  await page.context().close();
});
