// Dev servers that reload the page after an edit: the worker stays, nothing is listed again, and one watch is open at the end.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../support/eventually.mjs';
import { freePort } from '../support/free-port.mjs';
import { serve } from '../support/processes.mjs';
import { PATIENCE, installed, openPage, project, showsPods, startApiserver } from './project.mjs';

const EDITS = 5;
const ready = /(http:\/\/127\.0\.0\.1:\d+)\//;
const servers = {
  vite: ['vite/bin/vite.js', '--host', '127.0.0.1', '--clearScreen', 'false'],
  webpack: ['webpack/bin/webpack.js', 'serve', '--mode', 'development', '--host', '127.0.0.1', '--port', 'auto', '--static', '.', '--no-client-overlay'],
};

for (const [bundler, [file, ...args]] of Object.entries(servers)) {
  test(`${bundler}: edits reload the page, and leave one worker, one list and one watch`, { timeout: 600_000 }, async () => {
    const home = await project(bundler);
    const main = join(home, 'main.js');
    const source = await readFile(main, 'utf8');
    const tells = 'factory.start(); pods.addEventListener("status", () => (document.title = `EDIT ${pods.status.freshness} ${pods.status.lists}`));';
    const edit = (number) => writeFile(main, source.replace('factory.start();', tells.replace('EDIT', `edit-${number}`)));
    await edit(0);
    const api = await startApiserver();
    const dev = await serve(process.execPath, [join(installed, file), ...args], { cwd: home, ready, env: { NO_COLOR: '1' } });
    try {
      const { page, errors, close } = await openPage(`${dev.match[1]}/?api=${api.url}`);
      for (let number = 0; number <= EDITS; number++) {
        if (number > 0) await edit(number);
        await eventually(`the page after edit ${number}`, PATIENCE, async () => (await page.title().catch(() => '')).startsWith(`edit-${number} live`));
        assert.equal(await page.title(), `edit-${number} live 1`, 'one list in all');
      }
      const openWatches = async () => (await (await fetch(`${api.url}/admin/faults`)).json()).openWatches;
      await eventually('one open watch', PATIENCE, async () => (await openWatches()) === 1);
      assert.deepEqual(errors, []);
      await close();
      await eventually('no watch without a page', PATIENCE, async () => (await openWatches()) === 0);
    } finally {
      await dev.stop();
      await api.stop();
    }
  });
}

// Parcel misses some edits that follow a build at once, so only its first page is tested.
test('parcel: the page of its dev server shows the pods', { timeout: 600_000 }, async () => {
  const home = await project('parcel');
  const api = await startApiserver();
  const args = ['serve', 'index.html', '--host', '127.0.0.1', '--port', `${await freePort()}`];
  const dev = await serve(process.execPath, [join(installed, 'parcel/lib/bin.js'), ...args], { cwd: home, ready: /(http:\/\/127\.0\.0\.1:\d+)/, env: { NO_COLOR: '1' } });
  try {
    await showsPods(`${dev.match[1]}/?api=${api.url}`, api.url);
  } finally {
    await dev.stop();
    await api.stop();
  }
});
