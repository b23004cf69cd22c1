// Entry of the worker, for a SharedWorker and for a Worker. Both handlers are set before anything is loaded; `take` queues
// the messages of early ports.
//
// Nothing that it imports uses `import()`: Vite before 8 builds a worker as one file.
import { reportCrashes, take } from "./host.js";
import { lead } from "./leader.js";

self.onconnect = (event) => take(event.ports[0]);
self.onmessage = ({ data, ports }) => {
  if (data?.type === "port") take(ports[0]);
  else if (data?.type === "lead") lead(data.name).catch(({ message }) => self.postMessage({ failed: message }));
};
reportCrashes();
