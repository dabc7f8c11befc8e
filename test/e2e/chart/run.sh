#!/bin/sh
# The Helm chart under a real Helm: run.sh BUILD_FOLDER. It is rendered, installed, upgraded, rolled back and uninstalled on a real
# API server; and the plugin of `./dev package krew`, where it was made, is installed by krew. Helm, krew, etcd and kube-apiserver are
# built from source into a cache (../cluster/programs.sh); where that, or something else, cannot be had it says so in one line and
# exits 0.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${1:?usage: run.sh BUILD_FOLDER}

skip() {
  echo "e2e chart: skipped: $1"
  exit 0
}

for tool in python3 openssl flock; do
  command -v $tool >/dev/null || skip "$tool is not installed"
done
helm=$("$here/../cluster/programs.sh" helm)
case $? in 0) ;; 77) skip "$helm" ;; *) exit 1 ;; esac
binaries=$("$here/../cluster/programs.sh" server)
case $? in 0) ;; 77) skip "$binaries" ;; *) exit 1 ;; esac
folder=$(mktemp -d /tmp/elbowroom-chart-XXXXXX)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
kubectl=$("$here/../kubectl/client.sh" "$folder") || skip "$kubectl"
python3 -B "$here/suite_chart.py" "$folder" "$binaries" "$kubectl" "$helm/helm" "$build" || exit 1

[ -e "$build/packages/krew/elbowroom.yaml" ] || skip "krew: there is no plugin in $build/packages (./dev package krew)"
mkdir "$folder/alone" && tar -xzf "$build"/packages/elbowroom_*_linux_*.tar.gz -C "$folder/alone" || exit 1
said=$(env -i "$folder/alone/elbowroom" --version 2>&1)
echo "e2e chart: elbowroom, as the archive has it, says: $said"
case $said in "elbowroom "*) ;; *) exit 1 ;; esac
command -v git >/dev/null || skip "krew: git is not installed"
krew=$("$here/../cluster/programs.sh" krew)
case $? in 0) ;; 77) skip "krew: $krew" ;; *) exit 1 ;; esac
export KREW_ROOT="$folder/krew"
"$krew/krew" install --manifest "$build/packages/krew/elbowroom.yaml" --archive "$build"/packages/elbowroom_*_linux_*.tar.gz \
  >"$folder/krew.log" 2>&1 </dev/null || { cat "$folder/krew.log" && echo "FAIL   krew installs the plugin" && exit 1; }
said=$(env -i PATH="$KREW_ROOT/bin:/usr/bin:/bin" "$kubectl" elbowroom --version 2>&1)
echo "e2e chart: kubectl elbowroom, as krew installed it, says: $said"
case $said in "elbowroom "*) ;; *) exit 1 ;; esac
