// Diagnosis on the page: unhealthy objects, as controllers report them, and the reasons that the page gives.
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

/** Waits for a finding with this code, sentence, evidence and severity. */
async function finds(page, code, sentence, evidence, severity = 'error') {
  const finding = page.locator(`.finding[data-code=${code}]`).filter({ hasText: sentence }).filter({ has: page.getByRole('list', { name: 'Evidence' }).filter({ hasText: evidence }) });
  await finding.waitFor({ timeout: PATIENCE }).catch(async (error) => {
    throw new Error(`${code} ${sentence}: ${await page.locator('.drawer').innerText()}`, { cause: error });
  });
  assert.equal(await finding.getAttribute('data-severity'), severity);
  return finding;
}
/** Waits until the finding has disappeared, as it does with its cause. */
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
  // The finding links to the object where the diagnosis continues.
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
  assert.equal(await page.locator('.finding').first().getAttribute('data-severity'), 'error', 'the most severe finding is first');
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
  assert.equal(await page.locator('.finding').count(), 0, 'a deletion that has just begun is no finding');
  await page.context().close();
  // The clock of this browser is an hour ahead, so that the test need not wait.
  const context = await stage.browser.newContext();
  const later = await context.newPage();
  await later.clock.setFixedTime(Date.now() + 3_600_000);
  await later.goto(stage.url(`#/v1/configmaps?object=${ns}%2Fheld`));
  await finds(later, 'StuckTerminating', /The object was deleted \d+ minutes ago and is still there; finalizer example\.com\/backup holds it\./, /example\.com\/backup/);
  await stage.kubectl(['patch', 'configmap', 'held', '-n', ns, '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
  await later.locator('.drawer .notice', { hasText: 'Deleted' }).waitFor({ timeout: PATIENCE });
  await context.close();
});

const status = (more) => ({ name: 'main', image: 'shop:2', imageID: '', ready: false, restartCount: 0, ...more });
const unready = ['ContainersReady', 'Ready'].map((type) => condition(type, 'False', 'ContainersNotReady', 'containers with unready status: [main]'));
/** An event about an object, as a component records it. */
async function record(kind, name, reason, message, fieldPath) {
  const { apiVersion, kind: is, metadata } = await get(kind, name);
  const involvedObject = { apiVersion, kind: is, namespace: ns, name, uid: metadata.uid, fieldPath };
  await create(object('v1', 'Event', `${name}.${reason.toLowerCase()}`, { involvedObject, type: 'Warning', reason, message, firstTimestamp: at(1), lastTimestamp: at(0), count: 3, source: { component: 'test' } }));
}

test('a container that was killed for its memory, and a pod that was evicted', options, async () => {
  const spec = { containers: [{ ...podSpec.containers[0], resources: { limits: { memory: '64Mi' } } }], nodeName: 'nowhere' };
  await create(object('v1', 'Pod', 'greedy', { spec }), object('v1', 'Pod', 'evicted', { spec: { ...podSpec, nodeName: 'nowhere' } }));
  const terminated = { exitCode: 137, reason: 'OOMKilled', startedAt: at(4), finishedAt: at(2) };
  const waiting = { reason: 'CrashLoopBackOff', message: 'back-off 40s restarting failed container' };
  await report('pod', 'greedy', { phase: 'Running', conditions: unready, containerStatuses: [status({ restartCount: 3, state: { waiting }, lastState: { terminated } })] });
  const page = await open('v1/pods', 'greedy');
  await finds(page, 'ContainerOutOfMemory', /Container main was killed for using too much memory \(exit code 137\), and is not running \(restarted 3 times\); its limit is 64Mi\./, /OOMKilled/);
  await page.context().close();
  await report('pod', 'evicted', { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory. Container main was using 1892Mi.' });
  const evicted = await open('v1/pods', 'evicted');
  await finds(evicted, 'PodEvicted', 'The kubelet of node nowhere evicted the pod: The node was low on resource: memory. Container main was using 1892Mi.', /Evicted/);
  await evicted.context().close();
});

test('probes that fail, each by the event of its container', options, async () => {
  const probe = { httpGet: { path: '/healthz', port: 80 } };
  const field = 'spec.containers{main}';
  const spec = { containers: [{ ...podSpec.containers[0], readinessProbe: probe, livenessProbe: probe, startupProbe: probe }], nodeName: 'nowhere' };
  for (const name of ['starting', 'unready', 'restarting']) await create(object('v1', 'Pod', name, { spec }));
  const running = (minutes) => ({ running: { startedAt: at(minutes) } });
  await report('pod', 'starting', { phase: 'Running', conditions: unready, containerStatuses: [status({ started: false, state: running(5) })] });
  await report('pod', 'unready', { phase: 'Running', conditions: unready, containerStatuses: [status({ started: true, state: running(5) })] });
  const lastState = { terminated: { exitCode: 137, reason: 'Error', startedAt: at(9), finishedAt: at(3) } };
  await report('pod', 'restarting', { phase: 'Running', conditions: unready, containerStatuses: [status({ started: true, restartCount: 4, state: running(2), lastState })] });
  await record('pod', 'starting', 'Unhealthy', 'Startup probe failed: connection refused', field);
  await record('pod', 'unready', 'Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 503', field);
  await record('pod', 'restarting', 'Unhealthy', 'Liveness probe failed: context deadline exceeded', field);
  for (const [name, code, sentence] of [
    ['starting', 'StartupProbeFails', 'Container main has not started up, and its startup probe fails: connection refused.'],
    ['unready', 'ReadinessProbeFails', 'Container main runs and is not ready, and its readiness probe fails: HTTP probe failed with statuscode: 503.'],
    ['restarting', 'LivenessProbeFails', /Container main was restarted 4 times, and its liveness probe failed .* ago: context deadline exceeded\./],
  ]) {
    const page = await open('v1/pods', name);
    await finds(page, code, sentence, /Unhealthy/);
    await page.context().close();
  }
});

test('a stateful set that waits for a pod, and whose service does not exist', options, async () => {
  const labels = { app: 'db' };
  await create(object('apps/v1', 'StatefulSet', 'db', { spec: { serviceName: 'db', replicas: 3, selector: { matchLabels: labels }, template: template(labels) } }));
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: (await get('statefulset', 'db')).metadata.uid, controller: true }];
  for (const name of ['db-0', 'db-1']) await create(object('v1', 'Pod', name, { metadata: { labels, ownerReferences }, spec: { ...podSpec, nodeName: 'nowhere' } }));
  await report('pod', 'db-0', { phase: 'Running', conditions: [condition('Ready', 'True')], containerStatuses: [status({ ready: true, started: true, state: { running: { startedAt: at(9) } } })] });
  await report('pod', 'db-1', { phase: 'Running', conditions: unready, containerStatuses: [status({ started: true, state: { running: { startedAt: at(9) } } })] });
  await report('statefulset', 'db', { observedGeneration: 1, replicas: 2, readyReplicas: 1, availableReplicas: 1 });
  const page = await open('apps/v1/statefulsets', 'db');
  await finds(page, 'StatefulSetWaitsForPod', '1 more pod is created only when pod db-1 is ready (podManagementPolicy OrderedReady).', /db-1|Ready/, 'warning');
  await finds(page, 'StatefulSetServiceMissing', 'Service db, which gives the pods their host names, does not exist.', /Service db/, 'warning');
  await create(object('v1', 'Service', 'db', { spec: { clusterIP: 'None', selector: labels, ports: [{ port: 80 }] } }));
  await leaves(page, 'StatefulSetServiceMissing');
  await page.context().close();
});

test('webhooks that do not answer, and the deployment that they block', options, async () => {
  const webhook = (failurePolicy) => ({ name: 'pods.policy.example.com', failurePolicy, sideEffects: 'None', admissionReviewVersions: ['v1'], timeoutSeconds: 5, clientConfig: { service: { namespace: ns, name: 'policy' } },
    // The rule matches only a resource that no test uses, so the webhook is never called.
    rules: [{ operations: ['CREATE'], apiGroups: ['none.example.com'], apiVersions: ['v1'], resources: ['nothings'] }] });
  await create({ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'MutatingWebhookConfiguration', metadata: { name: 'blocker' }, webhooks: [webhook('Fail')] });
  const page = await open('admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', 'blocker', '');
  await finds(page, 'WebhookServiceMissing', `Webhook pods.policy.example.com: its service ${ns}/policy does not exist, and matching requests are rejected (failurePolicy Fail).`, new RegExp(`Service policy in namespace ${ns}`));
  await create(object('v1', 'Service', 'policy', { spec: { ports: [{ port: 443 }] } }));
  await leaves(page, 'WebhookServiceMissing');
  await finds(page, 'WebhookNoEndpoints', `Webhook pods.policy.example.com: its service ${ns}/policy has no ready endpoint, and matching requests are rejected (failurePolicy Fail).`, /ready endpoints/);
  await page.context().close();
  const labels = { app: 'blocked' };
  await create(object('apps/v1', 'Deployment', 'blocked', { spec: { replicas: 1, selector: { matchLabels: labels }, template: template(labels) } }));
  const message = 'Internal error occurred: failed calling webhook "pods.policy.example.com": failed to call webhook: no endpoints available for service "policy"';
  await report('deployment', 'blocked', { replicas: 0, conditions: [condition('ReplicaFailure', 'True', 'FailedCreate', message)] });
  const deployment = await open('apps/v1/deployments', 'blocked');
  const blocked = await finds(deployment, 'PodsBlockedByWebhook', 'Pods cannot be created, because webhook pods.policy.example.com of MutatingWebhookConfiguration blocker does not answer: ', /webhooks\[pods\.policy\.example\.com\]\.failurePolicy: Fail/);
  await blocked.getByRole('link', { name: 'MutatingWebhookConfiguration blocker' }).click();
  await deployment.locator('.drawer h2', { hasText: /^blocker$/ }).waitFor({ timeout: PATIENCE });
  await deployment.context().close();
  // A stateful set reports this only by events.
  await create(object('apps/v1', 'StatefulSet', 'blocked', { spec: { serviceName: 'policy', replicas: 1, selector: { matchLabels: labels }, template: template(labels) } }));
  await record('statefulset', 'blocked', 'FailedCreate', `create Pod blocked-0 in StatefulSet blocked failed error: ${message}`);
  const set = await open('apps/v1/statefulsets', 'blocked');
  await finds(set, 'PodsBlockedByWebhook', 'webhook pods.policy.example.com of MutatingWebhookConfiguration blocker does not answer', /FailedCreate/);
  await set.context().close();
  await stage.kubectl(['delete', 'mutatingwebhookconfiguration', 'blocker']);
});

test('an API service whose service does not exist', options, async () => {
  const name = 'v1.gone.example.com';
  await create({ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name }, spec: { group: 'gone.example.com', version: 'v1', service: { namespace: ns, name: 'gone' }, groupPriorityMinimum: 100, versionPriority: 10, insecureSkipTLSVerify: true } });
  // The condition that the aggregator of a real apiserver sets.
  const message = `service/gone in "${ns}" is not present`;
  await stage.kubectl(['patch', 'apiservice', name, '--subresource=status', '--type=merge', '-p', JSON.stringify({ status: { conditions: [condition('Available', 'False', 'ServiceNotFound', message)] } })]);
  const page = await open('apiregistration.k8s.io/v1/apiservices', name, '');
  await finds(page, 'ApiServiceUnavailable', `The API gone.example.com/v1 is not available: ${message}.`, /Available=False/);
  await page.context().close();
  await stage.kubectl(['delete', 'apiservice', name]);
});

test('a claim whose volume cannot be provisioned', options, async () => {
  await create({ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'small' }, provisioner: 'example.com/disk', volumeBindingMode: 'Immediate' });
  await create(object('v1', 'PersistentVolumeClaim', 'huge', { spec: { storageClassName: 'small', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '9Ti' } } } }));
  await report('pvc', 'huge', { phase: 'Pending' });
  await record('pvc', 'huge', 'ProvisioningFailed', 'failed to provision volume with StorageClass "small": quota exceeded: volumes');
  const page = await open('v1/persistentvolumeclaims', 'huge');
  await finds(page, 'ClaimProvisioningFails', 'No volume can be provisioned for the claim: failed to provision volume with StorageClass "small": quota exceeded: volumes.', /ProvisioningFailed/);
  await page.context().close();
});
