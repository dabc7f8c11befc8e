#!/bin/sh
# Elbowroom beside an unmodified Kubernetes: run.sh BUILD_FOLDER [SUITE...], after `ninja programs` there.
# Suites: control-plane groups budgets rescheduler webhook volumes kubelet agreement (all eight, without one named), and bench,
# moves-bench, versions and agreement-wide, which take what follows as their own arguments (suite_bench.py and so on); and image
# and vpa, of ../image/run.sh and ../vpa/run.sh.
# Everything is built from source into a cache (programs.sh),
# runs on loopback in a folder of its own, and is stopped by the pid that was started; where Go or something else is
# missing it says so in one line and exits 0.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${1:?usage: run.sh BUILD_FOLDER [SUITE...]}
case $build in /*) ;; *) build=$PWD/$build ;; esac
shift
[ $# -gt 0 ] || set -- control-plane groups budgets rescheduler webhook volumes kubelet agreement

words=cluster
[ "$1" != vpa ] || words=vpa
skip() {
  echo "e2e $words: skipped: $1"
  exit 0
}

for tool in python3 openssl flock; do
  command -v $tool >/dev/null || skip "$tool is not installed"
done
binaries=$("$here/programs.sh")
case $? in 0) ;; 77) skip "$binaries" ;; *) exit 1 ;; esac
missing=$(PATH="$binaries:$PATH" "$here/../runtime/containerd.sh" check 2>&1) || skip "${missing#skipped: }"
fetched=$(mktemp -d /tmp/elbowroom-kubectl-XXXXXX)
trap 'rm -rf "$fetched"' EXIT
trap 'exit 130' INT TERM
kubectl=$("$here/../kubectl/client.sh" "$fetched") || skip "$kubectl"

failed=0
while [ $# -gt 0 ]; do
  suite=$1
  shift
  driver=$here/suite_$(echo "$suite" | tr - _).py
  [ -e "$driver" ] || { echo "run.sh: no suite '$suite'" >&2; exit 2; }
  case $suite in
    bench | versions | agreement-wide)
      python3 -B "$driver" "$build" "$binaries" "$kubectl" "$@" || failed=1
      break
      ;;
  esac
  if [ "$suite" = moves-bench ]; then
    descheduler=$("$here/programs.sh" descheduler) || skip "$descheduler"
    python3 -B "$driver" "$build" "$binaries" "$kubectl" "$descheduler/descheduler" "$@" || failed=1
    break
  fi
  if [ "$suite" = vpa ]; then
    vpa=$("$here/programs.sh" vpa) || skip "$vpa"
    python3 -B "$driver" "$build" "$binaries" "$kubectl" "$vpa" || failed=1
    continue
  fi
  python3 -B "$driver" "$build" "$binaries" "$kubectl" || failed=1
done
exit $failed
