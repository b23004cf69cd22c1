// The kustomizations: what they contain, and that a real apiserver accepts them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { kubectlProgram, startReal } from '../support/start.mjs';
import { run } from '../support/processes.mjs';
import { deploy } from './nginx.mjs';

const kubectl = ['kubectl'].find((name) => spawnSync(name, ['version', '--client']).status === 0);
const skip = !kubectl && 'kubectl is missing';
const rendered = (name) => {
  const { status, stdout, stderr } = spawnSync(kubectl, ['kustomize', join(deploy, name)], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return stdout;
};
const kinds = (text) => [...text.matchAll(/^kind: (.+)$/gm)].map(([, kind]) => kind).sort();

test('base: a namespace with the restricted policy, and nothing with rights', { skip }, () => {
  const text = rendered('base');
  assert.deepEqual(kinds(text), ['ConfigMap', 'Deployment', 'Namespace', 'NetworkPolicy', 'Service', 'ServiceAccount']);
  assert.match(text, /pod-security.kubernetes.io\/enforce: restricted/);
  assert.match(text, /proxy_pass https:\/\/kubernetes.default.svc;/);
});

test('service-account: the role `view`, read-only, without exec', { skip }, () => {
  const text = rendered('service-account');
  assert.ok(kinds(text).includes('ClusterRoleBinding'));
  assert.match(text, /kind: ClusterRole\n\s+name: view\n/);
  assert.match(text, /--reject-methods=\^\(POST\|PUT\|PATCH\|DELETE\)\$/);
  assert.doesNotMatch(text, /--reject-paths/, 'the default rejects exec and attach');
  assert.match(text, /proxy_set_header Authorization "";/);
});

test('each container runs without root and capabilities, on a read-only file system, with limits, and each image has a version', { skip }, () => {
  for (const name of ['base', 'service-account']) {
    const text = rendered(name);
    const images = [...text.matchAll(/^\s+(?:- )?image: (.+)$/gm)].map(([, image]) => image);
    assert.equal(images.length, name === 'base' ? 1 : 2);
    for (const image of images) assert.match(image, /:v?\d+\.\d+\.\d+$/);
    for (const line of ['readOnlyRootFilesystem: true', 'allowPrivilegeEscalation: false', '- ALL', 'limits:']) {
      assert.equal(text.split(line).length - 1, images.length, `${name}: ${line}`);
    }
    assert.match(text, /runAsNonRoot: true/);
  }
});

test('the image has the files that the configuration names', () => {
  const container = readFileSync(join(deploy, 'Containerfile'), 'utf8');
  for (const part of ['nginx.conf', 'hosts.conf', 'listen.conf', 'upstream.conf', 'COPY dist /srv/dashboard', 'USER 101:101', '"-c", "/etc/nginx/dashboard/nginx.conf"']) assert.ok(container.includes(part), part);
});

describe('a real apiserver', { timeout: 1_800_000 }, () => {
  let server;
  let missing;
  before(async () => {
    try {
      server = await startReal();
    } catch (error) {
      if (error.exitCode !== 75) throw error;
      missing = error.message;
    }
  });
  after(() => server?.stop());

  for (const name of ['base', 'service-account']) {
    test(`accepts ${name}`, async (t) => {
      if (missing) return t.skip(missing);
      const env = { KUBECONFIG: server.kubeconfig };
      const program = await kubectlProgram();
      // A dry run creates no namespace, which the other objects need.
      await run(program, ['create', 'namespace', 'kube-informer-dashboard'], { env }).catch(() => {});
      const output = await run(program, ['apply', '--dry-run=server', '--validate=strict', '-k', join(deploy, name)], { env });
      assert.match(output, /deployment.apps\/dashboard created \(server dry run\)/);
      assert.ok(!/warning/i.test(output), output);
    });
  }
});
