// Summaries of the kinds, each as the page shows it: a fact as "label: values", a row of a table as its cells.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { PATIENCE, TEST, eventually, setStage } from '../support/harness.mjs';
import { objectsIn } from '../support/objects.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const ns = 'summaries';
const { create, get, report, object, begin } = objectsIn(stage, ns);
const at = (minutes) => new Date(Date.now() - minutes * 60_000).toISOString().replace(/\.\d+/, '');
const podSpec = { containers: [{ name: 'main', image: 'web:1', resources: { requests: { cpu: '500m', memory: '128Mi' }, limits: { memory: '256Mi' } } }] };
const labels = { app: 'web' };

before(async () => {
  if (stage.unavailable) return;
  await begin();
  await create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'summed', labels: { 'node-role.kubernetes.io/worker': '' } }, spec: { taints: [{ key: 'dedicated', value: 'db', effect: 'NoSchedule' }] } });
  const amounts = { cpu: '4', memory: '8Gi', pods: '110' };
  await report('node', 'summed', { capacity: amounts, allocatable: amounts, nodeInfo: { kubeletVersion: 'v1.34.1' } });
  await create(object('v1', 'Pod', 'web-1', { metadata: { labels }, spec: { ...podSpec, nodeName: 'summed' } }));
  await report('pod', 'web-1', { phase: 'Running', podIP: '10.1.2.3', conditions: [{ type: 'Ready', status: 'True' }] });
});

/** The lines of the summary that is shown. */
const lines = (page) =>
  page.evaluate(() => {
    const text = (element) => element.innerText.replace(/\s+/g, ' ').trim();
    return [...document.querySelectorAll('.summary section')].flatMap((section) => [
      ...[...section.querySelectorAll('dt')].map((dt) => `${text(dt)}: ${[...dt.nextElementSibling.querySelectorAll('.item')].map(text).join('; ')}`),
      ...[...section.querySelectorAll('tbody tr')].map((row) => [...row.cells].map(text).join(' | ').replace(/\s+/g, ' ').trim()),
    ]);
  });

/** Opens an object, and waits until its summary has each of these lines. */
async function says(resource, name, expected, namespace = ns) {
  const page = await stage.open(`#/${resource}?object=${encodeURIComponent(namespace ? `${namespace}/${name}` : name)}`, { viewport: { width: 2000, height: 900 } });
  let shown = [];
  const has = (line) => (typeof line === 'string' ? shown.includes(line) : shown.some((one) => line.test(one)));
  await eventually('the summary', PATIENCE, async () => (shown = await lines(page)).length > 0 && expected.every(has)).catch(() => {
    throw new Error(`no line ${expected.filter((line) => !has(line)).join('\n  or ')}\nin\n${shown.join('\n')}`);
  });
  return page;
}
const links = (page, name, to) => page.locator('.summary').getByRole('link', { name, exact: true }).first().click().then(() => page.locator('.drawer h2', { hasText: to }).waitFor({ timeout: PATIENCE }));

test('a pod: resources, probes, mounts and tolerations', options, async () => {
  const container = {
    ...podSpec.containers[0], ports: [{ name: 'http', containerPort: 8080 }],
    readinessProbe: { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 5 }, livenessProbe: { exec: { command: ['true', 'now'] } },
    volumeMounts: [{ name: 'settings', mountPath: '/etc/app' }, { name: 'cache', mountPath: '/cache' }],
  };
  const volumes = [{ name: 'settings', configMap: { name: 'settings' } }, { name: 'cache', emptyDir: {} }];
  const tolerations = [{ key: 'dedicated', value: 'db', effect: 'NoSchedule' }, { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 20 }];
  await create(object('v1', 'ConfigMap', 'settings', { data: { a: 'b' } }), object('v1', 'Pod', 'full', { spec: { containers: [container], volumes, tolerations, nodeSelector: { disk: 'fast' } } }));
  const page = await says('v1/pods', 'full', [
    'main | web:1 | http 8080/TCP | cpu 500m, memory 128Mi | memory 256Mi |',
    /^main \| Readiness \| GET (http )?:8080\/ready \| every 5 s, timeout 1 s, fails after 3, delay 0 s$/,
    /^main \| Liveness \| true now \| every 10 s/,
    'main | /etc/app | settings | ConfigMap settings | read-only',
    'main | /cache | cache | emptyDir | read-write',
    /^Tolerations: dedicated=db:NoSchedule; node\.kubernetes\.io\/unreachable:NoExecute for 20 s/,
    'Node selector: disk=fast',
  ]);
  await links(page, 'ConfigMap settings', /^settings$/);
  await page.context().close();
});

test('a node: what its pods request, and its taints', options, async () => {
  const page = await says('v1/nodes', 'summed', ['Roles: worker', 'Kubelet: v1.34.1', /^dedicated \| db \| NoSchedule/, /^cpu \| 4 \| 4 \| 500m \(12 %\) \| 0 \(0 %\)$/, /^memory \| 8Gi \| 8Gi \| 128Mi \(2 %\) \| 256Mi \(3 %\)$/, /^pods \| 110 \| 110 \| 1 \(1 %\)/], '');
  // Another pod on the node is counted at once.
  await create(object('v1', 'Pod', 'more', { spec: { ...podSpec, nodeName: 'summed' } }));
  await eventually('two pods', PATIENCE, async () => (await lines(page)).some((line) => line.startsWith('cpu | 4 | 4 | 1 (25 %)')));
  await stage.kubectl(['delete', 'pod', 'more', '-n', ns, '--force', '--grace-period=0']);
  await page.context().close();
});

test('a service with its endpoints, and the ingress that leads there', options, async () => {
  const backend = { service: { name: 'web', port: { number: 80 } } };
  const targetRef = { kind: 'Pod', name: 'web-1', namespace: ns };
  await create(
    object('v1', 'Service', 'web', { spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 8080 }] } }),
    object('discovery.k8s.io/v1', 'EndpointSlice', 'web-1', { metadata: { labels: { 'kubernetes.io/service-name': 'web' } }, addressType: 'IPv4', ports: [{ name: 'http', port: 8080 }], endpoints: [{ addresses: ['10.1.2.3'], conditions: { ready: true }, nodeName: 'summed', zone: 'a', targetRef }, { addresses: ['10.1.2.4'], conditions: { ready: false } }] }),
    object('networking.k8s.io/v1', 'Ingress', 'web', { spec: { ingressClassName: 'edge', tls: [{ hosts: ['web.example.com'], secretName: 'keys' }], rules: [{ host: 'web.example.com', http: { paths: [{ path: '/shop', pathType: 'Prefix', backend }] } }] } }),
  );
  const page = await says('v1/services', 'web', ['Type: ClusterIP', 'Selector: app=web', 'Selected pods: 1 (1 ready)', 'http | 80 | 8080 | | TCP |', '10.1.2.3 | ready | web-1 | summed | a', '10.1.2.4 | not ready | | |']);
  await links(page, 'web-1', /^web-1$/);
  await page.context().close();
  const ingress = await says('networking.k8s.io/v1/ingresses', 'web', ['Class: edge', 'web.example.com | /shop | Prefix | web | 80 | 1 of 2 ready', 'web.example.com | keys']);
  await links(ingress, 'web', /^web$/);
  await ingress.context().close();
});

test('a claim and its volume', options, async () => {
  const storage = { accessModes: ['ReadWriteOnce'], storageClassName: 'slow' };
  await create(
    { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'disk-1' }, spec: { ...storage, capacity: { storage: '5Gi' }, persistentVolumeReclaimPolicy: 'Retain', csi: { driver: 'disk.example.com', volumeHandle: 'vol-7' }, claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: ns, name: 'data' } } },
    object('v1', 'PersistentVolumeClaim', 'data', { spec: { ...storage, volumeName: 'disk-1', resources: { requests: { storage: '2Gi' } } } }),
  );
  await report('pvc', 'data', { phase: 'Bound', capacity: { storage: '5Gi' } });
  await report('pv', 'disk-1', { phase: 'Bound' });
  const page = await says('v1/persistentvolumeclaims', 'data', ['Phase: Bound', 'Requested: 2Gi', 'Capacity: 5Gi', 'Class: slow', 'Volume: disk-1', 'Access: ReadWriteOnce']);
  await links(page, 'disk-1', /^disk-1$/);
  await page.context().close();
  const volume = await says('v1/persistentvolumes', 'disk-1', ['Phase: Bound', 'Capacity: 5Gi', 'Claim: data', 'When released: Retain', 'Driver: disk.example.com', 'Handle: vol-7'], '');
  await volume.context().close();
});

test('an autoscaler and a job', options, async () => {
  await create(object('autoscaling/v2', 'HorizontalPodAutoscaler', 'web', { spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, minReplicas: 2, maxReplicas: 6, metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } }] } }));
  await report('hpa', 'web', { currentReplicas: 3, desiredReplicas: 4, conditions: [], currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 62, averageValue: '310m' } } }] });
  const page = await says('autoscaling/v2/horizontalpodautoscalers', 'web', ['Scales: Deployment web', 'Replicas: 3, wanted 4', 'Range: 2 to 6', 'cpu | 62 % | 70 %']);
  await page.context().close();
  await create(object('batch/v1', 'Job', 'import', { spec: { backoffLimit: 4, completions: 3, parallelism: 2, template: { spec: { ...podSpec, restartPolicy: 'Never' } } } }));
  await report('job', 'import', { startTime: at(10), active: 2, ready: 1, succeeded: 1, failed: 1 });
  const job = await says('batch/v1/jobs', 'import', [/^State: Running/, 'Succeeded: 1 of 3', 'Active: 2', 'Failed: 1', 'Parallelism: 2', 'Retries: 4']);
  await job.context().close();
});

test('roles and bindings in words', options, async () => {
  const rbac = 'rbac.authorization.k8s.io';
  const rules = [{ apiGroups: [''], resources: ['pods', 'services'], verbs: ['get', 'list'] }, { apiGroups: ['apps'], resources: ['deployments/scale'], verbs: ['patch'], resourceNames: ['web'] }];
  const subjects = [{ kind: 'User', name: 'ada', apiGroup: rbac }, { kind: 'ServiceAccount', name: 'bot', namespace: 'ci' }];
  await create(object(`${rbac}/v1`, 'Role', 'view', { rules }), object(`${rbac}/v1`, 'RoleBinding', 'viewers', { roleRef: { apiGroup: rbac, kind: 'Role', name: 'view' }, subjects }));
  const may = /^May: get and list pods and services; patch deployments\/scale of apps, only web$/;
  const page = await says(`${rbac}/v1/roles`, 'view', [may, `RoleBinding viewers | user ada and service account ci/bot | namespace ${ns}`]);
  await links(page, 'RoleBinding viewers', /^viewers$/);
  await page.context().close();
  const binding = await says(`${rbac}/v1/rolebindings`, 'viewers', [may, 'Role: Role view', 'Granted to: user ada; service account ci/bot']);
  await binding.context().close();
});

test('a definition of a kind, and an object of it', options, async () => {
  const name = 'backups.example.com';
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const additionalPrinterColumns = [
    { name: 'Phase', type: 'string', jsonPath: '.spec.state' },
    { name: 'Copies', type: 'integer', jsonPath: '.spec.copies' },
    { name: 'Labels', type: 'string', jsonPath: '.spec.schedule', priority: 1 },
    { name: 'Missing', type: 'string', jsonPath: '.spec.nothing' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ];
  await create({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name }, spec: { group: 'example.com', scope: 'Namespaced', names: { kind: 'Backup', plural: 'backups', shortNames: ['bk'] }, versions: [{ name: 'v1', served: true, storage: true, schema, subresources: { status: {} }, additionalPrinterColumns }] } });
  const page = await says('apiextensions.k8s.io/v1/customresourcedefinitions', name, ['Kind: Backup', 'Scope: Namespaced', 'Short names: bk', 'v1 | yes | yes | no | status', /^v1 \| Age \| date \| \.metadata\.creationTimestamp/], '');
  await page.context().close();
  await stage.kubectl(['wait', '--for=condition=Established', `crd/${name}`, '--timeout=120s']);
  await eventually('the kind is served', PATIENCE, () => create(object('example.com/v1', 'Backup', 'nightly', { spec: { state: 'Failed', copies: 3, steps: [{ name: 'dump' }, { name: 'upload' }], schedule: 'daily', target: { bucket: 'b1' }, paths: ['/a', '/b'] } })).then(() => true, (error) => (/no matches|not find/.test(error.message) ? false : Promise.reject(error))));
  const backup = await says('example.com/v1/backups', 'nightly', ['schedule: daily', 'target.bucket: b1', 'paths: /a; /b', 'steps: dump; upload', 'Phase: Failed', 'Copies: 3', 'Labels: daily']);
  const columns = () => backup.evaluate(() => [...document.querySelectorAll('.summary section')].find((section) => section.querySelector('h3').textContent === 'Columns').innerText.match(/^\w+$/gm));
  assert.deepEqual((await columns()).filter((word) => /^[A-Z]/.test(word) && word !== 'Failed'), ['Columns', 'Phase', 'Copies', 'Labels']);
  assert.equal(await backup.locator('.summary [data-tone=bad]', { hasText: 'Failed' }).count(), 1);
  // The summary is live.
  await stage.kubectl(['patch', 'backups.example.com', 'nightly', '-n', ns, '--type=merge', '-p', '{"spec":{"copies":4}}']);
  await eventually('four copies', PATIENCE, async () => (await lines(backup)).includes('Copies: 4'));
  assert.equal((await get('backups.example.com', 'nightly')).spec.schedule, 'daily');
  await backup.context().close();
});

const template = { metadata: { labels }, spec: podSpec };
const selector = { matchLabels: labels };

test('a stateful set, a daemon set and a replica set', options, async () => {
  const claim = { accessModes: ['ReadWriteOnce'], storageClassName: 'slow', resources: { requests: { storage: '2Gi' } } };
  await create(
    object('apps/v1', 'StatefulSet', 'db', { spec: { serviceName: 'db', replicas: 3, selector, template, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } }, volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claim }] } }),
    object('apps/v1', 'DaemonSet', 'agent', { spec: { selector, template } }),
    object('apps/v1', 'ReplicaSet', 'web-1', { metadata: { annotations: { 'deployment.kubernetes.io/revision': '7' } }, spec: { replicas: 2, selector, template } }),
  );
  await report('statefulset', 'db', { observedGeneration: 1, replicas: 3, readyReplicas: 2, availableReplicas: 2, updatedReplicas: 3, currentRevision: 'db-1', updateRevision: 'db-1' });
  await report('daemonset', 'agent', { observedGeneration: 1, desiredNumberScheduled: 4, currentNumberScheduled: 4, numberReady: 3, numberAvailable: 3, updatedNumberScheduled: 4, numberMisscheduled: 0 });
  await report('replicaset', 'web-1', { observedGeneration: 1, replicas: 2, readyReplicas: 1, availableReplicas: 1 });
  const image = /^main \| web:1 \| /;
  const set = await says('apps/v1/statefulsets', 'db', ['Available: 2 of 3', 'Ready: 2 of 3', 'Up to date: 3 of 3', 'Partition: 1', 'Governing service: db', 'Selector: app=web', 'data | slow | 2Gi | ReadWriteOnce', image]);
  await set.context().close();
  const daemons = await says('apps/v1/daemonsets', 'agent', ['Available: 3 of 4', 'Ready: 3 of 4', 'Scheduled: 4', 'Misscheduled: 0', 'Selector: app=web', image]);
  await daemons.context().close();
  const replicas = await says('apps/v1/replicasets', 'web-1', ['Ready: 1 of 2', 'Pods: 2', 'Revision: 7', 'Selector: app=web', image]);
  await replicas.context().close();
});

test('a disruption budget, a quota and a storage class', options, async () => {
  await create(
    object('policy/v1', 'PodDisruptionBudget', 'web', { spec: { minAvailable: 2, selector } }),
    object('v1', 'ResourceQuota', 'compute', { spec: { hard: { 'requests.cpu': '4', pods: '10' } } }),
    { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'summed', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } }, provisioner: 'disk.example.com', reclaimPolicy: 'Retain', volumeBindingMode: 'WaitForFirstConsumer', allowVolumeExpansion: true, parameters: { type: 'ssd' } },
  );
  await report('pdb', 'web', { observedGeneration: 1, disruptionsAllowed: 1, currentHealthy: 3, desiredHealthy: 2, expectedPods: 3 });
  await report('resourcequota', 'compute', { hard: { 'requests.cpu': '4', pods: '10' }, used: { 'requests.cpu': '1', pods: '10' } });
  const budget = await says('policy/v1/poddisruptionbudgets', 'web', ['Evictions allowed now: 1', 'At least available: 2', 'Healthy: 3', 'Required healthy: 2', 'Pods: 3', 'Selector: app=web']);
  await budget.context().close();
  const quota = await says('v1/resourcequotas', 'compute', ['requests.cpu | 1 | 4 | 25 %', 'pods | 10 | 10 | 100 %']);
  await quota.context().close();
  const storage = await says('storage.k8s.io/v1/storageclasses', 'summed', ['Default: yes', 'Provisioner: disk.example.com', 'When released: Retain', 'Binding: WaitForFirstConsumer', 'Volumes can grow: yes', 'Parameters: type=ssd'], '');
  await storage.context().close();
});

test('a network policy and an endpoint slice', options, async () => {
  await create(
    object('networking.k8s.io/v1', 'NetworkPolicy', 'web', { spec: { podSelector: selector, policyTypes: ['Ingress', 'Egress'], ingress: [{ from: [{ namespaceSelector: { matchLabels: { team: 'edge' } }, podSelector: {} }], ports: [{ port: 8080, protocol: 'TCP' }] }] } }),
    object('discovery.k8s.io/v1', 'EndpointSlice', 'alone', { metadata: { labels: { 'kubernetes.io/service-name': 'gone' } }, addressType: 'IPv4', ports: [{ name: 'http', port: 8080, protocol: 'TCP' }], endpoints: [{ addresses: ['10.7.7.7'], conditions: { ready: true }, nodeName: 'summed', targetRef: { kind: 'Pod', name: 'web-1', namespace: ns } }] }),
  );
  const policy = await says('networking.k8s.io/v1/networkpolicies', 'web', ['Applies to: pods with app=web', 'Types: Ingress; Egress', 'Ingress: from all pods of namespaces with team=edge, on 8080/TCP', 'Egress: nothing is allowed']);
  await policy.context().close();
  const slice = await says('discovery.k8s.io/v1/endpointslices', 'alone', [/^10\.7\.7\.7 \| ready \| web-1 \| summed/]);
  await links(slice, 'web-1', /^web-1$/);
  await slice.context().close();
});

test('a config map, a secret without its value, and an event', options, async () => {
  await create(object('v1', 'ConfigMap', 'keys', { immutable: true, data: { text: 'twelve bytes' }, binaryData: { raw: 'AAEC' } }), object('v1', 'Secret', 'token', { type: 'Opaque', data: { password: 'aHVudGVyMg==' } }));
  const map = await says('v1/configmaps', 'keys', ['Keys: 2', 'Immutable: yes', 'text | text | 12 B', 'raw | binary | 3 B']);
  await map.context().close();
  const secret = await says('v1/secrets', 'token', ['Type: Opaque', 'Keys: 1', 'password | secret | 7 B']);
  assert.doesNotMatch(await secret.locator('.drawer').innerHTML(), /hunter2|aHVudGVyMg/);
  await secret.context().close();
  const { uid } = (await get('pod', 'web-1')).metadata;
  await create(object('v1', 'Event', 'web-1.pull', { involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: ns, name: 'web-1', uid, fieldPath: 'spec.containers{main}' }, type: 'Warning', reason: 'BackOff', message: 'Back-off pulling image', firstTimestamp: at(9), lastTimestamp: at(1), count: 5, source: { component: 'kubelet', host: 'summed' } }));
  const event = await says('v1/events', 'web-1.pull', ['Type: Warning', 'Reason: BackOff', 'Message: Back-off pulling image', 'About: Pod web-1', 'Part: spec.containers{main}', 'Count: 5', /^Last seen: /, 'Host: summed']);
  await links(event, 'Pod web-1', /^web-1$/);
  await event.context().close();
});

test('a webhook configuration as a table, and fields of a kind without a spec', options, async () => {
  const webhook = { name: 'pods.sum.example.com', failurePolicy: 'Ignore', timeoutSeconds: 3, sideEffects: 'None', admissionReviewVersions: ['v1'], clientConfig: { service: { namespace: ns, name: 'web', path: '/pods' } }, rules: [{ operations: ['CREATE', 'UPDATE'], apiGroups: ['none.example.com'], apiVersions: ['v1'], resources: ['nothings'] }] };
  await create(
    { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration', metadata: { name: 'summed' }, webhooks: [webhook] },
    object('v1', 'ServiceAccount', 'bot', { imagePullSecrets: [{ name: 'registry' }, { name: 'mirror' }], automountServiceAccountToken: false }),
  );
  const page = await says('admissionregistration.k8s.io/v1/validatingwebhookconfigurations', 'summed', [`pods.sum.example.com | ${ns}/web:443/pods | CREATE, UPDATE of nothings in none.example.com | Ignore | 3 s`], '');
  await links(page, `${ns}/web:443/pods`, /^web$/);
  await page.context().close();
  await stage.kubectl(['delete', 'validatingwebhookconfiguration', 'summed']);
  const account = await says('v1/serviceaccounts', 'bot', ['imagePullSecrets: registry; mirror', 'automountServiceAccountToken: false']);
  await account.context().close();
});
