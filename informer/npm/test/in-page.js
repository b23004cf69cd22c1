// Functions of the tests that run inside a page.
window.unhandled = [];
addEventListener('unhandledrejection', (event) => window.unhandled.push(String(event.reason)));

window.until = async (what, check) => {
  const deadline = performance.now() + 120_000;
  for (;;) {
    const result = await check();
    if (result) return result;
    if (performance.now() > deadline) throw new Error(`not in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

/** Error of a rejected promise, as plain data. */
window.rejection = async (promise) => {
  try {
    await promise;
  } catch (error) {
    const { name, code, message, status, retryable } = error ?? {};
    return error instanceof Error || error instanceof DOMException ? { name, code, message, status, retryable } : error;
  }
  return 'resolved';
};

/** Whether it is pending after one task, within which a settled promise calls back. */
window.pending = (promise) =>
  Promise.race([promise.then(() => false, () => false), new Promise((resolve) => setTimeout(resolve, 0, true))]);

window.api = async (method, path, body, type = 'application/json') => {
  const response = await fetch(path, { method, body: body && JSON.stringify(body), headers: body ? { 'content-type': type } : {} });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
};

/** A namespace of the test's own. */
window.namespace = async (name) => {
  await window.api('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  return name;
};
window.create = (namespace, name) =>
  window.api('POST', `/api/v1/namespaces/${namespace}/configmaps`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { step: '1' } });
window.patch = (namespace, name, data) =>
  window.api('PATCH', `/api/v1/namespaces/${namespace}/configmaps/${name}`, { data }, 'application/merge-patch+json');
window.remove = (namespace, name) => window.api('DELETE', `/api/v1/namespaces/${namespace}/configmaps/${name}`);
