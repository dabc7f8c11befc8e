#!/usr/bin/env bash
# What it costs elbowroom-scheduler to meet a large cluster: `scheduler.sh BUILD`. The driver explains each figure.
set -eu
exec "$1/bin/scheduler_driver" "$1/bin/elbowroom-scheduler"
