// Relations that lead through other objects: dependents of a custom object, owners of owners, pods of jobs, claims of templates, referrers
// in the whole cluster, events of dependents.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { PATIENCE, RECORDED, TEST, eventually, freshness, setStage } from '../support/harness.mjs';
import { objectsIn } from '../support/objects.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));
const options = { ...TEST, skip: stage.unavailable };

const ns = 'relations';
const { create, get, report, object, begin } = objectsIn(stage, ns);
const labels = { app: 'shop' };
const selector = { matchLabels: labels };
const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'shop:2' }] } };
const ownedBy = async (kind, name) => {
  const { apiVersion, kind: is, metadata } = await get(kind, name);
  return { ownerReferences: [{ apiVersion, kind: is, name, uid: metadata.uid, controller: true }] };
};

/** Defines a kind of example.com, and waits until it is served. */
async function define(kind, scope = 'Namespaced') {
  const plural = `${kind.toLowerCase()}s`;
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  await create({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: `${plural}.example.com` }, spec: { group: 'example.com', scope, names: { kind, plural }, versions: [{ name: 'v1', served: true, storage: true, schema }] } });
  await stage.kubectl(['wait', '--for=condition=Established', `crd/${plural}.example.com`, '--timeout=120s']);
  await eventually(`${plural} are served`, PATIENCE, () => stage.kubectl(['get', `${plural}.example.com`, '-A']).then(() => true, () => false));
}

before(async () => {
  if (stage.unavailable) return;
  await begin();
  await define('Shop');
  await define('Branch');
});

const list = (page, name) => page.getByRole('list', { name, exact: true });
const entry = (page, of, kind, name) => list(page, of).getByRole('listitem').filter({ has: page.locator('.kind', { hasText: new RegExp(`^${kind}$`) }) }).filter({ has: page.getByText(name, { exact: true }) });

async function open(resource, name, namespace = ns) {
  return stage.open(`#/${resource}?object=${encodeURIComponent(namespace ? `${namespace}/${name}` : name)}&tab=related`);
}
/** Waits until each of these is in the list of a relation. */
async function has(page, of, entries) {
  for (const [kind, name] of entries) {
    await entry(page, of, kind, name).waitFor({ timeout: PATIENCE }).catch(async (error) => {
      throw new Error(`no ${kind} ${name} in "${of}": ${await page.locator('.drawer').innerText()}`, { cause: error });
    });
  }
}

test('a custom object shows what it owns, what these own and their events, live, and lets go of them', options, async () => {
  await create(object('example.com/v1', 'Shop', 'main', { spec: { size: 1 } }));
  const owned = await ownedBy('shops.example.com', 'main');
  await create(
    object('apps/v1', 'Deployment', 'web', { metadata: owned, spec: { replicas: 1, selector, template } }),
    object('v1', 'ConfigMap', 'settings', { metadata: owned, data: { a: 'b' } }),
    object('example.com/v1', 'Branch', 'north', { metadata: owned, spec: {} }),
  );
  await create(object('apps/v1', 'ReplicaSet', 'web-1', { metadata: { labels, ...(await ownedBy('deployment', 'web')) }, spec: { replicas: 1, selector, template } }));
  await create(object('v1', 'Pod', 'web-1-a', { metadata: { labels, ...(await ownedBy('replicaset', 'web-1')) }, spec: template.spec }));
  await report('pod', 'web-1-a', { phase: 'Running' });
  const page = await open('example.com/v1/shops', 'main');
  await has(page, 'Owns', [['Deployment', 'web'], ['ConfigMap', 'settings'], ['Branch', 'north'], ['ReplicaSet', 'web-1'], ['Pod', 'web-1-a']]);
  await entry(page, 'Owns', 'Pod', 'web-1-a').getByText('Running').waitFor({ timeout: PATIENCE });
  // The relations are live, also for an object of which only the metadata is read.
  await create(object('v1', 'Secret', 'keys', { metadata: owned, stringData: { a: 'b' } }));
  await has(page, 'Owns', [['Secret', 'keys']]);
  const { uid } = (await get('pod', 'web-1-a')).metadata;
  const at = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  await create(object('v1', 'Event', 'web-1-a.1', { involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: ns, name: 'web-1-a', uid }, type: 'Warning', reason: 'BackOff', message: 'the pod of the shop', firstTimestamp: at, lastTimestamp: at, count: 1, source: { component: 'kubelet' } }));
  await list(page, 'Events').getByText('the pod of the shop').waitFor({ timeout: PATIENCE });
  // The owners of the pod, up to the custom object.
  await entry(page, 'Owns', 'Pod', 'web-1-a').getByRole('link').click();
  await page.locator('.drawer h2', { hasText: /^web-1-a$/ }).waitFor({ timeout: PATIENCE });
  await page.getByRole('tab', { name: 'Related', exact: true }).click();
  await has(page, 'Owned by', [['ReplicaSet', 'web-1'], ['Deployment', 'web'], ['Shop', 'main']]);
  await page.keyboard.press('Escape');
  await freshness(page, 'live').waitFor({ timeout: PATIENCE });
  // Watches of pods and namespaces, and of the four informers that were used last, whose changes are still recorded. The watches of the
  // kinds may return later, because they yielded their connections to the others.
  await eventually('what is around the object is no longer watched', PATIENCE, async () => (await stage.openWatches()) <= 2 + RECORDED + stage.kindWatches);
  await page.context().close();
});

test('a cron job shows the pods of its jobs', options, async () => {
  const jobTemplate = { spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } } };
  await create(object('batch/v1', 'CronJob', 'nightly', { spec: { schedule: '0 1 * * *', jobTemplate } }));
  await create(object('batch/v1', 'Job', 'nightly-1', { metadata: await ownedBy('cronjob', 'nightly'), spec: jobTemplate.spec }));
  await create(object('v1', 'Pod', 'nightly-1-x', { metadata: await ownedBy('job', 'nightly-1'), spec: jobTemplate.spec.template.spec }));
  const page = await open('batch/v1/cronjobs', 'nightly');
  await has(page, 'Owns', [['Job', 'nightly-1'], ['Pod', 'nightly-1-x']]);
  await page.context().close();
});

test('a stateful set and the claims of its templates show each other', options, async () => {
  const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const set = { metadata: { labels: { app: 'db' } }, spec: template.spec };
  await create(
    object('apps/v1', 'StatefulSet', 'db', { spec: { serviceName: 'db', replicas: 1, selector: { matchLabels: { app: 'db' } }, template: set, volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claim }] } }),
    object('v1', 'PersistentVolumeClaim', 'data-db-0', { metadata: { labels: { app: 'db' } }, spec: claim }),
  );
  const page = await open('apps/v1/statefulsets', 'db');
  await has(page, 'Uses', [['PersistentVolumeClaim', 'data-db-0']]);
  await entry(page, 'Uses', 'PersistentVolumeClaim', 'data-db-0').getByText('claim template data').waitFor();
  await page.context().close();
  const other = await open('v1/persistentvolumeclaims', 'data-db-0');
  await has(other, 'Used by', [['StatefulSet', 'db']]);
  await other.context().close();
});

test('an autoscaler and the deployment that it scales show each other, and another deployment does not show it', options, async () => {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'scaled' };
  const metrics = [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }];
  const deployment = (app) => {
    const spec = { replicas: 1, selector: { matchLabels: { app } }, template: { ...template, metadata: { labels: { app } } } };
    return object('apps/v1', 'Deployment', app, { spec });
  };
  const scaler = object('autoscaling/v2', 'HorizontalPodAutoscaler', 'scaler', { spec: { scaleTargetRef, maxReplicas: 3, metrics } });
  await create(deployment('scaled'), deployment('fixed'), scaler);
  const page = await open('autoscaling/v2/horizontalpodautoscalers', 'scaler');
  await has(page, 'Uses', [['Deployment', 'scaled']]);
  await entry(page, 'Uses', 'Deployment', 'scaled').getByRole('link').click();
  await page.locator('.drawer h2', { hasText: /^scaled$/ }).waitFor({ timeout: PATIENCE });
  await page.getByRole('tab', { name: 'Related', exact: true }).click();
  await has(page, 'Used by', [['HorizontalPodAutoscaler', 'scaler']]);
  await page.context().close();
  const other = await open('apps/v1/deployments', 'fixed');
  await other.getByText('No related objects were found.').waitFor({ timeout: PATIENCE });
  await other.context().close();
});

test('a service shows the webhooks and APIs behind it, and a volume its attachment', options, async () => {
  const service = { namespace: ns, name: 'policy' };
  const webhook = { name: 'pods.policy.example.com', clientConfig: { service }, rules: [{ operations: ['CREATE'], apiGroups: ['none.example.com'], apiVersions: ['v1'], resources: ['nothings'] }], sideEffects: 'None', admissionReviewVersions: ['v1'], failurePolicy: 'Ignore' };
  await create(
    object('v1', 'Service', 'policy', { spec: { selector: labels, ports: [{ port: 443 }] } }),
    { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration', metadata: { name: 'policy' }, webhooks: [webhook] },
    { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name: 'v1.policy.example.com' }, spec: { group: 'policy.example.com', version: 'v1', service, groupPriorityMinimum: 100, versionPriority: 10, insecureSkipTLSVerify: true } },
    { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'disk-7' }, spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, csi: { driver: 'disk.example.com', volumeHandle: 'v7' } } },
    { apiVersion: 'storage.k8s.io/v1', kind: 'VolumeAttachment', metadata: { name: 'attached' }, spec: { attacher: 'disk.example.com', nodeName: 'none', source: { persistentVolumeName: 'disk-7' } } },
  );
  const page = await open('v1/services', 'policy');
  await has(page, 'Used by', [['ValidatingWebhookConfiguration', 'policy'], ['APIService', 'v1.policy.example.com']]);
  await page.context().close();
  const volume = await open('v1/persistentvolumes', 'disk-7', '');
  await has(volume, 'Used by', [['VolumeAttachment', 'attached']]);
  await volume.context().close();
  await stage.kubectl(['delete', 'apiservice', 'v1.policy.example.com', '--ignore-not-found']);
  await stage.kubectl(['delete', 'validatingwebhookconfiguration', 'policy']);
});
