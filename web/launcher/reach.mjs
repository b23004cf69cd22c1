// Reach: whether the apiserver of a context answers through `kubectl proxy`, and accepts the user's credentials.
import { request } from 'node:http';
import { LaunchError } from './options.mjs';

/** Maximum number of characters of the reason that kubectl proxy gives. */
const REASON = 200;

/** Sends GET /version to a proxy at `where`, the options of a request. Resolves to `{ status, type, text }` of the response. */
const version = (where) =>
  new Promise((resolve, reject) => {
    const sent = request({ ...where, path: '/version', headers: { host: 'localhost' } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text = (text + chunk).slice(0, 4096)));
      response.on('end', () => resolve({ status: response.statusCode, type: response.headers['content-type'] ?? '', text })).on('error', reject);
    });
    sent.on('error', reject).end();
  });

/**
 * Resolves when the apiserver has answered; throws a `LaunchError` if it cannot be reached or rejects the credentials. `kubectl proxy`
 * starts without asking it, and reads the kubeconfig once, so that a page with rejected credentials would never work. There is no
 * deadline, because a credential plugin may be asking the user to log in.
 */
export async function reach(where, context) {
  const name = JSON.stringify(context);
  let response;
  try {
    response = await version(where);
  } catch {
    return; // The proxy has ended, which is reported with its own messages.
  }
  const { status, type, text } = response;
  if (status === 401) throw new LaunchError(`The apiserver of ${name} rejects your credentials (401). Log in again, then run this command again.`);
  // An apiserver's own error is JSON, and of this request only; the page shows those of its own. That of kubectl proxy is text.
  if (status < 500 || !type.startsWith('text/plain')) return;
  const reason = text.replaceAll(/[\s\p{C}]+/gu, ' ').trim().slice(0, REASON);
  throw new LaunchError(`The apiserver of ${name} does not answer (${reason || status}). Check the network or the VPN, or choose another context with --context.`);
}
