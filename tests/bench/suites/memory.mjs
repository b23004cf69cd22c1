// Memory of the cache: ours with an open view, compared with the JSON on the wire and with V8's heap.
//
// A wasm memory never shrinks, so its size is its high-water mark, including the peak of the first list.
import { Runner } from '../stage.mjs';
import { figure, unmeasured } from '../statistics.mjs';

export const title = 'memory';

/** Maximum number of rounds, each in a new worker: a used memory would hide its peak. */
const TIMES = 3;

export async function measure({ browser, size, pairs, serving, say }) {
  return serving({ pods: size }, async (origin) => {
    const [wasm, all, held, heap, wire] = [[], [], [], [], []];
    let failure;
    for (let time = 0; time < Math.min(TIMES, pairs); time++) {
      const ours = await Runner.open(browser, origin, 'ours');
      const empty = await ours.devtools.heap();
      const synced = await ours.call('sync');
      const { total } = await ours.call('view');
      if (total !== size) throw new Error(`the view has ${total} rows of ${size}`);
      const { memory, held: bytes } = await ours.call('size');
      const { used } = await ours.devtools.heap();
      wasm.push(memory);
      // The worker's own heap, minus that of an empty worker.
      all.push(memory + Math.max(0, used - empty.used));
      held.push(bytes);
      wire.push(synced.bytes);
      await ours.close();
      if (failure) continue;
      const javascript = await Runner.open(browser, origin, 'javascript');
      try {
        const before = await javascript.devtools.heap();
        await javascript.call('sync');
        const after = await javascript.devtools.heap();
        heap.push(after.used - before.used);
      } catch (error) {
        failure = error.message.split('\n')[0];
        say(`javascript: ${failure}`);
      }
      await javascript.close();
    }
    const mega = (bytes) => bytes.map((count) => count / 1e6);
    const goals =
      size === 100_000
        ? [
            { ratio: true, atMost: 0.125 },
            { ratio: true, atMost: 0.1 },
          ]
        : [];
    const lines = [
      figure({
        name: 'memory, all in',
        unit: 'MB',
        size,
        against: 'JSON on the wire',
        value: mega(all),
        baseline: mega(wire),
        goal: goals[0],
        note: 'wasm memory at its peak and the heap of its worker, with one view open',
      }),
    ];
    if (failure)
      lines.push(
        unmeasured({ name: 'memory, all in', unit: 'MB', size, against: 'V8 heap', goal: goals[1] && 'ratio ≤ 0.1', reason: failure }),
      );
    else
      lines.push(
        figure({
          name: 'memory, all in',
          unit: 'MB',
          size,
          against: 'V8 heap',
          value: mega(all),
          baseline: mega(heap),
          goal: goals[1],
          note: 'V8: parsed objects in a Map, after collection',
        }),
      );
    lines.push(figure({ name: 'bodies in the cache', unit: 'MB', size, value: mega(held), note: 'status.bytes' }));
    return lines;
  });
}
