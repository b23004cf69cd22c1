// The Leptos example of the crate: compiled for the browser, and opened in Chromium beside the embedded apiserver.
//
// Trunk would do the same from its index.html (`trunk serve`); it is not installed for the tests.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { run } from '../support/processes.mjs';
import { PATIENCE, openPage, startApiserver } from '../bundlers/project.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const example = join(root, 'informer/examples/leptos-pods');

/** Compiles the example into a folder of static files. Its crates have other features than those of the dashboard, so it shares none. */
async function build() {
  const target = join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'examples');
  const options = ['--target', 'wasm32-unknown-unknown', '--locked', '--manifest-path', join(example, 'Cargo.toml')];
  await run('cargo', ['build', ...options], { env: { CARGO_TARGET_DIR: target } });
  const folder = await mkdtemp(join(tmpdir(), 'kube-informer-leptos-'));
  after(() => rm(folder, { recursive: true, force: true }));
  const wasm = join(target, 'wasm32-unknown-unknown/debug/leptos-pods.wasm');
  await mkdir(join(folder, 'glue'));
  await run(join(root, '.ci/link'), ['bindgen', '--target', 'web', '--out-dir', join(folder, 'glue'), wasm]);
  const html = await readFile(join(example, 'index.html'), 'utf8');
  const script = '<script type="module">import start from "./glue/leptos-pods.js"; start();</script>';
  assert.ok(html.includes('<link data-trunk rel="rust" />'));
  await writeFile(join(folder, 'index.html'), html.replace('<link data-trunk rel="rust" />', script));
  return folder;
}

test('the Leptos example shows typed pods, filters them and follows the cluster', { timeout: 1_200_000 }, async () => {
  const api = await startApiserver(await build(), ['--pods', '300', '--churn', '0']);
  try {
    const { page, errors, close } = await openPage(`${api.url}/ui/`);
    const { items } = await (await fetch(`${api.url}/api/v1/pods`)).json();
    const count = page.locator('output');
    await count.filter({ hasText: `${items.length} pods` }).waitFor({ timeout: PATIENCE });
    assert.equal(await page.locator('tbody tr').count(), 50, 'a part, not all');
    const [first] = items.map((pod) => [`${pod.metadata.namespace}/${pod.metadata.name}`, pod]).sort(([a], [b]) => (a < b ? -1 : 1));
    const restarts = first[1].status.containerStatuses?.reduce((sum, { restartCount }) => sum + restartCount, 0) ?? 0;
    assert.deepEqual(await page.locator('tbody tr').first().locator('td').allInnerTexts(), [first[0], first[1].status.phase, first[1].spec.nodeName ?? '', `${restarts}`]);
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'aaa-new' }, spec: { containers: [{ name: 'c', image: 'pause' }] } };
    const created = await fetch(`${api.url}/api/v1/namespaces/default/pods`, { method: 'POST', body: JSON.stringify(pod), headers: { 'content-type': 'application/json' } });
    assert.ok(created.ok);
    await page.getByLabel('Filter').fill('aaa-new');
    await count.filter({ hasText: /^1 pods$/ }).waitFor({ timeout: PATIENCE });
    await page.locator('td', { hasText: 'default/aaa-new' }).waitFor({ timeout: PATIENCE });
    await fetch(`${api.url}/api/v1/namespaces/default/pods/aaa-new?gracePeriodSeconds=0`, { method: 'DELETE' });
    await count.filter({ hasText: /^0 pods$/ }).waitFor({ timeout: PATIENCE });
    assert.deepEqual(errors, []);
    await close();
  } finally {
    await api.stop();
  }
});
