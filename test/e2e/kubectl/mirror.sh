#!/bin/sh
# mirror.sh: prints the first mirror of Debian proper that this machine's apt uses, or ELBOWROOM_DEBIAN_MIRROR where that is set;
# fails where there is none.
if [ -z "${ELBOWROOM_DEBIAN_MIRROR:-}" ]; then
  ELBOWROOM_DEBIAN_MIRROR=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
    sed -n -e 's/^URIs: *\([^ ]*\/debian\)\/* *$/\1/p' \
      -e 's/^deb \(\[[^]]*\] \)*\([a-z]*:[^ ]*\/debian\)\/* .*/\2/p' | head -n 1)
fi
[ -n "$ELBOWROOM_DEBIAN_MIRROR" ] && echo "$ELBOWROOM_DEBIAN_MIRROR"
