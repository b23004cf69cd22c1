// Tapped connection: the package over a port that the benchmark also reads and writes. Views are requested with the
// dashboard's messages, so that they consist of cells and not of whole objects.

/** The columns that the dashboard counts. */
export const FACETS = ['Status', 'Node', 'Namespace'];

/**
 * The package, connected over `port`. A function in `hearers` is given each message before the package is, but not
 * messages for which it returns true.
 */
export async function connectOver(port, options = {}) {
  const { connect } = await import('../package/index.js');
  const hearers = new Set();
  port.addEventListener('message', (event) => {
    for (const hear of hearers) if (hear(event.data)) event.stopImmediatePropagation();
  });
  const send = port.postMessage.bind(port);
  let informer;
  port.postMessage = (message) => {
    if (message.type === 'informer') ({ informer } = message);
    send(message);
  };
  const factory = await connect({ url: location.origin, worker: port, ...options });
  return { factory, hearers, send, /** The number of the informer that was asked for last. */ informer: () => informer };
}
