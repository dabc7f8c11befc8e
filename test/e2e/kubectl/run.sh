#!/bin/sh
# The lab under a real kubectl: run.sh BUILD_FOLDER [--update]. Plays session.txt against `elbowroom
# lab up` and compares. Where no kubectl of 1.32 or later can be had it says
# so in one line and exits 0; --update rewrites session.txt, and a human reads the diff.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${1:?usage: run.sh BUILD_FOLDER [--update]}
folder=$(mktemp -d /tmp/elbowroom-kubectl-XXXXXX)
lab=
clean_up() {
  [ -z "$lab" ] || kill "$lab" 2>/dev/null && wait "$lab" 2>/dev/null
  rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

kubectl=$("$here/client.sh" "$folder")
case $? in
  0) ;;
  77) echo "e2e kubectl: skipped: $kubectl" && exit 0 ;;
  *) exit 1 ;;
esac

mkfifo "$folder/ready"
"$build/bin/elbowroom" lab up --nodes 2 --scheduler full --kubeconfig-out "$folder/kubeconfig" \
  >"$folder/ready" 2>"$folder/lab.log" &
lab=$!
read -r line <"$folder/ready" || line=
case $line in
  ready:*) ;;
  *) echo "e2e kubectl: the lab did not come up:" && cat "$folder/lab.log" && exit 1 ;;
esac
python3 -B "$here/session.py" "$kubectl" "$folder" "$here/session.txt" ${2:+"$2"}
