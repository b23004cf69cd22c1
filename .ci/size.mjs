// Prints the downloads of a browser as a markdown table: raw, and as the usual servers would compress them; and whether the
// npm package's engine, which every page of it loads, is below its limit. Fails if a limit is passed.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const files = ['dist', 'informer/npm/dist'].flatMap((folder) => {
  try {
    return readdirSync(folder, { recursive: true })
      .filter((name) => /\.(wasm|js|mjs|css)$/.test(name))
      .map((name) => join(folder, name))
      .sort();
  } catch {
    return []; // not built: the table says so by leaving it out
  }
});

if (files.length === 0) {
  console.error('error: neither dist nor informer/npm/dist is there: run make build or make npm first.');
  process.exit(1);
}

const bytes = (n) => n.toLocaleString('en-US');
console.log('| file | raw | gzip -9 | brotli -q 11 |\n|---|--:|--:|--:|');
for (const file of files) {
  const raw = readFileSync(file);
  const gzip = gzipSync(raw, { level: 9 });
  const brotli = brotliCompressSync(raw, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: raw.length },
  });
  // Without the hash in the name, so that two runs of the table can be compared.
  const name = file.replace(/-[0-9a-f]{12,16}(?=[_.])/, '');
  console.log(`| ${name} | ${bytes(raw.length)} | ${bytes(gzip.length)} | ${bytes(brotli.length)} |`);
}

// The engine of the npm package, gzip -9: its goal and its limit. 1 KB is 1,024 bytes.
const engine = 'informer/npm/dist/informer.wasm';
const goal = 120 * 1024;
const limit = 160 * 1024;
if (files.includes(engine)) {
  const size = gzipSync(readFileSync(engine), { level: 9 }).length;
  const than = (bound) => `${size > bound ? `${bytes(size - bound)} more` : `${bytes(bound - size)} less`} than`;
  if (size > limit) process.exitCode = 1;
  const verdict = size <= goal ? 'at its goal' : size <= limit ? 'within its limit' : 'TOO LARGE';
  console.log(`\n${engine} is ${verdict}: ${bytes(size)} bytes, ${than(goal)} the goal of 120 KB and ${than(limit)} the limit of 160 KB.`);
}

// The dashboard: its page's wasm, which holds no engine, and all that a first visit of pods fetches.
const page = files.find((file) => /^dist\/web-[0-9a-f]+_bg\.wasm$/.test(file));
if (page) {
  const gzipped = (names) => names.reduce((sum, name) => sum + gzipSync(readFileSync(name), { level: 9 }).length, 0);
  // Omitted files are loaded only without SharedWorker, for options that the dashboard does not use, with several clusters, for a list
  // of more than 500 objects, or on first use: logs, actions, the editor, the terminal.
  const rare = /^dist\/kube-informer\/(aggregate|elected|leader|numbers|recording|search|slim)\.js$|^dist\/kube-informer\/protobuf\.wasm$|^dist\/clusters(-frame|-tab)?\.(js|css)$|^dist\/(parts|kube-informer\/client)\//;
  // Loaded when the browser is idle after the first rows, or when it is needed.
  const later = files.filter((file) => /^dist\/(web-[0-9a-f]+_deferred\.wasm|kube-informer\/extras\.wasm|(columns|inspector|namespaces|object|timeline)\.css)$/.test(file));
  const first = [...files.filter((file) => file.startsWith('dist/') && !rare.test(file) && !later.includes(file)), 'dist/index.html', 'dist/icon.svg'];
  for (const [what, size, bound] of [
    ["The page's wasm", gzipped([page]), 250 * 1024],
    ['All that a first load fetches until the first rows', gzipped(first), 620 * 1024],
  ]) {
    // With an engine in it, the page's wasm would be too large: that limit also keeps it out.
    if (size > bound) process.exitCode = 1;
    const verdict = size > bound ? `TOO LARGE by ${bytes(size - bound)}` : `${bytes(bound - size)} within its limit`;
    console.log(`${what}: ${bytes(size)} bytes, ${verdict} (${bytes(bound)}).`);
  }
  console.log(`Fetched after them, when the browser is idle: ${bytes(gzipped(later))} bytes.`);
}
