#!/usr/bin/env bash
# What one call to an API server costs: `calls.sh BUILD`. The driver explains each figure.
set -eu
exec "$1/bin/call_driver"
