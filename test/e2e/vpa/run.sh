#!/bin/sh
# The Vertical Pod Autoscaler beside Elbowroom: run.sh BUILD_FOLDER. It is a suite of the cluster's driver, which says in one
# line where it cannot run, and exits 0 then. With ELBOWROOM_VPA_FALLBACK=no what takes VPA's five minutes is left out.
set -u
exec "$(dirname "$0")/../cluster/run.sh" "${1:?usage: run.sh BUILD_FOLDER}" vpa
