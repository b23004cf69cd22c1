// helm, and the objects that it and kustomize render. helm gets folders of its own, so that it neither reads nor changes those of the user.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { run } from '../support/processes.mjs';
import { kubectlProgram } from '../support/start.mjs';
import { deploy } from './nginx.mjs';

const kube = fileURLToPath(new URL('../kube/kube.sh', import.meta.url));
export const chart = join(deploy, 'chart');

/** The objects of a manifest. Kubernetes reads YAML 1.1, in which `on` is a boolean. A key that occurs twice is an error. */
export function parse(manifest) {
  return parseAllDocuments(manifest, { version: '1.1' }).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS();
  }).filter(Boolean);
}

/** The objects of a kustomization. */
export const kustomize = async (name) => parse(await run(await kubectlProgram(), ['kustomize', join(deploy, name)]));

/**
 * Finds or builds helm. Resolves to `{ folder, helm, manifest, objects, end }`; if there is none and it cannot be built, to
 * `{ missing, end }` with the reason.
 */
export async function openHelm() {
  let program;
  try {
    program = (await run(kube, ['helm'])).trim();
  } catch (error) {
    if (error.exitCode !== 75) throw error;
    return { missing: error.message.split('\n').at(-1), end: () => {} };
  }
  const folder = await mkdtemp(join(tmpdir(), 'kube-informer-helm-'));
  const own = Object.fromEntries(['CACHE', 'CONFIG', 'DATA'].map((name) => [`HELM_${name}_HOME`, join(folder, name)]));
  const env = { ...process.env, ...own, HELM_NAMESPACE: '', KUBECONFIG: join(folder, 'kubeconfig') };
  /** Runs helm, with `values` if there are any. Resolves to `{ stdout, stderr }`. */
  const helm = async (args, { values, kubeconfig = env.KUBECONFIG } = {}) => {
    const file = join(folder, 'values.json');
    if (values) await writeFile(file, JSON.stringify(values));
    return promisify(execFile)(program, [...args, ...(values ? ['--values', file] : [])], { env: { ...env, KUBECONFIG: kubeconfig } });
  };
  /** The manifest of a release. */
  const manifest = async (values = {}, { release = 'dashboard', namespace = 'kube-informer-dashboard', from = chart } = {}) =>
    (await helm(['template', release, from, '--namespace', namespace], { values })).stdout;
  const objects = async (...args) => parse(await manifest(...args));
  return { folder, helm, manifest, objects, end: () => rm(folder, { recursive: true, force: true }) };
}
