#!/bin/bash
# Builds the packages of the earlier commit that upgrades start from: earlier.sh PLACE. They are kept in PLACE, and built
# again only for another commit. Ends with 1, and says in one line why, where they cannot be had.
set -uo pipefail
readonly commit=c1bebf1c # before the scheduler kept its pods packed, and before volumes
readonly earlier=0.0.9
readonly place=${1:?usage: earlier.sh PLACE}
top=$(cd "$(dirname "$0")/../../.." && pwd)

[ "$(cat "$place/commit" 2>/dev/null)" = $commit ] && exit 0
# git refuses to read a checkout of another user.
git() { command git -c safe.directory='*' "$@"; }
git -C "$top" cat-file -e $commit^{commit} 2>/dev/null || {
  echo "commit $commit cannot be read from this checkout"
  exit 1
}
rm -rf "$place"
mkdir -p "$place"
git clone -q --shared --no-checkout "$top" "$place/checkout" && git -C "$place/checkout" checkout -q $commit || {
  echo "commit $commit cannot be checked out in $place"
  exit 1
}
(cd "$place/checkout" && ./dev package deb) >"$place/log" 2>&1 || {
  echo "the packages of commit $commit could not be built: see $place/log"
  exit 1
}
# Both commits are of one version; dpkg is to see an upgrade.
for deb in "$place"/checkout/build/packages/*.deb; do
  rm -rf "$place/unpacked"
  dpkg-deb -R "$deb" "$place/unpacked"
  sed -i "s/^Version: .*/Version: $earlier/" "$place/unpacked/DEBIAN/control"
  dpkg-deb -b "$place/unpacked" "$place/$(basename "$deb" | cut -d_ -f1)_$earlier.deb" >/dev/null || {
    echo "the packages of commit $commit could not be made version $earlier"
    exit 1
  }
done
rm -rf "$place/unpacked"
rm -rf "$place/checkout"
echo $commit >"$place/commit"
