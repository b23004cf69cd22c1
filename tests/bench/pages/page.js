// Page of a contestant: runs it in a worker or in the page itself, and forwards calls.
import { open } from './place.js';

let local;
let worker;
let last = 0;
const waiting = new Map();
/** Durations of this thread's tasks of more than 50 ms, in milliseconds. */
const longTasks = [];
new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' });

function ask(method, args) {
  const id = ++last;
  worker.postMessage({ id, method, args });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

window.open_ = async (name, where) => {
  if (where === 'page') {
    local = await open(name);
    return;
  }
  worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data: { id, result, error } }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error) reject(new Error(error));
    else resolve(result);
  };
  await ask('open', [name]);
};

window.call = (method, args) => {
  if (method === 'longTasks') return longTasks.splice(0);
  return local ? local(method, args) : ask(method, args);
};
