// Leader: the worker of the elected tab, which serves the channel of each tab. See elected.js.
import { take } from "./host.js";
import { hold } from "./locks.js";

export async function lead(name) {
  // Held as long as the worker runs: its release shows that the worker has ended.
  const lock = await hold();
  self.postMessage({ lock });
  const known = new Set();
  const control = new BroadcastChannel(name);
  control.onmessage = ({ data }) => {
    // A tab may request its channel twice: once on its own, and once when it sees a new leader.
    if (data?.type !== "open" || known.has(data.address)) return;
    known.add(data.address);
    take(new BroadcastChannel(data.address), lock);
  };
  control.postMessage({ type: "lead" });
}
