#!/usr/bin/env python3
"""Looks into Debian packages: whether the list of what is inside (spdx.json) says what is inside. Files and their SHA-256, the
libraries that the program loads and those linked into it, their licenses as docs/libraries.md has them, and their notices. Whether the pages that
the programs' messages name are in the command line's package; and whether the programs are hardened as those that are built here.

usage: deb.py FILE.deb...
"""
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "packaging"))
from inventory import inventory, loaded_by, without_version  # pylint: disable=wrong-import-position
from hardening import soft  # pylint: disable=wrong-import-position

# name: its program, and whether gRPC is linked into that
EXPECTED = {"elbowroom": ("usr/bin/elbowroom", True), "elbowroom-agent": ("usr/sbin/elbowroomd", True),
            "elbowroom-scheduler": ("usr/sbin/elbowroom-scheduler", False),
            "elbowroom-rescheduler": ("usr/sbin/elbowroom-rescheduler", False)}
DOCS = "usr/share/doc/elbowroom"
PAGE = re.compile(rb"docs/[a-z/-]+\.md")
GRPC = b"runtime.v1.RuntimeService"  # in every program that speaks to a container runtime


def related(document, kind):
    """The entries that stand in that relation to the package, by name."""
    entries = {each["SPDXID"]: each for each in document["packages"]}
    ends = [{each["spdxElementId"], each["relatedSpdxElement"]} - {"SPDXRef-Package"} for each in document["relationships"]
            if each["relationshipType"] == kind]
    return {entries[next(iter(each))]["name"]: entries[next(iter(each))] for each in ends}


def wrong_files(document, root, besides):
    there = {f"./{path.relative_to(root)}": hashlib.sha256(path.read_bytes()).hexdigest() for path in root.rglob("*")
             if path.is_file() and not path.is_symlink() and path != besides}
    listed = {each["fileName"]: next(sum["checksumValue"] for sum in each["checksums"] if sum["algorithm"] == "SHA256")
              for each in document.get("files", [])}
    wrong = [f"{name}: in the package, and not in the list" for name in sorted(there.keys() - listed.keys())]
    wrong += [f"{name}: in the list, and not in the package" for name in sorted(listed.keys() - there.keys())]
    return wrong + [f"{name}: another content than the list says" for name in sorted(there.keys() & listed.keys())
                    if there[name] != listed[name]]


def wrong_licenses(entries, known, key):
    wrong = []
    for name, entry in entries.items():
        row = known.get(key(name))
        if row is None:
            wrong.append(f"{name}: in the list, and not in docs/libraries.md")
        elif row[1] != entry["licenseConcluded"]:
            wrong.append(f"{name}: {entry['licenseConcluded']} in the list, {row[1]} in docs/libraries.md")
        if entry["versionInfo"] == "NOASSERTION":
            wrong.append(f"{name}: the list says no version")
    return wrong


def wrong_parts(document, program, is_grpc_linked):
    known = inventory()
    loaded, linked = related(document, "DYNAMIC_LINK"), related(document, "STATIC_LINK")
    headers = related(document, "BUILD_DEPENDENCY_OF")
    needed = set(loaded_by(program))
    wrong = [f"{name}: loaded, and not in the list" for name in sorted(needed - loaded.keys())]
    wrong += [f"{name}: in the list, and not loaded" for name in sorted(loaded.keys() - needed)]
    if (GRPC in program.read_bytes()) != is_grpc_linked:
        wrong.append(f"{program.name}: gRPC is {'not ' if is_grpc_linked else ''}linked into it")
    projects = {row[0]: row for row in known["linked"].values()}
    if linked.keys() != (projects.keys() if is_grpc_linked else set()):
        wrong.append(f"linked into it are, says the list: {sorted(linked)}")
    if headers.keys() != known["headers"].keys():
        wrong.append(f"made with the headers, says the list: {sorted(headers)}")
    wrong += wrong_licenses(loaded, known["loaded"], without_version)
    for each, rows in ((linked, projects), (headers, known["headers"])):
        wrong += wrong_licenses(each, rows, lambda name: name)
    return wrong


def wrong_notices(root, name, is_grpc_linked):
    """Whose notice is there, by words of its own."""
    text = (root / f"usr/share/doc/{name}/NOTICES").read_text()
    of_linked = ["The Abseil Authors", "third_party/upb", "third_party/address_sorting", "Massachusetts Institute of Technology"]
    wanted = ["Niels Lohmann", "Milo Yip", "University of Cincinnati", "Victor Zverovich"] + (of_linked if is_grpc_linked else [])
    return [f"NOTICES says nothing of {each}" for each in wanted if each not in text]


def wrong_in(file, name):
    program, is_grpc_linked = EXPECTED[name]
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        subprocess.run(["dpkg-deb", "-x", file, folder], check=True)
        path = root / f"usr/share/doc/{name}/spdx.json"
        document = json.loads(path.read_text())
        version = subprocess.run(["dpkg-deb", "-f", file, "Version"], capture_output=True, text=True, check=True).stdout.strip()
        wrong = wrong_files(document, root, path) + wrong_parts(document, root / program, is_grpc_linked)
        wrong += wrong_notices(root, name, is_grpc_linked)
        wrong += [f"{program}: not {what}" for what in soft(root / program)]
        named = {each.decode() for each in PAGE.findall((root / program).read_bytes())}
        if document["packages"][0]["versionInfo"] != version:
            wrong.append(f"the list is of {document['packages'][0]['versionInfo']}, the package {version}")
        print(f"{name}: {len(document.get('files', []))} files and {len(document['packages']) - 1} parts are listed")
        pages = {str(page.relative_to(root / DOCS)) for page in (root / DOCS).rglob("*.md")}
    return [f"{name}: {each}" for each in wrong], named, pages


def main(files):
    names = {subprocess.run(["dpkg-deb", "-f", file, "Package"], capture_output=True, text=True, check=True).stdout.strip(): file
             for file in files}
    debug = {name for name in names if name.endswith("-dbgsym")}
    if names.keys() - debug != EXPECTED.keys():
        sys.exit(f"packages: {sorted(names)}")
    looked = [wrong_in(names[name], name) for name in EXPECTED]
    pages = set().union(*(pages for _, _, pages in looked))
    wrong = [each for found, _, _ in looked for each in found]
    named = set().union(*(named for _, named, _ in looked))
    wrong += [f"{page}: named in a message, and in no package" for page in sorted(named - pages)]
    print(f"{len(named)} pages are named in messages")
    print("\n".join(wrong) or f"deb: {len(EXPECTED)} packages hold what their lists say")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
