#!/bin/bash
# The packages under a real systemd: run.sh BUILD_FOLDER. A Debian of this machine's release (debootstrap, kept in
# BUILD_FOLDER/e2e-systemd) is booted by systemd-nspawn with a throw-away overlay, and session.sh plays
# in it; then vm.sh boots it once more, on cgroup version 2. Where the machine cannot do this, it says
# so in one line and exits 0.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?usage: run.sh BUILD_FOLDER}" && pwd)
place=$build/e2e-systemd
root=$place/root
readonly longest=${ELBOWROOM_NSPAWN_SECONDS:-1800} # minutes, where no other program needs the processor

skip() {
  echo "e2e systemd: skipped: $*"
  exit 0
}

fail() {
  echo "e2e systemd: $*"
  exit 1
}

[ "$(id -u)" = 0 ] || skip "only root can boot a system with systemd-nspawn"
for program in systemd-nspawn debootstrap dpkg-deb; do
  command -v $program >/dev/null || skip "there is no $program (Debian: systemd-container, debootstrap, dpkg)"
done
mirror=$("$here/../kubectl/mirror.sh") || skip "the machine's sources name no Debian mirror"
[ -x "$build/bin/slice_e2e" ] || fail "there is no $build/bin/slice_e2e: start this by ./dev e2e systemd"
ls "$build"/packages/elbowroom-agent_*.deb >/dev/null 2>&1 || "$here/../../../dev" package deb ||
  fail "the packages could not be built"

packages() { ls "$build"/packages/elbowroom{,-agent,-scheduler}_*.deb; }

# They load the libraries of the release that they were built on.
release=$(. /etc/os-release && [ "${ID:-}" = debian ] && echo "${VERSION_CODENAME:-}")
release=${release:-bookworm}

# What the packages need besides each other.
needs() {
  for deb in $(packages); do
    dpkg-deb -f "$deb" Depends | tr ',' '\n' | sed 's/|.*//; s/(.*)//; s/ //g'
  done | sort -u
}

# A system with all that the packages need, and no services that wait for hardware or the network.
make_root() {
  rm -rf "$root"
  mkdir -p "$place"
  debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus,procps,python3,curl "$release" \
    "$root" "$mirror" >"$place/debootstrap.log" 2>&1 || return 1
  # polkitd here: debootstrap does not see what it depends on
  # shellcheck disable=SC2046  # one word for each package
  chroot "$root" apt-get -qq -y install --no-install-recommends polkitd $(needs) >"$place/apt.log" 2>&1 || return 1
  echo '127.0.0.1 localhost' >"$root/etc/hosts"
  local unit
  for unit in systemd-timesyncd systemd-resolved apt-daily.timer apt-daily-upgrade.timer getty.target \
    console-getty systemd-udevd systemd-udev-trigger systemd-networkd; do
    case $unit in *.*) ;; *) unit=$unit.service ;; esac
    ln -sf /dev/null "$root/etc/systemd/system/$unit"
  done
  wanted >"$place/made"
}

# What a system of before has to have been made from to be of use still.
wanted() { echo "$release" polkitd && needs; }

[ -e "$place/made" ] && [ "$(wanted)" = "$(cat "$place/made")" ] || make_root ||
  skip "no Debian $release could be made from $mirror: see $place/debootstrap.log and $place/apt.log"

# Boots with /e2e bound to $2 and plays $1 there; the system ends with the exit status of what it played.
boot() {
  local script=$1 shared=$2
  mkdir -p "$shared"
  cp "$here/$script" "$here"/*.py "$here"/{words,slices,upgrade}.sh "$here"/../../../docs/{install,operate,security,troubleshooting}.md "$shared"/
  cat >"$shared/e2e.service" <<UNIT
[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/bin/bash /e2e/$script
ExecStopPost=/bin/bash -c 'systemctl --no-block exit \$\$EXIT_STATUS'
StandardOutput=append:/e2e/out
StandardError=append:/e2e/out
UNIT
  mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
  cp "$shared/e2e.service" "$root/etc/systemd/system/e2e.service"
  ln -sf ../e2e.service "$root/etc/systemd/system/multi-user.target.wants/e2e.service"
  timeout "$longest" systemd-nspawn -q --register=no --keep-unit --volatile=overlay --private-network \
    -D "$root" -M "elbowroom-$$" --bind="$shared:/e2e" -b </dev/null >"$shared/console" 2>&1
}

# What slices.sh lets the system write of the hierarchies of version 1 it leaves there, in the group that this runs in.
slices_here() {
  local controllers path
  while IFS=: read -r _ controllers path; do
    case $controllers in
      cpu | cpu,* | memory) ls -d "/sys/fs/cgroup/${controllers%%,*}${path%/}"/*.slice 2>/dev/null ;;
    esac
  done </proc/self/cgroup
}
others=$(slices_here)
sweep() {
  local slice
  for slice in $(slices_here); do
    grep -qxF "$slice" <<<"$others" || find "$slice" -depth -type d -exec rmdir {} +
  done
}

# An empty boot tells whether this machine can boot at all.
shared=$(mktemp -d "$place/play-XXXXXX")
trap 'rm -rf "$shared"; sweep' EXIT
boot probe.sh "$shared"
outcome=0
if [ "$(cat "$shared/out" 2>/dev/null)" = booted ]; then
  rm -f "$shared/out"
  # shellcheck disable=SC2046  # one word for each package
  cp $(packages) "$build/bin/slice_e2e" "$shared"/
  if "$here/earlier.sh" "$place/earlier" >"$shared/no-upgrade"; then
    mkdir "$shared/earlier-packages"
    cp "$place"/earlier/elbowroom{,-agent,-scheduler}_*.deb "$shared/earlier-packages"/
  fi
  boot session.sh "$shared"
  outcome=$?
  cat "$shared/out"
  [ $outcome = 0 ] || cp "$shared/out" "$shared/console" "$place/"
else
  echo "e2e systemd: skipped: systemd-nspawn does not boot here: $(tail -n 1 "$shared/console" | tr -d '\r')"
fi
"$here/vm.sh" "$build" || outcome=1
exit $outcome
