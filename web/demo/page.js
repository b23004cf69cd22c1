// Demo of the dashboard (`?demo`): a simulated cluster in a worker of this tab, and a bar with buttons that disturb it.
import { fetchThrough } from './client.js';

/** Milliseconds for which a restarting apiserver does not respond. */
const RESTART = 4_000;

const url = new URL('../demo-cluster', import.meta.url).href;

/** Starts the demo. Returns the options of `connect()` that are different in it. */
export function start() {
  const worker = startWorker();
  const send = fetchThrough(worker);
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', () => showBar(worker, send));
  else showBar(worker, send);
  return { url, worker, fetch: send, persist: false };
}

/** Starts the worker. Its address is the only one that the Trusted Types policy accepts. */
function startWorker() {
  const address = new URL('worker.js', import.meta.url).href;
  const policy = globalThis.trustedTypes?.createPolicy('kube-informer-demo', {
    createScriptURL: (given) => {
      if (given !== address) throw new TypeError('not the worker of the demo');
      return given;
    },
  });
  return new Worker(policy?.createScriptURL(address) ?? address, { type: 'module', name: 'demo' });
}

/** Adds the bar above the page. */
function showBar(worker, send) {
  const style = element('link', { rel: 'stylesheet', href: new URL('demo.css', import.meta.url).href });
  const bar = element('aside', { className: 'demo-bar', ariaLabel: 'Demo' });
  const says = element('p', { className: 'demo-says', textContent: 'Demo' });
  says.append(element('span', { className: 'demo-more', textContent: ': a simulated cluster in this tab. Nothing here is real.' }));
  bar.append(says, lineButton(worker), restartButton(send));
  document.head.append(style);
  document.body.prepend(bar);
}

/** The button that disconnects the page from the cluster, and reconnects it. */
function lineButton(worker) {
  const button = element('button', { type: 'button', className: 'demo-button', textContent: 'Disconnect' });
  let isCut = false;
  button.addEventListener('click', () => {
    isCut = !isCut;
    worker.postMessage({ type: 'demo-connection', isCut });
    // As a browser reports that its network is back.
    if (!isCut) dispatchEvent(new Event('online'));
    button.textContent = isCut ? 'Reconnect' : 'Disconnect';
    button.classList.toggle('is-cut', isCut);
  });
  return button;
}

/** The button that restarts the apiserver: its watches end, and its watch history is compacted. */
function restartButton(send) {
  const button = element('button', { type: 'button', className: 'demo-button', textContent: 'Restart the apiserver' });
  const body = JSON.stringify({ fault: 'restart', away_ms: RESTART });
  button.addEventListener('click', async () => {
    button.disabled = true;
    // With the line cut, the request does not arrive, as a real one would not.
    await send(`${url}/admin/faults`, { method: 'POST', body }).catch(() => {});
    setTimeout(() => (button.disabled = false), RESTART);
  });
  return button;
}

const element = (name, properties) => Object.assign(document.createElement(name), properties);
