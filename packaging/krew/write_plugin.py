#!/usr/bin/env python3
"""Makes an archive of the program that a Debian package is named after for kubectl krew, with the libraries which that loads, and the manifest of the plugin.

usage: write_plugin.py OUT_FOLDER URL FILE.deb     OUT_FOLDER/PACKAGE_VERSION_linux_ARCHITECTURE.tar.gz, and
OUT_FOLDER/krew/elbowroom.yaml, which says that the archive is fetched from below URL
"""
import gzip
import hashlib
import io
import json
import pathlib
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "image"))
from archive import add_file  # noqa: E402  (its folder is known only now)
from libraries import libraries_of, loader_of, packages_of, said  # noqa: E402
from root import wrong_versions  # noqa: E402
from write_images import unpack  # noqa: E402


def filled(name, values):
    text = (HERE / name).read_text(encoding="utf-8")
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    return text


def notices(name, package_root, packages):
    """{path: file} of the package's own and of each Debian package of which a library is there."""
    documents = "usr/share/doc"
    found = {f"doc/{name}/{each}": package_root / documents / name / each for each in ("copyright", "NOTICES", "spdx.json")}
    return found | {f"doc/{package}/copyright": pathlib.Path("/") / documents / package / "copyright" for package in packages}


def contents(name, package_root):
    """{path in the archive: (mode, bytes)}. krew takes files alone, no links: a library is there under the name that is asked for."""
    program = package_root / "usr/bin" / name
    loader, libraries = loader_of(program), libraries_of(program)
    libraries[loader.name] = loader.resolve()
    files = {f"lib/{each}": file for each, file in libraries.items()} | {f"libexec/{name}": program}
    made = {path: (0o755, file.read_bytes()) for path, file in files.items()}
    owners = set(packages_of(set(libraries.values())).values())
    made |= {path: (0o644, file.read_bytes()) for path, file in notices(name, package_root, owners).items()}
    return made | {"elbowroom": (0o755, filled("launcher.sh", {"LOADER": loader.name, "PROGRAM": name}).encode())}


def archived(files, moment):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path, (mode, content) in sorted(files.items()):
            add_file(archive, path, moment, mode, content)
    return gzip.compress(out.getvalue(), 6, mtime=0)


def main():
    out, url, file = pathlib.Path(sys.argv[1]), sys.argv[2].rstrip("/"), sys.argv[3]
    name, version, architecture = said("dpkg-deb", "-W", "--showformat=${Package} ${Version} ${Architecture}", file).split()
    (out / "krew").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        package_root = pathlib.Path(work)
        moment = unpack(file, package_root)
        document = json.loads((package_root / f"usr/share/doc/{name}/spdx.json").read_text(encoding="utf-8"))
        if wrong := wrong_versions(document):
            sys.exit("\n".join(f"{file}: {each}" for each in wrong))
        made = archived(contents(name, package_root), moment)
    archive = f"{name}_{version}_linux_{architecture}.tar.gz"
    (out / archive).write_bytes(made)
    values = {"VERSION": version, "ARCHITECTURE": architecture, "URI": f"{url}/{archive}", "SHA256": hashlib.sha256(made).hexdigest()}
    (out / "krew/elbowroom.yaml").write_text(filled("elbowroom.yaml.in", values), encoding="utf-8")


if __name__ == "__main__":
    main()
