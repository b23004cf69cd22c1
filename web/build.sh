#!/usr/bin/env bash
# Builds the dashboard into dist/ (`make build`): compiles only changed inputs.
#
#   web/build.sh             the page
#   web/build.sh quick       a page for this machine, compiled in half the time and ten times as large; prints its folder, which
#                            is not dist/ (`make t`)
#   web/build.sh any         dist/ if it is up to date, otherwise the quick page; prints its folder
#   web/build.sh any apiserver
#                            and beside it the embedded apiserver, which `make dashboard DEMO=1` serves the page from
#   web/build.sh parts       only what Trunk cannot make: the linked wasm with its glue, and the npm package
#   web/build.sh place       puts the linked wasm into Trunk's page (Trunk.toml)
#
# www/index.html lists the parts of the page, in Trunk's language, so that `make serve` can serve the same page.
set -euo pipefail
# shellcheck source=.ci/env.sh
. "$(dirname "$0")/../.ci/env.sh"
cd "$root"
has node || die "node is missing: install Node.js 20 or newer, with npm, and run this again."
CARGO_TARGET_DIR=$target_dir exec node web/build/main.mjs "$@" </dev/null
