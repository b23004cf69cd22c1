#!/usr/bin/env bash
# Builds the npm package: informer/npm/dist/, and from it the tarball beside it.
#
#   informer/npm/build.sh         the package
#   informer/npm/build.sh quick   its files for a page on this machine (web/build.sh quick), in the target folder: the wasm is
#                                 compiled faster and not shrunk, and there is no tarball
set -euo pipefail
# shellcheck source=.ci/env.sh
. "$(dirname "$0")/../../.ci/env.sh"
cd "$root"
npm_dir=$root/informer/npm
profile=${1:-release}
case $profile in
  release) dist=$npm_dir/dist ;;
  quick) dist=$target_dir/npm/quick-package ;;
  *) die "usage: informer/npm/build.sh [quick]" ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

version=$(awk -F '"' '/^\[workspace.package\]/ { found = 1 } found && /^version/ { print $2; exit }' Cargo.toml)
[ -n "$version" ] || die "Cargo.toml does not name the workspace's version."
for tool in cargo node npm; do
  has "$tool" || die "$tool is missing: run make setup."
done

# Panic messages name source files. The folders of this machine are private, so they are cut off; and
# as flags are part of what cargo compares, these builds have a target folder of their own.
# web/build.sh wants to know how far it is.
export CARGO_TERM_QUIET=${CARGO_TERM_QUIET:-true}
cargo fetch --quiet --locked
flags=
if [ "$profile" = release ]; then
  flags="--remap-path-prefix=$root= --remap-path-prefix=$(rustc --print sysroot)="
  for sources in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/; do
    [ ! -d "$sources" ] || flags="$flags --remap-path-prefix=$sources="
  done
fi
RUSTFLAGS="${RUSTFLAGS:-} $flags -C link-arg=--emit-relocs" cargo build --locked --profile "$profile" -p informer-engine --lib \
  --no-default-features --features split --target wasm32-unknown-unknown --target-dir "$target_dir/npm"
# Nothing is processed again if the same has been processed already.
compiled=$target_dir/npm/wasm32-unknown-unknown/$profile/informer_engine.wasm
stamp=$target_dir/npm/$profile.stamp
inputs=("$compiled" "$npm_dir" "$npm_dir/README.md" Cargo.toml LICENSE
  .ci/link .ci/order.mjs .ci/short-imports.mjs .ci/shrink .ci/wasm-file.mjs .ci/wasm-link tests/package-lock.json)
parts=$target_dir/npm/$profile-parts
outputs=("$dist" "$parts")
[ "$profile" = quick ] || outputs+=("$npm_dir/kube-informer-$version.tgz")
options="$version $(command -v wasm-opt || echo without wasm-opt)"
if node .ci/unchanged.mjs "$stamp" "$options" "${inputs[@]}" -- "${outputs[@]}"; then
  say "npm package: up to date"
  exit
fi
# What is loaded when it is first needed goes into files of their own: informer/engine/src/engine/entries.rs.
rm -rf "$parts"
.ci/link split --out-name engine "$compiled" "$parts"
# All that the second file needs, the third and the fourth one need, too, so the splitter puts it into a module of all.
shared=$(echo "$parts"/chunk_*.wasm)
[ -f "$shared" ] || die "the code of deferred.wasm is not one module: $shared"
# Names stay until the files are shrunk.
.ci/link bindgen --target web --keep-lld-exports --keep-debug --omit-default-module-path --no-typescript \
  --remove-producers-section --out-name engine --out-dir "$work/bindgen" "$parts/engine.wasm"

shrink=.ci/shrink
[ "$profile" = release ] || shrink=cp
"$shrink" "$work/bindgen/engine_bg.wasm" "$work/informer.wasm"
"$shrink" "$shared" "$work/deferred.wasm"
"$shrink" "$parts/split_deferred.wasm" "$work/entry.wasm"
"$shrink" "$parts/split_extras.wasm" "$work/extras.wasm"
"$shrink" "$parts/split_protobuf.wasm" "$work/protobuf.wasm"
node .ci/short-imports.mjs "$work/informer.wasm" "$work/bindgen/engine.js" ./engine_bg.js
# The entry of the second file, of some 300 bytes, goes into it (informer/npm/src/deferred.js); and a mark of the build goes into
# each file, so that none is ever joined with another build's.
node --input-type=module - "$work" informer.wasm deferred.wasm extras.wasm protobuf.wasm <<'EOF'
import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { section, sized } from './.ci/wasm-file.mjs';
const [folder, ...files] = process.argv.slice(2);
const mark = (file, name, bytes) => appendFileSync(`${folder}/${file}`, section(0, Buffer.concat([sized(Buffer.from(name)), bytes])));
mark('deferred.wasm', 'entry', readFileSync(`${folder}/entry.wasm`));
const hash = createHash('sha256');
for (const file of files) hash.update(readFileSync(`${folder}/${file}`));
const build = hash.digest().subarray(0, 8);
for (const file of files) mark(file, 'kube-informer', build);
EOF
node -e '
  const module = new WebAssembly.Module(require("fs").readFileSync(process.argv[1]));
  const foreign = WebAssembly.Module.imports(module).filter(({ module }) => module === "env");
  if (foreign.length === 0) process.exit(0);
  console.error(`error: the wasm wants from "env", which no browser has: ${foreign.map(({ name }) => name).join(", ")}`);
  process.exit(1);
' "$work/informer.wasm"

rm -rf "$dist"
mkdir -p "$dist"
cp "$npm_dir"/src/*.d.ts "$dist"
cp -R "$npm_dir/src/types" "$dist"
# Comments are a sixth of what a page would download. They are lines of their own in these files.
mkdir -p "$dist/client"
for file in "$npm_dir"/src/*.js "$npm_dir"/src/client/*.js; do
  sed -E '/^ *(\/\/|\/\*\*|\* |\*\/)/d' "$file" >"$dist/${file#"$npm_dir"/src/}"
done
# The splitter's own loader knows one place, and no page may name it another.
sed 's#^import \(.*\) from "./__wasm_split.js"#import \1 from "./deferred.js"#' "$work/bindgen/engine.js" >"$dist/engine.js"
grep -q 'from "./deferred.js"' "$dist/engine.js" || die "engine.js does not import the loader of deferred.wasm."
cp "$work/informer.wasm" "$work/deferred.wasm" "$work/extras.wasm" "$work/protobuf.wasm" "$dist"
# The shared worker's name.
sed -i.bak "s/kube-informer@0\.0\.0/kube-informer@$version/" "$dist/engine-host.js" && rm "$dist/engine-host.js.bak"
grep -q "kube-informer@$version" "$dist/engine-host.js" || die "the version did not get into the worker's name."

if [ "$profile" = quick ]; then
  node .ci/unchanged.mjs --record "$stamp" "$options" "${inputs[@]}" -- "${outputs[@]}"
  exit
fi

# Packed elsewhere: the package.json of the tree has neither the version nor any use for the tests' scripts there.
package=$work/package
rm -f "$npm_dir"/*.tgz
mkdir -p "$package"
cp -R "$dist" "$npm_dir/README.md" "$package"
[ ! -f LICENSE ] || cp LICENSE "$package"
node -e '
  const [from, to, version] = process.argv.slice(1);
  const { scripts, ...manifest } = JSON.parse(require("fs").readFileSync(from, "utf8"));
  require("fs").writeFileSync(to, `${JSON.stringify({ ...manifest, version }, null, 2)}\n`);
' "$npm_dir/package.json" "$package/package.json" "$version"
(cd "$package" && npm pack --silent --pack-destination "$npm_dir" >/dev/null)

node - "$npm_dir/kube-informer-$version.tgz" "$dist" <<'EOF'
const { readFileSync, readdirSync } = require("fs");
const { gzipSync } = require("zlib");
const [tarball, dist] = process.argv.slice(2);
const show = (what, raw, gzip) => console.log(`${what.padEnd(34)} ${String(raw).padStart(8)} ${gzip ? String(gzip).padStart(8) : ""}`);
const sum = (what, names) => {
  const bytes = Buffer.concat(names.map((name) => readFileSync(`${dist}/${name}`)));
  show(what, bytes.length, gzipSync(bytes, { level: 9 }).length);
};
const facade = readdirSync(dist).filter((name) => name.endsWith(".js") && !["access.js", "aggregate.js", "deferred.js", "elected.js", "engine.js", "host.js", "leader.js", "numbers.js", "react.js", "recording.js", "render-cache.js", "search.js", "suspense.js", "view-store.js", "wait-for.js", "worker.js"].includes(name));
show("bytes", "raw", "gzip -9");
sum("informer.wasm", ["informer.wasm"]);
sum("deferred.wasm", ["deferred.wasm"]);
sum("extras.wasm", ["extras.wasm"]);
sum("protobuf.wasm", ["protobuf.wasm"]);
sum("engine.js (wasm-bindgen's glue)", ["engine.js"]);
sum("worker.js, host.js, deferred.js", ["worker.js", "host.js", "deferred.js"]);
sum("elected.js, leader.js", ["elected.js", "leader.js"]);
sum("aggregate.js", ["aggregate.js"]);
sum("recording.js", ["recording.js"]);
sum("numbers.js", ["numbers.js"]);
sum("access.js", ["access.js"]);
sum("wait-for.js", ["wait-for.js"]);
sum("the entry for React", ["react.js", "render-cache.js", "suspense.js", "view-store.js"]);
sum("the page's part, not minified", facade);
show("tarball", readFileSync(tarball).length);
EOF
node .ci/unchanged.mjs --record "$stamp" "$options" "${inputs[@]}" -- "${outputs[@]}"
