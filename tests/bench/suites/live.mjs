// Cost of following a changing cluster: CPU of the renderer while pods change, over the network, without handlers.
import { changing } from '../churn.mjs';
import { Runner } from '../stage.mjs';
import { figure, unmeasured } from '../statistics.mjs';

export const title = 'following a living cluster';
export const sizes = (wanted) => wanted.filter((size) => size === 10_000 || size === 50_000);

const SECONDS = 5;
const contestants = ['ours', 'javascript'];

export async function measure({ browser, size, pairs, serving, say }) {
  const lines = [];
  for (const churn of [1000, 5000]) {
    lines.push(
      await serving({ pods: size, history: 200_000 }, (origin) =>
        follow({ browser, size, churn, origin, rounds: Math.min(pairs, 3), say }),
      ),
    );
  }
  return lines;
}

/** In sequence: two at a time would share the machine. */
async function follow({ browser, size, churn, origin, rounds, say }) {
  const about = { name: 'live CPU of an event', unit: 'µs', size, churn, against: 'javascript' };
  const samples = { ours: [], javascript: [] };
  const rates = [];
  for (let round = 0; round < rounds; round++) {
    for (const name of contestants) {
      const runner = await Runner.open(browser, origin, name);
      try {
        await runner.call('sync');
        let used;
        const rate = await changing(origin, churn, async () => {
          // Compilers have finished by then.
          await new Promise((resolve) => setTimeout(resolve, 1000));
          const before = await runner.cpu();
          await new Promise((resolve) => setTimeout(resolve, SECONDS * 1000));
          used = (await runner.cpu()) - before;
        });
        rates.push(rate);
        samples[name].push((1000 * used) / (rate * SECONDS));
      } catch (error) {
        say(`${name}: ${error.message.split('\n')[0]}`);
        return unmeasured({ ...about, reason: error.message.split('\n')[0] });
      } finally {
        await runner.close();
      }
    }
  }
  const note = `${Math.round(rates.reduce((sum, rate) => sum + rate, 0) / rates.length)} events a second came`;
  return figure({ ...about, value: samples.ours, baseline: samples.javascript, note });
}
