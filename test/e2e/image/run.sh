#!/bin/sh
# The images of `./dev package image` in a real containerd: run.sh BUILD_FOLDER. Each is imported, and its program says its
# version with a root file system that nobody can write. Then their pods by the manifests, through a real kubelet
# (test/e2e/cluster/suite_image.py). What cannot run here is said in one line, and exits 0.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${1:?usage: run.sh BUILD_FOLDER}
case $build in /*) ;; *) build=$PWD/$build ;; esac
containerd=$here/../runtime/containerd.sh
"$containerd" check
case $? in 0) ;; 77) exit 0 ;; *) exit 1 ;; esac
ls "$build"/packages/*.oci.tar >/dev/null 2>&1 || { echo "skipped: images: none in $build/packages (./dev package image)" >&2; exit 0; }

DIR=$(mktemp -d /tmp/elbowroom-e2e-XXXXXX)
trap '"$containerd" stop "$DIR"' EXIT
trap 'exit 130' INT TERM
"$containerd" start "$DIR"
case $? in 0) ;; 77) exit 0 ;; *) exit 1 ;; esac
snapshotter=overlayfs
case $(stat -f -c %T "$DIR") in overlayfs) snapshotter=native ;; esac
ctr_() { ctr -a "$DIR/containerd.sock" -n k8s.io "$@" 2>>"$DIR/ctr.log"; }
# import.sh, as a user runs it, asks this containerd.
mkdir "$DIR/bin"
printf '#!/bin/sh\nexec "%s" -a "%s/containerd.sock" "$@"\n' "$(command -v ctr)" "$DIR" >"$DIR/bin/ctr"
chmod +x "$DIR/bin/ctr"
PATH="$DIR/bin:$PATH" sh "$build/packages/import.sh" >>"$DIR/ctr.log" 2>&1 || { tail -n 5 "$DIR/ctr.log" >&2; exit 1; }
failed=0
for file in "$build"/packages/*.oci.tar; do
  name=$(basename "$file")
  name=${name%%_*}
  version=$(basename "$file" | cut -d _ -f 2)
  program=$name
  [ "$name" != elbowroom-agent ] || program=elbowroomd
  said=$(ctr_ run --snapshotter "$snapshotter" --rm --read-only --runc-binary "$DIR/runc" "localhost/$name:$version" "elbowroom-e2e-$name" \
    "$program" --version)
  if [ "$said" = "$program $version" ]; then
    echo "e2e image: $name: $said"
  else
    tail -n 5 "$DIR/ctr.log" >&2
    echo "e2e image: $name said '$said', not '$program $version'" >&2
    failed=1
  fi
done
"$containerd" stop "$DIR"
"$here/../cluster/run.sh" "$build" image || failed=1
exit $failed
