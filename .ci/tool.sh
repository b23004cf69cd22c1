# shellcheck shell=bash
# Sourced by .ci/setup and .ci/link: brings tools that are Rust crates into the cache of .ci/env.sh, prebuilt where GitHub
# can be reached, and built from source otherwise.

# Both sides of wasm-bindgen must be of one version, and the lock file has the crate's.
wasm_bindgen_version=$(awk '/^name = "wasm-bindgen"$/ { getline; gsub(/[^0-9.]/, ""); print; exit }' "$root/Cargo.lock")
[ -n "$wasm_bindgen_version" ] || die "Cargo.lock does not name a version of wasm-bindgen."

brought=0 # how many things had to be fetched or built

# The version that a tool reports, or that cargo noted of one that reports none; empty when it is missing or does not run.
version_of() {
  local reported
  reported=$("$1" --version 2>/dev/null | awk 'NR == 1 { print $2 }') || true
  if [ -n "$reported" ]; then
    echo "$reported"
  elif has "$1" && [ -r "$tools/.crates.toml" ]; then
    awk -F '[" ]' -v binary="\"$1\"" 'index($0, "[" binary "]") { print $3 }' "$tools/.crates.toml"
  fi
}

# cargo-binstall knows where each project keeps its prebuilt binaries. Ours is a throw-away copy.
binstall=
binstall_tried=
find_binstall() {
  [ -z "$binstall_tried" ] || return 0
  binstall_tried=1
  if has cargo-binstall; then
    binstall=$(command -v cargo-binstall)
    return
  fi
  has curl || return 0
  local triple unpack
  case $(uname -s)-$(uname -m) in
    Linux-x86_64) triple=x86_64-unknown-linux-musl.tgz ;;
    Linux-aarch64) triple=aarch64-unknown-linux-musl.tgz ;;
    Darwin-x86_64) triple=x86_64-apple-darwin.zip ;;
    Darwin-arm64) triple=aarch64-apple-darwin.zip ;;
    *) return 0 ;;
  esac
  say "setup: looking for prebuilt tools (5 s at most where GitHub cannot be reached)"
  mkdir -p "$tools/binstall"
  local url=https://github.com/cargo-bins/cargo-binstall/releases/latest/download/cargo-binstall-$triple
  curl --proto '=https' --tlsv1.2 -fsSL --connect-timeout 5 --max-time 120 -o "$tools/binstall/$triple" "$url" 2>/dev/null || {
    say "setup: GitHub cannot be reached, so tools are built from source"
    return 0
  }
  case $triple in
    *.zip) unpack=(unzip -qo "$tools/binstall/$triple" -d "$tools/binstall") ;;
    *) unpack=(tar -xzf "$tools/binstall/$triple" -C "$tools/binstall") ;;
  esac
  if "${unpack[@]}" && "$tools/binstall/cargo-binstall" -V >/dev/null 2>&1; then
    binstall=$tools/binstall/cargo-binstall
  fi
}

# prebuilt_tool CRATE BINARY VERSION: true if the tool is installed afterwards; builds nothing.
prebuilt_tool() {
  local crate=$1 binary=$2 version=$3
  [ "$(version_of "$binary")" != "$version" ] || return 0
  find_binstall
  [ -n "$binstall" ] || return 1
  say "setup: $crate $version, prebuilt (seconds)"
  "$binstall" --no-confirm --force --disable-telemetry --disable-strategies compile --root "$tools" "$crate@$version" >&2 || true
  hash -r
  [ "$(version_of "$binary")" = "$version" ] || return 1
  brought=$((brought + 1))
}

# cargo_tool CRATE BINARY VERSION TIME [cargo install flags]
cargo_tool() {
  local crate=$1 binary=$2 version=$3 time=$4
  shift 4
  ! prebuilt_tool "$crate" "$binary" "$version" || return 0
  brought=$((brought + 1))
  say "setup: building $crate $version ($time on two cores, once for this user)"
  # Trunk's own release profile is fat LTO, a quarter of an hour. These tools wait for files and
  # compilers: what optimisation gains them (2 s for each wasm of the browser tests) costs a minute here.
  local install=(
    env CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
    CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_DEBUG=0
    cargo install --quiet --force --root "$tools" --version "$version" "$crate" "$@"
  )
  # A crate's own lock file may name a withdrawn version. Then the newest versions are used.
  if ! "${install[@]}" --locked >&2; then
    say "setup: could not be built with the versions in its own lock file; trying again with the newest ones"
    "${install[@]}" >&2 || die "$crate $version could not be built; the lines above say why."
  fi
  hash -r
  [ "$(version_of "$binary")" = "$version" ] || die "$crate $version was installed into $tools, but '$binary --version' says '$(version_of "$binary")'."
}

