// The Helm chart: its objects are those of the kustomizations, wrong values are errors, nginx starts with its configuration, and a real
// apiserver accepts it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { packChart } from '../../web/launcher/chart.mjs';
import { kubectlProgram, startReal } from '../support/start.mjs';
import { chart, kustomize, openHelm, parse } from './helm.mjs';
import { nginxProgram, startNginx } from './nginx.mjs';

const { missing, folder, helm, manifest, objects, end } = await openHelm();
after(end);
const TEST = { skip: missing ?? false, timeout: 600_000 };
const MODES = { token: 'base', serviceAccount: 'service-account' };
const INGRESS = { enabled: true, className: 'nginx', annotations: { 'nginx.ingress.kubernetes.io/proxy-read-timeout': '3600' }, host: 'dash.example.com', tls: { enabled: true, secretName: 'dash-tls' } };
const EVERYTHING = {
  mode: 'serviceAccount', hosts: ['dash.example.com:8443'], replicas: 2, imagePullSecrets: [{ name: 'registry' }], ingress: INGRESS, image: { tag: '1.2.3', pullPolicy: 'Always' },
  serviceAccount: { annotations: { team: 'infra' }, clusterRole: 'edit' }, service: { type: 'NodePort', port: 8080, annotations: { team: 'infra' } },
  podAnnotations: { 'prometheus.io/scrape': 'false' }, nodeSelector: { 'kubernetes.io/os': 'linux' }, tolerations: [{ key: 'infra', operator: 'Exists' }],
  affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { 'app.kubernetes.io/instance': 'dashboard' } } } }] } },
};
const kinds = (list) => list.map(({ kind }) => kind).sort();
const one = (list, kind) => list.find((object) => object.kind === kind);
const podOf = (list) => one(list, 'Deployment').spec.template;
const isSelected = (selector, labels) => Object.entries(selector).every(([name, value]) => labels[name] === value);

test('helm finds nothing to improve', TEST, async () => {
  for (const mode of Object.keys(MODES)) await helm(['lint', '--strict', chart], { values: { mode } });
  await helm(['lint', '--strict', chart], { values: EVERYTHING });
});

test('chart and application have the version of the workspace', async () => {
  const [about] = parse(await readFile(join(chart, 'Chart.yaml'), 'utf8'));
  const cargo = await readFile(new URL('../../Cargo.toml', import.meta.url), 'utf8');
  const [version, repository] = ['version', 'repository'].map((name) => cargo.match(new RegExp(`^${name} = "(.*)"$`, 'm'))[1]);
  assert.deepEqual([about.version, about.appVersion, about.home], [version, version, repository]);
});

/** Objects without what kustomize and helm name differently: labels, selectors, and the names of ConfigMap and ClusterRoleBinding. */
function comparable(list) {
  const all = structuredClone(list).filter(({ kind }) => kind !== 'Namespace').map((object) => {
    const { kind, metadata, spec } = object;
    delete metadata.labels;
    if (['ConfigMap', 'ClusterRoleBinding'].includes(kind)) delete metadata.name;
    if (kind === 'Deployment') {
      const { template } = spec;
      delete template.metadata;
      delete template.spec.volumes.find(({ name }) => name === 'config').configMap.name;
      template.spec.containers.sort((a, b) => a.name.localeCompare(b.name));
      // The defaults of the API, which the kustomization leaves out.
      for (const container of template.spec.containers) if (container.imagePullPolicy === 'IfNotPresent') delete container.imagePullPolicy;
    }
    if (kind === 'Service' && spec.type === 'ClusterIP') delete spec.type;
    for (const name of ['selector', 'podSelector']) if (spec) delete spec[name];
    return [kind, object];
  });
  assert.equal(new Set(all.map(([kind]) => kind)).size, all.length, 'one object of each kind');
  return Object.fromEntries(all);
}

for (const [mode, variant] of Object.entries(MODES)) {
  test(`the mode ${mode} has the objects of the kustomization ${variant}`, TEST, async () => {
    const rendered = comparable(await objects({ mode, fullnameOverride: 'dashboard' }));
    assert.deepEqual(rendered, comparable(await kustomize(variant)));
    assert.equal(Object.keys(rendered).length, mode === 'token' ? 5 : 6);
    // The files themselves, in which kustomize would keep an error as well.
    const text = await readFile(new URL('../../web/deploy/base/nginx.conf', import.meta.url), 'utf8');
    assert.equal(rendered.ConfigMap.data['nginx.conf'], text);
  });
}

test('all references are to objects of the release, and all selectors are of its pods', TEST, async () => {
  const list = await objects(EVERYTHING);
  assert.deepEqual(kinds(list), ['ClusterRoleBinding', 'ConfigMap', 'Deployment', 'Ingress', 'NetworkPolicy', 'Service', 'ServiceAccount']);
  const names = Object.fromEntries(list.map(({ kind, metadata }) => [kind, metadata.name]));
  const { spec, metadata } = podOf(list);
  assert.equal(spec.serviceAccountName, names.ServiceAccount);
  assert.equal(spec.volumes.find(({ configMap }) => configMap).configMap.name, names.ConfigMap);
  const binding = one(list, 'ClusterRoleBinding');
  assert.deepEqual(binding.subjects, [{ kind: 'ServiceAccount', name: names.ServiceAccount, namespace: 'kube-informer-dashboard' }]);
  assert.equal(binding.roleRef.name, 'edit');
  const { service } = one(list, 'Ingress').spec.rules[0].http.paths[0].backend;
  assert.deepEqual(service, { name: names.Service, port: { name: one(list, 'Service').spec.ports[0].name } });
  for (const selector of [one(list, 'Service').spec.selector, one(list, 'Deployment').spec.selector.matchLabels, one(list, 'NetworkPolicy').spec.podSelector.matchLabels]) {
    assert.ok(Object.keys(selector).length > 1 && isSelected(selector, metadata.labels), JSON.stringify(selector));
  }
  for (const { metadata, kind } of list) assert.equal(metadata.namespace, kind === 'ClusterRoleBinding' ? undefined : 'kube-informer-dashboard');
});

test('values reach their fields', TEST, async () => {
  const list = await objects(EVERYTHING);
  const { spec, metadata } = podOf(list);
  assert.equal(one(list, 'Deployment').spec.replicas, 2);
  for (const name of ['imagePullSecrets', 'nodeSelector', 'tolerations', 'affinity']) assert.deepEqual(spec[name], EVERYTHING[name], name);
  assert.equal(metadata.annotations['prometheus.io/scrape'], 'false');
  const nginx = spec.containers.find(({ name }) => name === 'nginx');
  assert.deepEqual([nginx.image, nginx.imagePullPolicy], ['registry.example.com/kube-informer-dashboard:1.2.3', 'Always']);
  const [service, account] = [one(list, 'Service'), one(list, 'ServiceAccount')];
  assert.deepEqual([service.spec.type, service.spec.ports[0].port, service.metadata.annotations, account.metadata.annotations], ['NodePort', 8080, { team: 'infra' }, { team: 'infra' }]);
  const ingress = one(list, 'Ingress');
  assert.deepEqual([ingress.metadata.annotations, ingress.spec.ingressClassName, ingress.spec.tls], [INGRESS.annotations, 'nginx', [{ hosts: ['dash.example.com'], secretName: 'dash-tls' }]]);
  const plain = one(await objects({ ingress: { enabled: true, host: 'a.example' } }), 'Ingress');
  assert.deepEqual(Object.keys(plain.spec), ['rules']);
  assert.equal(one(await objects({ networkPolicy: { enabled: false } }), 'NetworkPolicy'), undefined);
  const namespaceLabel = { name: 'kubernetes.io/metadata.name', value: 'ingress-nginx' };
  const policy = one(await objects({ networkPolicy: { namespaceLabel, apiserverPorts: [16443] } }), 'NetworkPolicy').spec;
  assert.deepEqual(policy.ingress[0].from, [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } }]);
  assert.deepEqual(policy.egress[0].ports, [{ port: 16443 }]);
});

test('pods restart when the configuration of nginx changes, and only then', TEST, async () => {
  const restarts = async (values) => JSON.stringify(podOf(await objects(values)).metadata);
  const before = await restarts({});
  assert.equal(await restarts({ replicas: 3, service: { port: 81 } }), before);
  for (const values of [{ hosts: ['a.example'] }, { mode: 'serviceAccount' }, { ingress: { enabled: true, host: 'a.example' } }]) assert.notEqual(await restarts(values), before);
  assert.equal(JSON.parse(await restarts({ podAnnotations: { 'checksum/nginx': 'x' } })).annotations['checksum/nginx'], JSON.parse(before).annotations['checksum/nginx']);
});

test('releases do not collide, in one namespace or with one name', TEST, async () => {
  const releases = [['one', 'a'], ['two', 'a'], ['one', 'b'], ['c', 'a-b'], ['b-c', 'a'], ['kube-informer-dashboard', 'a'], ['r'.repeat(53), 'a'], [`${'r'.repeat(52)}s`, 'a']];
  const lists = await Promise.all(releases.map(async ([release, namespace]) => parse((await helm(['template', release, chart, '--namespace', namespace, '--set', 'mode=serviceAccount'])).stdout)));
  const ids = lists.flat().map(({ kind, metadata }) => `${kind} ${metadata.namespace} ${metadata.name}`);
  assert.deepEqual(ids.filter((id, at) => ids.indexOf(id) !== at), []);
  for (const { metadata } of lists.flat()) if (metadata.namespace) assert.match(metadata.name, /^[a-z][a-z0-9-]{0,67}[a-z0-9]$/);
  for (const list of lists.slice(1)) assert.ok(one(list, 'Service').metadata.name.length <= 63);
  const selectors = lists.map((list) => one(list, 'Service').spec.selector);
  for (const [at, list] of lists.entries()) {
    const own = selectors.filter((selector, other) => releases[other][1] === releases[at][1] && isSelected(selector, podOf(list).metadata.labels));
    assert.equal(own.length, 1, releases[at].join());
  }
});

test('names can be chosen', TEST, async () => {
  const nameOf = async (values, release) => one(await objects(values, { release }), 'Service').metadata.name;
  assert.equal(await nameOf({}, 'dev'), 'dev-kube-informer-dashboard');
  assert.equal(await nameOf({}, 'kube-informer-dashboard'), 'kube-informer-dashboard');
  assert.equal(await nameOf({ nameOverride: 'board' }, 'dev'), 'dev-board');
  assert.equal(await nameOf({ fullnameOverride: 'board' }, 'dev'), 'board');
});

const WRONG = [
  [{ mode: 'admin' }, /\/mode'.*'token', 'serviceAccount'/],
  [{ replica: 2 }, /additional properties 'replica' not allowed/],
  [{ ingress: { hosts: ['a.example'] } }, /\/ingress'.*additional properties 'hosts' not allowed/],
  [{ replicas: 'two' }, /\/replicas'.*got string, want integer/],
  [{ replicas: -1 }, /\/replicas'/],
  ...['a b', 'a"b', "a'b", 'a;b', 'a 0;\n"~."', 'a\n', '~.', '*.example.com', '', 'a.example/x', 'default', 'Include', 'a$b', '{', 'a\\b'].map((host) => [{ hosts: ['good.example', host] }, /\/hosts\/1'/]),
  [{ hosts: 'a.example' }, /\/hosts'.*got string, want array/],
  [{ ingress: { enabled: true } }, /\/ingress\/host'/],
  [{ ingress: { enabled: true, host: 'a.example 0; b' } }, /\/ingress\/host'/],
  [{ image: { tag: 1 } }, /\/image\/tag'.*got number, want string/],
  [{ image: { pullPolicy: 'Sometimes' } }, /\/image\/pullPolicy'/],
  [{ kubectl: { image: { tag: '' } } }, /\/kubectl\/image\/tag'/],
  [{ service: { type: 'ExternalName' } }, /\/service\/type'/],
  [{ service: { port: 70000 } }, /\/service\/port'/],
  [{ fullnameOverride: 'My dashboard' }, /\/fullnameOverride'/],
  [{ podAnnotations: { enabled: true } }, /\/podAnnotations\/enabled'/],
  [{ ingress: null }, /missing property 'ingress'/],
];
test('a wrong value is an error that names it', TEST, async () => {
  for (const [values, message] of WRONG) await assert.rejects(manifest(values), (error) => message.test(error.stderr), JSON.stringify(values));
});

test('the packed chart has the files of `helm package`, and renders the same, without links', TEST, async () => {
  const from = join(folder, 'chart.tgz');
  await writeFile(from, await packChart());
  await helm(['package', chart, '--destination', folder]);
  const filesOf = async (archive) => (await promisify(execFile)('tar', ['tzf', archive])).stdout.trim().split('\n').filter((name) => !name.endsWith('/')).sort();
  const [{ version }] = parse(await readFile(join(chart, 'Chart.yaml'), 'utf8'));
  assert.deepEqual(await filesOf(from), await filesOf(join(folder, `kube-informer-dashboard-${version}.tgz`)));
  for (const values of [{}, { mode: 'serviceAccount' }, EVERYTHING]) assert.equal(await manifest(values, { from }), await manifest(values));
  const { stderr } = await helm(['template', 'x', from]);
  assert.equal(stderr, '');
});

test('a clone without symbolic links is an error that says so', TEST, async () => {
  const from = join(folder, 'without-links');
  await cp(chart, from, { recursive: true, dereference: true });
  await writeFile(join(from, 'files/nginx.conf'), '../../base/nginx.conf');
  await assert.rejects(manifest({}, { from }), ({ stderr }) => /files\/nginx\.conf is not the configuration of nginx: clone with core\.symlinks=true/.test(stderr));
});

/** The status of a request for the API under this host name. */
const statusOf = (url, host) =>
  new Promise((resolve, reject) => request(`${url}/version`, { headers: { host } }, (answer) => resolve(answer.resume().statusCode)).on('error', reject).end());

test('nginx starts with the configuration, and accepts the hosts of the values', { ...TEST, skip: missing ?? (!nginxProgram() && 'nginx is missing') }, async () => {
  const upstream = createServer((incoming, outgoing) => outgoing.end('{}'));
  await new Promise((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const long = `${'a.'.repeat(126)}b`;
  const hosts = ['Dash.example.com', 'dash.example.com', 'dash.example.com:8443', 'volatile', 'hostnames', '[fd00::1]', '10.0.0.1', long];
  try {
    for (const mode of Object.keys(MODES)) {
      const list = await objects({ mode, hosts, ingress: { enabled: true, host: 'ingress.example.com' } });
      const nginx = await startNginx({ upstream: `http://127.0.0.1:${upstream.address().port}`, page: folder, files: one(list, 'ConfigMap').data });
      try {
        for (const host of [...hosts, 'ingress.example.com', 'localhost:8080']) assert.equal(await statusOf(nginx.url, host), 200, host);
        for (const host of ['evil.example', 'x.dash.example.com', 'dash.example.com:1', 'ingress.example.com.evil.example', '10.0.0.2', 'a']) assert.equal(await statusOf(nginx.url, host), 421, host);
      } finally {
        await nginx.stop();
      }
    }
  } finally {
    upstream.closeAllConnections();
    upstream.close();
  }
});

describe('a real apiserver', { ...TEST, timeout: 1_800_000 }, () => {
  const namespace = 'kube-informer-dashboard';
  let server, unavailable, kubectl;
  before(async () => {
    if (missing) return;
    try {
      server = await startReal();
      const program = await kubectlProgram();
      kubectl = (...args) => promisify(execFile)(program, args, { env: { ...process.env, KUBECONFIG: server.kubeconfig } });
      await kubectl('create', 'namespace', namespace);
      // Pods that the policy would reject are warnings of a Deployment.
      await kubectl('label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=restricted', 'pod-security.kubernetes.io/warn=restricted');
    } catch (error) {
      if (error.exitCode !== 75) throw error;
      unavailable = error.message;
    }
  });
  after(() => server?.stop());

  for (const [name, values] of [...Object.keys(MODES).map((mode) => [mode, { mode }]), ['everything', EVERYTHING]]) {
    test(`accepts ${name}, without a warning`, async (t) => {
      if (unavailable) return t.skip(unavailable);
      const file = join(folder, 'manifest.yaml');
      await writeFile(file, await manifest(values));
      const { stdout, stderr } = await kubectl('apply', '--dry-run=server', '--validate=strict', '-f', file);
      assert.equal(stderr, '');
      assert.equal(stdout.match(/ created \(server dry run\)$/gm).length, parse(await manifest(values)).length);
    });
  }

  test('a release is installed, changed to the other mode and to another role, and removed', async (t) => {
    if (unavailable) return t.skip(unavailable);
    const { kubeconfig } = server;
    const release = (verb, values) => helm([verb, 'dev', chart, '--namespace', namespace], { values, kubeconfig });
    const { stdout } = await release('install', { image: { repository: 'registry.example.com/x' } });
    for (const text of ['port-forward service/dev-kube-informer-dashboard 8080:80', 'kubectl label namespace NAMESPACE kube-informer-dashboard/access=true', 'WARNING: registry.example.com/x is an example.']) assert.ok(stdout.includes(text), stdout);
    const changed = await release('upgrade', { mode: 'serviceAccount', ingress: INGRESS, image: { repository: 'registry.mycompany.example/x' }, networkPolicy: { enabled: false } });
    assert.match(changed.stdout, /^ {2}https:\/\/dash\.example\.com$[\s\S]*There is no login: .* `view` permits/m);
    assert.doesNotMatch(changed.stdout, /WARNING|kubectl label/);
    // The role of a binding cannot be changed.
    await release('upgrade', { mode: 'serviceAccount', serviceAccount: { clusterRole: 'edit' } });
    const bindings = async () => (await kubectl('get', 'clusterrolebindings', '--selector=app.kubernetes.io/instance=dev', '--output=name')).stdout.trim();
    assert.equal(await bindings(), `clusterrolebinding.rbac.authorization.k8s.io/${namespace}:dev-kube-informer-dashboard:edit`);
    await helm(['uninstall', 'dev', '--namespace', namespace], { kubeconfig });
    assert.equal(await bindings(), '');
  });
});
