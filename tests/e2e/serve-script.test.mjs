// web/serve.sh (`make dashboard`) without kubectl: the embedded apiserver is behind the Origin check.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { TEST } from '../support/harness.mjs';
import { serve } from '../support/processes.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = process.env.PAGE ?? join(root, 'dist');
const skip = process.env.E2E_CLUSTER === 'kube' && 'the script starts an apiserver of its own: this runs with the embedded one';
const folder = await mkdtemp(join(tmpdir(), 'serve-script-'));
after(() => rm(folder, { recursive: true, force: true }));

/** A copy of the script, whose build prints the built page, and a PATH without kubectl. */
async function prepare() {
  const [web, bin] = [join(folder, 'web'), join(folder, 'bin')];
  for (const made of [join(web, 'parts'), join(folder, '.ci'), bin]) await mkdir(made, { recursive: true });
  for (const file of ['web/serve.sh', '.ci/env.sh', 'web/parts/origin-check.mjs']) await cp(join(root, file), join(folder, file));
  await symlink(join(root, 'web/parts/node_modules'), join(web, 'parts/node_modules'));
  await writeFile(join(web, 'build.sh'), `#!/bin/sh\necho '${page}'\n`, { mode: 0o755 });
  for (const path of process.env.PATH.split(delimiter)) {
    for (const name of await readdir(path).catch(() => [])) if (name !== 'kubectl') await symlink(join(path, name), join(bin, name)).catch(() => {});
  }
  return bin;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** The status of a response, or of a refused or accepted upgrade. */
async function status(url, headers = {}) {
  const sent = request(url, { headers });
  sent.end();
  const [response, socket] = await Promise.race([once(sent, 'response'), once(sent, 'upgrade')]);
  socket?.destroy();
  response.resume();
  return response.statusCode;
}

test('without kubectl the demo is behind the Origin check, and has shells with EXEC=1 only', { ...TEST, skip }, async () => {
  const bin = await prepare();
  for (const [EXEC, shell] of [['', 403], ['1', 404]]) {
    const port = await freePort();
    const env = { PATH: bin, DEMO: '1', EXEC, READONLY: '', PROTECTED: '', CONTEXT: '', PORT: `${port}`, CARGO_TARGET_DIR: process.env.CARGO_TARGET_DIR ?? join(root, 'target') };
    const script = await serve(join(folder, 'web/serve.sh'), [], { env, ready: /^(http:\S+\/ui\/)$/m });
    try {
      const origin = new URL(script.match[1]).origin;
      assert.equal(origin, `http://127.0.0.1:${port}`);
      assert.equal(await status(`${origin}/ui/`), 200);
      assert.equal(await status(`${origin}/api/v1/pods?limit=1`), 200);
      const watch = `${origin}/api/v1/pods?watch=1`;
      const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };
      assert.equal(await status(watch, { ...upgrade, origin: 'http://evil.example' }), 403);
      assert.equal(await status(watch, { ...upgrade, host: 'evil.example', origin: 'http://evil.example' }), 403);
      assert.equal(await status(watch, { ...upgrade, origin }), 101);
      assert.equal(await status(`${origin}/api/v1/namespaces/default/pods/none/exec`), shell);
    } finally {
      await script.stop();
    }
  }
});
