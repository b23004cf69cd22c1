// Throughput of watch events: recorded bytes at maximum speed, without handlers.
import { Runner } from '../stage.mjs';
import { figure, unmeasured } from '../statistics.mjs';

export const title = 'events of a watch, out of memory';
// The cost of an event is the same in a cache of 100,000.
export const sizes = (wanted) => wanted.filter((size) => size <= 50_000);

export async function measure({ browser, size, pairs, serving, recorded, say }) {
  const recording = await recorded(size);
  const names = ['ours', 'javascript', 'client-node'];
  return serving({ pods: 10 }, async (origin) => {
    const runners = {};
    const samples = {};
    const failures = {};
    for (const name of names) {
      samples[name] = [];
      runners[name] = await Runner.open(browser, origin, name);
      await runners[name].call('record', recording.path);
    }
    for (let round = -1; round < pairs; round++) {
      for (const name of names.filter((name) => !failures[name])) {
        try {
          await runners[name].call('syncAndHold');
          const sample = await runners[name].timed('watch');
          await runners[name].call('stop');
          if (round >= 0) samples[name].push(sample);
        } catch (error) {
          failures[name] = error.message.split('\n')[0];
          say(`${name}: ${failures[name]}`);
        }
      }
    }
    for (const runner of Object.values(runners)) await runner.close();
    const rates = (name, what) => samples[name].map((sample) => (1000 * sample.events) / sample[what]);
    const note = `${recording.events} events, ${(recording.watchBytes / 1e6).toFixed(1)} MB`;
    const lines = [];
    for (const against of ['javascript', 'client-node']) {
      const failure = failures.ours ?? failures[against];
      if (failure) {
        lines.push(unmeasured({ name: 'watch', unit: 'events/s', size, against, reason: failure }));
        continue;
      }
      lines.push(
        figure({
          name: 'watch',
          unit: 'events/s',
          size,
          against,
          value: rates('ours', 'milliseconds'),
          baseline: rates(against, 'milliseconds'),
          goal: against === 'javascript' ? { ratio: true, atLeast: 5 } : undefined,
          note,
        }),
      );
      if (size < 10_000) continue;
      const cpu = (name) => samples[name].map((sample) => (1000 * sample.cpu) / sample.events);
      lines.push(
        figure({
          name: 'CPU of an event',
          unit: 'µs',
          size,
          against,
          value: cpu('ours'),
          baseline: cpu(against),
          note: 'all threads of the renderer',
        }),
      );
    }
    return lines;
  });
}
