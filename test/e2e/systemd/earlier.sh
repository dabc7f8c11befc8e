#!/bin/bash
# Builds the packages of the earlier commit that upgrades start from: earlier.sh PLACE. They are kept in PLACE, and built
# again only for another commit. Ends with 1, and says in one line why, where they cannot be had.
set -uo pipefail
readonly commit=c1bebf1c # before the scheduler kept its pods packed, and before volumes
readonly place=${1:?usage: earlier.sh PLACE}
top=$(cd "$(dirname "$0")/../../.." && pwd)

[ "$(cat "$place/commit" 2>/dev/null)" = $commit ] && exit 0
git -C "$top" cat-file -e $commit^{commit} 2>/dev/null || {
  echo "this checkout has no commit $commit: it is no whole clone"
  exit 1
}
rm -rf "$place"
mkdir -p "$place"
git clone -q --shared --no-checkout "$top" "$place/checkout" && git -C "$place/checkout" checkout -q $commit || exit 1
(cd "$place/checkout" && ./dev package deb) >"$place/log" 2>&1 || {
  echo "the packages of commit $commit could not be built: see $place/log"
  exit 1
}
mv "$place"/checkout/build/packages/*.deb "$place"/
rm -rf "$place/checkout"
echo $commit >"$place/commit"
