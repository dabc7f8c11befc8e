#!/usr/bin/env python3
"""Adds to a package's SPDX list the files that are in the package, each with its SHA-256 (and SHA-1, as SPDX 2.3 wants one).
It has to run when nothing changes a file any more, and the list cannot list itself.

usage: list_files.py PACKAGE_ROOT LIST     LIST: a path below PACKAGE_ROOT
"""
import hashlib
import json
import pathlib
import sys


def files_of(root, besides):
    """Regular files, by their path from the root. The folder of what installs them (DEBIAN) is not theirs."""
    return sorted(path for path in root.rglob("*")
                  if path.is_file() and not path.is_symlink() and path != besides and path.relative_to(root).parts[0] != "DEBIAN")


def entry(number, root, path):
    content = path.read_bytes()
    return {"SPDXID": f"SPDXRef-File-{number}", "fileName": f"./{path.relative_to(root)}",
            "checksums": [{"algorithm": "SHA1", "checksumValue": hashlib.sha1(content).hexdigest()},
                          {"algorithm": "SHA256", "checksumValue": hashlib.sha256(content).hexdigest()}],
            "licenseConcluded": "Apache-2.0", "licenseInfoInFiles": ["NOASSERTION"], "copyrightText": "NOASSERTION"}


def with_files(document, root, besides):
    entries = [entry(number, root, path) for number, path in enumerate(files_of(root, besides), 1)]
    package = document["packages"][0]
    # Over all SHA-1s in their order, as SPDX 2.3 defines it (7.9).
    every = "".join(sorted(each["checksums"][0]["checksumValue"] for each in entries))
    package.update(filesAnalyzed=True, licenseInfoFromFiles=["NOASSERTION"], packageVerificationCode={
        "packageVerificationCodeValue": hashlib.sha1(every.encode()).hexdigest(),
        "packageVerificationCodeExcludedFiles": [f"./{besides.relative_to(root)}"]})
    contained = [{"spdxElementId": package["SPDXID"], "relationshipType": "CONTAINS", "relatedSpdxElement": each["SPDXID"]}
                 for each in entries]
    return {**document, "files": entries, "relationships": document["relationships"] + contained}


def main():
    root = pathlib.Path(sys.argv[1])
    path = root / sys.argv[2]
    path.write_text(json.dumps(with_files(json.loads(path.read_text()), root, path), indent=1) + "\n")


if __name__ == "__main__":
    main()
