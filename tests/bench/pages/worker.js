// The worker of a contestant.
import { open } from './place.js';

let local;
self.onmessage = async ({ data: { id, method, args } }) => {
  try {
    if (method === 'open') local = await open(...args);
    const result = method === 'open' ? undefined : await local(method, args);
    self.postMessage({ id, result });
  } catch (error) {
    self.postMessage({ id, error: String(error?.stack ?? error) });
  }
};
