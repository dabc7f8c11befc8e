#!/usr/bin/env python3
"""Makes an image of a toy package twice, elsewhere and with another umask and zone, and reads the archive with its own eyes: layout,
digests, account, whether every library that is named is there, no shell, the size, and a refusal of other versions.

usage: image.py
"""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

from toy_package import libcurl_here, make_package, said
from unpacking import unpack

WRITER = pathlib.Path(__file__).resolve().parents[2] / "packaging/image/write_images.py"
NAME, EPOCH = "elbowroom-toy", 1700000000
SOURCE = '#include <curl/curl.h>\n#include <stdio.h>\nint main(void) { return puts(curl_version()) < 0; }\n'
MOST_BYTES = 45 * 1024 * 1024
SHELLS = {"sh", "bash", "dash", "busybox", "zsh"}


def toy(folder, libcurl):
    return make_package(folder, NAME, "1", "usr/sbin/toy", SOURCE, libcurl, EPOCH)


def written(deb, out, umask="022", zone="UTC"):
    out.mkdir()
    done = subprocess.run(["sh", "-c", f'umask {umask}; exec python3 -B "$@"', "sh", WRITER, out, deb], cwd=out, capture_output=True,
                          text=True, check=False, env={**os.environ, "TZ": zone})
    return done, sorted(out.glob("*.oci.tar"))


def blob(folder, entry, wrong):
    path = folder / "blobs" / entry["digest"].replace(":", "/")
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != entry["digest"][7:] or len(content) != entry["size"]:
        wrong.append(f"{path}: not what its descriptor says")
    return content


def wrong_libraries(root):
    """Of each ELF inside, what it names, looked for where Debian's loader looks."""
    wrong = []
    for path in (each for each in root.rglob("*") if each.is_file() and not each.is_symlink()):
        if path.read_bytes()[:4] != b"\x7fELF":
            continue
        for name in re.findall(r"\(NEEDED\).*\[(.*)\]", said("readelf", "-dW", path)):
            found = [each for each in root.glob(f"usr/lib/*/{name}") if each.resolve().is_relative_to(root) and each.resolve().is_file()]
            if not found:
                wrong.append(f"{path.relative_to(root)}: loads {name}, which is not in the image")
    return wrong


def wrong_layer(file, root, wrong):
    with tarfile.open(file) as archive:
        members = archive.getmembers()
        unpack(archive, root)
    names = [tuple(each.name.split("/")) for each in members]
    if names != sorted(names) or {(each.uid, each.gid, each.mtime) for each in members} != {(0, 0, EPOCH)}:
        wrong.append("the layer: not sorted, not of account 0, or of another time than the package")
    if shells := SHELLS & {each[-1] for each in names}:
        wrong.append(f"the layer: has {sorted(shells)}")
    size = sum(each.size for each in members if not re.search(r"/(libc|libm|libresolv|ld-linux[^/]*)\.so\.\d$", each.name))
    if not 1 << 20 < size <= MOST_BYTES:
        wrong.append(f"the layer: {size} bytes without libc")
    if "elbowroom:x:65532:65532:" not in (root / "etc/passwd").read_text() or ":65532:" not in (root / "etc/group").read_text():
        wrong.append("account 65532 is not in /etc/passwd and /etc/group")
    listed = {each["fileName"][2:] for each in json.loads((root / f"usr/share/doc/{NAME}/image.spdx.json").read_text())["files"]}
    there = {each.name for each in members if each.isfile()} - {f"usr/share/doc/{NAME}/image.spdx.json"}
    if listed != there:
        wrong.append(f"the SPDX list and the files differ: {sorted(listed ^ there)}")
    wrong += wrong_libraries(root.resolve())
    if os.geteuid() == 0 and subprocess.run(["chroot", "--userspec=65532:65532", root, "/usr/sbin/toy"], check=False).returncode:
        wrong.append("the program does not start in the image")


def wrong_image(file, folder):
    wrong = []
    with tarfile.open(file) as archive:
        unpack(archive, folder)
    if json.loads((folder / "oci-layout").read_text()) != {"imageLayoutVersion": "1.0.0"}:
        wrong.append("oci-layout: another version")
    (entry,) = json.loads((folder / "index.json").read_text())["manifests"]
    if entry["annotations"]["org.opencontainers.image.ref.name"] != f"localhost/{NAME}:1":
        wrong.append(f"index.json: another name: {entry['annotations']}")
    manifest = json.loads(blob(folder, entry, wrong))
    config, (layer,) = json.loads(blob(folder, manifest["config"], wrong)), manifest["layers"]
    blob(folder, layer, wrong)
    if config["rootfs"]["diff_ids"] != [layer["digest"]]:
        wrong.append("the configuration names another layer")
    expected = {"User": "65532:65532", "Cmd": ["toy"], "Env": ["PATH=/usr/sbin:/usr/bin"]}
    if {key: config["config"].get(key) for key in expected} != expected or "Entrypoint" in config["config"]:
        wrong.append(f"the configuration: {config['config']}")
    if config["created"] != "2023-11-14T22:13:20Z":
        wrong.append(f"created {config['created']}")
    wrong_layer(folder / "blobs" / layer["digest"].replace(":", "/"), folder / "root", wrong)
    return wrong


def wrong_import(out, archive, digest):
    """What import.sh asks ctr for, from another folder."""
    (out / "bin").mkdir()
    (out / "bin/ctr").write_text(f'#!/bin/sh\necho "$*" >>{out}/asked\n')
    (out / "bin/ctr").chmod(0o755)
    subprocess.run(["sh", out / "import.sh"], cwd="/", check=True, env={"PATH": f"{out}/bin:{os.environ['PATH']}"})
    asked = (out / "asked").read_text().splitlines()
    expected = [f"-n k8s.io images import {archive.name}", f"-n k8s.io images tag --force localhost/{NAME}:1 localhost/{NAME}@{digest}"]
    return [] if asked == expected else [f"import.sh asks for {asked}"]


def main():
    if not all(shutil.which(each) for each in ("dpkg-deb", "dpkg-architecture", "cc", "readelf")):
        print("skipped: packaging.image: no dpkg-deb, dpkg-architecture, cc or readelf")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        libcurl, version = libcurl_here()
        deb = toy(folder, version)
        done, files = written(deb, folder / "one")
        if done.returncode or len(files) != 1:
            sys.exit(done.stderr or f"{files}")
        wrong = wrong_image(files[0], folder / "read")
        (entry,) = json.loads((folder / "read/index.json").read_text())["manifests"]
        if json.loads((folder / "one/images.json").read_text()) != [
                {"name": f"localhost/{NAME}", "newTag": "1", "digest": entry["digest"]}]:
            wrong.append("images.json: another name, version or digest than the archive's")
        wrong += wrong_import(folder / "one", files[0], entry["digest"])
        _, again = written(deb, folder / "two", "077", "Pacific/Kiritimati")
        if [each.read_bytes() for each in again] != [files[0].read_bytes()]:
            wrong.append("made twice, the images differ")
        refused, none = written(toy(folder, "0"), folder / "three")
        if refused.returncode == 0 or none or f"built against {libcurl} 0" not in refused.stderr:
            wrong.append(f"a package that was built against another version is taken: {refused.stderr}")
    print("\n".join(wrong) or "image: holds what its package loads, twice the same")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
