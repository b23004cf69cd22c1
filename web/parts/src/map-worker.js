// Client of the layout worker: while the worker is busy, only the newest request is queued.

let policy;

/** Starts the worker. `onPlaces` receives a layout if no newer one was requested, `onError` a sentence. */
export function layouts(onPlaces, onError) {
  const url = new URL('map-layout.js', import.meta.url).href;
  policy ??= globalThis.trustedTypes?.createPolicy('kube-informer-map', {
    createScriptURL: (address) => {
      if (address !== url) throw new TypeError('not the worker of the map');
      return address;
    },
  });
  const worker = new Worker(policy?.createScriptURL(url) ?? url, { type: 'module' });
  let [lastId, queued, isBusy] = [0, null, false];
  const send = () => {
    [isBusy, queued] = [true, (worker.postMessage(queued), null)];
  };
  worker.onmessage = ({ data }) => {
    isBusy = false;
    if (data.id === lastId) onPlaces(data);
    if (queued) send();
  };
  worker.onerror = () => onError('The map could not be laid out. Choose List to see the objects.');
  return {
    request(boxes, lines) {
      queued = { id: ++lastId, boxes, lines };
      if (!isBusy) send();
    },
    end: () => worker.terminate(),
  };
}
