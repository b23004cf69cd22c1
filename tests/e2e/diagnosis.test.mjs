// Diagnosis on the page: objects of a cluster in trouble, as controllers report it, and the reason that the page gives.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { PATIENCE, TEST, setStage } from '../support/harness.mjs';
import { objectsIn } from '../support/objects.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const ns = 'trouble';
const { create, get, report, object, begin } = objectsIn(stage, ns);
const at = (minutes) => new Date(Date.now() - minutes * 60_000).toISOString().replace(/\.\d+/, '');
const condition = (type, status, reason, message) => ({ type, status, reason, message, lastTransitionTime: at(10) });
const podSpec = { containers: [{ name: 'main', image: 'shop:2', ports: [{ containerPort: 80 }] }] };
const template = (labels) => ({ metadata: { labels }, spec: podSpec });

before(async () => {
  if (!stage.unavailable) await begin();
});

async function open(resource, name, namespace = ns) {
  const key = namespace ? `${namespace}/${name}` : name;
  return stage.open(`#/${resource}?object=${encodeURIComponent(key)}`);
}

/** Waits for a finding of this code with this sentence and evidence, and that it is named an error, or what `severity` says. */
async function finds(page, code, sentence, evidence, severity = 'error') {
  const finding = page.locator(`.finding[data-code=${code}]`).filter({ hasText: sentence }).filter({ has: page.getByRole('list', { name: 'Evidence' }).filter({ hasText: evidence }) });
  await finding.waitFor({ timeout: PATIENCE }).catch(async (error) => {
    throw new Error(`${code} ${sentence}: ${await page.locator('.drawer').innerText()}`, { cause: error });
  });
  assert.equal(await finding.getAttribute('data-severity'), severity);
  return finding;
}
/** The finding leaves when its cause does. */
const leaves = (page, code) => page.locator(`.finding[data-code=${code}]`).waitFor({ state: 'detached', timeout: PATIENCE });

test('a deployment whose rollout is stuck, and the pod that holds it up', options, async () => {
  const labels = { app: 'shop' };
  const spec = { replicas: 2, progressDeadlineSeconds: 300, selector: { matchLabels: labels }, template: template(labels) };
  await create(object('apps/v1', 'Deployment', 'shop', { metadata: { annotations: { 'deployment.kubernetes.io/revision': '1' } }, spec }));
  const owner = async (kind, name) => [{ apiVersion: 'apps/v1', kind, name, uid: (await get(kind, name)).metadata.uid, controller: true }];
  await create(object('apps/v1', 'ReplicaSet', 'shop-new', { metadata: { labels, annotations: { 'deployment.kubernetes.io/revision': '1' }, ownerReferences: await owner('Deployment', 'shop') }, spec: { replicas: 2, selector: { matchLabels: labels }, template: template(labels) } }));
  await create(object('v1', 'Pod', 'shop-new-1', { metadata: { labels, ownerReferences: await owner('ReplicaSet', 'shop-new') }, spec: { ...podSpec, nodeName: 'nowhere' } }));
  const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image "shop:2": ErrImagePull: manifest unknown' };
  await report('pod', 'shop-new-1', { phase: 'Pending', containerStatuses: [{ name: 'main', image: 'shop:2', imageID: '', ready: false, restartCount: 0, state: { waiting } }] });
  const { generation } = (await get('deployment', 'shop')).metadata;
  const conditions = [condition('Progressing', 'False', 'ProgressDeadlineExceeded', 'ReplicaSet "shop-new" has timed out progressing.'), condition('Available', 'False', 'MinimumReplicasUnavailable', 'Deployment does not have minimum availability.')];
  await report('deployment', 'shop', { observedGeneration: generation, replicas: 2, updatedReplicas: 1, unavailableReplicas: 2, conditions });
  const page = await open('apps/v1/deployments', 'shop');
  const stuck = await finds(page, 'RolloutStuck', 'The rollout made no progress for 300 s: 1 of 2 pods are of the new version, 0 of them ready. ReplicaSet "shop-new" has timed out progressing.', /Progressing=False/);
  const none = await finds(page, 'NoPodAvailable', /None of 2 pods is available\..*shop-new-1: Container main cannot start, because the registry has no such image/, /ImagePullBackOff/);
  await none.getByRole('link', { name: 'Pod shop-new-1' }).waitFor();
  // The next step is a link away, and the reason is there, too.
  await stuck.getByRole('link', { name: 'ReplicaSet shop-new' }).click();
  await page.locator('.drawer h2', { hasText: /^shop-new$/ }).waitFor({ timeout: PATIENCE });
  await page.goBack();
  await page.locator('.drawer h2', { hasText: /^shop$/ }).waitFor({ timeout: PATIENCE });
  await report('deployment', 'shop', { updatedReplicas: 2, availableReplicas: 2, readyReplicas: 2, unavailableReplicas: 0, conditions: [condition('Progressing', 'True', 'NewReplicaSetAvailable', 'done'), condition('Available', 'True', 'MinimumReplicasAvailable', 'done')] });
  await leaves(page, 'RolloutStuck');
  await leaves(page, 'NoPodAvailable');
  await page.context().close();
});

test('a job that failed, and the exit code of its last pod', options, async () => {
  await create(object('batch/v1', 'Job', 'import', { spec: { backoffLimit: 1, template: { spec: { ...podSpec, restartPolicy: 'Never' } } } }));
  const { metadata, spec } = await get('job', 'import');
  const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name: 'import', uid: metadata.uid, controller: true }];
  await create(object('v1', 'Pod', 'import-x7', { metadata: { labels: { 'job-name': 'import', ...spec.selector?.matchLabels }, ownerReferences }, spec: { ...podSpec, restartPolicy: 'Never', nodeName: 'nowhere' } }));
  const terminated = { exitCode: 3, reason: 'Error', startedAt: at(3), finishedAt: at(2), message: 'no such table' };
  await report('pod', 'import-x7', { phase: 'Failed', containerStatuses: [{ name: 'main', image: 'shop:2', imageID: '', ready: false, restartCount: 0, state: { terminated } }] });
  const reason = ['BackoffLimitExceeded', 'Job has reached the specified backoff limit'];
  await report('job', 'import', { startTime: at(5), failed: 2, conditions: [condition('FailureTarget', 'True', ...reason), condition('Failed', 'True', ...reason)] });
  const page = await open('batch/v1/jobs', 'import');
  const failed = await finds(page, 'JobFailed', /The job has failed: 2 pods failed, and its limit of 1 retr\w+ is reached\. Last pod import-x7: Container main exited with code 3/, /BackoffLimitExceeded/);
  assert.match(await failed.innerText(), /no such table/);
  await failed.getByRole('link', { name: 'Pod import-x7' }).waitFor();
  await page.context().close();
});

test('a claim whose class does not exist, until it does', options, async () => {
  await create(object('v1', 'PersistentVolumeClaim', 'data', { spec: { storageClassName: 'fast', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } }));
  await report('pvc', 'data', { phase: 'Pending' });
  const page = await open('v1/persistentvolumeclaims', 'data');
  await finds(page, 'ClaimClassMissing', 'StorageClass fast, which the claim names, does not exist.', 'There are no StorageClass fast.');
  await create({ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'fast' }, provisioner: 'example.com/disk', volumeBindingMode: 'WaitForFirstConsumer' });
  await leaves(page, 'ClaimClassMissing');
  await finds(page, 'ClaimWaitsForPod', 'The claim gets its volume when a pod that uses it is scheduled.', /WaitForFirstConsumer/, 'info');
  await page.context().close();
});

test('a node that is not ready, and one that no longer reports', options, async () => {
  await create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'sick' } });
  await report('node', 'sick', { conditions: [condition('Ready', 'False', 'KubeletNotReady', 'cni plugin not initialized'), condition('DiskPressure', 'True', 'KubeletHasDiskPressure', 'kubelet has disk pressure')] });
  const page = await open('v1/nodes', 'sick', '');
  await finds(page, 'NodeNotReady', 'The node is not ready: cni plugin not initialized.', /Ready=False/);
  await finds(page, 'NodePressure', /The node runs short of disk space/, /KubeletHasDiskPressure/, 'warning');
  assert.equal(await page.locator('.finding').first().getAttribute('data-severity'), 'error', 'the worst is first');
  await report('node', 'sick', { conditions: [{ ...condition('Ready', 'Unknown', 'NodeStatusUnknown', 'Kubelet stopped posting node status.'), lastHeartbeatTime: at(11) }] });
  await finds(page, 'NodeLost', /The kubelet has not reported for 1\d minutes: Kubelet stopped posting node status\./, /Ready=Unknown/);
  await leaves(page, 'NodeNotReady');
  await page.context().close();
});

test('an autoscaler without metrics', options, async () => {
  await create(object('autoscaling/v2', 'HorizontalPodAutoscaler', 'shop', { spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'any' }, maxReplicas: 3, metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }] } }));
  const conditions = [condition('AbleToScale', 'True', 'SucceededGetScale', 'ok'), condition('ScalingActive', 'False', 'FailedGetResourceMetric', 'unable to get metrics for resource cpu: no metrics returned')];
  await report('hpa', 'shop', { currentReplicas: 1, desiredReplicas: 0, conditions });
  const page = await open('autoscaling/v2/horizontalpodautoscalers', 'shop');
  await finds(page, 'AutoscalerNoMetrics', /The autoscaler does not scale, because it has no figures: .*no metrics returned/, /FailedGetResourceMetric/);
  await page.context().close();
});

test('an ingress whose service has no endpoints, until a pod is ready', options, async () => {
  const labels = { app: 'front' };
  await create(
    { apiVersion: 'networking.k8s.io/v1', kind: 'IngressClass', metadata: { name: 'edge' }, spec: { controller: 'example.com/edge' } },
    object('v1', 'Service', 'front', { spec: { selector: labels, ports: [{ port: 80 }] } }),
    object('networking.k8s.io/v1', 'Ingress', 'front', { spec: { ingressClassName: 'edge', rules: [{ host: 'shop.example.com', http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'front', port: { number: 80 } } } }] } }] } }),
    object('discovery.k8s.io/v1', 'EndpointSlice', 'front-1', { metadata: { labels: { 'kubernetes.io/service-name': 'front' } }, addressType: 'IPv4', ports: [{ port: 80 }], endpoints: [{ addresses: ['10.1.2.3'], conditions: { ready: false } }] }),
  );
  const page = await open('networking.k8s.io/v1/ingresses', 'front');
  await finds(page, 'IngressNoEndpoints', 'Service front, to which shop.example.com/ leads, has no ready endpoint (1 not ready).', /front/);
  const service = await open('v1/services', 'front');
  await finds(service, 'ServiceSelectsNothing', 'The service has no endpoints, because no pod has the labels app=front.', /app=front|selector/);
  await stage.kubectl(['patch', 'endpointslice', 'front-1', '-n', ns, '--type=json', '-p', JSON.stringify([{ op: 'replace', path: '/endpoints/0/conditions/ready', value: true }])]);
  await leaves(page, 'IngressNoEndpoints');
  await page.context().close();
  await service.context().close();
});

test('a deletion that a finalizer holds up, a minute after it', options, async () => {
  await create(object('v1', 'ConfigMap', 'held', { metadata: { finalizers: ['example.com/backup'] }, data: {} }));
  await stage.kubectl(['delete', 'configmap', 'held', '-n', ns, '--wait=false']);
  const page = await open('v1/configmaps', 'held');
  await page.locator('.summary dt', { hasText: /^Deletion$/ }).waitFor({ timeout: PATIENCE });
  assert.equal(await page.locator('.finding').count(), 0, 'a deletion takes some time');
  await page.context().close();
  // A browser of a machine whose clock is an hour ahead; a minute is not waited for.
  const context = await stage.browser.newContext();
  const later = await context.newPage();
  await later.clock.setFixedTime(Date.now() + 3_600_000);
  await later.goto(stage.url(`#/v1/configmaps?object=${ns}%2Fheld`));
  await finds(later, 'StuckTerminating', /The object was deleted \d+ minutes ago and is still there; finalizer example\.com\/backup holds it\./, /example\.com\/backup/);
  await stage.kubectl(['patch', 'configmap', 'held', '-n', ns, '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
  await later.locator('.drawer .notice', { hasText: 'Deleted' }).waitFor({ timeout: PATIENCE });
  await context.close();
});
