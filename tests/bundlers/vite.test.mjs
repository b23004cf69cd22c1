// Vite, from version 5 on, without a configuration: its dev server and what it builds, opened in Chromium beside the embedded apiserver.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { run, serve } from '../support/processes.mjs';
import { installed, project, showsPods, startApiserver } from './project.mjs';

const versions = readdirSync(installed).filter((name) => /^vite\d+$/.test(name)).sort();

for (const version of versions) {
  describe(version, { timeout: 600_000 }, () => {
    const vite = join(installed, version, 'bin/vite.js');

    test('a dev server', async () => {
      const home = await project('vite');
      const api = await startApiserver();
      const ready = /(http:\/\/127\.0\.0\.1:\d+)\//;
      const dev = await serve(process.execPath, [vite, '--host', '127.0.0.1', '--clearScreen', 'false'], { cwd: home, ready, env: { NO_COLOR: '1' } });
      try {
        await showsPods(`${dev.match[1]}/?api=${api.url}`, api.url);
      } finally {
        await dev.stop();
        await api.stop();
      }
    });

    test('what it builds', async () => {
      const home = await project('vite');
      await run(process.execPath, [vite, 'build', home, '--base', './', '--logLevel', 'error']);
      const api = await startApiserver(join(home, 'dist'));
      try {
        await showsPods(`${api.url}/ui/`, api.url);
      } finally {
        await api.stop();
      }
    });
  });
}

test('all versions are there', () => assert.deepEqual(versions, ['vite5', 'vite6', 'vite7', 'vite8']));
