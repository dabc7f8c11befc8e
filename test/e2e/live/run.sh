#!/bin/sh
# Scenarios on real programs: run.sh BUILD_FOLDER [live.py's words]. Every scenario of at most 60 s.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${1:?usage: run.sh BUILD_FOLDER}
shift
exec python3 -B "$here/live.py" "$build/bin" --jobs 10 "$@"
