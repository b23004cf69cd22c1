// Ports of kube.sh: a port that another process takes between the check and the start is replaced.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serve } from '../support/processes.mjs';

const script = fileURLToPath(new URL('kube.sh', import.meta.url));
const options = { timeout: 600_000 };
const ends = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A server that ends so often with a message before it stays, and records its arguments. */
const server = (name, failures, message, ready = '') => `#!/usr/bin/env bash
cd "$(dirname "$0")"
echo "$*" >>${name}.starts
if [ "$(wc -l <${name}.starts)" -le ${failures} ]; then
  echo '${message}' >&2
  exit 1
fi
${ready}
exec sleep 600
`;

/** Runs kube.sh on stand-ins of its binaries: no port is really taken, and the servers report what real ones do. */
async function start({ etcd = 0, apiserver = 0, message = 'listen tcp 127.0.0.1:23456: bind: address already in use' }) {
  const assets = await mkdtemp(join(tmpdir(), 'kube-informer-ports-'));
  ends.push(() => rm(assets, { recursive: true }));
  const write = (name, text) => writeFile(join(assets, name), text, { mode: 0o755 });
  await write('etcd', server('etcd', etcd, message, 'touch etcd.up'));
  const certificate = 'while [ "$1" != --cert-dir ]; do shift; done; mkdir -p "$2"; echo certificate >"$2/apiserver.crt"; touch apiserver.up';
  await write('kube-apiserver', server('kube-apiserver', apiserver, message, certificate));
  await write('kubectl', '#!/usr/bin/env bash\ncd "$(dirname "$0")"\n[ -e etcd.up ] && [ -e apiserver.up ]\n');
  const kube = await serve(script, [], { env: { KUBEBUILDER_ASSETS: assets }, ready: /^ready KUBECONFIG=(.*)$/m, seconds: 500 });
  ends.push(kube.stop);
  const starts = async (name) => (await readFile(join(assets, `${name}.starts`), 'utf8')).trim().split('\n');
  return { kubeconfig: await readFile(kube.match[1], 'utf8'), etcd: await starts('etcd'), apiserver: await starts('kube-apiserver') };
}

/** The port of the one argument that begins so. */
const port = (started, argument) => started.match(new RegExp(`${argument}\\D+(?:127\\.0\\.0\\.1:)?(\\d+)`))[1];

test('a port of etcd that is taken is replaced, and the apiserver uses the new one', options, async () => {
  const { etcd, apiserver } = await start({ etcd: 2 });
  assert.equal(etcd.length, 3);
  assert.ok(new Set(etcd.map((started) => port(started, '--listen-client-urls'))).size > 1, etcd.join('\n'));
  assert.equal(port(apiserver.at(-1), '--etcd-servers'), port(etcd.at(-1), '--listen-client-urls'));
});

test('a port of the apiserver that is taken is replaced, also in the kubeconfig', options, async () => {
  const { etcd, apiserver, kubeconfig } = await start({ apiserver: 1 });
  assert.deepEqual([etcd.length, apiserver.length], [1, 2]);
  assert.ok(kubeconfig.includes(`https://127.0.0.1:${port(apiserver.at(-1), '--secure-port')}`), kubeconfig);
});

test('a process that ends for another reason, or finds no free port, is not restarted', options, async () => {
  await assert.rejects(start({ etcd: 1, message: 'no space left on device' }), /etcd ended early: no space left on device/);
  await assert.rejects(start({ apiserver: 99 }), /kube-apiserver ended early: .*address already in use/);
});
