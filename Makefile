# Entry point. Each target is a script that can also be run directly; PATH and versions are in .ci/.
.DEFAULT_GOAL := help
.PHONY: help setup dashboard build serve t check test npm npm-test pack demo docs size pictures bench chaos soak monkey simulate conformance fuzz mutants kube schema clean
# For web/serve.sh and tests/run.mjs, as `make dashboard DEMO=1` hands them over.
export CONTEXT PORT DEMO EXEC READONLY PROTECTED

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## bring the tools that are missing
	@.ci/setup test

dashboard: ## open the dashboard on the current cluster (CONTEXT=, PORT=8001, DEMO=1, EXEC=1, READONLY=1, PROTECTED="prod*")
	@web/serve.sh

build: ## build the dashboard into dist/
	@web/build.sh

serve: ## serve the page at http://127.0.0.1:8080 and build it again as its sources change (Trunk, beside `kubectl proxy`)
	@.ci/setup serve
	@web/build.sh
	@. .ci/env.sh && trunk serve

t: ## run the tests that a word names, in seconds (T=wat_26, T=silence, T="rows are sorted"; CLUSTER=kube)
	@CLUSTER=$(CLUSTER) tests/one "$(T)"

check: ## format, clippy, unit tests and types: two to three minutes once built
	@JOBS=$(JOBS) tests/run --check

test: ## run all checks and tests (STEPS="clippy e2e" runs those whose name matches, JOBS=1 one after the other)
	@JOBS=$(JOBS) tests/run $(STEPS)

npm: ## build the npm package into informer/npm/dist/
	@.ci/setup build
	@informer/npm/build.sh

npm-test: ## build the npm package, and test it in bundlers, dev servers, React and the examples
	@JOBS=$(JOBS) tests/run npm bundlers

demo: ## build the demo into target/demo/: the dashboard on a simulated cluster, as files for any static server
	@web/build.sh
	@. .ci/env.sh && CARGO_TARGET_DIR="$$target_dir" node web/demo/build.mjs "$$target_dir/demo"

pack: demo ## pack the release artefacts into target/release-artefacts/: npm package, archive of the page with the demo, krew manifest, Helm chart
	@. .ci/env.sh && node web/launcher/pack.mjs "$$target_dir/release-artefacts" "$$target_dir/demo"

docs: ## build the documentation site of the npm package into docs/site/.vitepress/dist/
	@.ci/setup test
	@npm run build --prefix docs/site --silent

size: ## print what a browser downloads, as a markdown table
	@node .ci/size.mjs

pictures: ## take the README's pictures of the built dashboard, into docs/pictures/
	@tests/pictures/run

bench: ## measure beside JavaScript and client-go, in a browser (SIZES=1k,10k SUITES=sync,watch for a part; see tests/bench)
	@SIZES=$(SIZES) SUITES=$(SUITES) PAIRS=$(PAIRS) RECORD=$(RECORD) tests/bench/run

chaos: ## test each fault with the dashboard open, in Chromium and Firefox, and write tests/chaos/chaos.json (FAULTS=word BROWSERS= CLUSTERS= for a part)
	@FAULTS="$(FAULTS)" BROWSERS=$(BROWSERS) CLUSTERS=$(CLUSTERS) tests/chaos/run

soak: ## leave the dashboard open on 5,000 changing pods and check that nothing grows without bound (MINUTES=30), then perform random actions (MONKEY=20)
	@MINUTES=$(or $(MINUTES),30) MONKEY=$(or $(MONKEY),20) SEED=$(SEED) tests/soak/run

monkey: ## random keys, clicks, addresses and faults at the dashboard (MINUTES=20 or ACTIONS=1000; SEED=7 does one again)
	@MINUTES=$(MINUTES) ACTIONS=$(ACTIONS) SEED=$(SEED) tests/monkey/run

simulate: ## simulate seeded stories of faults in virtual time until one fails (SEEDS=100000, FIRST=, THREADS=; SEED=7 prints one)
	@. .ci/env.sh && SEEDS=$(or $(SEEDS),100000) SEED=$(SEED) FIRST=$(FIRST) THREADS=$(THREADS) WHOLE=$(WHOLE) KNOWN=$(KNOWN) \
		cargo test --quiet --profile native -p informer-engine --test simulation -- --nocapture

conformance: ## compare the embedded apiserver with the real one (RECORD=1 records the responses of the real one)
	@. .ci/env.sh && node tests/conformance/run.mjs $(if $(RECORD),--record)

fuzz: ## fuzz all that reads input (SECONDS=60 for each target; requires nightly Rust and cargo-fuzz)
	@informer/fuzz/run $(or $(SECONDS),60)

mutants: ## mutation testing: change the code line by line, and list the changes that no test detects: an hour (FILE=view/order.rs for a part, CHANGED=1 BASE=main for a change, NPM=1 for informer/npm/src)
	@FILE="$(FILE)" CHANGED=$(CHANGED) BASE=$(BASE) MOST=$(MOST) NPM=$(NPM) tests/mutants/run

kube: ## start a real kube-apiserver filled with a simulated cluster (PODS=500, SEED=1, PORT=)
	@. .ci/env.sh && PODS=$(PODS) SEED=$(SEED) PORT=$(PORT) node tests/kube/play.mjs

schema: ## write the protobuf schema of the API types, and random objects of them, from the Go modules of tests/kube (requires Go)
	@. .ci/env.sh && schema=$$(cd tests/kube && go run ./schema) && objects=$$(cd tests/kube && go run ./schema objects -count 2 -bytes 600) && \
		printf '%s\n' "$$schema" >informer/protobuf/schema.txt && printf '%s\n' "$$objects" >informer/protobuf/tests/golden/objects.tsv

clean: ## remove what was built in the tree (the cached tools stay)
	cargo clean
	rm -rf dist informer/npm/dist tests/node_modules tests/bench/node_modules tests/pictures/node_modules web/parts/node_modules

SHELL := bash
