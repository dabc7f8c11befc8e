#!/usr/bin/env bash
# What a gang costs elbowroom-scheduler against a lab: `gangs.sh BUILD`. The driver explains each figure.
set -eu
exec "$1/bin/gang_driver" "$1/bin/elbowroom-scheduler"
