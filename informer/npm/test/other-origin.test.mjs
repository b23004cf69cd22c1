// Files of the package from another origin, such as a CDN, under a strict policy: the recipe of README, and what happens without it.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { after, test } from 'node:test';
import { PATIENCE, setStage } from './stage.mjs';

const stage = await setStage();
after(() => stage.end());
const timeout = PATIENCE;
const types = { '.js': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html' };

/** Starts a server on a free port: `answer(path)` resolves to the file. Resolves to its origin. */
async function serve(answer, headers) {
  const server = createServer(async ({ url }, response) => {
    const path = new URL(url, 'http://any').pathname;
    try {
      const body = await answer(path);
      response.writeHead(200, { 'content-type': types[extname(path)] ?? 'text/html', ...headers() }).end(body);
    } catch {
      response.writeHead(404, headers()).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))));
  return `http://127.0.0.1:${server.address().port}`;
}

const cdn = await serve((path) => readFile(join(stage.folder, 'dist', path)), () => ({ 'access-control-allow-origin': '*' }));
const api = stage.origin;
stage.front.cors = true;
const policy = [
  "default-src 'none'", `script-src 'self' ${cdn} 'wasm-unsafe-eval'`, `worker-src 'self' ${cdn}`, `connect-src 'self' ${cdn} ${api} ${api.replace('http', 'ws')}`,
  'img-src data:', "require-trusted-types-for 'script'", 'trusted-types kube-informer',
].join('; ');

/** Opens a page whose module has this code; resolves to what it stores in `window.found`. */
async function open(files) {
  const origin = await serve(
    async (path) => files[path] ?? (path === '/' ? '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/main.js"></script>' : Promise.reject()),
    () => ({ 'content-security-policy': policy }),
  );
  const context = await stage.browser.newContext();
  const page = await context.newPage();
  const violations = [];
  page.on('console', (message) => /Content Security Policy/.test(message.text()) && violations.push(message.text()));
  await page.goto(origin);
  await page.waitForFunction(() => window.found, undefined, { timeout: PATIENCE / 2 });
  const found = await page.evaluate(() => window.found);
  const workers = context.pages()[0].workers().length;
  await context.close();
  return { found, violations, workers };
}

const main = (options) => `
  import { connect } from "${cdn}/index.js";
  try {
    const factory = await connect({ url: "${api}"${options} });
    const pods = factory.forResource("v1/pods");
    factory.start();
    await factory.waitForCacheSync();
    const view = pods.view({ columns: { name: "{.metadata.name}" }, window: [0, 10] });
    await view.ready;
    window.found = { objects: pods.status.objects, rows: view.getSnapshot().rows.length };
  } catch (error) {
    window.found = { error: error.message };
  }`;

test('the recipe: a worker file of your own that imports the package’s', { timeout }, async () => {
  const readme = await readFile(join(stage.folder, 'README.md'), 'utf8');
  const [, recipe] = readme.match(/```javascript\n\/\/ worker\.js[^\n]*\n(.*?)```/s);
  const [, connected] = readme.match(/```javascript\n(import \{ connect \} from "https:\/\/cdn[^]*?)```/);
  const at = (code) => code.replaceAll('https://cdn.example/kube-informer/dist', cdn);
  assert.match(connected, /worker: new SharedWorker\("\/worker\.js", \{ type: "module" \}\)/);
  for (const worker of ['new SharedWorker(policy.createScriptURL("/worker.js"), { type: "module" })', 'new Worker(policy.createScriptURL("/worker.js"), { type: "module" })']) {
    const code = `const policy = trustedTypes.createPolicy("kube-informer", { createScriptURL: (url) => url });${main(`, worker: ${worker}`)}`;
    const { found, violations } = await open({ '/main.js': code, '/worker.js': at(recipe) });
    assert.deepEqual(violations, []);
    assert.ok(found.objects >= 60 && found.rows === 10, JSON.stringify(found));
  }
});

test('without it the engine runs in the page, because a browser starts no worker from another origin', { timeout }, async () => {
  const { found, workers } = await open({ '/main.js': main('') });
  assert.ok(found.objects >= 60 && found.rows === 10, JSON.stringify(found));
  assert.equal(workers, 0);
});
