#!/usr/bin/env bash
# A real kube-apiserver with etcd, on loopback, for tests and for manual use.
#
#   tests/kube/kube.sh           starts both, prints "etcd <URL>", "audit <file>", then "ready KUBECONFIG=<file>", and runs until it is ended
#   tests/kube/kube.sh assets    prints the binaries that it would use, and builds missing ones
#   tests/kube/kube.sh kubectl   prints the kubectl it would use, building it if there is none
#   tests/kube/kube.sh helm      prints the helm it would use, building it if there is none
#   tests/kube/kube.sh kubelet   prints the stub kubelet (tests/kube/kubelet), building it if its sources are new
#
# It ends both, and removes their folder, on SIGINT, SIGTERM, SIGHUP, and when its parent is gone.
# Exit code 75 (EX_TEMPFAIL): the binaries are unavailable here; the last line of standard error has the reason.
#
# The binaries come from the first of these that has them:
#   KUBEBUILDER_ASSETS                     a folder with etcd, kube-apiserver and kubectl, as envtest wants it
#   the folder of `setup-envtest use`      in the minor version of go.mod
#   the user's cache                       binaries from an earlier use of the next two
#   the releases of Kubernetes and etcd    downloaded, and checked against their published SHA-256 (Linux)
#   their Go modules                       built in the versions of go.mod, minutes
set -euo pipefail
# shellcheck source=.ci/env.sh
. "$(dirname "$0")/../../.ci/env.sh"
here=$root/tests/kube
parent=$PPID

unavailable() {
  say "$*"
  exit 75
}

version=$(awk '$1 == "k8s.io/kubernetes" { print $2; exit }' "$here/go.mod")
built=$cache/kube/${version#v}

etcd_version=$(awk '$1 == "go.etcd.io/etcd/server/v3" && NF > 1 { print $2; exit }' "$here/go.mod")
case $(uname -s) in
  Darwin) envtest="$HOME/Library/Application Support/io.kubebuilder.envtest/k8s" os=darwin ;;
  *) envtest=${XDG_DATA_HOME:-$HOME/.local/share}/kubebuilder-envtest/k8s os=linux ;;
esac
case $(uname -m) in
  aarch64 | arm64) arch=arm64 ;;
  *) arch=amd64 ;;
esac

# The folder of setup-envtest with the newest patch of the minor version in go.mod, if there is one.
envtest_folder() {
  [ -d "$envtest" ] || return 0
  local name
  # By the patch alone: the rest of the names is the same.
  name=$(cd "$envtest" && ls -d "$(cut -d. -f1,2 <<<"${version#v}")."*"-$os-$arch" 2>/dev/null | sort -t. -k3n | tail -n 1) || true
  [ -z "$name" ] || echo "$envtest/$name"
}

# fetch URL FILE SUMS: true if the file could be downloaded and SUMS, a URL, has its SHA-256 (alone, or with its name).
fetch() {
  local url=$1 file=$2 sums=$3 sum
  local get=(curl --proto '=https' --tlsv1.2 -fsSL --connect-timeout 5 --max-time 300)
  sum=$("${get[@]}" "$sums" 2>/dev/null | awk -v name="${url##*/}" 'NF == 1 || $2 == name { print $1 }') || return 1
  [ -n "$sum" ] || return 1
  "${get[@]}" -o "$file" "$url" 2>/dev/null || return 1
  if [ "$(openssl dgst -sha256 -r "$file" | awk '{ print $1 }')" != "$sum" ]; then
    say "kube: $url does not have the SHA-256 that $sums says; it is not used"
    rm -f "$file"
    return 1
  fi
}

# download NAME: brings a binary of an official release into the cache; false where that is not possible.
download() {
  local name=$1 file=$built/$1.$$
  { [ "$os" = linux ] && has curl && has openssl; } || return 1
  mkdir -p "$built"
  if [ "$name" = etcd ]; then
    local release=https://github.com/etcd-io/etcd/releases/download/$etcd_version archive=etcd-$etcd_version-$os-$arch
    fetch "$release/$archive.tar.gz" "$file.tar.gz" "$release/SHA256SUMS" || return 1
    tar -xzOf "$file.tar.gz" "$archive/etcd" >"$file" || return 1
    rm -f "$file.tar.gz"
  else
    local release=https://dl.k8s.io/$version/bin/$os/$arch
    fetch "$release/$name" "$file" "$release/$name.sha256" || return 1
  fi
  chmod +x "$file"
  mv "$file" "$built/$name"
  say "kube: $name of the official release, its checksum is right"
}

# build NAME PACKAGE: to a temporary name first, so that an interrupted build is not mistaken for a binary.
build() {
  local name=$1 package=$2 major minor
  has go || unavailable "$name is missing and cannot be built without Go: install Go 1.26 or newer, or point KUBEBUILDER_ASSETS at etcd and kube-apiserver."
  IFS=. read -r major minor _ <<<"${version#v}"
  say "kube: building $name (a few minutes, once for this user)"
  mkdir -p "$built"
  # Without the version stamp an apiserver calls itself v0.0.0-master, and clients read that.
  (cd "$here" && CGO_ENABLED=0 go build -trimpath -ldflags "-s -w \
    -X k8s.io/component-base/version.gitVersion=$version \
    -X k8s.io/component-base/version.gitMajor=$major \
    -X k8s.io/component-base/version.gitMinor=$minor" \
    -o "$built/$name.$$" "$package") >&2 || unavailable "$name could not be built from its Go module; the lines above say why."
  mv "$built/$name.$$" "$built/$name"
}

# Waits until no other of these scripts builds, until this (sub)shell ends: tests that run in parallel would build the same twice,
# which takes twice as long. macOS has no flock.
lock_builds() {
  has flock || return 0
  mkdir -p "$cache/kube"
  exec 9>"$cache/kube/lock"
  flock 9
}

# bring NAME PACKAGE: downloads or builds a binary that is missing.
bring() {
  [ ! -x "$built/$1" ] || return 0
  lock_builds
  [ -x "$built/$1" ] || download "$1" || build "$1" "$2"
}

# asset NAME PACKAGE: the path of the binary.
asset() {
  local name=$1 package=$2
  if [ -n "${KUBEBUILDER_ASSETS:-}" ]; then
    [ -x "$KUBEBUILDER_ASSETS/$name" ] || unavailable "KUBEBUILDER_ASSETS is set to $KUBEBUILDER_ASSETS, where there is no $name."
    echo "$KUBEBUILDER_ASSETS/$name"
    return
  fi
  local folder
  folder=$(envtest_folder)
  if [ -n "$folder" ] && [ -x "$folder/$name" ]; then
    echo "$folder/$name"
    return
  fi
  bring "$name" "$package"
  echo "$built/$name"
}

# Any version of kubectl works here: it is built only if there is none.
find_kubectl() {
  if [ -n "${KUBEBUILDER_ASSETS:-}" ] && [ -x "$KUBEBUILDER_ASSETS/kubectl" ]; then
    echo "$KUBEBUILDER_ASSETS/kubectl"
  elif has kubectl; then
    command -v kubectl
  else
    bring kubectl k8s.io/kubernetes/cmd/kubectl
    echo "$built/kubectl"
  fi
}

# Any helm on PATH works here. Otherwise it is built in the version of go.mod, which is older than the newest: helm 3.21 and later
# would upgrade gRPC and OpenTelemetry of the apiserver, or Kubernetes itself.
find_helm() {
  if has helm; then
    command -v helm
    return
  fi
  local helm
  helm=$cache/kube/helm-$(awk '$1 == "helm.sh/helm/v3" { print $2; exit }' "$here/go.mod")
  [ -x "$helm" ] || lock_builds
  if [ ! -x "$helm" ]; then
    has go || unavailable "helm is missing and cannot be built without Go: install helm 3, or Go 1.26 or newer."
    say "kube: building helm (a minute, once for this user)"
    mkdir -p "$cache/kube"
    (cd "$here" && CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o "$helm.$$" helm.sh/helm/v3/cmd/helm) >&2 ||
      unavailable "helm could not be built from its Go module; the lines above say why."
    mv "$helm.$$" "$helm"
  fi
  echo "$helm"
}

# The stub kubelet is always built here: seconds, and another name for other sources.
find_kubelet() {
  local kubelet
  kubelet=$cache/kube/kubelet-$(cat "$here"/kubelet/go.* "$here"/kubelet/*.go | cksum | cut -d' ' -f1)
  [ -x "$kubelet" ] || lock_builds
  if [ ! -x "$kubelet" ]; then
    has go || unavailable "the stub kubelet cannot be built without Go: install Go 1.26 or newer."
    say "kube: building the stub kubelet (seconds, once for its sources)"
    mkdir -p "$cache/kube"
    (cd "$here/kubelet" && CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o "$kubelet.$$" .) >&2 ||
      unavailable "the stub kubelet could not be built from its Go module; the lines above say why."
    mv "$kubelet.$$" "$kubelet"
  fi
  echo "$kubelet"
}

case ${1:-start} in
  kubectl)
    find_kubectl
    exit
    ;;
  helm)
    find_helm
    exit
    ;;
  kubelet)
    find_kubelet
    exit
    ;;
esac
etcd=$(asset etcd go.etcd.io/etcd/server/v3)
apiserver=$(asset kube-apiserver k8s.io/kubernetes/cmd/kube-apiserver)
kubectl=$(find_kubectl)

case ${1:-start} in
  assets)
    printf '%s\n' "ETCD=$etcd" "KUBE_APISERVER=$apiserver" "KUBECTL=$kubectl"
    exit
    ;;
  start) ;;
  *) die "usage: tests/kube/kube.sh [start|assets|kubectl|helm|kubelet]" ;;
esac
has openssl || unavailable "openssl is missing: the apiserver needs a key to sign service account tokens."

dir=$(mktemp -d "${TMPDIR:-/tmp}/kube-informer-kube.XXXXXX")
pids=()
# Ends the started processes, by id: the apiserver first, because it closes its connection to etcd.
stop() {
  local code=$? pid
  trap '' INT TERM HUP
  # Bash itself may report "No record of process" about one that it has collected already: no reason for the end.
  {
    for pid in ${pids[@]+"${pids[@]}"}; do
      kill -TERM "$pid" || continue
      # Open watches would keep the apiserver for a minute.
      for _ in $(seq 30); do
        kill -0 "$pid" || break
        sleep 0.1
      done
      kill -KILL "$pid" || true
      wait "$pid" || true
    done
  } 2>/dev/null
  rm -rf "$dir"
  exit "$code"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

# A free port, below the range that the kernel gives to clients. Another process may take it before its use: then the server is
# started again on another port (restart).
free_port() {
  local port
  while port=$((20000 + RANDOM % 12000)); do
    port_taken "$port" || break
  done
  echo "$port"
}

# Signals reach this script's children through it alone: a Ctrl-C of the terminal must not end etcd
# before the apiserver, so none of them shares our process group.
start_etcd() {
  local peer_port
  etcd_port=$(free_port)
  peer_port=$(free_port)
  set -m
  "$etcd" --data-dir "$dir/etcd" --unsafe-no-fsync \
    --listen-client-urls "http://127.0.0.1:$etcd_port" --advertise-client-urls "http://127.0.0.1:$etcd_port" \
    --listen-peer-urls "http://127.0.0.1:$peer_port" --initial-advertise-peer-urls "http://127.0.0.1:$peer_port" \
    --initial-cluster "default=http://127.0.0.1:$peer_port" --log-level warn \
    </dev/null >"$dir/etcd.log" 2>&1 &
  etcd_pid=$!
  set +m
  pids=(${apiserver_pid:+"$apiserver_pid"} "$etcd_pid")
}

# No ServiceAccount admission: without a controller-manager no namespace has a default account, and every
# pod would be rejected. No endpoint reconciler: it rejects a loopback address. Kubelets by their
# address only: the default looks up the node's name in the DNS first.
start_apiserver() {
  port=$(free_port)
  set -m
  "$apiserver" --etcd-servers "http://127.0.0.1:$etcd_port" --cert-dir "$dir/certs" \
    --bind-address 127.0.0.1 --advertise-address 127.0.0.1 --secure-port "$port" --endpoint-reconciler-type none \
    --kubelet-preferred-address-types InternalIP \
    --service-cluster-ip-range 10.0.0.0/16 --allow-privileged \
    --service-account-issuer https://kubernetes.default.svc \
    --service-account-key-file "$dir/service-account.key" --service-account-signing-key-file "$dir/service-account.key" \
    --disable-admission-plugins ServiceAccount --authorization-mode RBAC --token-auth-file "$dir/tokens.csv" \
    --audit-policy-file "$dir/audit-policy.yaml" --audit-log-path "$dir/audit.log" \
    </dev/null >"$dir/kube-apiserver.log" 2>&1 &
  apiserver_pid=$!
  set +m
  pids=("$apiserver_pid" "$etcd_pid")
}

apiserver_pid=
start_etcd
(
  umask 077
  openssl genrsa -out "$dir/service-account.key" 2048 2>/dev/null
  token=$(openssl rand -hex 16)
  viewer=$(openssl rand -hex 16)
  # token,user,uid,groups. The viewer has no rights until a test grants some.
  printf '%s,admin,admin,system:masters\n%s,viewer,viewer,\n' "$token" "$viewer" >"$dir/tokens.csv"
)
# The begin and the end of each watch of a client: not of the apiserver's own, which its metrics do not tell apart.
cat >"$dir/audit-policy.yaml" <<YAML
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  users: [admin, viewer]
  verbs: [watch]
- level: None
YAML
token=$(awk -F, 'NR == 1 { print $1 }' "$dir/tokens.csv")

start_apiserver

# The line with the reason why one of them ended.
gone() {
  say "kube: $1 ended early: $(tail -n 1 "$dir/$1.log")"
  exit 1
}
alive() {
  kill -0 "$etcd_pid" 2>/dev/null || gone etcd
  kill -0 "$apiserver_pid" 2>/dev/null || gone kube-apiserver
}

# Restarts a process whose port was taken, on other ports. Any other end is an error.
retries=0
restart() {
  local name
  if ! kill -0 "$etcd_pid" 2>/dev/null; then
    name=etcd
  elif ! kill -0 "$apiserver_pid" 2>/dev/null; then
    name=kube-apiserver
  else
    return 0
  fi
  grep -q 'address already in use' "$dir/$name.log" || gone "$name"
  retries=$((retries + 1))
  [ "$retries" -le 10 ] || gone "$name"
  say "kube: the port drawn for $name was taken meanwhile; trying another one"
  rm -f "$KUBECONFIG"
  # The apiserver gets the port of etcd only from its command line.
  if [ "$name" = etcd ]; then
    kill -KILL "$apiserver_pid" 2>/dev/null || true
    wait "$apiserver_pid" 2>/dev/null || true
    rm -rf "$dir/etcd"
    start_etcd
  fi
  start_apiserver
}

export KUBECONFIG=$dir/kubeconfig
write_kubeconfig() {
  # The certificate signs itself, so it is its own authority. In one file, so that it can be copied.
  cat >"$KUBECONFIG" <<YAML
apiVersion: v1
kind: Config
current-context: kube
clusters:
- name: kube
  cluster:
    server: https://127.0.0.1:$port
    certificate-authority-data: $(base64 <"$dir/certs/apiserver.crt" | tr -d '\n')
users:
- name: admin
  user:
    token: $token
contexts:
- name: kube
  context:
    cluster: kube
    user: admin
YAML
}

deadline=$((SECONDS + 600))
until [ -s "$dir/certs/apiserver.crt" ] && [ -s "$KUBECONFIG" ] &&
  "$kubectl" get --raw /readyz >/dev/null 2>&1 &&
  "$kubectl" get namespace default >/dev/null 2>&1; do
  restart
  [ "$SECONDS" -lt "$deadline" ] || {
    say "kube: the apiserver was not ready after 600 s: $(tail -n 1 "$dir/kube-apiserver.log")"
    exit 1
  }
  [ ! -s "$dir/certs/apiserver.crt" ] || [ -s "$KUBECONFIG" ] || write_kubeconfig
  sleep 0.2
done

# For tests that compact it.
echo "etcd http://127.0.0.1:$etcd_port"
# For tests that ask which watches are open.
echo "audit $dir/audit.log"
echo "ready KUBECONFIG=$KUBECONFIG"

# `sleep` in the background, because bash runs a trap only when the command in front has ended.
while kill -0 "$parent" 2>/dev/null; do
  alive
  sleep 0.5 &
  wait $! || true
done
