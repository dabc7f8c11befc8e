#!/bin/sh
# The suite with real containers: run.sh BUILD_FOLDER, after `ninja programs runtime_e2e pods_e2e`
# there. Where containerd cannot run it says so in one line and exits 0.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${1:?usage: run.sh BUILD_FOLDER}
"$here/containerd.sh" check
case $? in 0) ;; 77) exit 0 ;; *) exit 1 ;; esac

DIR=$(mktemp -d /tmp/elbowroom-e2e-XXXXXX)
trap '"$here/containerd.sh" stop "$DIR"' EXIT
trap 'exit 130' INT TERM
"$here/containerd.sh" start "$DIR"
case $? in 0) ;; 77) exit 0 ;; *) exit 1 ;; esac
failed=0
echo "e2e runtime: sizes of one container, by our client alone"
"$build/bin/runtime_e2e" "$DIR" "$here/containerd.sh" || failed=1
echo "e2e runtime: pods of the pod runner, and elbowroomd in authority mode"
"$build/bin/pods_e2e" "$DIR" "$here/containerd.sh" "$build/bin" || failed=1
echo "e2e runtime: a lab whose first node is this containerd"
python3 -B "$here/lab_up.py" "$DIR/containerd.sock" "$build/bin" || failed=1
exit $failed
