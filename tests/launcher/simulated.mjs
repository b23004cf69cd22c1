// Simulated kubectl and browser, for the launcher of the installed package.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before } from 'node:test';
import { install, pack, textOf, unavailable } from './artefacts.mjs';
import { launch } from './launched.mjs';

/**
 * Simulated kubectl: records its arguments and process id. `KUBECTL_ENDS` is a JSON text `[exit code, messages]`; `KUBECTL_FAILS` is a file
 * with such a pair for each failing context, by name. `KUBECTL_ANSWERS` is the response to a request for the version, as `[status, text]`,
 * or `nothing`. On its socket it responds to other requests with its context and the path, and accepts upgrades.
 */
export const KUBECTL = `#!${process.execPath}
const { appendFileSync, readFileSync } = require('node:fs');
const { createServer } = require('node:http');
const args = process.argv.slice(2);
appendFileSync(process.env.RECORD, JSON.stringify({ args, pid: process.pid }) + '\\n');
const end = (code, text) => { process.stderr.write(text); process.exitCode = code; };
const option = (name) => args.find((arg) => arg.startsWith('--' + name + '='))?.slice(name.length + 3);
const failureOf = (context) => process.env.KUBECTL_FAILS && JSON.parse(readFileSync(process.env.KUBECTL_FAILS, 'utf8'))[context];
if (args.includes('current-context')) {
  if (process.env.CONTEXT) console.log(process.env.CONTEXT);
  else end(1, 'error: current-context is not set\\n');
} else if (process.env.KUBECTL_ENDS) {
  end(...JSON.parse(process.env.KUBECTL_ENDS));
} else if (failureOf(option('context'))) {
  end(...failureOf(option('context')));
} else {
  if (process.env.KUBECTL_IGNORES) process.on('SIGTERM', () => {});
  process.stderr.write('E0102 15:04:05.678901 1 proxy.go:1] a line of the log\\nOpen https://login.example and enter ABC\\n');
  const server = createServer((incoming, outgoing) => {
    if (incoming.url === '/version' && process.env.KUBECTL_ANSWERS === 'nothing') return;
    if (incoming.url === '/version' && process.env.KUBECTL_ANSWERS) {
      const [status, text] = JSON.parse(process.env.KUBECTL_ANSWERS);
      return outgoing.writeHead(status, { 'content-type': text.startsWith('{') ? 'application/json' : 'text/plain; charset=utf-8' }).end(text);
    }
    outgoing.end(option('context') + ' ' + incoming.url);
  });
  server.on('upgrade', (incoming, socket) => socket.write('HTTP/1.1 101 Switching Protocols\\r\\nupgrade: websocket\\r\\nconnection: upgrade\\r\\n\\r\\n'));
  server.listen(option('unix-socket') ?? 0, () => console.log('Starting to serve on 127.0.0.1:' + server.address().port));
}
`;
/** Simulated program that opens a browser. */
const OPEN = `#!${process.execPath}\nrequire('node:fs').appendFileSync(process.env.RECORD, JSON.stringify({ opened: process.argv.slice(2) }) + '\\n');\n`;
export const OPENERS = ['xdg-open', 'open', 'rundll32'];

export const folder = await mkdtemp(join(tmpdir(), 'launcher options '));
after(() => rm(folder, { recursive: true, force: true }));
const programs = join(folder, 'programs');
let bin;
before(async () => {
  if (unavailable) return;
  const artefacts = await pack();
  bin = await install(artefacts.npm, join(folder, 'installed')).finally(artefacts.end);
  await mkdir(programs);
  for (const [name, source] of [['kubectl', KUBECTL], ...OPENERS.map((name) => [name, OPEN])]) {
    await writeFile(join(programs, name), source, { mode: 0o755 });
  }
});

let runs = 0;
/** The environment of a run: `record()` resolves to what the simulated programs recorded. The folder of temporary files is its own. */
export async function environment(given = {}) {
  const own = join(folder, `run ${runs++}`);
  await mkdir(own);
  const RECORD = join(folder, `record ${runs}`);
  const env = { PATH: `${programs}${delimiter}${process.env.PATH}`, RECORD, TMPDIR: own, TEMP: own, CONTEXT: 'simulated', ...given };
  const record = async () => (await textOf(RECORD)).split('\n').slice(0, -1).map((line) => JSON.parse(line));
  return { env, record, own };
}
export const program = (name = 'kube-informer-dashboard') => join(bin, name);
export const isProxy = ({ args }) => args?.includes('proxy');

/** Runs the launcher until it serves the page, then ends it. Resolves to the arguments of `kubectl proxy`, the address and the output. */
export async function served(options, given) {
  const { env, record } = await environment(given);
  const launched = launch(program(), ['--no-open', '--port=0', ...options], env);
  const { context, url } = await launched.address();
  assert.equal(await launched.stop(), 0, launched.output.error);
  return { args: (await record()).find(isProxy).args, context, url, ...launched.output };
}
