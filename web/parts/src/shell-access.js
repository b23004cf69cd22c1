// Access to shells: whether the proxy and the user's rights allow them, and how to enable them.
import { element } from './dom.js';

/** Text about a proxy that rejects shells: the reason, the commands that allow them, and a warning. */
const ENABLE = [
  'kubectl proxy rejects exec and attach by default. To allow them, stop the dashboard and start it with one of these:',
  'make dashboard EXEC=1\nnpx kube-informer-dashboard --allow-exec',
  'EXEC=1 excludes READONLY=1, because a shell can write. The Origin check of both makes sure that other web pages cannot open a shell. A kubectl proxy that you start yourself with --reject-paths has no such check.',
];

/** Elements that describe the rejection by the proxy. */
export function proxyRejection() {
  const [why, line, warning] = ENABLE;
  return [element('strong', {}, 'The proxy does not allow shells (403)'), element('p', {}, why), element('pre', {}, line), element('p', {}, warning)];
}

/** Elements that describe a missing right. */
const missingRight = (subresource, reason) => [element('strong', {}, `You may not create pods/${subresource}`), reason && element('p', {}, reason)];

/**
 * Whether the proxy rejects exec and attach. The patterns of --reject-paths are not anchored at the end, so they also match the longer
 * path `exec-check`. The apiserver does not have this path, so its audit log gets no exec.
 */
async function isRejected(client, { namespace, name }) {
  const response = await client.request(`/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/exec-check`);
  const text = await response.text();
  // A 403 of the apiserver is a Status; that of the proxy is not.
  return response.status === 403 && !/"kind":\s*"Status"/.test(text);
}

/**
 * Resolves to `{ exec, attach }`: for each the elements that explain why it is not possible, null if it is possible or if that is
 * unknown. `pod` has `namespace` and `name`.
 */
export async function rejections(client, pod) {
  if (await isRejected(client, pod).catch(() => false)) return { exec: proxyRejection(), attach: proxyRejection() };
  const right = async (subresource) => {
    const { allowed, reason } = await client.access('create', 'v1/pods', { ...pod, subresource }).catch(() => ({ allowed: true }));
    return allowed ? null : missingRight(subresource, reason);
  };
  const [exec, attach] = await Promise.all([right('exec'), right('attach')]);
  return { exec, attach };
}
