// Types of Kubernetes objects from other packages: `kubernetes-types`, and the models of `@kubernetes/client-node`.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { projectOf } from './project.mjs';

const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));

const code = (types) => `${types}
import { connect, type SharedInformer, type View } from "kube-informer";

const factory = await connect();
const pods: SharedInformer<Pod> = factory.forResource<Pod>("v1/pods");
const deployments = factory.forResource<Deployment>("apps/v1/deployments");
pods.addEventHandler({
  onAdd: (pod, isInInitialList) => console.log(pod.metadata?.name, pod.status?.phase?.length, isInInitialList),
  onUpdate: (before, after) => console.log(before.spec?.nodeName === after.spec?.nodeName),
  onDelete: (pod) => console.log(pod.spec?.containers[0]?.image),
});
const replicas: number | undefined = (await deployments.lister.get("default/web")).spec?.replicas;
const ready = await pods.waitFor((pod) => pod?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false, "default/web");
const whole: View<Pod> = pods.view();
const created: Pod = await factory.client.create<Pod>({ apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "default" }, spec: { containers: [{ name: "c", image: "pause" }] } });
for await (const { changes } of pods.changes()) for (const { object, previous } of changes) console.log(object.spec?.nodeName, previous?.spec?.nodeName);
// @ts-expect-error no field of a pod
ready?.spec?.nope;
// @ts-expect-error a deployment is no pod
const wrong: SharedInformer<Pod> = deployments;
console.log(replicas, whole.getSnapshot().rows[0]?.spec?.nodeName, created.metadata?.uid, wrong);
`;

for (const [name, types] of [
  ['kubernetes-types', 'import type { Pod } from "kubernetes-types/core/v1";\nimport type { Deployment } from "kubernetes-types/apps/v1";'],
  ['@kubernetes/client-node', 'import type { V1Pod as Pod, V1Deployment as Deployment } from "@kubernetes/client-node";'],
]) {
  test(`objects have the types of ${name}`, { timeout: 600_000 }, async () => {
    const home = await projectOf();
    await writeFile(join(home, 'package.json'), '{ "type": "module" }');
    await writeFile(join(home, 'typed.ts'), code(types));
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2022,esnext.disposable,dom,dom.asynciterable', '--types', ''];
    const { stdout } = spawnSync(process.execPath, [tsc, ...options, 'typed.ts'], { cwd: home, encoding: 'utf8' });
    assert.equal(stdout, '');
  });
}
