// Running pods of a browser test: by the embedded apiserver, which has their logs and shells, or by the stub kubelet on the real apiserver.
import { startKubelet } from './kubelet.mjs';

/** Resolves to `run(name)`, for a running pod of the namespace `default`, and `stop()`. */
export async function startRunner(stage) {
  if (process.env.E2E_CLUSTER === 'kube' && !stage.unavailable) return startKubelet(stage);
  return {
    async run(name) {
      await stage.kubectl(['run', name, '-n', 'default', '--image=pause', '--overrides={"spec":{"nodeName":"stub-node"}}']);
      const running = { name, image: 'pause', imageID: '', ready: true, restartCount: 0, state: { running: { startedAt: new Date().toISOString().replace(/\.\d+/, '') } } };
      const status = { phase: 'Running', containerStatuses: [running] };
      await stage.kubectl(['patch', 'pod', name, '-n', 'default', '--subresource=status', '--type=merge', '-p', JSON.stringify({ status })]);
    },
    async stop() {},
  };
}
