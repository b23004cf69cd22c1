// Parallel commands of a build: their output and their processes.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually } from '../support/eventually.mjs';

const jobs = fileURLToPath(new URL('../../web/build/jobs.mjs', import.meta.url));
const script = (body) => ['--input-type=module', '-e', `import { Jobs, say } from ${JSON.stringify(jobs)}; const jobs = new Jobs(performance.now()); ${body}`];

test('the output of a command appears only if it fails, without its progress', () => {
  const { stderr } = spawnSync(process.execPath, script(`
    await jobs.run('good', 'sh', ['-c', 'echo fine']);
    await jobs.run('bad', 'sh', ['-c', 'echo "   Compiling a v1"; printf "Building [=> ] 1/2: a\\r"; echo "error: it is broken" >&2; exit 3']).catch((error) => say(error.message));
  `), { encoding: 'utf8' });
  assert.equal(stderr, 'error: it is broken\nbad failed (sh ended with 3)\n');
});

test('a command that is not there is a failure that names it', () => {
  const { stderr } = spawnSync(process.execPath, script(`await jobs.run('none', './no-such-command', []).catch((error) => say(error.message));`), { encoding: 'utf8' });
  assert.match(stderr, /^none failed \(\.\/no-such-command ended with spawn \.\/no-such-command ENOENT\)\n$/);
});

test('a build that is terminated terminates its commands', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'kube-informer-jobs-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'pid');
  const long = `echo $$ > ${file}.new && mv ${file}.new ${file} && sleep 600 & wait`;
  const child = spawn(process.execPath, script(`await jobs.run('long', 'sh', ['-c', ${JSON.stringify(long)}]);`), { stdio: 'ignore' });
  const group = await eventually('the command runs', 60_000, () => existsSync(file) && Number(readFileSync(file, 'utf8')));
  child.kill('SIGTERM');
  await once(child, 'close');
  await eventually('its process group is gone', 60_000, () => {
    try {
      process.kill(-group, 0);
      return false;
    } catch {
      return true;
    }
  });
});
