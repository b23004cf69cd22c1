// Native comparison with client-go: each in a separate process, on the same apiserver.
//
// Both list at `resourceVersion=0` as client-go does, whole, as JSON and gzipped, then watch. client-go streams its first
// list since 1.35 (WatchListClient), which is measured, too. Protobuf, which client-go supports for generated types, cannot
// be measured: the embedded apiserver encodes protobuf from JSON (the suite `real` has a real one).
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../support/processes.mjs';
import { changing } from '../churn.mjs';
import { here, required, targetDir } from '../stage.mjs';
import { figure, unmeasured } from '../statistics.mjs';

export const title = 'the core outside the browser, beside client-go';

const ours = () => required(join(targetDir, 'native/bench-native'), 'run cargo build --profile native -p bench-native');

let built;
/** Builds client-go's program with the installed Go; takes a few minutes the first time. */
function clientGo() {
  built ??= (async () => {
    const program = join(targetDir, 'bench-client-go');
    const go = await run('go', ['version']).catch(() => {
      throw new Error('go is missing: install Go 1.26 or newer to measure beside client-go');
    });
    if (!existsSync(program)) console.log('  building client-go (a few minutes the first time)');
    await run('go', ['build', '-C', join(here, 'client-go'), '-o', program, '.'], { env: { CGO_ENABLED: '0' } });
    return { program, version: go.split(' ')[2] };
  })();
  return built;
}

const variants = {
  ours: async (url, seconds) => run(ours(), [url, `${seconds}`]),
  'client-go': async (url, seconds) => go(url, seconds, 'false'),
  'client-go, streaming list': async (url, seconds) => go(url, seconds, 'true'),
};

async function go(url, seconds, watchList) {
  const { program } = await clientGo();
  return run(program, ['-url', url, '-watch-seconds', `${seconds}`], {
    env: { KUBE_FEATURE_WatchListClient: watchList },
  });
}

export async function measure({ size, pairs, serving, say }) {
  const lines = await serving({ pods: size }, (url) => atRest(url, size, pairs, say));
  if (size !== 10_000 && size !== 50_000) return lines;
  for (const churn of [1000, 5000])
    lines.push(...(await serving({ pods: size, history: 200_000 }, (url) => watching(url, size, churn, pairs))));
  return lines;
}

/** Rounds of all contestants that respond, in sequence; the first round is not counted. */
async function rounds(url, seconds, names, pairs, say) {
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  const failures = {};
  for (let round = -1; round < pairs; round++) {
    for (const name of names.filter((name) => !failures[name])) {
      try {
        const sample = JSON.parse(await variants[name](url, seconds));
        if (round >= 0) samples[name].push(sample);
      } catch (error) {
        failures[name] = error.message.split('\n').at(-1);
        say?.(`${name}: ${failures[name]}`);
      }
    }
  }
  return { samples, failures };
}

async function atRest(url, size, pairs, say) {
  const { samples, failures } = await rounds(url, 0, Object.keys(variants), pairs, say);
  const lines = [];
  const goal = { ratio: true, below: 1 };
  for (const against of Object.keys(variants).slice(1)) {
    const failure = failures.ours ?? failures[against];
    const judged = against === 'client-go' ? goal : undefined;
    for (const [name, unit, field, by] of [
      ['native sync', 'ms', 'milliseconds', 1],
      ['native CPU until synced', 'ms', 'cpu', 1],
      ['native resident memory', 'MB', 'resident', 1e6],
      ['native peak memory', 'MB', 'peak', 1e6],
    ]) {
      if (failure) {
        lines.push(unmeasured({ name, unit, size, against, reason: failure }));
        continue;
      }
      const of = (which) => samples[which].map((sample) => sample[field] / by);
      // CPU time has steps of 10 ms.
      if (field === 'cpu' && size < 10_000) continue;
      lines.push(
        figure({ name, unit, size, against, value: of('ours'), baseline: of(against), goal: field === 'peak' ? undefined : judged }),
      );
    }
  }
  return lines;
}

async function watching(url, size, churn, pairs) {
  let measured;
  const rate = await changing(url, churn, async () => {
    measured = await rounds(url, 4, ['ours', 'client-go'], Math.min(pairs, 3));
  });
  const { samples, failures } = measured;
  const [failure] = Object.values(failures);
  const about = { name: 'native CPU of an event', unit: 'µs', size, churn, against: 'client-go' };
  if (failure) return [unmeasured({ ...about, reason: failure })];
  // If the apiserver cannot keep up, the readers are not measured.
  const judged = rate >= 0.9 * churn;
  const each = (name) => samples[name].map(({ watchCpu, events }) => (1000 * watchCpu) / events);
  return [
    figure({
      ...about,
      value: each('ours'),
      baseline: each('client-go'),
      goal: { ratio: true, below: 1 },
      judged,
      note: `${judged ? '' : 'not judged: '}${Math.round(rate)} events a second came`,
    }),
  ];
}
