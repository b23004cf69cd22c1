// Several clusters in one page: the installed launcher with two contexts, each with an apiserver of its own.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { act, button, closes, isFocused } from '../support/actions.mjs';
import { frameOf, inState, isCurrent, setClusters, tab } from '../support/clusters.mjs';
import { PATIENCE, TEST, eventually, freshness, row } from '../support/harness.mjs';

// Names of contexts: those of EKS are paths, and all characters are allowed.
const [A, B] = ['dev@local', 'arn:aws:eks:eu-central-1:123456789012:cluster/prod'];
const NS = 'shop';
const stage = await setClusters([A, B], ['--protected=*prod']);
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the pages reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const createPod = (name, pod) => stage.by[name].kubectl(['run', pod, '-n', NS, '--image=pause', '--restart=Never']);
before(async () => {
  if (stage.unavailable) return;
  for (const [name, pod] of [[A, 'only-in-dev'], [B, 'only-in-prod']]) {
    const { kubectl } = stage.by[name];
    await kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NS } }));
    await kubectl(['create', 'configmap', 'settings', '-n', NS, `--from-literal=cluster=${pod}`]);
    await createPod(name, pod);
  }
});

const PODS = `#/v1/pods?namespace=${NS}`;
const addressOf = (name, hash = '') => `/?cluster=${encodeURIComponent(name)}${hash}`;
const isAt = (page, name, hash) => eventually(`the address is ${name} ${hash}`, PATIENCE, () => page.url() === `${stage.origin}${addressOf(name, hash)}`);
const key = (name) => `${NS}/${name}`;

/** Opens a cluster, then the other, each on its pods, and waits until both are live. Resolves to `{ page, a, b }`: the page and the frames. */
async function openBoth(profile) {
  const page = await stage.open(addressOf(B, PODS), profile);
  const b = await frameOf(page, B);
  await row(b, key('only-in-prod')).waitFor({ timeout: PATIENCE });
  await tab(page, A).click();
  await isCurrent(page, A);
  const a = await frameOf(page, A);
  await freshness(a, 'live').first().waitFor({ timeout: PATIENCE });
  await a.evaluate((hash) => (location.hash = hash), PODS);
  await row(a, key('only-in-dev')).waitFor({ timeout: PATIENCE });
  for (const name of [A, B]) await inState(page, name, 'live');
  return { page, a, b };
}

test('each cluster shows its own pods, and one worker serves both', options, async () => {
  const { page, a, b } = await openBoth();
  assert.equal(await row(a, key('only-in-prod')).count(), 0);
  assert.equal(await row(b, key('only-in-dev')).count(), 0);
  assert.match(await page.title(), /^dev@local · .*shop · kube-informer$/);
  await tab(page, B).click();
  await isCurrent(page, B);
  await row(b, key('only-in-prod')).waitFor({ timeout: PATIENCE });
  assert.ok((await page.title()).startsWith(`${B} · `));
  assert.equal(await page.locator('iframe').count(), 2);
  for (const name of [A, B]) assert.equal(await page.getByTitle(`Cluster ${name}`).count(), 1);
  // Requests of all clusters share the few connections of one origin, which only one worker can divide.
  const session = await stage.browser.newBrowserCDPSession();
  const { targetInfos } = await session.send('Target.getTargets');
  assert.equal(targetInfos.filter(({ type }) => type === 'shared_worker').length, 1);
  await page.context().close();
});

test('the name and the colour of the current cluster are visible, and a protected one has a word', options, async () => {
  const { page, b } = await openBoth();
  const edge = () => page.evaluate(() => getComputedStyle(document.querySelector('main')).borderTopColor);
  const line = (name) => tab(page, name).evaluate((tab) => getComputedStyle(tab).borderBottomColor);
  assert.equal(await edge(), await line(A));
  const before = await edge();
  await tab(page, B).click();
  await isCurrent(page, B);
  assert.equal(await edge(), await line(B));
  assert.notEqual(await edge(), before);
  assert.equal(await tab(page, B).locator('.name .visually-hidden').textContent(), B);
  assert.equal(await tab(page, B).locator('.word').textContent(), 'protected');
  assert.equal(await tab(page, A).locator('.word').count(), 0);
  assert.equal(await page.getByRole('tab', { name: `${B} protected live`, exact: true }).count(), 1);
  await b.getByText(`protected: ${B}`, { exact: true }).waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('a hidden cluster stays live: a new pod is there at the switch, without another list', options, async () => {
  const { page, b } = await openBoth();
  await isCurrent(page, A);
  const { requests } = stage.by[B];
  const isList = (request) => /^GET \/api\/v1(\/namespaces\/\w+)?\/pods(\?|$)/.test(request) && !/[?&]watch=(1|true)/.test(request);
  assert.ok(requests.some(isList), 'lists are recorded');
  const lists = () => requests.filter(isList).length;
  const earlier = lists();
  await createPod(B, 'made-while-hidden');
  // Also in the hidden document: its rows follow.
  await row(b, key('made-while-hidden')).waitFor({ state: 'attached', timeout: PATIENCE });
  await isCurrent(page, A);
  await tab(page, B).click();
  assert.ok(await row(b, key('made-while-hidden')).isVisible(), 'it is there at once');
  assert.equal(lists(), earlier);
  await inState(page, B, 'live');
  await page.context().close();
});

test('a deletion in one cluster reaches this one only', options, async () => {
  const page = await stage.open(addressOf(A, `#/v1/configmaps?namespace=${NS}&object=${encodeURIComponent(key('settings'))}`));
  const a = await frameOf(page, A);
  await tab(page, B).click();
  await freshness(await frameOf(page, B), 'live').first().waitFor({ timeout: PATIENCE });
  await tab(page, A).click();
  await isCurrent(page, A);
  const deletions = (name) => stage.by[name].requests.filter((request) => request.startsWith('DELETE '));
  for (const name of [A, B]) assert.deepEqual(deletions(name), []);
  await act(a, 'Delete');
  await button(a, 'Delete').click({ timeout: PATIENCE });
  await closes(a);
  await row(a, key('settings')).waitFor({ state: 'detached', timeout: PATIENCE });
  assert.equal(deletions(A).length, 1);
  assert.match(deletions(A)[0], /^DELETE \/api\/v1\/namespaces\/shop\/configmaps\/settings\b/);
  assert.deepEqual(deletions(B), []);
  const count = async (name) => (await stage.by[name].kubectl(['get', 'configmaps', '-n', NS, '-o', 'name'])).split('\n').filter((line) => line === 'configmap/settings').length;
  assert.deepEqual([await count(A), await count(B)], [0, 1]);
  await page.context().close();
});

test('the address names cluster and view: deep link, steps, Back, Forward and reload', options, async () => {
  const page = await stage.open(addressOf(B, PODS));
  const b = await frameOf(page, B);
  await isCurrent(page, B);
  await row(b, key('only-in-prod')).click({ timeout: PATIENCE });
  const opened = `${PODS}&object=${encodeURIComponent(key('only-in-prod'))}`;
  await isAt(page, B, opened);
  await tab(page, A).click();
  await isCurrent(page, A);
  await freshness(await frameOf(page, A), 'live').first().waitFor({ timeout: PATIENCE });
  assert.ok(page.url().startsWith(`${stage.origin}${addressOf(A)}`));
  await page.goBack();
  await isCurrent(page, B);
  await isAt(page, B, opened);
  await page.goBack();
  await isAt(page, B, PODS);
  await b.locator('.drawer').waitFor({ state: 'detached', timeout: PATIENCE });
  await page.goForward();
  await isAt(page, B, opened);
  await b.locator('.drawer').waitFor({ timeout: PATIENCE });
  await page.goForward();
  await isCurrent(page, A);
  await page.goBack();
  await isAt(page, B, opened);
  await page.reload();
  await isCurrent(page, B);
  await isAt(page, B, opened);
  await (await frameOf(page, B)).locator('.drawer').waitFor({ timeout: PATIENCE });
  await page.goBack();
  await isAt(page, B, PODS);
  await (await frameOf(page, B)).locator('.drawer').waitFor({ state: 'detached', timeout: PATIENCE });
  await page.context().close();
});

test('a hash that is typed into the address reaches the frame', options, async () => {
  const page = await stage.open(addressOf(A, PODS));
  const a = await frameOf(page, A);
  await row(a, key('only-in-dev')).waitFor({ timeout: PATIENCE });
  await page.evaluate((hash) => (location.hash = hash), `#/v1/namespaces?object=${NS}`);
  await row(a, NS).waitFor({ timeout: PATIENCE });
  await isAt(page, A, `#/v1/namespaces?object=${NS}`);
  await page.context().close();
});

test('a link to the page of a cluster alone opens it with the tabs, at the same view', options, async () => {
  const page = await stage.open(`/clusters/${encodeURIComponent(B)}/ui/${PODS}`);
  await isCurrent(page, B);
  await isAt(page, B, PODS);
  await row(await frameOf(page, B), key('only-in-prod')).waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('an unknown cluster in the address opens no other one', options, async () => {
  const page = await stage.open('/?cluster=prod#/v1/pods');
  await page.getByText('This dashboard has no cluster "prod". Choose one of the tabs').waitFor({ timeout: PATIENCE });
  assert.equal(await page.locator('iframe').count(), 0);
  await tab(page, A).click();
  await isCurrent(page, A);
  // Back to that address hides the cluster that was chosen.
  await page.goBack();
  await page.getByText('This dashboard has no cluster "prod".').waitFor({ timeout: PATIENCE });
  assert.equal(await page.locator('[role=tab][aria-selected=true]').count(), 0);
  await page.locator('iframe').waitFor({ state: 'hidden', timeout: PATIENCE });
  await tab(page, A).click();
  await isCurrent(page, A);
  await page.context().close();
});

test('a link cannot show one cluster under the name of another', options, async () => {
  const page = await stage.open('/?cluster=' + encodeURIComponent(A));
  await isCurrent(page, A);
  const origin = new URL(page.url()).origin;
  const frame = await frameOf(page, A);
  await frame.evaluate((api) => (location.search = `?api=${encodeURIComponent(api)}`), `${origin}/clusters/${encodeURIComponent(B)}`);
  await page.frameLocator('iframe').getByText('?api= may not name a server of this origin').first().waitFor({ timeout: PATIENCE });
  stage.errors.splice(0);
  await page.context().close();
});

test('the keyboard alone: keys leave a frame, switch clusters and lead back', options, async () => {
  const { page } = await openBoth();
  const focused = () => page.evaluate(() => (document.activeElement.tagName === 'IFRAME' ? document.activeElement.title : document.activeElement.dataset.cluster));
  const hasFocus = (what) => eventually(`the focus is on ${what}`, PATIENCE, async () => (await focused()) === what);
  await (await frameOf(page, A)).locator('.filter .field').focus();
  await page.keyboard.press('Control+Alt+Digit2');
  await isCurrent(page, B);
  await hasFocus(`Cluster ${B}`);
  await page.keyboard.press('F6');
  await hasFocus(B);
  await page.keyboard.press('ArrowLeft');
  await hasFocus(A);
  await isCurrent(page, B);
  await page.keyboard.press('Enter');
  await isCurrent(page, A);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('End');
  await page.keyboard.press('Home');
  await hasFocus(A);
  await page.keyboard.press('ArrowDown');
  await hasFocus(`Cluster ${A}`);
  // The box still has what had the focus there.
  await isFocused(await frameOf(page, A), 'the filter', () => document.activeElement.matches('.filter .field'));
  await page.keyboard.type('Running');
  assert.equal(await (await frameOf(page, A)).locator('.filter .field').inputValue(), 'Running');
  await page.keyboard.press('Control+Alt+Digit9');
  await isCurrent(page, A);
  await page.keyboard.press('F6');
  // The page of the cluster brings a lost focus back in the next frame: not this one.
  const twoFrames = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  await (await frameOf(page, A)).evaluate(twoFrames);
  assert.equal(await focused(), A);
  await page.keyboard.press('Tab');
  await hasFocus(`Cluster ${A}`);
  await page.context().close();
});

test('a hidden cluster cannot take the focus, so that no key reaches the wrong one', options, async () => {
  const { page, a, b } = await openBoth();
  await isCurrent(page, A);
  await a.locator('.filter .field').focus();
  // At once: the page of the current cluster may bring its focus back later, and a key may come before.
  const current = () => b.evaluate(() => parent.document.activeElement.title);
  assert.equal(await b.evaluate(() => (document.querySelector('.filter .field').focus(), parent.document.activeElement.title)), `Cluster ${A}`);
  assert.equal(await b.evaluate(() => (document.body.appendChild(document.createElement('dialog')).showModal(), parent.document.activeElement.title)), `Cluster ${A}`);
  await b.evaluate(() => window.focus());
  await eventually('the focus is in the current cluster', PATIENCE, async () => (await current()) === `Cluster ${A}` && a.evaluate(() => document.hasFocus() && document.activeElement.matches('.filter .field')));
  await page.keyboard.type('x');
  assert.equal(await a.locator('.filter .field').inputValue(), 'x');
  assert.equal(await b.locator('.filter .field').inputValue(), '');
  await page.context().close();
});

test('a connection that ends is named in its tab, the other stays live, and Retry starts it again', options, async () => {
  const { page } = await openBoth();
  await isCurrent(page, A);
  process.kill(await stage.proxyOf(B), 'SIGKILL');
  await inState(page, B, 'ended');
  await page.locator('#says', { hasText: `Cluster ${B}: not connected` }).waitFor({ state: 'attached', timeout: PATIENCE });
  await inState(page, A, 'live');
  await createPod(A, 'made-afterwards');
  await row(await frameOf(page, A), key('made-afterwards')).waitFor({ timeout: PATIENCE });
  await tab(page, B).click();
  await page.getByRole('alert').getByText('kubectl proxy ended by itself (SIGKILL)').waitFor({ timeout: PATIENCE });
  await page.getByRole('button', { name: 'Retry' }).click();
  await inState(page, B, 'live');
  assert.equal(await page.getByRole('alert').count(), 0);
  await createPod(B, 'made-after-retry');
  await row(await frameOf(page, B), key('made-after-retry')).waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('the policy of the page with the tabs is strict: no HTML from text, no other origin', options, async () => {
  const page = await stage.open(addressOf(A));
  await inState(page, A, 'live');
  const thrown = (attempt) => page.evaluate(attempt).then(() => 'nothing', ({ message }) => message);
  assert.match(await thrown(() => (document.createElement('p').innerHTML = '<b>x</b>')), /TrustedHTML/);
  assert.match(await thrown(() => (document.createElement('script').src = '/ui/boot.js')), /TrustedScriptURL/);
  assert.match(await thrown(() => fetch('http://127.0.0.1:9/')), /Failed to fetch/);
  await page.evaluate(() => (document.body.appendChild(document.createElement('iframe')).src = 'http://127.0.0.1:9/'));
  await eventually('each was a violation', PATIENCE, () => ['require-trusted-types-for', 'connect-src', 'frame-src'].every((name) => stage.errors.some((error) => error.startsWith(`policy: ${name}`))));
  stage.errors.splice(0);
  const { headers } = await fetch(stage.origin);
  assert.equal(headers.get('content-security-policy'), "frame-ancestors 'self'");
  await page.context().close();
});

test('the theme that is chosen in one cluster is that of the page and of all clusters', options, async () => {
  const { page, a, b } = await openBoth();
  const themes = async () => Promise.all([page.mainFrame(), a, b].map((frame) => frame.evaluate(() => document.documentElement.dataset.theme)));
  const themed = (theme) => eventually(`the theme is ${theme}`, PATIENCE, async () => (await themes()).every((each) => each === theme));
  const next = async () => a.locator('button[aria-label^="Theme: "]').click();
  await next();
  await themed('light');
  await next();
  await themed('dark');
  await page.reload();
  await eventually('the choice stays', PATIENCE, () => page.evaluate(() => document.documentElement.dataset.theme === 'dark'));
  await page.context().close();
});
