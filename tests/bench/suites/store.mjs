// Cost of decoding and storing lists, without a network.
//
// Ours cannot be called with bytes directly, so it lists from a `fetch` that responds from memory, and the cost of that alone
// (the same streams, read and discarded) is subtracted. The other side is JSON.parse of the same bytes into a Map, without
// further code.
import { Runner } from '../stage.mjs';
import { figure, unmeasured } from '../statistics.mjs';

export const title = 'lists into the store, out of memory';
const goal = { ratio: true, atMost: 0.25 };

export async function measure({ browser, size, pairs, serving, recorded, say }) {
  const recording = await recorded(size);
  return serving({ pods: 10 }, async (origin) => {
    const [ours, download, javascript] = await Promise.all(
      ['ours', 'download', 'javascript'].map((name) => Runner.open(browser, origin, name)),
    );
    for (const runner of [ours, download, javascript]) await runner.call('record', recording.path);
    const samples = { ours: [], download: [], parse: [] };
    let failure;
    try {
      for (let round = -1; round < pairs; round++) {
        const of = { ours: await ours.timed('sync') };
        await ours.call('stop');
        of.download = await download.timed('sync');
        of.parse = await javascript.timed('parse');
        await javascript.call('stop');
        // The first round is a warm-up.
        if (round >= 0) for (const name of Object.keys(of)) samples[name].push(of[name]);
      }
    } catch (error) {
      failure = error.message.split('\n')[0];
      say(failure);
    }
    for (const runner of [ours, download, javascript]) await runner.close();
    const note = `${(recording.listBytes / 1e6).toFixed(1)} MB of JSON`;
    if (failure)
      return [
        unmeasured({ name: 'decode and store', unit: 'ms', size, against: 'JSON.parse and Map', goal: 'ratio ≤ 0.25', reason: failure }),
      ];
    const times = (name, what = 'milliseconds') => samples[name].map((sample) => sample[what]);
    const net = (what) => times('ours', what).map((time, pair) => time - times('download', what)[pair]);
    const lines = [
      figure({
        name: 'decode and store',
        unit: 'ms',
        size,
        against: 'JSON.parse and Map',
        value: net('milliseconds'),
        baseline: times('parse'),
        goal,
        note: `${note}; reading the same streams taken off`,
      }),
      figure({
        name: 'decode and store, streams included',
        unit: 'ms',
        size,
        against: 'JSON.parse and Map',
        value: times('ours'),
        baseline: times('parse'),
        note,
      }),
    ];
    if (size >= 10_000) {
      lines.push(
        figure({
          name: 'CPU to decode and store',
          unit: 'ms',
          size,
          against: 'JSON.parse and Map',
          value: net('cpu'),
          baseline: times('parse', 'cpu'),
          note: 'all threads of the renderer',
        }),
      );
    }
    return lines;
  });
}
