// In the worker of the tab that was elected: opens an end of each channel that a tab asks for. See elected.js.
import { take } from "./host.js";
import { hold } from "./locks.js";

export async function lead(name) {
  // Never let go: who waits for it learns of the worker's end.
  const lock = await hold();
  self.postMessage({ lock });
  const known = new Set();
  const control = new BroadcastChannel(name);
  control.onmessage = ({ data }) => {
    // A tab that has asked in vain asks again when it hears of a leader.
    if (data?.type !== "open" || known.has(data.address)) return;
    known.add(data.address);
    take(new BroadcastChannel(data.address), lock);
  };
  control.postMessage({ type: "lead" });
}
