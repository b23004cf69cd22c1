// web/serve.sh (`make dashboard`): without kubectl, the embedded apiserver behind the Origin check; with kubectl, the options PROTECTED,
// READONLY and EXEC on the cluster of a kubeconfig.
import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { act, dialog } from '../support/actions.mjs';
import { freePort } from '../support/free-port.mjs';
import { PATIENCE, eventually, freshness } from '../support/harness.mjs';
import { serve } from '../support/processes.mjs';
import { setStageWithRunner } from '../support/runner.mjs';
import { status, upgrade } from '../support/status.mjs';
import { connected, openShell, openTab } from '../support/terminal.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = process.env.PAGE ?? join(root, 'dist');
const { stage, runner, options } = await setStageWithRunner(['--still']);
const OWN = 'the script starts an apiserver of its own: this runs with the embedded one';
const embeddedOnly = { ...options, skip: process.env.E2E_CLUSTER === 'kube' ? OWN : stage.unavailable };
const folder = await mkdtemp(join(tmpdir(), 'serve-script-'));
after(() => rm(folder, { recursive: true, force: true }));

const script = join(folder, 'web/serve.sh');
const kubeconfig = join(folder, 'kubeconfig');
// Names of contexts: those of EKS are paths, and all characters are allowed.
const EKS = 'arn:aws:eks:eu:1:cluster/prod';
const ODD = 'odd "quoted" back\\slash';
/** The contexts, all of the same cluster. */
const CONTEXTS = ['prod-eu', 'dev', EKS, ODD];

/** Copies the script beside a build that prints the path of the built page, and writes a kubeconfig with all contexts, the first as current. */
before(async () => {
  const web = join(folder, 'web');
  for (const made of [join(web, 'parts'), join(folder, '.ci')]) await mkdir(made, { recursive: true });
  for (const file of ['web/serve.sh', '.ci/env.sh', 'web/parts/origin-check.mjs']) await cp(join(root, file), join(folder, file));
  await symlink(join(root, 'web/parts/node_modules'), join(web, 'parts/node_modules'));
  await writeFile(join(web, 'build.sh'), `#!/bin/sh\necho '${page}'\n`, { mode: 0o755 });
  if (stage.unavailable) return;
  await cp(stage.kubeconfig, kubeconfig);
  const config = (...args) => stage.kubectl(['config', ...args, '--kubeconfig', kubeconfig]);
  const [{ context }] = JSON.parse(await config('view', '--minify', '-o', 'json')).contexts;
  for (const name of CONTEXTS) await config('set-context', name, `--cluster=${context.cluster}`, `--user=${context.user ?? ''}`);
  await config('use-context', CONTEXTS[0]);
  await stage.kubectl(['create', 'configmap', 'settings', '-n', 'default', '--from-literal=mode=slow']);
  await runner.run('guest');
});

/** A folder of programs without kubectl. */
async function withoutKubectl() {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  for (const path of process.env.PATH.split(delimiter)) {
    for (const name of await readdir(path).catch(() => [])) if (name !== 'kubectl') await symlink(join(path, name), join(bin, name)).catch(() => {});
  }
  return bin;
}

/** Starts the script with these options, with kubectl unless a PATH is given. Resolves to `{ origin, stop }`. */
async function start(given) {
  const port = await freePort();
  const target = process.env.CARGO_TARGET_DIR ?? join(root, 'target');
  const PATH = stage.kubectlPath && `${dirname(stage.kubectlPath)}${delimiter}${process.env.PATH}`;
  const usual = { DEMO: '', EXEC: '', READONLY: '', PROTECTED: '', CONTEXT: '' };
  const env = { PATH, KUBECONFIG: kubeconfig, PORT: `${port}`, CARGO_TARGET_DIR: target, ...usual, ...given };
  const { match, stop } = await serve(script, [], { env, ready: /^(http:\S+\/ui\/)$/m });
  const { origin } = new URL(match[1]);
  assert.equal(origin, `http://127.0.0.1:${port}`);
  return { origin, stop };
}

/** The dashboard that the script serves, with the functions of a stage that open a page. */
const served = (origin) => ({
  async open(hash, profile) {
    const page = await (await stage.browser.newContext(profile)).newPage();
    page.on('pageerror', (error) => stage.errors.push(`page: ${error.stack ?? error}`));
    await page.goto(`${origin}/ui/${hash}`);
    return page;
  },
});

const SETTINGS = '/api/v1/namespaces/default/configmaps/settings';
/** Patches the mode, as a page of the origin `from` does. */
const write = (origin, mode, from = origin) =>
  status(`${origin}${SETTINGS}`, { method: 'PATCH', headers: { origin: from, 'content-type': 'application/merge-patch+json' }, body: JSON.stringify({ data: { mode } }) });
const mode = () => stage.kubectl(['get', 'configmap', 'settings', '-n', 'default', '-o', 'jsonpath={.data.mode}']);

test('the definitions, which rarely change, are live over HTTP', options, async () => {
  const { origin, stop } = await start({});
  const page = await served(origin).open('#/inspector');
  // Their watch has no event: the proxies must pass its headers on before one.
  const definitions = page.locator('.informers tr', { hasText: 'customresourcedefinitions' });
  await eventually('their watch is answered', PATIENCE, async () => {
    const [, state, watch] = await definitions.locator('th, td').allTextContents();
    return state === 'Live' && watch === 'HTTP';
  });
  await page.context().close();
  await stop();
});

test('without kubectl the demo is behind the Origin check, and has shells with EXEC=1 only', embeddedOnly, async () => {
  const PATH = await withoutKubectl();
  for (const [given, shell, isProtected] of [[{ PROTECTED: 'live,de?o' }, 403, true], [{ PROTECTED: 'live', EXEC: '1' }, 404, false]]) {
    const { origin, stop } = await start({ PATH, DEMO: '1', ...given });
    try {
      assert.equal(await status(`${origin}/ui/`), 200);
      assert.equal(await status(`${origin}/api/v1/pods?limit=1`), 200);
      const watch = `${origin}/api/v1/pods?watch=1`;
      assert.equal(await status(watch, { headers: { ...upgrade, origin: 'http://evil.example' } }), 403);
      assert.equal(await status(watch, { headers: { ...upgrade, host: 'evil.example', origin: 'http://evil.example' } }), 403);
      assert.equal(await status(watch, { headers: { ...upgrade, origin } }), 101);
      assert.equal(await status(`${origin}/api/v1/namespaces/default/pods/none/exec`), shell);
      assert.deepEqual(await (await fetch(`${origin}/ui/context.json`)).json(), { context: 'demo', protected: isProtected });
    } finally {
      await stop();
    }
  }
});

test('PROTECTED has patterns of whole names of contexts', options, async () => {
  for (const [PROTECTED, CONTEXT, isProtected] of [
    ['prod*', '', true], // the current context
    ['prod*', 'dev', false],
    ['live,prod-*', 'prod-eu', true],
    ['live, *-eu staging', 'prod-eu', true],
    ['prod', 'prod-eu', false],
    ['prod-??', 'prod-eu', true],
    ['prod*', EKS, false],
    ['*/prod', EKS, true],
    ['*quoted*', ODD, true],
    ['', ODD, false],
  ]) {
    const { origin, stop } = await start({ PROTECTED, CONTEXT });
    try {
      const file = await (await fetch(`${origin}/ui/context.json`)).json();
      assert.deepEqual(file, { context: CONTEXT || CONTEXTS[0], protected: isProtected }, `${PROTECTED} and ${CONTEXT}`);
    } finally {
      await stop();
    }
  }
});

test('a deletion asks for the name of the object in a protected context, and in no other', options, async () => {
  for (const [CONTEXT, isProtected] of [[ODD, true], ['dev', false]]) {
    const { origin, stop } = await start({ PROTECTED: 'prod*,*quoted*', CONTEXT });
    try {
      const page = await served(origin).open('#/v1/configmaps?object=default%2Fsettings');
      await freshness(page, 'live').waitFor({ timeout: PATIENCE });
      await act(page, 'Delete');
      const remove = dialog(page).locator('footer').getByRole('button', { name: 'Delete', exact: true });
      if (isProtected) {
        await page.getByText(`protected: ${CONTEXT}`, { exact: true }).waitFor({ timeout: PATIENCE });
        await dialog(page).getByText(`The context ${CONTEXT} is protected.`).waitFor({ timeout: PATIENCE });
        assert.ok(await remove.isDisabled());
      } else {
        await remove.and(page.locator(':enabled')).waitFor({ timeout: PATIENCE });
        assert.equal(await page.getByText(/protected/).count(), 0);
      }
      await page.context().close();
    } finally {
      await stop();
    }
  }
});

test('READONLY=1 rejects writes, and the page greys its actions with the reason', options, async () => {
  const { origin, stop } = await start({ READONLY: '1' });
  try {
    assert.equal(await write(origin, 'rejected'), 403);
    for (const method of ['POST', 'PUT', 'DELETE']) assert.equal(await status(`${origin}${SETTINGS}`, { method, headers: { origin } }), 403, method);
    assert.equal(await mode(), 'slow');
    assert.equal(await status(`${origin}${SETTINGS}`), 200);
    const page = await served(origin).open('#/v1/configmaps?object=default%2Fsettings');
    await page.locator('.drawer').getByRole('button', { name: 'Actions' }).click({ timeout: PATIENCE });
    for (const action of ['Edit', 'Labels', 'Delete']) {
      const item = page.locator(`.drawer [role=menuitem][data-action=${action}]`);
      await item.getByText('Read only: the proxy rejects writes (READONLY=1, --read-only).').waitFor({ timeout: PATIENCE });
      await item.and(page.locator('[aria-disabled=true]')).waitFor({ timeout: PATIENCE });
    }
    await page.context().close();
  } finally {
    await stop();
  }
  await assert.rejects(start({ READONLY: '1', EXEC: '1' }), /EXEC=1 and READONLY=1 exclude each other/);
});

test('EXEC=1 opens shells for its own pages only, and without it there are none', options, async () => {
  const exec = '/api/v1/namespaces/default/pods/guest/exec?container=guest&command=sh&stdin=true&stdout=true&tty=true';
  const shell = { ...upgrade, 'sec-websocket-protocol': 'v5.channel.k8s.io' };
  const closed = await start({});
  try {
    assert.equal(await status(`${closed.origin}${exec}`, { headers: { ...shell, origin: closed.origin } }), 403);
    assert.equal(await write(closed.origin, 'written'), 200, 'without READONLY=1 a write is accepted');
    assert.equal(await mode(), 'written');
  } finally {
    await closed.stop();
  }
  const { origin, stop } = await start({ EXEC: '1' });
  try {
    for (const other of ['http://evil.example', 'null', origin.replace(/\d+$/, '1')]) {
      assert.equal(await status(`${origin}${exec}`, { headers: { ...shell, origin: other } }), 403, other);
      assert.equal(await write(origin, 'foreign', other), 403, other);
    }
    assert.equal(await status(`${origin}${exec}`, { headers: shell }), 403, 'a browser always sends an Origin with a WebSocket');
    assert.equal(await mode(), 'written');
    assert.equal(await status(`${origin}${exec}`, { headers: { ...shell, origin } }), 101);
    const page = await openTab(served(origin), 'guest');
    await openShell(page);
    await connected(page);
    await page.context().close();
  } finally {
    await stop();
  }
});
