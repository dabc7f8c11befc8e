#!/bin/sh
# Kubernetes and containerd from source: programs.sh prints the folder that holds etcd, kube-apiserver,
# kube-controller-manager, kube-scheduler, kubelet, containerd, containerd-shim-runc-v2 and ctr, after
# building those that are not there yet. They are kept outside the checkout and
# the build folder, under XDG_CACHE_HOME, by what they are built from; a second run builds nothing.
# Exit 77, with one line, where they cannot be built. `programs.sh descheduler` prints the folder that holds the
# descheduler alone, and builds nothing else; `programs.sh vpa` that of the Vertical Pod Autoscaler's three programs and
# its manifests; `programs.sh version 1.34` that of kube-apiserver, kube-controller-manager
# and kubelet of that version (go/versions holds those that there are), likewise; `programs.sh helm` that of Helm, `programs.sh krew`
# that of krew. `programs.sh server`
# prints the first folder, in which it builds etcd and kube-apiserver alone.
#
#   ELBOWROOM_GO_JOBS=N   compile N packages at a time (default: one for each core)
set -eu
here=$(cd "$(dirname "$0")" && pwd)

cannot() { echo "$1"; exit 77; }

command -v go >/dev/null || cannot "Go is not installed (1.26 or later builds Kubernetes)"
go_version=$(go env GOVERSION)
[ "$(printf '%s\n' go1.26.6 "$go_version" | sort -V | head -n 1)" = go1.26.6 ] ||
  cannot "$go_version is too old to build Kubernetes (1.26.6 or later does)"

case ${1:-} in
  '' | server) modules="containerd kubernetes" ;;
  descheduler | helm | krew) modules=$1 ;;
  vpa) modules=autoscaler ;;
  version)
    modules=versions/${2:-none}
    [ -e "$here/go/$modules/go.mod" ] || { echo "programs.sh: no version '${2:-}' in go/versions" >&2; exit 2; }
    ;;
  *) echo "programs.sh: no program '$1'" >&2; exit 2 ;;
esac
key=$({
  for module in $modules; do cat "$here/go/$module/go.mod"; done
  for module in $modules; do cat "$here/go/$module/go.sum"; done
  echo "$go_version"
} | sha256sum | cut -c 1-16)
folder=${XDG_CACHE_HOME:-$HOME/.cache}/elbowroom/cluster/$key
mkdir -p "$folder"
exec 9>"$folder/.lock"
flock 9 # two runs on one machine build each program once

# build MODULE NAME PACKAGE [more flags]
build() {
  module=$1 name=$2 package=$3
  shift 3
  [ ! -x "$folder/$name" ] || return 0
  echo "e2e cluster: building $name from source" >&2
  (cd "$here/go/$module" && CGO_ENABLED=0 GOFLAGS=-buildvcs=false GOTOOLCHAIN=local \
    go build -mod=readonly -trimpath ${ELBOWROOM_GO_JOBS:+-p "$ELBOWROOM_GO_JOBS"} "$@" \
    -o "$folder/.$name" "$package") >&2 || cannot "$name cannot be built (its messages are above)"
  mv "$folder/.$name" "$folder/$name"
}

version() { sed -n "s|^.*$2 v|v|p" "$here/go/$1/go.mod" | head -n 1; }

if [ "$modules" = descheduler ]; then
  said=sigs.k8s.io/descheduler/pkg/version.version
  build descheduler descheduler sigs.k8s.io/descheduler/cmd/descheduler \
    -ldflags "-s -w -X $said=$(version descheduler sigs.k8s.io/descheduler)"
  echo "$folder"
  exit
fi

if [ "$modules" = helm ]; then
  build helm helm helm.sh/helm/v4/cmd/helm -ldflags "-s -w -X helm.sh/helm/v4/internal/version.version=$(version helm helm.sh/helm/v4)"
  echo "$folder"
  exit
fi

if [ "$modules" = autoscaler ]; then
  vpa=k8s.io/autoscaler/vertical-pod-autoscaler
  for name in recommender updater admission-controller; do
    build autoscaler vpa-$name $vpa/pkg/$name -ldflags "-s -w"
  done
  deploy=$(cd "$here/go/autoscaler" && go list -mod=readonly -m -f '{{.Dir}}' $vpa)/deploy
  for name in vpa-v1-crd-gen.yaml vpa-rbac.yaml; do
    [ -e "$folder/$name" ] || install -m 0644 "$deploy/$name" "$folder/$name"
  done
  echo "$folder"
  exit
fi

if [ "$modules" = krew ]; then
  build krew krew sigs.k8s.io/krew/cmd/krew -ldflags "-s -w"
  echo "$folder"
  exit
fi

# build_kubernetes MODULE NAME...
build_kubernetes() {
  from=$1
  shift
  kubernetes=$(version "$from" k8s.io/kubernetes)
  minor=${kubernetes#v1.}
  minor=${minor%%.*}
  said=k8s.io/component-base/version
  said="-s -w -X $said.gitVersion=$kubernetes -X $said.gitMajor=1 -X $said.gitMinor=$minor"
  for program in "$@"; do
    build "$from" "$program" k8s.io/kubernetes/cmd/"$program" -ldflags "$said"
  done
}

case $modules in
  versions/*)
    build_kubernetes "$modules" kube-apiserver kube-controller-manager kubelet
    echo "$folder"
    exit
    ;;
esac
build kubernetes etcd go.etcd.io/etcd/server/v3 -ldflags "-s -w"
build_kubernetes kubernetes kube-apiserver
[ "${1:-}" != server ] || {
  echo "$folder"
  exit
}
build_kubernetes kubernetes kube-scheduler kube-controller-manager kubelet
containerd=$(version containerd github.com/containerd/containerd/v2)
for name in containerd containerd-shim-runc-v2 ctr; do
  build containerd $name github.com/containerd/containerd/v2/cmd/$name \
    -ldflags "-s -w -X github.com/containerd/containerd/v2/version.Version=$containerd"
done
echo "$folder"
