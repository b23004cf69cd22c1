// The worker's file, for a SharedWorker and for a Worker. Both handlers stand before anything is loaded: a port that
// comes first waits in `take`.
import { reportCrashes, take } from "./host.js";

self.onconnect = (event) => take(event.ports[0]);
self.onmessage = (event) => {
  if (event.data?.type === "port") take(event.ports[0]);
};
reportCrashes();
