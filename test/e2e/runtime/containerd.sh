#!/bin/sh
# A private containerd with runc for tests: its own data, socket, images and network plugin, no
# registry. DIR holds all of it, and `stop` leaves neither process, mount nor
# cgroup behind.
#
#   containerd.sh check            exit 0, or 77 with one line that says why it cannot run here
#   containerd.sh start DIR        boots it with the images localhost/{pause,busybox}:test
#   containerd.sh kill DIR         kill -9; containers continue
#   containerd.sh boot DIR         boots it again
#   containerd.sh restart DIR      both
#   containerd.sh stop DIR         removes all pods, the process and the pods' empty cgroups
set -eu

cannot() { echo "skipped: containerd: $1" >&2; exit 77; }

check() {
  [ "$(id -u)" = 0 ] || cannot "needs root"
  for tool in containerd containerd-shim-runc-v2 ctr runc busybox tar gzip sha256sum; do
    command -v "$tool" >/dev/null || cannot "$tool is not installed (apt-get install containerd runc busybox-static)"
  done
  # A static busybox needs nothing else in its image.
  if ldd "$(command -v busybox)" >/dev/null 2>&1; then cannot "busybox is not static (apt-get install busybox-static)"; fi
  if [ ! -w /sys/fs/cgroup/memory ] && [ ! -w /sys/fs/cgroup/cgroup.subtree_control ]; then
    cannot "no writable cgroups with cpu and memory below /sys/fs/cgroup"
  fi
}

digest() { sha256sum "$1" | cut -d ' ' -f 1; }

# image NAME ENTRYPOINT: a one-layer OCI image of busybox as DIR/NAME.tar.
image() {
  root=$DIR/image-$1
  rm -rf "$root"
  mkdir -p "$root/fs/bin" "$root/fs/etc" "$root/fs/tmp" "$root/fs/proc" "$root/fs/sys" "$root/fs/dev" \
    "$root/oci/blobs/sha256"
  cp "$(command -v busybox)" "$root/fs/bin/busybox"
  for applet in sh sleep dd cat true; do ln -s busybox "$root/fs/bin/$applet"; done
  echo 'root:x:0:0:root:/:/bin/sh' >"$root/fs/etc/passwd"
  tar -C "$root/fs" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf "$root/layer.tar" .
  gzip -n -1 -k "$root/layer.tar"
  layer=$(digest "$root/layer.tar.gz")
  printf '{"architecture":"amd64","os":"linux","config":{"Entrypoint":%s},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}' \
    "$2" "$(digest "$root/layer.tar")" >"$root/config"
  config=$(digest "$root/config")
  printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"sha256:%s","size":%s},"layers":[{"mediaType":"application/vnd.oci.image.layer.v1.tar+gzip","digest":"sha256:%s","size":%s}]}' \
    "$config" "$(stat -c %s "$root/config")" "$layer" "$(stat -c %s "$root/layer.tar.gz")" >"$root/manifest"
  manifest=$(digest "$root/manifest")
  printf '{"schemaVersion":2,"manifests":[{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"sha256:%s","size":%s,"platform":{"architecture":"amd64","os":"linux"},"annotations":{"io.containerd.image.name":"localhost/%s:test","org.opencontainers.image.ref.name":"test"}}]}' \
    "$manifest" "$(stat -c %s "$root/manifest")" "$1" >"$root/oci/index.json"
  echo '{"imageLayoutVersion":"1.0.0"}' >"$root/oci/oci-layout"
  mv "$root/layer.tar.gz" "$root/oci/blobs/sha256/$layer"
  mv "$root/config" "$root/oci/blobs/sha256/$config"
  mv "$root/manifest" "$root/oci/blobs/sha256/$manifest"
  tar -C "$root/oci" -cf "$DIR/$1.tar" .
  rm -rf "$root"
}

configure() {
  mkdir -p "$DIR/cni" "$DIR/cnibin" "$DIR/opt"
  cat >"$DIR/config.toml" <<END
version = 2
root = "$DIR/data"
state = "$DIR/state"
oom_score = 0
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs",
  "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.tracing.processor.v1.otlp", "io.containerd.internal.v1.tracing"]
[grpc]
  address = "$DIR/containerd.sock"
[ttrpc]
  address = "$DIR/containerd.sock.ttrpc"
[plugins."io.containerd.internal.v1.opt"]
  path = "$DIR/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:test"
  disable_tcp_service = true
  stream_server_address = "127.0.0.1"
  stream_server_port = "0"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "$SNAPSHOTTER"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
        BinaryName = "$DIR/runc"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "$DIR/cnibin"
    conf_dir = "$DIR/cni"
END
  echo '{"cniVersion":"0.4.0","name":"fake","plugins":[{"type":"fakecni"}]}' >"$DIR/cni/10-fake.conflist"
  # containerd brings lo up through the plugin of that name.
  cat >"$DIR/cnibin/fakecni" <<'END'
#!/bin/sh
cat >/dev/null
case "$CNI_COMMAND" in
  VERSION) echo '{"cniVersion":"0.4.0","supportedVersions":["0.3.1","0.4.0"]}' ;;
  ADD) printf '{"cniVersion":"0.4.0","interfaces":[{"name":"eth0","sandbox":"%s"}],"ips":[{"version":"4","address":"192.0.2.10/32","interface":0}]}\n' "$CNI_NETNS" ;;
esac
END
  chmod +x "$DIR/cnibin/fakecni"
  if [ -x /usr/lib/cni/loopback ]; then
    ln -sf /usr/lib/cni/loopback "$DIR/cnibin/loopback"
  else
    cp "$DIR/cnibin/fakecni" "$DIR/cnibin/loopback"
  fi
}

# runc, watched: DIR/updates gets a line "asked SIZES" for each update that it is called for, and "made SIZES" when that has
# succeeded. An update whose sizes hold the text in DIR/hold waits for as long as that file exists.
watch_runc() {
  cat >"$DIR/runc" <<END
#!/bin/sh
for word in "\$@"; do
  [ "\$word" = update ] || continue
  sizes=\$(cat)
  printf 'asked %s\n' "\$sizes" >>"$DIR/updates"
  while [ -s "$DIR/hold" ] && printf '%s' "\$sizes" | grep -qF -f "$DIR/hold"; do sleep 0.02; done
  printf '%s' "\$sizes" | "$(command -v runc)" "\$@" || exit
  printf 'made %s\n' "\$sizes" >>"$DIR/updates"
  exit 0
done
exec "$(command -v runc)" "\$@"
END
  chmod +x "$DIR/runc"
  : >"$DIR/updates"
}

ctr_() { ctr -a "$DIR/containerd.sock" -n k8s.io "$@"; }

boot() {
  setsid containerd -c "$DIR/config.toml" >>"$DIR/containerd.log" 2>&1 </dev/null &
  echo $! >"$DIR/pid"
  tries=0
  until ctr_ version >/dev/null 2>&1; do
    tries=$((tries + 1))
    if [ $tries -gt 100 ] || ! kill -0 "$(cat "$DIR/pid")" 2>/dev/null; then
      tail -n 5 "$DIR/containerd.log" >&2
      cannot "it does not start here (log above)"
    fi
    sleep 0.1
  done
}

end_process() {
  pid=$(cat "$DIR/pid" 2>/dev/null) || return 0
  kill "-$1" "$pid" 2>/dev/null || return 0
  while kill -0 "$pid" 2>/dev/null && ! grep -q '^State:.Z' "/proc/$pid/status" 2>/dev/null; do sleep 0.05; done
}

start() {
  check
  mkdir -p "$DIR"
  SNAPSHOTTER=overlayfs
  case $(stat -f -c %T "$DIR") in overlayfs) SNAPSHOTTER=native ;; esac
  find /sys/fs/cgroup -maxdepth 2 -type d -name kubepods 2>/dev/null | sort >"$DIR/cgroups-before"
  configure
  watch_runc
  image pause '["/bin/sleep","1000000"]'
  image busybox '["/bin/sh"]'
  boot
  ctr_ images import "$DIR/pause.tar" >/dev/null
  ctr_ images import "$DIR/busybox.tar" >/dev/null
}

# Ends every task of this containerd by its own client, then the shims that are left: each is found
# by the socket of this DIR on its command line.
end_tasks() {
  for task in $(ctr_ tasks ls -q 2>/dev/null); do ctr_ tasks kill -s KILL "$task" >/dev/null 2>&1 || true; done
  for task in $(ctr_ tasks ls -q 2>/dev/null); do ctr_ tasks rm -f "$task" >/dev/null 2>&1 || true; done
  for shim in /proc/[0-9]*/cmdline; do
    if { tr '\0' ' ' <"$shim"; } 2>/dev/null | grep -q "containerd-shim.*-address $DIR/containerd.sock"; then
      kill -KILL "$(basename "$(dirname "$shim")")" 2>/dev/null || true
    fi
  done
}

stop() {
  [ -d "$DIR" ] || return 0
  end_tasks
  end_process TERM
  cut -d ' ' -f 2 /proc/mounts | grep "^$DIR/" | sort -r | while read -r mount; do umount "$mount" 2>/dev/null || true; done
  # Only groups named for a test, and their parents that did not exist before.
  find /sys/fs/cgroup -depth -type d -path '*/kubepods/*elbowroom-e2e*' -exec rmdir {} + 2>/dev/null || true
  find /sys/fs/cgroup -maxdepth 2 -type d -name kubepods 2>/dev/null | sort | comm -23 - "$DIR/cgroups-before" |
    while read -r group; do find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true; done
  rm -rf "$DIR"
}

[ $# -ge 1 ] ||
  { echo "usage: containerd.sh check | start DIR | kill DIR | boot DIR | restart DIR | stop DIR" >&2; exit 2; }
DIR=${2:-}
case $1 in
  check) check ;;
  start) start ;;
  kill) end_process KILL ;;
  boot) boot ;;
  restart) end_process KILL; boot ;;
  stop) stop ;;
  *) echo "containerd.sh: unknown command $1" >&2; exit 2 ;;
esac
