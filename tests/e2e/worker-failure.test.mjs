// Ends of workers and tabs: the page recovers from the loss of its worker, and the worker releases a tab that ends
// silently.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { PATIENCE, TEST, eventually, freshness, row, setStage } from '../support/harness.mjs';

const stage = await setStage({ args: ['--pods', '20', '--churn', '0'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

const options = { ...TEST, skip: stage.unavailable };

const create = (namespace, name) => stage.kubectl(['run', name, '-n', namespace, '--image=pause', '--restart=Never']);

test('a worker that traps is restarted, and the table continues', options, async () => {
  await stage.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'trap' } }));
  await create('trap', 'one');
  const page = await stage.open();
  await page.goto(stage.url('?worker=dedicated#/v1/pods?namespace=trap'));
  await row(page, 'trap/one').waitFor({ timeout: PATIENCE });
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  // From here on, records whether the row ever disappears.
  await page.evaluate(() => {
    window.gone = false;
    const look = () => {
      window.gone ||= !document.querySelector('[role=row][data-key="trap/one"]');
      requestAnimationFrame(look);
    };
    look();
  });
  const [worker] = page.workers();
  await worker.evaluate(() => {
    setTimeout(() => {
      throw new WebAssembly.RuntimeError('unreachable');
    });
  });
  await eventually('another worker', PATIENCE, () => page.workers().length === 1 && page.workers()[0] !== worker);
  await create('trap', 'two');
  await row(page, 'trap/two').waitFor({ timeout: PATIENCE });
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  assert.equal(await page.evaluate('gone'), false, 'the rows stayed');
  assert.equal(await page.locator('.banner.bad').count(), 0);
  assert.deepEqual(stage.errors.splice(0).filter((error) => !error.includes('unreachable')), [], 'there is no error besides the trap');
  await page.context().close();
});

test('a worker whose file cannot be loaded for a while recovers; otherwise the page shows an error', options, async () => {
  await stage.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'away' } }));
  await create('away', 'one');
  // The page's policy would block the address of the missing script.
  const context = await stage.browser.newContext({ bypassCSP: true });
  // Simulates the effect of an unreachable proxy on a new worker.
  await context.addInitScript(() => {
    // Number of further workers whose script is missing.
    window.missing = 0;
    window.Worker = class extends Worker {
      constructor(script, options) {
        super(window.missing-- > 0 ? 'nothing.js' : script, options);
      }
    };
  });
  const page = await context.newPage();
  await page.goto(stage.url('?worker=dedicated#/v1/pods?namespace=away'));
  await row(page, 'away/one').waitFor({ timeout: PATIENCE });
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  const trap = async (missing) => {
    await page.evaluate((missing) => (window.missing = missing), missing);
    // Workers whose script was missing may be listed for a moment longer.
    await page.workers().at(-1).evaluate(() => {
      setTimeout(() => {
        throw new WebAssembly.RuntimeError('unreachable');
      });
    });
    await eventually('another worker is tried', PATIENCE, () => page.evaluate((missing) => window.missing < missing, missing));
  };
  // The page counts the missing scripts: three restarts may be over before a slow test could make the script available.
  await trap(1);
  await create('away', 'two');
  await row(page, 'away/two').waitFor({ timeout: PATIENCE });
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  assert.equal(await page.locator('.banner.bad').count(), 0);
  await trap(1_000);
  const banner = page.locator('.banner.bad');
  await banner.waitFor({ timeout: PATIENCE });
  assert.match(await banner.textContent(), /^The background worker failed: .* Reload the page/);
  await context.close();
});

test('a tab that crashes does not keep its watches', options, async () => {
  const page = await stage.open('#/v1/pods');
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await stage.watches(2); // of pods and of namespaces; watches() adds those of the kinds
  const other = await page.context().newPage();
  await other.goto(stage.url('#/v1/configmaps'));
  await freshness(other, 'live').waitFor({ timeout: PATIENCE });
  await stage.watches(3);
  await Promise.all([other.waitForEvent('crash'), other.goto('chrome://crash').catch(() => {})]);
  await stage.watches(2);
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('without a shared worker one tab serves all, and when it is closed another one does', options, async () => {
  await stage.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'elected' } }));
  await create('elected', 'one');
  const context = await stage.browser.newContext();
  // As in Chrome on Android.
  await context.addInitScript('delete window.SharedWorker');
  const pages = [];
  for (let tabs = 0; tabs < 3; tabs++) {
    const page = await context.newPage();
    page.on('pageerror', (error) => stage.errors.push(String(error)));
    await page.goto(stage.url('#/v1/pods?namespace=elected'));
    await row(page, 'elected/one').waitFor({ timeout: PATIENCE });
    await freshness(page, 'live').waitFor({ timeout: PATIENCE });
    pages.push(page);
  }
  assert.deepEqual(pages.map((page) => page.workers().length), [1, 0, 0]);
  const [leader, ...others] = pages;
  await leader.close();
  await create('elected', 'two');
  for (const page of others) {
    await row(page, 'elected/two').waitFor({ timeout: PATIENCE });
    await freshness(page, 'live').waitFor({ timeout: PATIENCE });
    assert.equal(await page.locator('.banner.bad').count(), 0);
  }
  assert.deepEqual(others.map((page) => page.workers().length).toSorted(), [0, 1]);
  await context.close();
});

/** Opens tabs that elect a leader; `prepare` changes a tab before it loads the page. */
async function electing(namespace, settings) {
  await stage.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }));
  await create(namespace, 'one');
  const context = await stage.browser.newContext(settings);
  const open = async (prepare) => {
    const page = await context.newPage();
    page.on('pageerror', (error) => stage.errors.push(String(error)));
    await prepare?.(page);
    await page.goto(stage.url(`?worker=elected#/v1/pods?namespace=${namespace}`));
    return page;
  };
  const isRight = async (page, name) => {
    await row(page, `${namespace}/${name}`).waitFor({ timeout: PATIENCE });
    await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  };
  return { context, open, isRight };
}

for (const [when, word] of [['before it said more', 'hello'], ['before the code of the tab was there', 'lock'], ['later', 'lock']]) {
  test(`a tab detects the end of the tab that serves it, which is closed ${when}`, options, async () => {
    const namespace = `closed-${when.replaceAll(' ', '-')}`;
    const { context, open, isRight } = await electing(namespace);
    const leader = await open();
    await isRight(leader, 'one');
    let release;
    const released = new Promise((resolve) => (release = resolve));
    const other = await open(async (page) => {
      await page.addInitScript((isEarly) => {
        // The leader sends no further message before it has the lock of the tab.
        const { request } = LockManager.prototype;
        const goAhead = new Promise((resolve) => (window.goAhead = resolve));
        const late = (granted) => (lock) => goAhead.then(() => granted(lock));
        LockManager.prototype.request = function (name, ...rest) {
          const granted = rest.pop();
          return request.call(this, name, ...rest, isEarly && name.startsWith('kube-informer ') ? late(granted) : granted);
        };
        window.heard = [];
        const { set } = Object.getOwnPropertyDescriptor(BroadcastChannel.prototype, 'onmessage');
        const hear = function (handler) {
          set.call(this, handler);
          this.addEventListener('message', ({ data }) => heard.push(data?.type));
        };
        Object.defineProperty(BroadcastChannel.prototype, 'onmessage', { set: hear });
      }, word === 'hello');
      await page.route('**/*.wasm', async (route) => {
        await released;
        await route.continue();
      });
    });
    await eventually(`the leader said "${word}"`, PATIENCE, () => other.evaluate((word) => heard.includes(word), word));
    if (when !== 'later') await leader.close();
    await other.evaluate(() => goAhead());
    release();
    if (when === 'later') {
      await isRight(other, 'one');
      await leader.close();
    }
    await create(namespace, 'two');
    await isRight(other, 'two');
    assert.equal(other.workers().length, 1, 'the tab runs its own worker');
    await context.close();
  });
}

test('a tab whose worker cannot load its code does not serve the others', options, async () => {
  const { context, open, isRight } = await electing('unloadable');
  const unable = await open((page) =>
    page.addInitScript(() => {
      window.Worker = class extends Worker {
        constructor(script, options) {
          super(script, options);
          window.isElected = true;
        }
      };
      const { postMessage } = BroadcastChannel.prototype;
      BroadcastChannel.prototype.postMessage = function (message) {
        postMessage.call(this, message?.type === 'wasm' ? { ...message, wasm: new URL('nothing.wasm', location.href).href } : message);
      };
    }),
  );
  // Wait, because the other tab may be elected first.
  await eventually('it is elected', PATIENCE, () => unable.evaluate(() => window.isElected));
  const banner = unable.locator('.banner.bad');
  const other = await open();
  await isRight(other, 'one');
  assert.equal(other.workers().length, 1);
  await banner.waitFor({ timeout: PATIENCE });
  assert.match(await banner.textContent(), /^The engine could not be started: the engine could not be loaded/);
  await context.close();
});

test('a browser that refuses a shared worker has one for the tab', options, async () => {
  const context = await stage.browser.newContext();
  await context.addInitScript(() => {
    window.SharedWorker = class {
      constructor() {
        throw new DOMException('not with cookies blocked', 'SecurityError');
      }
    };
  });
  const page = await context.newPage();
  await page.goto(stage.url('#/v1/pods'));
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  assert.equal(page.workers().length, 1);
  await context.close();
});
