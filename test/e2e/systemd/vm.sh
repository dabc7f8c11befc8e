#!/bin/bash
# The packages on cgroup version 2: vm.sh BUILD_FOLDER, called by run.sh. A copy of run.sh's Debian 12, with a kernel and
# containerd, is kept as a disk in BUILD_FOLDER/e2e-systemd and booted by qemu, which emulates the processor; vm_session.sh
# plays in it and reports over the serial line. Where the machine cannot do this, it says so in one line and exits 0.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?usage: vm.sh BUILD_FOLDER}" && pwd)
place=$build/e2e-systemd
disk=$place/vm.img
readonly longest=${ELBOWROOM_VM_SECONDS:-2400}
readonly parts=(linux-image-cloud-amd64 containerd runc busybox-static)

skip() {
  echo "e2e systemd: in a virtual machine: skipped: $*"
  exit 0
}

[ "$(uname -m)" = x86_64 ] || skip "it is made for amd64, and this is $(uname -m)"
for program in qemu-system-x86_64 mkfs.ext4; do
  command -v $program >/dev/null || skip "there is no $program (Debian: qemu-system-x86, e2fsprogs)"
done

# Whatever fills it at a boot is thrown away with it.
make_disk() {
  local tree=$place/vm
  rm -rf "$tree" "$disk"
  cp -a "$place/root" "$tree" &&
    chroot "$tree" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends "${parts[@]}" \
      >"$place/vm-apt.log" 2>&1 &&
    cp "$tree"/boot/vmlinuz-* "$place/vm-kernel" && cp "$tree"/boot/initrd.img-* "$place/vm-initrd" || return 1
  rm -rf "$tree"/boot/* "$tree"/var/cache/apt "$tree"/usr/share/{doc,locale,man}/*
  local units=$tree/etc/systemd/system unit
  for unit in serial-getty@ttyS0 containerd; do ln -sf /dev/null "$units/$unit.service"; done
  cat >"$units/e2e.service" <<'UNIT'
[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/bin/bash -c 'mkdir -p /e2e && mount /dev/vdb /e2e && exec bash /e2e/vm_session.sh'
ExecStopPost=/bin/bash -c 'echo "exit status $$EXIT_STATUS" >/dev/ttyS1; systemctl --no-block --force poweroff'
StandardOutput=file:/dev/ttyS1
StandardError=file:/dev/ttyS1
UNIT
  mkdir -p "$units/multi-user.target.wants"
  ln -sf ../e2e.service "$units/multi-user.target.wants/e2e.service"
  mkfs.ext4 -q -d "$tree" "$disk" 3G >>"$place/vm-apt.log" 2>&1 || return 1
  rm -rf "$tree"
  wanted >"$place/vm-made"
}

# What a disk of before has to have been made from to be of use still.
wanted() { cat "$place/made" && sha256sum <"$0"; }

[ -e "$place/vm-made" ] && [ "$(wanted)" = "$(cat "$place/vm-made")" ] || make_disk ||
  skip "no disk could be made: see $place/vm-apt.log"

shared=$(mktemp -d "$place/vm-XXXXXX")
trap 'rm -rf "$shared"' EXIT
mkdir "$shared/e2e"
cp "$build"/packages/elbowroom{,-agent,-scheduler}_*.deb "$here"/{words,slices,vm_session}.sh "$here"/*.py "$shared/e2e/"
cp -R "$here/../runtime" "$shared/e2e/runtime"
for program in slice_e2e runtime_e2e pods_e2e; do strip -o "$shared/e2e/$program" "$build/bin/$program" || exit 1; done
mkfs.ext4 -q -d "$shared/e2e" "$shared/e2e.img" 1G >/dev/null || exit 1

timeout "$longest" qemu-system-x86_64 -accel tcg,thread=multi -cpu max -smp 2 -m 2048 -nic none -display none -monitor none \
  -no-reboot -kernel "$place/vm-kernel" -initrd "$place/vm-initrd" -append "root=/dev/vda rw console=ttyS0 quiet" \
  -drive "file=$disk,format=raw,if=virtio,snapshot=on" -drive "file=$shared/e2e.img,format=raw,if=virtio" \
  -serial "file:$shared/console" -serial "file:$shared/out" </dev/null >"$shared/qemu" 2>&1
ended=$?
tr -d '\r' <"$shared/out" | grep -v '^exit status '
if grep -q '^exit status 0' "$shared/out"; then exit 0; fi
cp "$shared/console" "$shared/out" "$shared/qemu" "$place/"
[ $ended = 124 ] && echo "e2e systemd: the virtual machine took longer than $longest s"
grep -q '^exit status ' "$shared/out" || tail -n 5 "$shared/qemu" "$shared/console"
exit 1
