#!/usr/bin/env bash
# What one agent costs and how fast it is: `agent.sh BUILD`. The driver explains each figure.
set -eu
exec "$1/bin/agent_driver" "$1/bin/elbowroomd"
