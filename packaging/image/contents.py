"""What is inside an image, as an SPDX 2.3 list: that of its package, with the Debian packages of the libraries, and the image's files."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from debian import version_of  # noqa: E402  (its folder is known only now)
from list_files import with_files  # noqa: E402  (its folder is known only now)


def part(number, package):
    return {"SPDXID": f"SPDXRef-Debian-{number}", "name": package, "versionInfo": version_of(package),
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
            "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION",
            "comment": f"Debian's package; its notice is in /usr/share/doc/{package}/copyright"}


def image_document(package_document, root, owners, besides):
    """The list of the root's files but for that at `besides`. owners: {file: its Debian package}"""
    of_package = package_document["packages"][0]["SPDXID"]
    parts = [part(number, package) for number, package in enumerate(sorted(set(owners.values())), 1)]
    relations = [each for each in package_document["relationships"] if each["relationshipType"] != "CONTAINS"]
    relations += [{"spdxElementId": of_package, "relationshipType": "CONTAINS", "relatedSpdxElement": each["SPDXID"]} for each in parts]
    made = with_files({**package_document, "packages": package_document["packages"] + parts, "relationships": relations}, root, besides)
    others = {f".{file}" for file in owners} | {f"./usr/share/doc/{package}/copyright" for package in owners.values()}
    for each in made["files"]:
        if each["fileName"] in others:
            each["licenseConcluded"] = "NOASSERTION"
    code = made["packages"][0]["packageVerificationCode"]["packageVerificationCodeValue"]
    name = f"{package_document['name']}-image"
    return {**made, "name": name, "documentNamespace": f"https://elbowroom.dev/spdx/{name}-{code}"}
