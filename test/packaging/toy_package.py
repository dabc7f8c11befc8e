"""A Debian package of one small program that loads libcurl, and whose list of parts says against which version it was built."""
import json
import os
import subprocess


def said(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def libcurl_here():
    """Debian's package of libcurl, which has another name in each release, and its version."""
    package = said("dpkg-query", "-S", "*/libcurl.so.4").splitlines()[0].partition(":")[0]
    return package, said("dpkg-query", "-W", "-f", "${Version}\n", package).splitlines()[0]


def make_package(folder, name, version, program, source, libcurl, moment):
    """FOLDER/toy-LIBCURL.deb. `program`: its path below the root. `moment`: seconds, the time of all that is inside."""
    root = folder / f"toy-{libcurl}"
    documents = root / "usr/share/doc" / name
    for each in (root / "DEBIAN", (root / program).parent, documents):
        each.mkdir(parents=True, mode=0o755)
    (folder / "toy.c").write_text(source)
    subprocess.run(["cc", folder / "toy.c", "-o", root / program, "-lcurl"], check=True)
    parts = [{"SPDXID": "SPDXRef-Package", "name": name}, {"SPDXID": "SPDXRef-Part-1", "name": "libcurl.so.4", "versionInfo": libcurl}]
    (documents / "spdx.json").write_text(json.dumps({"name": name, "packages": parts, "relationships": [
        {"spdxElementId": "SPDXRef-Package", "relationshipType": "DYNAMIC_LINK", "relatedSpdxElement": "SPDXRef-Part-1"}]}))
    for each in ("copyright", "NOTICES"):
        (documents / each).write_text("toy\n")
    (root / "DEBIAN/control").write_text(f"Package: {name}\nVersion: {version}\n"
                                         f"Architecture: {said('dpkg', '--print-architecture').strip()}\n"
                                         "Maintainer: toy <toy@example.org>\nDescription: toy\n")
    made = folder / f"{root.name}.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-b", root, made], check=True, capture_output=True,
                   env={**os.environ, "SOURCE_DATE_EPOCH": str(moment)})
    return made
