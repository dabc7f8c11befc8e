#!/usr/bin/env python3
"""Makes the archive and the manifest of the kubectl plugin from a toy package, twice, elsewhere and with another umask and zone. The
manifest has the shape that krew asks for, and the archive's sum; the archive holds what krew can take, and its program runs in
another folder by its own libraries, also through a link.

usage: krew.py
"""
import hashlib
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

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
NAME, VERSION = "elbowroom", "0.9.1"
# Says how it was called, and which files it is made of.
SOURCE = """\
#include <curl/curl.h>
#include <stdio.h>
int main(int count, char** words) {
  char line[4096];
  FILE* maps = fopen("/proc/self/maps", "r");
  curl_free(NULL);
  printf("%s %s\\n", words[0], words[count - 1]);
  while (fgets(line, sizeof line, maps)) fputs(line, stdout);
  return fclose(maps);
}
"""
# krew's own rules of a manifest, and no more keys than it knows: internal/index/validation of its sources.
SHAPE = re.compile(r"""apiVersion: krew\.googlecontainertools\.github\.com/v1alpha2
kind: Plugin
metadata:
  name: (?P<name>[\w-]+)
spec:
  version: v(?P<version>\d+\.\d+\.\d+)
  homepage: https://\S+
  shortDescription: (?P<short>[^\n"'#:]{1,50})
  description: \|
(?:    \S[^\n]*\n)+  platforms:
  - selector:
      matchLabels:
        os: linux
        arch: (?P<arch>amd64|arm64)
    uri: (?P<uri>https://\S+\.tar\.gz)
    sha256: (?P<sum>[0-9a-f]{64})
    bin: (?P<bin>\S+)
""")


def toy(folder, libcurl):
    return make_package(folder, NAME, VERSION, f"usr/bin/{NAME}", SOURCE, libcurl, 1700000000)


def written(deb, out, umask="022", zone="UTC"):
    """{path: bytes} of what is made; what is said where nothing is."""
    done = subprocess.run(["sh", "-c", f'umask {umask}; exec python3 -B "$@"', "sh", ROOT / "packaging/krew/write_plugin.py", out,
                           "https://example.org/elbowroom/", deb], env={**os.environ, "TZ": zone}, capture_output=True, text=True,
                          check=False)
    return done.stderr if done.returncode else {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


def wrong_manifest(made, archive):
    found = SHAPE.fullmatch(made["krew/elbowroom.yaml"].decode())
    if not found:
        return ["elbowroom.yaml: not what krew takes"]
    wrong = [] if (found["name"], found["version"]) == (NAME, VERSION) else ["elbowroom.yaml: another name or version"]
    if found["sum"] != hashlib.sha256(made[archive]).hexdigest():
        wrong.append("elbowroom.yaml: not the archive's sum")
    if found["uri"] != f"https://example.org/elbowroom/{archive}" or found["bin"] != "elbowroom":
        wrong.append(f"elbowroom.yaml: fetched from {found['uri']}, and started by {found['bin']}")
    return wrong


def wrong_members(archive):
    """krew unpacks files and folders alone, and none outside its own."""
    with tarfile.open(archive) as opened:
        return [f"{each.name}: krew does not take it" for each in opened.getmembers()
                if not each.isfile() or each.name.startswith("/") or ".." in each.name or each.mode not in (0o644, 0o755)]


def wrong_program(folder, archive):
    place = folder / "a store" / "v1"
    with tarfile.open(archive) as opened:
        unpack(opened, place)
    link = folder / "kubectl-elbowroom"
    link.symlink_to(place / "elbowroom")
    done = subprocess.run([link, "two  words"], capture_output=True, text=True, check=False, env={"PATH": "/usr/bin:/bin"})
    if done.returncode or not done.stdout.startswith(f"{link} two  words\n"):
        return [f"the program says {done.stdout}{done.stderr}"]
    mapped = {line.split(maxsplit=5)[5] for line in done.stdout.splitlines()[1:] if "/" in line}
    wrong = [f"loaded from elsewhere: {each}" for each in sorted(mapped) if not each.startswith(str(place))]
    return wrong + [f"no notice of {each}" for each in ("libc6", libcurl_here()[0], NAME) if not (place / f"doc/{each}/copyright").is_file()]


def main():
    if missing := [each for each in ("cc", "dpkg-deb", "dpkg-architecture", "readelf") if not shutil.which(each)]:
        print(f"skipped: {' and '.join(missing)} is not installed")
        return SKIPPED
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        deb = toy(folder, libcurl_here()[1])
        made = written(deb, folder / "one")
        archive = f"{NAME}_{VERSION}_linux_{said('dpkg', '--print-architecture').strip()}.tar.gz"
        wrong = [] if made == written(deb, folder / "two", "077", "Pacific/Kiritimati") else ["made twice, the plugins differ"]
        if set(made) != {archive, "krew/elbowroom.yaml"}:
            sys.exit(f"made: {made}")
        refused = written(toy(folder, "0.0-none"), folder / "three")
        if "0.0-none" not in refused or (folder / "three" / archive).exists():
            wrong.append(f"libraries of another version are taken: {refused}")
        wrong += wrong_manifest(made, archive) + wrong_members(folder / "one" / archive) + wrong_program(folder, folder / "one" / archive)
    print("\n".join(wrong) or "krew: the plugin is as krew takes it, and runs by its own libraries")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
