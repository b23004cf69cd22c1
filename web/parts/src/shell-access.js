// Access to shells: whether the proxy and the user's rights allow them, and how to enable them.
import { element } from './dom.js';

/** Why the proxy refuses, and how to allow it. */
const ENABLE = [
  'kubectl proxy rejects exec and attach by default. To allow them, stop the dashboard and start it with:',
  'make dashboard EXEC=1',
  'The Origin check of make dashboard makes sure that other web pages cannot open a shell. A kubectl proxy that you start yourself with --reject-paths has no such check.',
];

/** Elements that describe the refusal of the proxy. */
export function ofProxy() {
  const [why, line, warning] = ENABLE;
  return [element('strong', {}, 'The proxy does not allow shells (403)'), element('p', {}, why), element('pre', {}, line), element('p', {}, warning)];
}

/** Elements that describe a missing right. */
const ofRights = (subresource, reason) => [element('strong', {}, `You may not create pods/${subresource}`), reason && element('p', {}, reason)];

/**
 * Whether the proxy rejects exec and attach. The patterns of --reject-paths have no end, so a longer path tells the same. The
 * server does not know it, and audits no exec.
 */
async function isRejected(client, { namespace, name }) {
  const response = await client.request(`/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/exec-check`);
  const text = await response.text();
  // A refusal of the cluster is a Status; the proxy's is not.
  return response.status === 403 && !/"kind":\s*"Status"/.test(text);
}

/**
 * Resolves to the elements that say why a shell is not possible: `{ exec, attach }`, null where it is, or where that is not
 * known. `pod` has `namespace` and `name`.
 */
export async function refusals(client, pod) {
  if (await isRejected(client, pod).catch(() => false)) return { exec: ofProxy(), attach: ofProxy() };
  const right = async (subresource) => {
    const { allowed, reason } = await client.access('create', 'v1/pods', { ...pod, subresource }).catch(() => ({ allowed: true }));
    return allowed ? null : ofRights(subresource, reason);
  };
  const [exec, attach] = await Promise.all([right('exec'), right('attach')]);
  return { exec, attach };
}
