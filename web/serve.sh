#!/usr/bin/env bash
# Builds the dashboard and serves it on one origin with an apiserver (`make dashboard`).
#
#   CONTEXT=name   this context of the kubeconfig instead of the current one; several names, separated by commas, are one page with a
#                  tab for each cluster (web/launcher serves it; a name that contains a comma cannot be given)
#   PORT=8001      the port on 127.0.0.1
#   DEMO=1         the embedded apiserver with a simulated cluster, regardless of the kubeconfig
#   EXEC=1         shells: the proxy allows exec and attach
#   READONLY=1     no writes: the proxy rejects them
#   PROTECTED=...  patterns of protected contexts ("prod*,live"): there the page asks to type a name before it deletes,
#                  evicts, drains, restarts, rolls back, suspends or scales down; an edit of YAML, also of the
#                  replicas, shows its difference instead; the context of DEMO=1 is "demo"
#
# An Origin check on the port keeps other web pages out (web/parts/origin-check.mjs).
#
# A configured cluster that does not respond is an error, not a reason to show another one: no user
# should mistake simulated pods for their own. The embedded apiserver is the default only if no cluster
# is configured.
set -euo pipefail
# shellcheck source=.ci/env.sh
. "$(dirname "$0")/../.ci/env.sh"
cd "$root"

port=${PORT:-8001}
context=${CONTEXT:-}
demo=${DEMO:-}
[ "$demo" != 0 ] || demo=
exec=${EXEC:-}
[ "$exec" != 0 ] || exec=
readonly=${READONLY:-}
[ "$readonly" != 0 ] || readonly=
{ [[ $port =~ ^[0-9]{1,5}$ ]] && [ "$port" -ge 1 ] && [ "$port" -le 65535 ]; } || die "PORT=$port is not a port number."
[ -z "$demo" ] || [ -z "$context" ] || die "DEMO=1 and CONTEXT=$context exclude each other: give one of them."
# Several contexts: their names without the blanks around them.
contexts=()
if [[ $context = *,* ]]; then
  IFS=, read -ra contexts <<<"$context,"
  for at in "${!contexts[@]}"; do
    name=${contexts[at]#"${contexts[at]%%[![:blank:]]*}"}
    contexts[at]=${name%"${name##*[![:blank:]]}"}
    [ -n "${contexts[at]}" ] || die "CONTEXT=$context has an empty name: separate the names by one comma each."
  done
fi
[ -z "$exec" ] || [ -z "$readonly" ] || die "EXEC=1 and READONLY=1 exclude each other: a shell can write."
[ -z "$readonly" ] || has kubectl || die "READONLY=1 needs kubectl, whose proxy rejects the writes: install it."

dir=$(mktemp -d "${TMPDIR:-/tmp}/kube-informer-dashboard.XXXXXX")
pids=()
stop() {
  local code=$? pid
  trap '' INT TERM HUP
  set +m # or bash reports each of them as terminated
  for pid in ${pids[@]+"${pids[@]}"}; do
    # The group, so that a compiler goes with the build, and a credential plugin with kubectl.
    kill -TERM -- "-$pid" 2>/dev/null || continue
    for _ in $(seq 20); do
      kill -0 -- "-$pid" 2>/dev/null || break
      sleep 0.1
    done
    kill -KILL -- "-$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  rm -rf "$dir"
  exit "$code"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP
# With job control every child has a process group of its own: that is what `stop` ends.
set -m

# Runs a slow command so that a signal ends it at once: bash runs a trap only between commands in
# front, but `wait` it interrupts.
run() {
  "$@" </dev/null &
  local pid=$! code=0
  pids+=("$pid")
  wait "$pid" || code=$?
  # Removed from the list: the kernel may reuse the number for another process.
  unset "pids[$((${#pids[@]} - 1))]"
  return "$code"
}

# start NAME LINE COMMAND...: starts a server in the background, and waits until its output has the line
# of a ready server; its output stays in $dir/NAME.log.
start() {
  local name=$1 line=$2 pid
  shift 2
  "$@" </dev/null >"$dir/$name.log" 2>&1 &
  pid=$!
  pids+=("$pid")
  for _ in $(seq 150); do
    ! grep -q "$line" "$dir/$name.log" || return 0
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  if grep -q 'address already in use' "$dir/$name.log"; then
    die "port $port on 127.0.0.1 is taken: choose another with PORT=."
  fi
  die "$name did not start: $(tail -n 1 "$dir/$name.log")"
}

# Before the build, so that the error does not appear minutes later.
! port_taken "$port" || die "port $port on 127.0.0.1 is taken: choose another with PORT=."

# Serves several contexts, each by a kubectl proxy of its own, whose end does not end the others.
serve_several() {
  local options=(--no-open --port "$port" --page "$1" --protected "${PROTECTED:-}") name
  for name in "${contexts[@]}"; do options+=("--context=$name"); done
  [ -z "$exec" ] || options+=(--allow-exec)
  [ -z "$readonly" ] || options+=(--read-only)
  run node web/launcher/launch.mjs "${options[@]}"
}

# --- which cluster ---
kubectl=(kubectl)
if [ ${#contexts[@]} -gt 0 ]; then
  has kubectl || die "CONTEXT=$context needs kubectl, which is not on PATH: install it."
  for name in "${contexts[@]}"; do
    kubectl config get-contexts "$name" -o name >/dev/null 2>&1 ||
      die "the kubeconfig has no context '$name'; 'kubectl config get-contexts' lists what it has."
  done
  say "dashboard: ${#contexts[@]} contexts on one page"
elif [ -n "$demo" ]; then
  current=demo
  say "dashboard: the embedded apiserver (DEMO=1)"
elif ! has kubectl; then
  [ -z "$context" ] || die "CONTEXT=$context needs kubectl, which is not on PATH: install it, or use DEMO=1 for a simulated cluster."
  say "dashboard: kubectl is not on PATH, so this is the embedded apiserver with a simulated cluster"
  demo=1 current=demo
elif [ -z "$context" ] && ! current=$(kubectl config current-context 2>"$dir/kubectl.err"); then
  # A kubeconfig that cannot be read is not the same as none.
  grep -q 'current-context is not set' "$dir/kubectl.err" || die "kubectl cannot read the kubeconfig: $(tail -n 1 "$dir/kubectl.err")"
  say "dashboard: no cluster is configured, so this is the embedded apiserver with a simulated one"
  demo=1 current=demo
else
  if [ -n "$context" ]; then
    kubectl config get-contexts "$context" -o name >/dev/null 2>&1 ||
      die "the kubeconfig has no context '$context'; 'kubectl config get-contexts' lists what it has."
    kubectl+=(--context "$context")
    current=$context
  fi
  if ! run "${kubectl[@]}" --request-timeout=5s get --raw /version >"$dir/version" 2>"$dir/kubectl.err"; then
    die "the cluster of context '$current' does not respond ($(tail -n 1 "$dir/kubectl.err")). Check the connection, choose another context with CONTEXT=, or use DEMO=1 for a simulated cluster."
  fi
  say "dashboard: the cluster of context '$current', $(sed -n 's/.*"gitVersion": *"\([^"]*\)".*/\1/p' "$dir/version")"
fi

# --- build ---
run web/build.sh any ${demo:+apiserver} >"$dir/page"
page=$(tail -n 1 "$dir/page")

# --- serve ---
if [ ${#contexts[@]} -gt 0 ]; then
  serve_several "$page"
  exit
fi
# The page sees the proxy only: which context this is, and whether it is protected, is in a file beside the page. Another
# dashboard may serve the same build for another context, so the file is in a folder of links of our own.
protected=false
IFS=', ' read -ra patterns <<<"${PROTECTED:-}"
for pattern in ${patterns[@]+"${patterns[@]}"}; do
  # shellcheck disable=SC2053 # a pattern
  [[ $current != $pattern ]] || protected=true
done
mkdir "$dir/www"
ln -s "$page"/* "$dir/www/"
rm -f "$dir/www/context.json"
name=${current//\\/\\\\}
printf '{"context":"%s","protected":%s}\n' "${name//\"/\\\"}" "$protected" >"$dir/www/context.json"
www=(--www "$dir/www" --www-prefix /ui/)
apiserver=("$target_dir/native/apiserver" --pods 2000 --churn 20 --metrics)
# Neither kubectl proxy nor the embedded apiserver checks the Origin of a request: they listen on a Unix socket, which no browser
# can reach, and the Origin check listens on the port.
shells=()
if [ -n "$demo" ] && ! has kubectl; then
  start apiserver 'listening on' "${apiserver[@]}" --socket "$dir/proxy.sock" "${www[@]}"
  [ -n "$exec" ] || shells=(--reject-shells)
else
  if [ -n "$demo" ]; then
    start apiserver 'listening on' "${apiserver[@]}" --port 0 --kubeconfig "$dir/kubeconfig"
    # The user's own kubeconfig must not be mixed in.
    kubectl=(env KUBECONFIG="$dir/kubeconfig" kubectl)
  fi
  rules=()
  # The default of --reject-paths rejects exec and attach of pods. A pattern that no path matches rejects nothing.
  [ -z "$exec" ] || rules+=(--reject-paths '^$')
  [ -z "$readonly" ] || rules+=(--reject-methods '^(POST|PUT|PATCH|DELETE)$')
  start 'kubectl proxy' 'Starting to serve' "${kubectl[@]}" proxy "${www[@]}" --unix-socket "$dir/proxy.sock" ${rules[@]+"${rules[@]}"}
fi
start 'the Origin check' 'listening on' node web/parts/origin-check.mjs "$dir/proxy.sock" "$port" ${shells[@]+"${shells[@]}"}
[ -z "$exec" ] || say "dashboard: EXEC=1 allows shells in pods; an Origin check keeps other web pages out"
[ "$protected" = false ] || say "dashboard: the context '$current' is protected (PROTECTED=): destructive actions are confirmed by typing a name"
[ -z "$readonly" ] || say "dashboard: READONLY=1: the proxy rejects all writes"

say "dashboard: ready; Ctrl-C ends it"
echo "http://127.0.0.1:$port/ui/"

# The end of one server ends the others; its last line has the reason.
while :; do
  for pid in "${pids[@]}"; do
    kill -0 "$pid" 2>/dev/null || die "a server ended by itself: $(tail -q -n 1 "$dir"/*.log | tr '\n' ' ')"
  done
  sleep 1 &
  wait $! || true
done
