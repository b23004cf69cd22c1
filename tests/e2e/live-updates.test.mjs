// Live updates: the page follows the cluster, and states when it cannot.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { PATIENCE, TEST, cell, eventually, freshness, grid, row, setStage } from '../support/harness.mjs';

// Without churn, because the simulated kubelet would write other statuses.
const stage = await setStage({ args: ['--pods', '20', '--churn', '0'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

const options = { ...TEST, skip: stage.unavailable };
// A separate namespace, so that only the rows of the test are in the window.
async function namespace(name) {
  // From a file, as JSON.
  const manifest = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  await stage.kubectl(['create', '-f', '-'], JSON.stringify(manifest));
  return {
    hash: `#/v1/pods?namespace=${name}`,
    create: (pod) => stage.kubectl(['run', pod, '-n', name, '--image=pause', '--restart=Never']),
    key: (pod) => `${name}/${pod}`,
    kubectl: (...args) => stage.kubectl([...args, '-n', name]),
  };
}

/** Waits until an element is on screen, and reports the time since kubectl's return. `make bench` measures latency. */
async function seen(t, what, locator, state = 'visible') {
  const start = performance.now();
  await locator.waitFor({ state, timeout: PATIENCE }).catch((cause) => {
    throw new Error(`${what}: not on screen within ${PATIENCE} ms`, { cause });
  });
  t.diagnostic(`${what}: ${Math.round(performance.now() - start)} ms after kubectl returned`);
}

test('a pod appears, changes and disappears on screen as in the cluster', options, async (t) => {
  const ns = await namespace('live');
  const page = await stage.open(ns.hash);
  await grid(page).waitFor({ timeout: PATIENCE });
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });

  await ns.create('guest');
  await seen(t, 'the row of a new pod', row(page, ns.key('guest')));
  assert.equal(await grid(page).getAttribute('data-total'), '1');

  // "Evicted" without container statuses: neither the simulator nor a kubelet writes that.
  const evicted = { status: { phase: 'Failed', reason: 'Evicted', containerStatuses: [] } };
  await ns.kubectl('patch', 'pod', 'guest', '--subresource=status', '--type=merge', '-p', JSON.stringify(evicted));
  await seen(t, 'its new status', cell(page, ns.key('guest'), 'Status').filter({ hasText: /^Evicted$/ }));

  await ns.kubectl('delete', 'pod', 'guest', '--grace-period=0', '--force');
  await seen(t, 'its going', row(page, ns.key('guest')), 'detached');
  assert.equal(await grid(page).getAttribute('data-total'), '0');
  await page.context().close();
});

test('without the proxy the page shows it and keeps its rows, and recovers automatically', options, async (t) => {
  const ns = await namespace('away');
  await ns.create('stays');
  const page = await stage.open(ns.hash);
  await row(page, ns.key('stays')).waitFor({ timeout: PATIENCE });
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  // A reload would remove this mark: the page must recover without one.
  await page.evaluate(() => (window.sameDocument = true));

  let start = performance.now();
  await stage.killProxy();
  await eventually('the status line turned away from live', PATIENCE, async () => {
    assert.ok(await row(page, ns.key('stays')).isVisible(), 'the row stays when the connection is lost');
    return (await freshness(page).first().getAttribute('data-freshness')) !== 'live';
  });
  t.diagnostic(`not live any more: ${Math.round(performance.now() - start)} ms after the proxy was killed`);

  await ns.create('meanwhile');
  assert.ok(await row(page, ns.key('stays')).isVisible());
  assert.equal(await row(page, ns.key('meanwhile')).count(), 0, 'the disconnected page does not show a new pod');

  start = performance.now();
  await stage.startProxy();
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await row(page, ns.key('meanwhile')).waitFor({ timeout: PATIENCE });
  t.diagnostic(`live again: ${Math.round(performance.now() - start)} ms after the proxy was back`);
  assert.ok(await row(page, ns.key('stays')).isVisible());
  assert.equal(await page.evaluate(() => window.sameDocument), true, 'the page was reloaded');
  await page.context().close();
});
