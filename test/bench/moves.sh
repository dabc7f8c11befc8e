#!/usr/bin/env bash
# How fast elbowroom-rescheduler moves pods: `moves.sh BUILD`. The driver explains the figure.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1/bin/move_driver" "$folder" "$1/bin/elbowroom-rescheduler"
