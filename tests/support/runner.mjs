// Pods of a browser test that run: on the embedded apiserver, which has their logs and shells, or on the real one by the stub kubelet.
import assert from 'node:assert/strict';
import { after, afterEach } from 'node:test';
import { TEST, setStage } from './harness.mjs';
import { startKubelet } from './kubelet.mjs';

/**
 * Sets the stage of a test file whose pods run. Resolves to the stage, their runner, and the options of each test. Both end with the
 * file. Messages of the page's console that match `ignored` are no errors.
 */
export async function setStageWithRunner(args, { exec = false, ignored = /(?!)/ } = {}) {
  const stage = await setStage({ args, exec });
  const runner = await startRunner(stage);
  after(async () => {
    await runner.stop();
    await stage.end();
  });
  afterEach(() => assert.deepEqual(stage.errors.splice(0).filter((error) => !ignored.test(error)), [], 'the page reported errors'));
  return { stage, runner, options: { ...TEST, skip: stage.unavailable } };
}

/**
 * Runs pods. Resolves to
 * - `run(name)`, which makes a running pod of the namespace `default`,
 * - `order(command)`, which carries out a log command (`POST /admin/logs` of the embedded apiserver),
 * - `isKubelet`: whether this is the stub kubelet,
 * - `stop()`.
 */
async function startRunner(stage) {
  if (process.env.E2E_CLUSTER === 'kube' && !stage.unavailable) return { isKubelet: true, ...(await startKubelet(stage)) };
  return {
    isKubelet: false,
    async order(command) {
      const response = await fetch(stage.url('../admin/logs'), { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(command) });
      if (!response.ok) throw new Error(`${JSON.stringify(command)}: ${response.status} ${await response.text()}`);
    },
    async run(name) {
      await stage.kubectl(['run', name, '-n', 'default', '--image=pause', '--overrides={"spec":{"nodeName":"stub-node"}}']);
      const running = { name, image: 'pause', imageID: '', ready: true, restartCount: 0, state: { running: { startedAt: new Date().toISOString().replace(/\.\d+/, '') } } };
      const status = { phase: 'Running', containerStatuses: [running] };
      await stage.kubectl(['patch', 'pod', name, '-n', 'default', '--subresource=status', '--type=merge', '-p', JSON.stringify({ status })]);
    },
    async stop() {},
  };
}
