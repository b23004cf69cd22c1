// Memory of a relist of unchanged objects: the old and the new state coexist for a while.
import { Runner } from '../stage.mjs';
import { figure } from '../statistics.mjs';

export const title = 'a relist of what has not changed';
export const sizes = (wanted) => wanted.filter((size) => size <= 50_000);

export async function measure({ browser, size, pairs, serving }) {
  return serving({ pods: size }, async (origin) => {
    const [steady, peak] = [[], []];
    for (let time = 0; time < Math.min(3, pairs); time++) {
      const ours = await Runner.open(browser, origin, 'ours');
      await ours.call('sync');
      await ours.call('view');
      await phase(ours, ({ phase }) => phase === 'watching');
      steady.push(await ours.call('memory'));
      const before = await ours.call('status');
      // Every version up to now is expired, and the watch has to be reopened.
      for (const order of ['compact', 'cut-watches']) {
        const response = await fetch(`${origin}/admin/${order}`, { method: 'POST' });
        if (!response.ok) throw new Error(`/admin/${order}: HTTP ${response.status}`);
      }
      await phase(ours, ({ phase, relists, objects }) => phase === 'watching' && relists > before.relists && objects === size);
      peak.push(await ours.call('memory'));
      await ours.close();
    }
    const mega = (bytes) => bytes.map((count) => count / 1e6);
    const goal = size === 50_000 ? { ratio: true, atMost: 1.2 } : undefined;
    return [
      figure({
        name: 'relist, peak memory',
        unit: 'MB',
        size,
        against: 'before it',
        value: mega(peak),
        baseline: mega(steady),
        goal,
        note: 'wasm memory; the first list has had its own peak before',
      }),
    ];
  });
}

async function phase(runner, check) {
  const deadline = performance.now() + 120_000;
  for (;;) {
    const status = await runner.call('status');
    if (check(status)) return;
    if (performance.now() > deadline) throw new Error(`the relist did not come to its end: ${JSON.stringify(status)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
