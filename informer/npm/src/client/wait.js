// Wait for a request that several callers share.
import { onAbort } from "../promises.js";

/** Settles as the request does, or rejects with the signal's reason. The request continues for other callers. */
export function waitFor(request, signal) {
  if (!signal) return request;
  return new Promise((resolve, reject) => {
    const unsubscribe = onAbort(signal, reject);
    request.then(resolve, reject).finally(unsubscribe);
  });
}
