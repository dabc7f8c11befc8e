"""The root file system of an image, in a folder: a package's program, what it loads, and the notices. No shell."""
import pathlib
import shutil
import sys

from libraries import folder_of_libraries, libraries_of, loader_of, packages_of

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from debian import version_of  # noqa: E402  (its folder is known only now)

ACCOUNT = 65532  # the manifests' runAsUser
FILES = {
    "etc/passwd": f"root:x:0:0:root:/:/nonexistent\nelbowroom:x:{ACCOUNT}:{ACCOUNT}:elbowroom:/:/nonexistent\n",
    "etc/group": f"root:x:0:\nelbowroom:x:{ACCOUNT}:\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}
MERGED = {"lib": "usr/lib", "lib64": "usr/lib64", "bin": "usr/bin", "sbin": "usr/sbin"}
EMPTY = ["dev", "proc", "run", "sys", "tmp", "usr/bin", "usr/lib64", "usr/sbin"]


def program_in(package_root):
    """The one program of a package."""
    found = [path for folder in ("usr/bin", "usr/sbin") for path in sorted((package_root / folder).glob("*")) if not path.is_symlink()]
    if len(found) != 1:
        sys.exit(f"{package_root}: an image holds one program, and the package has {[path.name for path in found]}")
    return found[0]


def below(root, path):
    """Where a path of this system is in the image, with its folder."""
    place = root / str(path).lstrip("/")
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


def put(root, path, file):
    """The file, which may be run, at that path of the image."""
    place = below(root, path)
    shutil.copyfile(file, place)
    place.chmod(0o755)


def add_libraries(root, program):
    """Under their usual paths. {file of this system: its Debian package}"""
    folder, named, loader = folder_of_libraries(), libraries_of(program), loader_of(program)
    files = set(named.values()) | {loader.resolve()}
    for file in files:
        put(root, file, file)
    links = {folder / name: file for name, file in named.items()} | {pathlib.Path("/usr") / str(loader).lstrip("/"): loader.resolve()}
    for link, file in links.items():
        if link != file and not below(root, link).exists():
            below(root, link).symlink_to(file.name if link.parent == file.parent else file)
    return packages_of(files)


def add_notices(root, name, package_root, packages):
    """The package's own folder of documents, and the notice of each Debian package of which a library is there."""
    documents = pathlib.Path("usr/share/doc")
    shutil.copytree(package_root / documents / name, root / documents / name)
    for package in sorted(set(packages)):
        notice = pathlib.Path("/") / documents / package / "copyright"
        if not notice.is_file():
            sys.exit(f"{notice}: not there, so the image would carry no notice of {package}")
        shutil.copyfile(notice, below(root, notice))


def wrong_versions(document):
    """A package says against which versions it was built; an image has no others."""
    wrong, names = [], {each["SPDXID"]: each for each in document["packages"]}
    loaded = [names[each["relatedSpdxElement"]] for each in document["relationships"] if each["relationshipType"] == "DYNAMIC_LINK"]
    owners = packages_of({(folder_of_libraries() / each["name"]).resolve() for each in loaded})
    for each in loaded:
        owner = owners[(folder_of_libraries() / each["name"]).resolve()]
        if version_of(owner) != each["versionInfo"]:
            wrong.append(f"{each['name']}: the package was built against {owner} {each['versionInfo']}, and here is "
                         f"{version_of(owner) or 'none'}: build the package once more")
    return wrong


def write_root(root, name, package_root):
    """{file of this system: its Debian package}, of what the image has of them."""
    for path, text in FILES.items():
        below(root, path).write_text(text, encoding="utf-8")
    for path in EMPTY:
        (root / path).mkdir(parents=True, exist_ok=True)
    for link, folder in MERGED.items():
        (root / link).symlink_to(folder)
    program = program_in(package_root)
    owners = add_libraries(root, program)
    put(root, program.relative_to(package_root), program)
    add_notices(root, name, package_root, owners.values())
    return owners
