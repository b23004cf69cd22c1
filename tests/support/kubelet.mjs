// Stub kubelet: runs the pods of a browser test on the real kube-apiserver, with real streams of logs, exec and attach.
import { fileURLToPath } from 'node:url';
import { run, serve } from './processes.mjs';

const kube = fileURLToPath(new URL('../kube/kube.sh', import.meta.url));
const NODE = 'stub-node';

/** Starts the stub kubelet. Without Go it cannot be built; then the error has the exit code 75. */
export const serveKubelet = async (...args) => serve((await run(kube, ['kubelet'])).trim(), args, { ready: /kubelet on port (\d+), commands on port (\d+)/ });

/**
 * Starts the stub kubelet for a stage, with a node whose address is the kubelet's. Resolves to
 * - `run(name)`, which creates a running pod in the namespace `default` with a container of the same name, and starts its debug
 *   containers when they are added,
 * - `addNode(name)`, which creates another node with this address,
 * - `order(command)`, which performs a log command like the embedded apiserver's (`POST /admin/logs`),
 * - `stop()`.
 *
 * Without Go the stage becomes unavailable.
 */
export async function startKubelet(stage) {
  const origin = new URL(stage.url()).origin;
  let kubelet;
  try {
    kubelet = await serveKubelet('-api', origin);
  } catch (error) {
    if (error.exitCode !== 75) throw error;
    stage.unavailable = error.message;
    return { stop() {} };
  }
  const send = async (method, path, body, to = origin) => {
    const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
    const response = await fetch(to + path, { method, headers, body: body && JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text;
  };
  const status = { addresses: [{ type: 'InternalIP', address: '127.0.0.1' }], daemonEndpoints: { kubeletEndpoint: { Port: Number(kubelet.match[1]) } } };
  const addNode = async (name) => {
    await send('POST', '/api/v1/nodes', { metadata: { name } });
    await send('PATCH', `/api/v1/nodes/${name}/status`, { status });
  };
  await addNode(NODE);
  const ending = new AbortController();
  const debuggers = [];
  const runPod = async (name) => {
    const pods = '/api/v1/namespaces/default/pods';
    await send('POST', pods, { metadata: { name }, spec: { nodeName: NODE, containers: [{ name, image: 'i' }] } });
    await send('PATCH', `${pods}/${name}/status`, { status: { phase: 'Running', containerStatuses: [running(name)] } });
    const watch = `${origin}${pods}?watch=true&pretty=false&fieldSelector=metadata.name%3D${name}`;
    debuggers.push(startDebuggers(watch, { signal: ending.signal, errors: stage.errors }, (statuses) => send('PATCH', `${pods}/${name}/status`, { status: { ephemeralContainerStatuses: statuses } })));
  };
  const order = async (command) => {
    if (command.log !== 'end') return send('POST', '/admin/logs', command, `http://127.0.0.1:${kubelet.match[2]}`);
    const path = `/api/v1/namespaces/${command.namespace}/pods/${command.pod}`;
    const pod = JSON.parse(await send('GET', path));
    const containerStatuses = pod.status.containerStatuses.map((status) => ended(status, command.exit_code));
    await send('PATCH', `${path}/status`, { status: { containerStatuses } });
  };
  const stop = async () => {
    ending.abort();
    await Promise.all(debuggers);
    await kubelet.stop();
  };
  return { run: runPod, addNode, order, stop };
}

/** Status of a container that ends two seconds from now, after all lines that followers have read. Times have whole seconds. */
function ended({ state, ...status }, exitCode) {
  const finishedAt = new Date(Date.now() + 2000).toISOString().replace(/\.\d+/, '');
  const { startedAt } = state.running;
  return { ...status, ready: false, state: { terminated: { exitCode, reason: exitCode ? 'Error' : 'Completed', startedAt, finishedAt } } };
}

const running = (name) => ({ name, image: 'i', imageID: '', ready: true, restartCount: 0, state: { running: { startedAt: '2026-01-01T00:00:00Z' } } });

/** Reports each debug container of a watched pod as running. Ends with the signal; a watch that ends before it is one of the `errors`. */
async function startDebuggers(watch, { signal, errors }, report) {
  try {
    const response = await fetch(watch, { signal });
    if (!response.ok) throw new Error(`${watch}: ${response.status} ${await response.text()}`);
    for await (const event of lines(response.body)) {
      const { spec, status } = JSON.parse(event).object;
      const added = spec.ephemeralContainers ?? [];
      if (added.length > (status.ephemeralContainerStatuses ?? []).length) await report(added.map(({ name }) => running(name)));
    }
    throw new Error(`${watch}: ended early`);
  } catch (error) {
    if (!signal.aborted) errors.push(`stub kubelet: ${error}`);
  }
}

async function* lines(body) {
  let rest = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop();
    yield* parts;
  }
}
