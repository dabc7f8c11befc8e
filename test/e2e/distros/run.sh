#!/bin/bash
# README's quick start on other releases of Debian: run.sh BUILD_FOLDER. For each release a root is made by debootstrap, from the
# mirror that this machine's apt uses; the checkout is cloned into it, and each command of README's quick start runs there. Mounts
# and processes are in namespaces of their own and end with the suite, the roots are removed. Packages and compiled objects are
# kept in BUILD_FOLDER/e2e-distros for the next run. Where the machine cannot do this, it says so in one line and exits 0.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
checkout=$(cd "$here/../../.." && pwd)
place=$(cd "${1:?usage: run.sh BUILD_FOLDER}" && pwd)/e2e-distros
readonly releases=(trixie)                                # Debian 13
readonly longest=${ELBOWROOM_DISTROS_SECONDS:-14400}      # of one command, which compiles and tests all
readonly least_mb=${ELBOWROOM_DISTROS_MB:-12000}          # of disk, for one root with a build and what is kept

skip() {
  echo "e2e distros: skipped: $*"
  exit 0
}

[ "$(id -u)" = 0 ] || skip "only root can make a Debian with debootstrap and start programs in it"
for program in debootstrap unshare chroot git; do
  command -v $program >/dev/null || skip "there is no $program (Debian: debootstrap, util-linux, coreutils, git)"
done
mirror=$("$here/../kubectl/mirror.sh") ||
  skip "the machine's sources name no Debian mirror: set ELBOWROOM_DEBIAN_MIRROR to the URL of one"
unshare --mount --pid --fork true 2>/dev/null || skip "programs here get no namespaces of their own"
mkdir -p "$place/packages" "$place/ccache"
[ "$(df --output=avail -m "$place" | tail -n 1)" -ge "$least_mb" ] || skip "the disk of $place has less than $least_mb MB left"

root=$(mktemp -d "$place/root-XXXXXX")
trap 'rm -rf --one-file-system "$root"' EXIT

# How this machine's apt reaches its mirror is how the root's does.
configure_apt() {
  echo "deb $mirror $1 main" >"$root/etc/apt/sources.list"
  apt-config dump 2>/dev/null | grep -i '^Acquire::[a-z]*::proxy' >"$root/etc/apt/apt.conf.d/90mirror"
  cat >>"$root/etc/apt/apt.conf.d/90mirror" <<'CONF'
Acquire::Languages "none";
APT::Sandbox::User "root";
APT::Keep-Downloaded-Packages "true";
CONF
  rm -f "$root/etc/apt/apt.conf.d/docker-clean"
  cat /etc/resolv.conf >"$root/etc/resolv.conf"
  cat /etc/hosts >"$root/etc/hosts"
}

make_root() {
  debootstrap --variant=minbase --cache-dir="$place/packages" --include=ca-certificates,git "$1" "$root" "$mirror" \
    >"$place/debootstrap.log" 2>&1 || return 1
  configure_apt "$1"
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" # starts no service
  chmod 755 "$root/usr/sbin/policy-rc.d"
  # What is committed, and over it what is not yet.
  git -c safe.directory='*' clone -q --depth 1 "file://$checkout" "$root/elbowroom" &&
    (cd "$checkout" && git -c safe.directory='*' ls-files -z --cached --others --exclude-standard |
      while IFS= read -r -d '' file; do [ ! -f "$file" ] || printf '%s\0' "$file"; done |
      tar --null -T - -cf - | tar -C "$root/elbowroom" -xf -)
}

# In the root, with /dev, /proc and /sys, for so long at most: `in_root COMMAND`. All that it starts ends with it.
in_root() {
  # shellcheck disable=SC2016  # expanded by the inner shell
  timeout --kill-after=30 "$longest" unshare --mount --pid --fork --kill-child --propagation private sh -c '
    set -e
    root=$1 place=$2 command=$3
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount --rbind /dev "$root/dev"
    mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
    mkdir -p "$root/root/.cache/elbowroom/ccache"
    mount --bind "$place/ccache" "$root/root/.cache/elbowroom/ccache"
    mount --bind "$place/packages" "$root/var/cache/apt/archives"
    exec chroot "$root" env -i HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
      ${ELBOWROOM_JOBS:+ELBOWROOM_JOBS="$ELBOWROOM_JOBS"} sh -c "cd /elbowroom && $command"' \
    sh "$root" "$place" "$1"
}

# The commands of README's quick start, without their comments.
commands() {
  sed -n '/^## Quick start/,/^## /p' "$checkout/README.md" | sed -n '/^```sh$/,/^```$/p' | sed -e '/^```/d' -e 's/ *#.*//' -e '/^$/d'
}

outcome=0
for release in "${releases[@]}"; do
  make_root "$release" || skip "no root of Debian $release could be made from $mirror: see $place/debootstrap.log"
  echo "e2e distros: $release is Debian $(cat "$root/etc/debian_version")"
  number=0
  while IFS= read -r command; do
    number=$((number + 1)) log=$place/$release-$number.log
    since=$SECONDS
    if in_root "$command" </dev/null >"$log" 2>&1; then
      echo "ok     $release: $command, in $((SECONDS - since)) s: $(grep -v '^ *$' "$log" | tail -n 1)"
    else
      status=$?
      tail -n 40 "$log"
      echo "FAIL   $release: $command ended with $status after $((SECONDS - since)) s (124: it had $longest s): $log"
      outcome=1
    fi
  done < <(commands)
  [ "$number" -gt 0 ] || { echo "FAIL   README's quick start has no commands"; outcome=1; }
  echo "       with $(in_root 'g++ -dumpfullversion; python3 -V; cmake --version | head -n 1' 2>/dev/null | xargs)"
  rm -rf --one-file-system "$root" && mkdir "$root"
done
exit $outcome
