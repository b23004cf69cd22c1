// Clusters: one `kubectl proxy` for each context, each on a Unix socket. The end of one leaves the others running.
import { constants } from 'node:os';
import { join } from 'node:path';
import { listen, routesOf } from './front.mjs';
import { endOf, say, startError, startProxy } from './kubectl.mjs';
import { LaunchError } from './options.mjs';

/** Connection to a cluster: a `kubectl proxy`, which can be started again after its end. For `routesOf` (web/parts/clusters.mjs). */
class Cluster {
  state = 'ended';
  /** The sentence why it ended. */
  reason = '';
  exitCode = 0;
  #proxy;
  #args;
  #onChange;

  constructor(name, isProtected, socketPath, args, onChange) {
    Object.assign(this, { name, isProtected, socketPath });
    [this.#args, this.#onChange] = [args, onChange];
  }

  start() {
    const quoted = JSON.stringify(this.name);
    // Of several plugins that ask on one terminal, any could read the answer to another.
    const proxy = startProxy(this.#args, { show: (line) => say(`${quoted}: ${line}`), stdin: 'ignore' });
    [this.#proxy, this.reason] = [proxy, ''];
    this.#enter('starting');
    proxy.ready.then(() => this.#proxy === proxy && this.state === 'starting' && this.#enter('running'));
    proxy.ended.then((end) => {
      const last = end.last ? `: ${end.last.trim()}` : '';
      this.exitCode = end.code ?? (end.signal ? 128 + constants.signals[end.signal] : 1);
      this.reason = end.error ? startError(end.error).message : `The context ${quoted} is not connected: ${endOf(end).slice(0, -1)}${last}.`;
      // A terminal sends the SIGINT of Ctrl-C to kubectl as well.
      this.#enter('ended', { isQuiet: end.signal === 'SIGINT' });
    });
  }

  stop() {
    return this.#proxy?.stop();
  }

  #enter(state, how = {}) {
    this.state = state;
    this.#onChange(this, how);
  }
}

/** The clusters of a dashboard. */
export class Clusters {
  /** Resolves to true if all have ended because Ctrl-C reached them first, and rejects with a `LaunchError` if all have ended otherwise. */
  ended;
  #clusters;
  #isStopping = false;
  #running = resolvers();

  /** `flags` precede the command of kubectl, and `access` are further flags of `kubectl proxy`. */
  constructor(names, isProtected, folder, flags, access) {
    const { promise, resolve, reject } = resolvers();
    this.ended = promise;
    promise.catch(() => {}); // it is also awaited
    this.#clusters = names.map((name, at) => {
      // A path of a socket has about 100 bytes at most, which a name can exceed.
      const socket = join(folder, `${at}.sock`);
      const args = [...flags, `--context=${name}`, 'proxy', `--unix-socket=${socket}`, ...access];
      return new Cluster(name, isProtected(name), socket, args, (...change) => this.#note(...change, resolve, reject));
    });
  }

  /** Starts the server. Resolves to it. */
  serve(page, hash, port) {
    return listen(routesOf(this.#clusters, page, hash), port);
  }

  /** Starts all. Resolves as soon as one runs. Rejects if all end before. */
  start() {
    for (const cluster of this.#clusters) cluster.start();
    return Promise.race([this.#running.promise, this.ended]);
  }

  /** Ends all. */
  async stop() {
    this.#isStopping = true;
    await Promise.all(this.#clusters.map((cluster) => cluster.stop()));
  }

  #note(cluster, { isQuiet }, resolve, reject) {
    if (cluster.state === 'running') this.#running.resolve();
    if (cluster.state !== 'ended' || this.#isStopping) return;
    const isLast = this.#clusters.every(({ state }) => state === 'ended');
    if (isQuiet) return void (isLast && resolve(true));
    if (!isLast) return say(cluster.reason);
    reject(new LaunchError(`${cluster.reason} No context is connected any more.`, cluster.exitCode || 1));
  }
}

function resolvers() {
  let functions;
  const promise = new Promise((resolve, reject) => (functions = { resolve, reject }));
  return { promise, ...functions };
}
