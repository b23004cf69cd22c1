// CPU profile of the engine's worker, by wasm function.
//
//   node tests/bench/profile.mjs [PODS=10000] [EVENTS=10000]    without events, only the requests of a page
//
// The wasm is the package's before wasm-opt, all of its files, with function names. Responses come from memory.
import { cp, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { section, sized } from '../../.ci/wasm-file.mjs';
import { run } from '../support/processes.mjs';
import { record } from './record.mjs';
import { launch, required, Runner, stageFiles, startApiserver, targetDir } from './stage.mjs';

const [pods = 10_000, events = 10_000] = process.argv.slice(2).map(Number);

/** Self time by function, in descending order. */
function selfTimes({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node.callFrame]));
  const times = new Map();
  samples.forEach((id, index) => {
    const { functionName, url } = byId.get(id);
    const where = url.startsWith('wasm:') ? 'wasm' : url.split('/').at(-1);
    const name = `${functionName || '(anonymous)'}${where ? `  [${where}]` : ''}`;
    times.set(name, (times.get(name) ?? 0) + timeDeltas[index] / 1000);
  });
  return [...times].sort(([, a], [, b]) => b - a);
}

function show(title, profile, most = 40) {
  const times = selfTimes(profile).filter(([name]) => name !== '(idle)');
  const total = times.reduce((sum, [, time]) => sum + time, 0);
  console.log(`\n${title}: ${total.toFixed(0)} ms of work\n`);
  for (const [name, time] of times.slice(0, most)) {
    console.log(`${time.toFixed(1).padStart(9)} ms ${((100 * time) / total).toFixed(1).padStart(5)} %  ${name}`);
  }
}

const files = await stageFiles();
const ends = [files.remove];
try {
  const parts = required(join(targetDir, 'npm/release-parts'), 'run make npm');
  const named = join(files.folder, 'named');
  await run('.ci/link', [
    'bindgen',
    '--target',
    'web',
    '--keep-lld-exports',
    '--omit-default-module-path',
    '--no-typescript',
    '--out-name',
    'engine',
    '--out-dir',
    named,
    join(parts, 'engine.wasm'),
  ]);
  await cp(join(named, 'engine_bg.wasm'), join(files.folder, 'package/informer.wasm'));
  // The code of the second file, and its entry, which the package has as a section of it (informer/npm/build.sh).
  const shared = (await readdir(parts)).find((file) => /^chunk_\d+\.wasm$/.test(file));
  const entry = section(0, Buffer.concat([sized(Buffer.from('entry')), await readFile(join(parts, 'split_deferred.wasm'))]));
  await writeFile(join(files.folder, 'package/deferred.wasm'), Buffer.concat([await readFile(join(parts, shared)), entry]));
  await cp(join(parts, 'split_extras.wasm'), join(files.folder, 'package/extras.wasm'));
  await cp(join(parts, 'split_protobuf.wasm'), join(files.folder, 'package/protobuf.wasm'));
  const glue = await readFile(join(named, 'engine.js'), 'utf8');
  await writeFile(join(files.folder, 'package/engine.js'), glue.replace('from "./__wasm_split.js"', 'from "./deferred.js"'));
  const browser = await launch();
  ends.unshift(() => browser.close());
  if (events > 0) {
    const summary = await record(join(files.folder, 'recorded/profile'), { pods, events });
    console.log(
      `${pods} pods, ${(summary.listBytes / 1e6).toFixed(1)} MB of lists; ${summary.events} events, ${(summary.watchBytes / 1e6).toFixed(1)} MB of watch`,
    );
    const server = await startApiserver({ pods: 10, www: files.folder });
    ends.unshift(server.stop);
    const runner = await Runner.open(browser, server.url, 'ours');
    await runner.call('record', '/ui/recorded/profile');
    // The first round is a warm-up: V8 optimises wasm while it runs.
    await runner.call('sync');
    await runner.call('stop');
    show(`first list of ${pods} pods`, await runner.devtools.profile(() => runner.call('sync')));
    await runner.call('stop');
    await runner.call('syncAndHold');
    show(`${summary.events} events on ${pods} pods`, await runner.devtools.profile(() => runner.call('watch')));
    await runner.close();
  }

  const full = await startApiserver({ pods, www: files.folder });
  ends.unshift(full.stop);
  const reads = await Runner.open(browser, full.url, 'reads', 'page');
  await reads.call('sync');
  for (const [what, times] of [
    ['sort', 6],
    ['filter', 6],
    // The first letter.
    ['filter', 1],
  ]) {
    const work = async () => {
      for (let time = 0; time < 24; time += times) await reads.call(what, times);
    };
    await reads.call(what, times);
    show(`${24 / times} times ${what} of ${pods} pods, ${times} of it`, await reads.devtools.profile(work), 20);
  }
} finally {
  for (const end of ends) await end();
}
