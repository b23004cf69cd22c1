// Page of one object: summary, diagnosis, related objects, and its address.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { PATIENCE, TEST, eventually, freshness, row, setStage } from '../support/harness.mjs';
import { startKubelet } from '../support/kubelet.mjs';

const isKube = process.env.E2E_CLUSTER === 'kube';
const stage = await setStage({ args: ['--still'] });
const limited = await setStage({ args: ['--still'], user: 'jane' });
// On the real apiserver, the stub kubelet serves the logs.
const kubelet = isKube && !stage.unavailable ? await startKubelet(stage) : undefined;
after(async () => {
  await kubelet?.stop();
  await stage.end();
  await limited.end();
});
afterEach(() => assert.deepEqual([...stage.errors.splice(0), ...limited.errors.splice(0)], [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const ns = 'objects';
const at = (minutes) => new Date(Date.now() - minutes * 60_000).toISOString().replace(/\.\d+/, '');
const create = (object, on = stage) => on.kubectl(['create', '--validate=false', '-f', '-'], JSON.stringify(object));
const get = async (kind, name) => JSON.parse(await stage.kubectl(['get', kind, name, '-n', ns, '-o', 'json']));
/** Sets the status, as a controller or the kubelet does. */
const report = (kind, name, status) =>
  stage.kubectl(['patch', kind, name, '-n', ns, '--subresource=status', '--type=merge', '-p', JSON.stringify({ status })]);

const template = { containers: [{ name: 'web', image: 'registry.example.com/web:2', resources: { requests: { cpu: '100m' } } }] };
const pod = (name, more = {}, spec = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: ns, ...more },
  spec: { ...template, ...spec },
});
const container = (more) => ({ name: 'web', image: 'registry.example.com/web:2', imageID: '', ready: false, restartCount: 0, ...more });
const ready = (status) => ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({ type, status, lastTransitionTime: at(30) }));

before(async () => {
  if (stage.unavailable) return;
  await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } });
  if (kubelet) await kubelet.addNode('node-a');
  else await create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-a' } });
  const annotations = { note: 'first\u202e<img src=x onerror=alert(1)>' };
  await create(pod('healthy', { labels: { app: 'web', 'app.kubernetes.io/name': 'web' }, annotations }, { nodeName: 'node-a' }));
  const running = { running: { startedAt: at(30) } };
  await report('pod', 'healthy', {
    phase: 'Running',
    startTime: at(3 * 24 * 60 + 60),
    conditions: ready('True'),
    containerStatuses: [container({ ready: true, started: true, state: running })],
  });
  await create(pod('crashes', {}, { nodeName: 'node-a' }));
  await report('pod', 'crashes', {
    phase: 'Running',
    conditions: ready('False'),
    containerStatuses: [
      container({
        restartCount: 17,
        state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s restarting failed container=web' } },
        lastState: { terminated: { exitCode: 3, reason: 'Error', startedAt: at(3), finishedAt: at(2) } },
      }),
    ],
  });
  await create(pod('waits'));
  const message = '0/3 nodes are available: 1 node(s) had untolerated taint {dedicated: db}, 2 Insufficient cpu. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.';
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime: at(5) }];
  await report('pod', 'waits', { phase: 'Pending', conditions });
  await rollOut();
});

/** A deployment in the middle of a rollout, with its new and its old ReplicaSet. */
async function rollOut() {
  const labels = { app: 'shop' };
  const spec = (hash, image) => ({
    replicas: 1,
    selector: { matchLabels: { ...labels, 'pod-template-hash': hash } },
    template: { metadata: { labels: { ...labels, 'pod-template-hash': hash } }, spec: { containers: [{ name: 'web', image }] } },
  });
  await create({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'shop', namespace: ns, annotations: { 'deployment.kubernetes.io/revision': '2' } },
    spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'shop:2' }] } } },
  });
  const { metadata } = await get('deployment', 'shop');
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop', uid: metadata.uid, controller: true }];
  for (const [hash, image, revision] of [['old', 'shop:1', '1'], ['new', 'shop:2', '2']]) {
    const annotations = { 'deployment.kubernetes.io/revision': revision };
    const own = { name: `shop-${hash}`, namespace: ns, labels: { ...labels, 'pod-template-hash': hash }, annotations, ownerReferences };
    await create({ apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: own, spec: spec(hash, image) });
  }
}

const address = (resource, key, more = '') => `#/${resource}?object=${encodeURIComponent(key)}${more}`;
const open = (resource, key, more, profile) => stage.open(address(resource, key, more), profile);
const finding = (page, code) => page.locator(`.finding[data-code=${code}]`);
const fact = (page, label) => page.locator('.summary dt', { hasText: new RegExp(`^${label}$`) }).locator('xpath=following-sibling::dd[1]');
const hash = (page) => page.evaluate(() => location.hash);
const tab = (page, name) => page.getByRole('tab', { name, exact: true });
/** Waits until the summary has read everything: the kinds of the cluster, then the objects of some of them. */
const isRead = async (page) => {
  await page.locator('.kinds a').first().waitFor({ state: 'attached', timeout: PATIENCE });
  await page.locator('.summary .reading').waitFor({ state: 'detached', timeout: PATIENCE });
};

test('a crash-looping pod shows its exit code and restarts', options, async () => {
  const page = await open('v1/pods', `${ns}/crashes`);
  const crash = finding(page, 'ContainerCrashLoop');
  await crash.waitFor({ timeout: PATIENCE });
  assert.match(await crash.textContent(), /Container web crashes repeatedly.*exited with code 3.*restarted 17 times/);
  assert.ok((await crash.locator('.evidence li').count()) > 0, 'the finding has evidence');
  await crash.getByText('Last log lines of web').waitFor({ timeout: PATIENCE });
  assert.ok((await crash.getByRole('region', { name: 'Last log lines' }).innerText()).split('\n').length > 1, 'the finding shows log lines');
  assert.equal(await page.locator('.finding').first().getAttribute('data-severity'), 'error');
  await page.context().close();
});

test('a pending pod shows the failed predicates, and the finding disappears when the pod is healthy', options, async () => {
  const page = await open('v1/pods', `${ns}/waits`);
  const why = finding(page, 'PodUnschedulable');
  await why.waitFor({ timeout: PATIENCE });
  assert.match(await why.textContent(), /of 3 nodes, 1 has the taint dedicated.*2 have too little free cpu/);
  const conditions = ready('True');
  await report('pod', 'waits', { phase: 'Running', conditions, containerStatuses: [container({ ready: true, state: { running: { startedAt: at(0) } } })] });
  await page.locator('.why').waitFor({ state: 'detached', timeout: PATIENCE });
  await page.context().close();
});

test('a healthy pod has no finding, and hostile text stays text', options, async () => {
  const page = await open('v1/pods', `${ns}/healthy`);
  await fact(page, 'Node').waitFor({ timeout: PATIENCE });
  await isRead(page);
  assert.equal(await page.locator('.finding').count(), 0);
  const note = page.locator('.annotations .tag', { hasText: 'note' });
  assert.match(await note.textContent(), /first\\u202e<img src=x onerror=alert\(1\)>/);
  assert.equal(await page.locator('.drawer img').count(), 0);
  const started = fact(page, 'Started').locator('time');
  assert.match(await started.textContent(), /^3d1h ago$/);
  assert.match(await started.getAttribute('title'), /20\d\d/);
  // A label filters the table.
  await page.getByRole('button', { name: 'app.kubernetes.io/name=web', exact: true }).click();
  assert.match(decodeURIComponent(await hash(page)), /filter=label=app\.kubernetes\.io\/name=web/);
  await row(page, `${ns}/crashes`).waitFor({ state: 'hidden', timeout: PATIENCE });
  await page.context().close();
});

test('a deployment shows its rollout by ReplicaSet', options, async () => {
  const page = await open('apps/v1/deployments', `${ns}/shop`);
  const sets = page.locator('.summary section', { hasText: 'ReplicaSets' }).locator('tbody tr');
  await sets.nth(1).waitFor({ timeout: PATIENCE });
  assert.match(await sets.nth(0).textContent(), /2shop-new.*new.*0 of 1.*shop:2/);
  assert.match(await sets.nth(1).textContent(), /1shop-old.*old, being replaced.*shop:1/);
  await tab(page, 'Related').click();
  const owns = page.getByRole('list', { name: 'Owns' });
  await owns.getByRole('link', { name: 'shop-old' }).waitFor({ timeout: PATIENCE });
  await owns.getByRole('link', { name: 'shop-new' }).click();
  const owner = fact(page, 'Owners').getByRole('link', { name: 'Deployment shop' });
  await owner.waitFor({ timeout: PATIENCE });
  assert.equal(await page.locator('.drawer h2').textContent(), 'shop-new');
  await page.context().close();
});

test('a link opens another object, Back returns, and a reload opens the same tab', options, async () => {
  const page = await open('v1/pods', `${ns}/healthy`);
  await fact(page, 'Node').getByRole('link', { name: 'node-a' }).click({ timeout: PATIENCE });
  await page.locator('.drawer h2', { hasText: 'node-a' }).waitFor({ timeout: PATIENCE });
  assert.equal(await hash(page), '#/v1/nodes?object=node-a');
  await tab(page, 'Related').click();
  await page.getByRole('list', { name: 'Runs' }).getByRole('link', { name: 'crashes' }).waitFor({ timeout: PATIENCE });
  assert.equal(await hash(page), '#/v1/nodes?object=node-a&tab=related');
  await page.reload();
  await page.getByRole('list', { name: 'Runs' }).waitFor({ timeout: PATIENCE });
  assert.equal(await tab(page, 'Related').getAttribute('aria-selected'), 'true');
  await page.goBack();
  await eventually('the first tab again', PATIENCE, async () => (await tab(page, 'Summary').getAttribute('aria-selected')) === 'true');
  await page.goBack();
  await page.locator('.drawer h2', { hasText: 'healthy' }).waitFor({ timeout: PATIENCE });
  await page.goForward();
  await page.locator('.drawer h2', { hasText: 'node-a' }).waitFor({ timeout: PATIENCE });
  await page.context().close();
});

test('the next start of a cron job is that of its time zone', options, async () => {
  const jobTemplate = { spec: { template: { spec: { ...template, restartPolicy: 'Never' } } } };
  await create({ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'nightly', namespace: ns }, spec: { schedule: '30 4 * * *', timeZone: 'Asia/Kolkata', jobTemplate } });
  const page = await open('batch/v1/cronjobs', `${ns}/nightly`);
  const next = fact(page, 'Next start').locator('time');
  await next.waitFor({ timeout: PATIENCE });
  // 04:30 in that time zone, which has no daylight saving time, is 23:00 UTC.
  assert.match(await next.getAttribute('datetime'), /T23:00:00/);
  await page.context().close();
});

test('the full page has its own address; f changes between both', options, async () => {
  const page = await open('v1/pods', `${ns}/healthy`, '&full=1', { viewport: { width: 1400, height: 800 } });
  await fact(page, 'Node').waitFor({ timeout: PATIENCE });
  const width = () => page.locator('.drawer').evaluate((drawer) => drawer.getBoundingClientRect().width);
  await eventually('the whole window', PATIENCE, async () => (await width()) === 1400);
  await page.locator('.grid').waitFor({ state: 'hidden', timeout: PATIENCE });
  await page.keyboard.press('f');
  await eventually('beside the table', PATIENCE, async () => (await width()) < 800);
  assert.equal(await hash(page), address('v1/pods', `${ns}/healthy`));
  await row(page, `${ns}/crashes`).waitFor({ timeout: PATIENCE });
  await page.keyboard.press('f');
  await eventually('the full page', PATIENCE, async () => (await width()) === 1400);
  await page.goBack();
  await eventually('beside the table again', PATIENCE, async () => (await width()) < 800);
  await page.context().close();
});

test('unreadable kinds are named', options, async () => {
  const rbac = 'rbac.authorization.k8s.io';
  await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } }, limited);
  await create(pod('guest'), limited);
  const rules = [{ apiGroups: [''], resources: ['pods', 'services'], verbs: ['get', 'list', 'watch'] }];
  await create({ apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name: 'reads' }, rules }, limited);
  const subjects = [{ kind: 'User', name: 'jane', apiGroup: rbac }];
  const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: 'reads' };
  await create({ apiVersion: `${rbac}/v1`, kind: 'ClusterRoleBinding', metadata: { name: 'reads' }, subjects, roleRef }, limited);
  const page = await limited.open(address('v1/pods', `${ns}/guest`));
  const unread = page.locator('.unread li', { hasText: 'Cannot read Event objects' });
  await unread.waitFor({ timeout: PATIENCE });
  assert.match(await unread.textContent(), /forbidden/);
  await isRead(page);
  // Services may be read; a real apiserver may learn of the role a moment later.
  await page.locator('.unread li', { hasText: 'Cannot read Service objects' }).waitFor({ state: 'detached', timeout: PATIENCE });
  await page.context().close();
});

test('the informers around an object are let go when it is closed', options, async () => {
  const page = await stage.open('#/v1/pods');
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  await stage.watches(2); // of pods and of namespaces; watches() adds those of the kinds
  await row(page, `${ns}/healthy`).click();
  await fact(page, 'Node').waitFor({ timeout: PATIENCE });
  await isRead(page);
  await eventually('what is around the object is watched', PATIENCE, async () => (await stage.openWatches()) > 2 + stage.kindWatches);
  await page.keyboard.press('Escape');
  await stage.watches(2);
  await page.context().close();
});
