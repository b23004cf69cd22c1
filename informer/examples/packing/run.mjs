// Speed and memory of reading and packing objects in V8, compared with JSON.parse and a Map, in one process on the same bytes.
//
//   node informer/examples/packing/run.mjs LIST.json
//
// Builds the example with cargo and .ci/link.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? `${root}/target`;
const wasm = `${target}/wasm32-unknown-unknown/release/examples/packing.wasm`;
const inherit = { cwd: root, stdio: "inherit" };
execFileSync("cargo", ["build", "-q", "--release", "-p", "informer", "--example", "packing", "--target", "wasm32-unknown-unknown"], inherit);
execFileSync(".ci/link", ["bindgen", "--target", "nodejs", "--out-dir", `${target}/packing`, wasm], inherit);
const { Bench } = createRequire(import.meta.url)(`${target}/packing/packing.js`);

const bytes = readFileSync(process.argv[2]);
const text = bytes.toString();
const rounds = Number(process.env.ROUNDS ?? 15);
const bench = new Bench(bytes);
const works = {
  "JSON.parse and Map": () => {
    const map = new Map();
    for (const item of JSON.parse(text).items) map.set(`${item.metadata.namespace}/${item.metadata.name}`, item);
    return map.size;
  },
  outline: () => bench.outline(),
  "and cut": () => bench.cut(),
  "and compress": () => bench.compress(),
  "all in": () => {
    const count = bench.store();
    return count;
  },
};
const best = {};
// Turn by turn, so that what else the machine does falls on all of them.
for (let round = 0; round < rounds; round += 1) {
  for (const [name, work] of Object.entries(works)) {
    const start = performance.now();
    work();
    const time = performance.now() - start;
    best[name] = Math.min(best[name] ?? Infinity, time);
    bench.clear();
    if (globalThis.gc) globalThis.gc();
  }
}
const parse = best["JSON.parse and Map"];
for (const [name, time] of Object.entries(best)) {
  console.log(`${name.padEnd(20)} ${(bytes.length / 1e3 / time).toFixed(0).padStart(6)} MB/s ${(time / parse).toFixed(3)}`);
}
// What 100,000 of them take, with a map from their keys. Each turn has its own dictionary and label sets, which is more
// than one resource would have.
const before = bench.memory();
let objects = 0;
while (objects < 100_000) objects += bench.store();
const taken = bench.memory() - before;
const per = (total) => (total / objects).toFixed(0);
console.log(`${objects} objects: taken ${per(taken)} bytes each, of which records ${per(bench.records())}`);
const start = performance.now();
const inflated = bench.inflate();
console.log(`inflated ${(inflated / 1e3 / (performance.now() - start)).toFixed(0)} MB/s`);
bench.clear();
console.log(`compressed to ${bench.compress()} bytes`);
