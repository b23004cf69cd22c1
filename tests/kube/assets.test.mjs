// Sources of the real apiserver's binaries in tests/kube/kube.sh, without a network and without Go.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { programsWithout } from '../launcher/artefacts.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const kube = join(root, 'tests/kube/kube.sh');
const modules = readFileSync(join(root, 'tests/kube/go.mod'), 'utf8');
const [, minor, patch] = modules.match(/k8s\.io\/kubernetes v(\d+\.\d+)\.(\d+)/);
const system = `${platform()}-${arch() === 'arm64' ? 'arm64' : 'amd64'}`;

/** Serves files of $RELEASES by the last part of the URL, and their checksum: $SUM or the correct one. */
const CURL = `#!/usr/bin/env bash
while [ $# -gt 0 ]; do case $1 in -o) out=$2; shift ;; https:*) url=$1 ;; esac; shift; done
sum() { echo "\${SUM:-$(openssl dgst -sha256 -r "$RELEASES/$1" | awk '{ print $1 }')}"; }
name=\${url##*/}
case $name in
  *.sha256) [ -f "$RELEASES/\${name%.sha256}" ] && sum "\${name%.sha256}" ;;
  SHA256SUMS) for file in "$RELEASES"/*.tar.gz; do echo "$(sum "\${file##*/}")  \${file##*/}"; done ;;
  *) cp "$RELEASES/$name" "$out" ;;
esac
`;

/** A go that writes CONTENT to the path of -o. */
const BUILDS = '#!/usr/bin/env bash\nwhile [ "$1" != -o ]; do shift; done\necho CONTENT >"$2"\nchmod +x "$2"\n';

/** An empty machine: `{ put(path), assets(env), inParallel(count) }`; the last two run `kube.sh assets`. */
function machine(t) {
  const home = mkdtempSync(join(tmpdir(), 'kube-informer-assets-'));
  t.after(() => rmSync(home, { recursive: true }));
  const put = (path, text = '#!/bin/sh\n') => {
    const file = join(home, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, 0o755);
    return file;
  };
  put('bin/curl', CURL);
  put('bin/go', '#!/bin/sh\nexit 1\n');
  put('bin/kubectl');
  mkdirSync(join(home, 'releases'));
  const environment = (env) => ({ PATH: `${home}/bin:${process.env.PATH}`, HOME: home, KUBE_INFORMER_CACHE: join(home, 'cache'), RELEASES: join(home, 'releases'), ...env });
  const assets = (env = {}, what = 'assets') => {
    const { status, stdout, stderr } = spawnSync(kube, [what], { env: environment(env), encoding: 'utf8' });
    return { status, stdout, stderr };
  };
  const inParallel = (count) => Promise.all(Array.from({ length: count }, () => promisify(execFile)(kube, ['assets'], { env: environment() })));
  return { home, put, assets, inParallel };
}

/** The releases of Kubernetes and of etcd. */
function publish({ home, put }) {
  const version = modules.match(/go\.etcd\.io\/etcd\/server\/v3 (v\S+)/)[1];
  const name = `etcd-${version}-${system}`;
  put(`${name}/etcd`, '#!/bin/sh\necho etcd\n');
  spawnSync('tar', ['-czf', join(home, `releases/${name}.tar.gz`), '-C', home, name]);
  put('releases/kube-apiserver', '#!/bin/sh\necho apiserver\n');
}

test('KUBEBUILDER_ASSETS takes precedence, and its missing files are named', (t) => {
  const { put, assets } = machine(t);
  const etcd = put('mine/etcd');
  const folder = dirname(etcd);
  assert.match(assets({ KUBEBUILDER_ASSETS: folder }).stderr, /KUBEBUILDER_ASSETS is set to .*, where there is no kube-apiserver/);
  const apiserver = put('mine/kube-apiserver');
  assert.match(assets({ KUBEBUILDER_ASSETS: folder }).stdout, new RegExp(`ETCD=${etcd}\nKUBE_APISERVER=${apiserver}\n`));
});

test("the newest patch in setup-envtest's folder is used, of the minor version of go.mod", (t) => {
  const { put, assets } = machine(t);
  const below = platform() === 'darwin' ? 'Library/Application Support/io.kubebuilder.envtest/k8s' : '.local/share/kubebuilder-envtest/k8s';
  for (const version of [`${minor}.2`, `${minor}.10`, '1.2.99']) for (const name of ['etcd', 'kube-apiserver']) put(`${below}/${version}-${system}/${name}`);
  assert.match(assets().stdout, new RegExp(`ETCD=.*/${minor}\\.10-${system}/etcd\nKUBE_APISERVER=.*/${minor}\\.10-${system}/kube-apiserver\n`));
});

const skip = platform() === 'linux' ? false : 'official binaries of kube-apiserver are for Linux';

test('a release with the right checksum is downloaded once', { skip }, (t) => {
  const here = machine(t);
  publish(here);
  const { stdout, stderr } = here.assets();
  assert.match(stderr, /kube-apiserver of the official release, its checksum is right/);
  const apiserver = join(here.home, `cache/kube/${minor}.${patch}/kube-apiserver`);
  assert.ok(stdout.includes(`KUBE_APISERVER=${apiserver}\n`), stdout);
  assert.equal(spawnSync(apiserver, { encoding: 'utf8' }).stdout, 'apiserver\n');
  assert.equal(spawnSync(join(dirname(apiserver), 'etcd'), { encoding: 'utf8' }).stdout, 'etcd\n');
  assert.equal(here.assets().stderr, '', 'it is in the cache now');
});

test('a release with another checksum is not used, and Go builds the binaries', { skip }, (t) => {
  const here = machine(t);
  publish(here);
  const { status, stdout, stderr } = here.assets({ SUM: '00' });
  assert.equal(status, 75);
  assert.equal(stdout, '');
  assert.match(stderr, /does not have the SHA-256 that .* says; it is not used\nkube: building etcd/);
});

const lockSkip = spawnSync('flock', ['--version']).status === 0 ? false : 'there is no flock';

test('scripts that start at the same time build each binary once', { skip: lockSkip }, async (t) => {
  const { home, put, inParallel } = machine(t);
  put('bin/go', BUILDS.replace('echo CONTENT', `echo "$2" >>${home}/builds; sleep 0.2; echo CONTENT`));
  const outputs = await inParallel(3);
  assert.equal(new Set(outputs.map(({ stdout }) => stdout)).size, 1);
  const built = readFileSync(join(home, 'builds'), 'utf8').trim().split('\n').map((path) => path.split('/').at(-1).split('.')[0]);
  assert.deepEqual(built, ['etcd', 'kube-apiserver']);
});

test('the stub kubelet is built once for its sources, and without Go its absence is reported', (t) => {
  const { put, assets } = machine(t);
  const without = assets({}, 'kubelet');
  assert.equal(without.status, 75);
  assert.match(without.stderr, /the stub kubelet could not be built from its Go module/);
  put('bin/go', BUILDS.replace('CONTENT', 'kubelet'));
  const built = assets({}, 'kubelet');
  assert.match(built.stdout, /\/kubelet-\d+\n$/);
  assert.equal(readFileSync(built.stdout.trim(), 'utf8'), 'kubelet\n');
  assert.deepEqual(assets({}, 'kubelet'), { status: 0, stdout: built.stdout, stderr: '' }, 'it is in the cache now');
});

test('helm is that of PATH, otherwise it is built once; without Go the reason is reported', async (t) => {
  const { home, put, assets } = machine(t);
  await programsWithout(join(home, 'programs'), ['helm', 'go']);
  const env = { PATH: `${home}/bin:${home}/programs` };
  const without = assets(env, 'helm');
  assert.equal(without.status, 75);
  assert.match(without.stderr, /helm could not be built from its Go module/);
  rmSync(join(home, 'bin/go'));
  assert.match(assets(env, 'helm').stderr, /^helm is missing and cannot be built without Go: install helm 3, or Go 1.26 or newer.\n$/);
  put('bin/go', BUILDS.replace('CONTENT', 'helm'));
  const built = assets(env, 'helm');
  assert.match(built.stdout, /\/cache\/kube\/helm-v3\.[\d.]+\n$/);
  assert.equal(readFileSync(built.stdout.trim(), 'utf8'), 'helm\n');
  assert.deepEqual(assets(env, 'helm'), { status: 0, stdout: built.stdout, stderr: '' }, 'it is in the cache now');
  assert.equal(assets({ PATH: `${dirname(put('own/helm'))}:${env.PATH}` }, 'helm').stdout, `${home}/own/helm\n`);
});
