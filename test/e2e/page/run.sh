#!/bin/sh
# The page of the daemons in a real Chromium: run.sh BUILD_FOLDER [FOLDER]. Where that cannot run it says so in one line and exits 0.
# The pictures are left in FOLDER, which is BUILD_FOLDER/page unless it is named.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${1:?usage: run.sh BUILD_FOLDER [FOLDER]}
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
  { echo "skipped: page: no chromium here (Debian package chromium)" >&2; exit 0; }
exec python3 -B "$here/session.py" "$build" "$chromium" "${2:-$build/page}"
