// The worker's file, for a SharedWorker and for a Worker. Both handlers stand before anything is loaded: a port that
// comes first waits in `take`.
import { reportCrashes, take } from "./host.js";

self.onconnect = (event) => take(event.ports[0]);
self.onmessage = async ({ data, ports }) => {
  if (data?.type === "port") take(ports[0]);
  else if (data?.type === "lead") (await import("./lead.js")).lead(data.name);
};
reportCrashes();
