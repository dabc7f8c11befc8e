#!/usr/bin/env python3
"""Makes an OCI image of each Debian package that is named: its program, the libraries which that loads, and nothing to run besides.

usage: write_images.py OUT_FOLDER FILE.deb...     OUT_FOLDER/PACKAGE_VERSION_ARCHITECTURE.oci.tar, and OUT_FOLDER/images.json: their
names, versions and digests, in the words of a kustomization; OUT_FOLDER/import.sh, which makes them known on a node
"""
import io
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile

from archive import ARCHITECTURES, configuration, image_archive, tree
from contents import image_document
from libraries import said
from root import ACCOUNT, program_in, write_root, wrong_versions

IMPORT = """#!/bin/sh
# Makes the images beside this file known to this node's containerd, under the names that the manifests have: those with a digest, too.
set -eu
cd "$(dirname "$0")"
"""
MOST_BYTES = 45 << 20  # uncompressed, but for libc
LIBC = "libc6"


def unpack(file, folder):
    """Seconds of the latest file, which is the package's SOURCE_DATE_EPOCH."""
    content = subprocess.run(["dpkg-deb", "--fsys-tarfile", file], capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        moment = max(int(each.mtime) for each in archive)
    subprocess.run(["dpkg-deb", "-x", file, folder], check=True)
    return moment


def bytes_of(root, owners):
    """What the root's files hold, but for libc's."""
    of_libc = {root / str(file).lstrip("/") for file, package in owners.items() if package == LIBC}
    return sum(path.stat().st_size for path in root.rglob("*") if path.is_file() and not path.is_symlink() and path not in of_libc)


def image_of(file, work):
    """(name of the archive's file, its bytes, what manifests call the image, its size without libc)"""
    name, version, architecture = said("dpkg-deb", "-W", "--showformat=${Package} ${Version} ${Architecture}", file).split()
    here = said("dpkg", "--print-architecture").strip()
    if architecture != here or architecture not in ARCHITECTURES:
        sys.exit(f"{file}: for {architecture}; images are made on a machine of their own kind, of {sorted(ARCHITECTURES)}")
    package_root, root = work / "package", work / "root"
    moment = unpack(file, package_root)
    document = json.loads((package_root / f"usr/share/doc/{name}/spdx.json").read_text(encoding="utf-8"))
    if wrong := wrong_versions(document):
        sys.exit("\n".join(f"{file}: {each}" for each in wrong))
    owners = write_root(root, name, package_root)
    listed = root / f"usr/share/doc/{name}/image.spdx.json"
    listed.write_text(json.dumps(image_document(document, root, owners, listed), indent=1) + "\n", encoding="utf-8")
    size = bytes_of(root, owners)
    if size > MOST_BYTES:
        sys.exit(f"{file}: its image has {size} bytes without libc, more than {MOST_BYTES}")
    layer = tree(root, moment)
    labels = {"org.opencontainers.image.title": name, "org.opencontainers.image.version": version,
              "org.opencontainers.image.licenses": "Apache-2.0"}
    config = configuration(architecture, program_in(package_root).name, ACCOUNT, moment, labels, layer)
    made, digest = image_archive(f"localhost/{name}:{version}", architecture, layer, config, moment)
    named = {"name": f"localhost/{name}", "newTag": version, "digest": digest}
    return f"{name}_{version}_{architecture}.oci.tar", made, named, size


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    images, imports = [], IMPORT
    for file in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as work:
            name, made, named, size = image_of(file, pathlib.Path(work))
        (out / name).write_bytes(made)
        images.append(named)
        tagged, digested = f"{named['name']}:{named['newTag']}", f"{named['name']}@{named['digest']}"
        imports += f"ctr -n k8s.io images import {name}\nctr -n k8s.io images tag --force {tagged} {digested}\n"
        print(f"{tagged}@{named['digest']}: {size / (1 << 20):.1f} MiB without libc")
    (out / "images.json").write_text(json.dumps(images, indent=1) + "\n", encoding="utf-8")
    (out / "import.sh").write_text(imports, encoding="utf-8")


if __name__ == "__main__":
    main()
