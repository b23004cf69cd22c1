# shellcheck shell=bash
# Sourced by every script of the project: where the root is, where the tools are.
#
# The tools live in a cache of the user's, not in the tree, so that a second clone finds them, and
# not in ~/.cargo/bin, so that a user's own versions are not replaced. PATH is set here and nowhere else.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${KUBE_INFORMER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kube-informer}
tools=$cache/tools
# shellcheck disable=SC2034 # the scripts that source this use it
target_dir=${CARGO_TARGET_DIR:-$root/target}

export PATH="$tools/bin:$root/tests/node_modules/.bin:$PATH"
# Trunk asks the network for a newer version of itself on every run otherwise.
export TRUNK_SKIP_VERSION_CHECK=true

say() { printf '%s\n' "$*" >&2; }
# One sentence for the person in front of the terminal, then out.
die() {
  say "error: $*"
  exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

# Runs a command as root: directly, or by sudo where that asks no question. Otherwise it is the user's
# decision, and the exact command is theirs to run.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif has sudo && sudo -n true 2>/dev/null; then
    sudo -n "$@"
  else
    die "this needs root; run: sudo $*"
  fi
}

# The apt of Debian and its family. The package lists may be absent (fresh container) or too old, so
# they are fetched when the first try fails, not every time.
apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" >&2 && return
  as_root apt-get update -q >&2
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" >&2
}

# The browser of the tests: CHROMIUM, or the first one found under one of its names.
find_chromium() {
  local name
  for name in ${CHROMIUM:+"$CHROMIUM"} chromium chromium-browser google-chrome-stable google-chrome; do
    if has "$name"; then
      command -v "$name"
      return
    fi
  done
  return 1
}

# True while something accepts connections on the loopback port.
port_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
