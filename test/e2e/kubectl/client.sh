#!/bin/sh
# client.sh FOLDER: prints the path of a kubectl of 1.32 or later: the one of the machine, or one
# unpacked into FOLDER from a newer Debian suite. Nothing is installed; the
# newer suite comes from the mirror that the machine's own sources name. Exits 77, with the reason,
# where there is none to be had.
set -u
folder=${1:?usage: client.sh FOLDER}

# True for a client that knows --subresource resize.
is_new_enough() {
  version=$("$1" version --client 2>/dev/null | sed -n 's/^Client Version: v1\.\([0-9]*\).*/\1/p')
  [ "${version:-0}" -ge 32 ]
}

own=$(command -v kubectl) && is_new_enough "$own" && echo "$own" && exit 0

give_up() {
  echo "$*"
  exit 77
}
command -v apt-get >/dev/null && command -v dpkg >/dev/null ||
  give_up "no kubectl of 1.32 or later, and no apt to fetch one"

mirror=$("$(dirname "$0")/mirror.sh") ||
  give_up "no kubectl of 1.32 or later, and the machine's sources name no Debian mirror"

apt="$folder/apt"
mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$apt/parts"
: >"$apt/status"
for suite in trixie forky sid; do
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$apt/sources.list"
  set -- -qq -o "Dir::Etc::sourcelist=$apt/sources.list" -o "Dir::Etc::sourceparts=$apt/parts" \
    -o "Dir::State::lists=$apt/lists" -o "Dir::State::status=$apt/status" \
    -o "Dir::Cache=$apt" -o "Dir::Cache::archives=$apt/archives" -o "Acquire::Languages=none" \
    -o "APT::Sandbox::User=root"
  apt-get "$@" update >"$folder/apt.log" 2>&1 || continue
  for package in kubernetes-client kubectl; do
    (cd "$folder" && apt-get "$@" download "$package") >>"$folder/apt.log" 2>&1 || continue
    for archive in "$folder/$package"_*.deb; do
      dpkg -x "$archive" "$folder/root" 2>>"$folder/apt.log" || continue
    done
    found="$folder/root/usr/bin/kubectl"
    [ -x "$found" ] && is_new_enough "$found" && echo "$found" && exit 0
  done
done
give_up "no kubectl of 1.32 or later, and no newer Debian suite could be fetched"
