#!/usr/bin/env python3
"""Writes what is inside each package as an SPDX 2.3 list: the program, the libraries it loads (as the linker wrote them into
it), those linked into it, and the headers it was made with, each with license and the version of Debian's package here. And of what is linked or compiled in, the notices that Debian's
packages carry.

usage: write_spdx.py BIN_FOLDER VERSION OUT_FOLDER
"""
import datetime
import hashlib
import json
import os
import pathlib
import re
import sys

from debian import said, version_of
from inventory import inventory, loaded_by, without_version

PACKAGES = {"elbowroom-agent": "elbowroomd", "elbowroom-scheduler": "elbowroom-scheduler",
            "elbowroom-rescheduler": "elbowroom-rescheduler", "elbowroom": "elbowroom"}
# The scheduler speaks to no container runtime.
HAS_LINKED = {"elbowroom-agent", "elbowroom"}


def owner(soname):
    """Debian's package of a library, or "" where there is none."""
    lines = re.findall(r"^([^:\n]+)(?::\w+)?: (?:/usr)?/lib(?:64)?/(?:[\w-]+/)?[^/\n]+$", said("dpkg-query", "-S", f"*/{soname}"), re.M)
    return lines[0] if lines else ""


def entry(number, name, version, license_name, comment):
    return {"SPDXID": f"SPDXRef-{number}", "name": name, "versionInfo": version or "NOASSERTION",
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": license_name,
            "licenseDeclared": license_name, "copyrightText": "NOASSERTION", "comment": comment}


def document(package, program, version, created):
    known = inventory()
    parts = [entry("Package", package, version, "Apache-2.0", "this package")]
    relations = [("DOCUMENT", "DESCRIBES", "Package")]

    def add(name, its_version, license_name, comment, relation, is_turned):
        number = f"Part-{len(parts)}"
        parts.append(entry(number, name, its_version, license_name, comment))
        relations.append((number, relation, "Package") if is_turned else ("Package", relation, number))

    for soname in sorted(loaded_by(program)):
        project, license_name, why = known["loaded"][without_version(soname)]
        add(soname, version_of(owner(soname)), license_name, f"{project}: {why}", "DYNAMIC_LINK", False)
    projects = {project: (name, license_name, why) for name, (project, license_name, why) in
                reversed(known["linked"].items() if package in HAS_LINKED else ())}
    for project, (name, license_name, why) in projects.items():
        add(project, version_of(owner(name)), license_name, f"{name}: {why}", "STATIC_LINK", False)
    for name, (project, license_name, why) in known["headers"].items():
        add(name, version_of(name), license_name, f"{project}: {why}", "BUILD_DEPENDENCY_OF", True)
    content = hashlib.sha256(program.read_bytes()).hexdigest()
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"{package}-{version}",
        "documentNamespace": f"https://elbowroom.dev/spdx/{package}-{version}-{content}",
        "creationInfo": {"created": created, "creators": ["Tool: elbowroom-write_spdx"]}, "packages": parts,
        "relationships": [{"spdxElementId": f"SPDXRef-{one}", "relationshipType": relation,
                           "relatedSpdxElement": f"SPDXRef-{other}"} for one, relation, other in relations]}


def notices(package):
    """The copyright files of Debian's packages, one after the other."""
    known = inventory()
    sources = [owner(name) for name in known["linked"] if package in HAS_LINKED] + list(known["headers"])
    texts = {}
    for source in sources:
        path = pathlib.Path(f"/usr/share/doc/{source}/copyright")
        if not source or not path.is_file():
            sys.exit(f"{path}: not there, so {package} would carry no notice of what is compiled into it")
        texts.setdefault(path.read_text(encoding="utf-8"), source)
    return "\n".join(f"{'=' * 80}\nIn this package's program: {source}, whose notice follows.\n{'=' * 80}\n{text}"
                     for text, source in texts.items())


def main():
    programs, version, out = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    out.mkdir(parents=True, exist_ok=True)
    moment = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), datetime.timezone.utc)
    for package, program in PACKAGES.items():
        made = document(package, programs / program, version, moment.strftime("%Y-%m-%dT%H:%M:%SZ"))
        (out / f"{package}.spdx.json").write_text(json.dumps(made, indent=1) + "\n")
        (out / f"{package}.NOTICES").write_text(notices(package), encoding="utf-8")


if __name__ == "__main__":
    main()
