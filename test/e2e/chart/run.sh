#!/bin/sh
# The Helm chart under a real Helm: run.sh BUILD_FOLDER. It is rendered, installed, upgraded, rolled back and uninstalled on a real
# API server. Helm, etcd and kube-apiserver are built from source into a cache (../cluster/programs.sh); where that, or something
# else, cannot be had it says so in one line and exits 0.
set -u
here=$(cd "$(dirname "$0")" && pwd)

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
python3 -B "$here/suite_chart.py" "$folder" "$binaries" "$kubectl" "$helm/helm"
