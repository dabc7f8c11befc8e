#!/usr/bin/env bash
# How fast elbowroom-scheduler makes room on many nodes: `removals.sh BUILD`. The driver explains each figure.
set -eu
exec "$1/bin/removal_driver" "$1/bin/elbowroom-scheduler"
