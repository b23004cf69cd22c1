// web/serve.sh (`make dashboard`) with several contexts: CONTEXT="a,b", with the options PROTECTED, READONLY and EXEC.
import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { prefixOf } from '../../web/parts/clusters.mjs';
import { exists } from '../launcher/launched.mjs';
import { freePort } from '../support/free-port.mjs';
import { PATIENCE, TEST, eventually, setStage } from '../support/harness.mjs';
import { run, serve } from '../support/processes.mjs';
import { status, upgrade } from '../support/status.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = process.env.PAGE ?? join(root, 'dist');
const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
const options = { ...TEST, skip: stage.unavailable };
const folder = await mkdtemp(join(tmpdir(), 'serve clusters-'));
after(() => rm(folder, { recursive: true, force: true }));

const script = join(folder, 'web/serve.sh');
const kubeconfig = join(folder, 'kubeconfig');
// Names of contexts: those of EKS are paths, and all characters are allowed, here except the comma.
const [DEV, EKS, ODD] = ['dev', 'arn:aws:eks:eu:1:cluster/prod', 'odd "quoted" \'name\' $HOME back\\slash'];

/** Copies the script beside a build that prints the path of the built page, and writes a kubeconfig with all contexts, of the same cluster. */
before(async () => {
  const web = join(folder, 'web');
  for (const made of [join(web, 'parts'), join(folder, '.ci')]) await mkdir(made, { recursive: true });
  for (const file of ['web/serve.sh', '.ci/env.sh', 'web/parts/origin-check.mjs', 'web/parts/clusters.mjs', 'web/parts/page-files.mjs', 'web/launcher']) await cp(join(root, file), join(folder, file), { recursive: true });
  await symlink(join(root, 'web/parts/node_modules'), join(web, 'parts/node_modules'));
  await writeFile(join(web, 'build.sh'), `#!/bin/sh\necho '${page}'\n`, { mode: 0o755 });
  if (stage.unavailable) return;
  await cp(stage.kubeconfig, kubeconfig);
  const config = (...args) => stage.kubectl(['config', ...args, '--kubeconfig', kubeconfig]);
  const [{ context }] = JSON.parse(await config('view', '--minify', '-o', 'json')).contexts;
  for (const name of [DEV, EKS, ODD]) await config('set-context', name, `--cluster=${context.cluster}`, `--user=${context.user ?? ''}`);
});

/** Starts the script with these options. Resolves to `{ origin, stop, proxies() }`: the process ids of its kubectl proxies. */
async function start(given) {
  const port = await freePort();
  const PATH = stage.kubectlPath && `${dirname(stage.kubectlPath)}${delimiter}${process.env.PATH}`;
  const usual = { DEMO: '', EXEC: '', READONLY: '', PROTECTED: '' };
  const { match, pid, stop } = await serve(script, [], { env: { PATH, KUBECONFIG: kubeconfig, PORT: `${port}`, ...usual, ...given }, ready: /^Dashboard of 2 contexts, .*: (http:\S+) \(Ctrl-C ends it\)$/m });
  assert.equal(match[1], `http://127.0.0.1:${port}/`);
  const proxies = async () => {
    const rows = (await run('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args='])).split('\n').map((line) => line.trim().split(/\s+/));
    const childrenOf = (parent) => rows.filter(([, ppid]) => Number(ppid) === parent).map(([child]) => Number(child));
    return childrenOf(pid).flatMap(childrenOf);
  };
  return { origin: `http://127.0.0.1:${port}`, stop, proxies };
}

/** Waits until the API of each context responds. */
const areConnected = (origin, names) =>
  eventually('the contexts are connected', PATIENCE, async () => (await Promise.all(names.map((name) => status(`${origin}${prefixOf(name)}/version`)))).every((code) => code === 200));

test('CONTEXT="a,b" serves both contexts, for its own pages only, and nothing is left afterwards', options, async () => {
  for (const [first, second] of [[DEV, EKS], [ODD, EKS]]) {
    const { origin, stop, proxies } = await start({ CONTEXT: ` ${first} ,${second}`, PROTECTED: 'live,*/prod' });
    let pids;
    try {
      await areConnected(origin, [first, second]);
      const { clusters } = await (await fetch(`${origin}/clusters.json`)).json();
      assert.deepEqual(clusters.map(({ name, isProtected }) => [name, isProtected]), [[first, false], [EKS, true]]);
      assert.equal(await status(`${origin}/`), 200);
      for (const name of [first, second]) {
        const prefix = `${origin}${prefixOf(name)}`;
        assert.equal(await status(`${prefix}/ui/`), 200);
        assert.deepEqual(await (await fetch(`${prefix}/ui/context.json`)).json(), { context: name, protected: name === EKS });
        const watch = `${prefix}/api/v1/pods?watch=1`;
        assert.equal(await status(watch, { headers: { ...upgrade, origin } }), 101);
        assert.equal(await status(watch, { headers: { ...upgrade, origin: 'http://evil.example' } }), 403);
      }
      pids = await proxies();
      assert.equal(pids.length, 2);
      assert.ok(pids.every(exists));
    } finally {
      await stop();
    }
    await eventually('the proxies have ended', PATIENCE, () => !pids.some(exists));
  }
});

test('READONLY=1 and EXEC=1 apply to each context', options, async () => {
  const names = [DEV, EKS];
  for (const [given, write, exec] of [[{}, 404, 403], [{ READONLY: '1' }, 403, 403], [{ EXEC: '1' }, 404, 404]]) {
    const { origin, stop } = await start({ CONTEXT: names.join(), ...given });
    try {
      await areConnected(origin, names);
      for (const name of names) {
        const pod = `${origin}${prefixOf(name)}/api/v1/namespaces/default/pods/none`;
        assert.equal(await status(pod, { method: 'DELETE', headers: { origin } }), write, `${name} with ${JSON.stringify(given)}`);
        assert.equal(await status(`${pod}/exec?command=sh`, { headers: { ...upgrade, origin } }), exec, `${name} with ${JSON.stringify(given)}`);
      }
    } finally {
      await stop();
    }
  }
});

test('an unknown or empty name among several is an error before the build', options, async () => {
  await assert.rejects(start({ CONTEXT: `${DEV},none such` }), /error: the kubeconfig has no context 'none such'; 'kubectl config get-contexts' lists what it has\./);
  for (const CONTEXT of [`${DEV},`, `,${DEV}`, `${DEV},,${EKS}`]) await assert.rejects(start({ CONTEXT }), /has an empty name: separate the names by one comma each\./);
  await assert.rejects(start({ CONTEXT: `${DEV},${EKS}`, DEMO: '1' }), /exclude each other/);
});
