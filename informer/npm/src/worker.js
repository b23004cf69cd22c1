// The worker's file, for a SharedWorker and for a Worker. Both handlers stand before anything is loaded: a port that
// comes first waits in `take`.
import { reportCrashes, take } from "./host.js";

self.onconnect = (event) => take(event.ports[0]);
self.onmessage = ({ data, ports }) => {
  if (data?.type === "port") take(ports[0]);
  else if (data?.type === "lead") lead(data.name).catch(({ message }) => self.postMessage({ failed: message }));
};
const lead = async (name) => (await import("./lead.js")).lead(name);
reportCrashes();
