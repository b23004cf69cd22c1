// Persisted snapshots of a browser: whether there is one of all pods.

/** In the page: whether the cache of all pods is written. */
export async function hasSnapshot() {
  const asked = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: reject }));
  const names = (await indexedDB.databases()).map(({ name }) => name);
  if (!names.includes('kube-informer')) return false;
  const database = await asked(indexedDB.open('kube-informer'));
  try {
    const keys = await asked(database.transaction('kube-informer').objectStore('kube-informer').getAllKeys());
    return keys.some((key) => key.includes('v1/pods') && !key.includes('#'));
  } finally {
    database.close();
  }
}
