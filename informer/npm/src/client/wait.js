// Wait for a request that several callers share: a signal ends the wait, not the request.
import { onAbort } from "../promises.js";

export function waitFor(request, signal) {
  if (!signal) return request;
  return new Promise((resolve, reject) => {
    const unsubscribe = onAbort(signal, reject);
    request.then(resolve, reject).finally(unsubscribe);
  });
}
