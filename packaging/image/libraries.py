"""The shared libraries that a program loads, with the loader, as Debian's packages of this system have them."""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from inventory import loaded_by, readelf  # noqa: E402  (its folder is known only now)


def said(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def folder_of_libraries():
    """Where Debian has a machine's libraries: /usr/lib/x86_64-linux-gnu."""
    return pathlib.Path("/usr/lib") / said("dpkg-architecture", "-qDEB_HOST_MULTIARCH").strip()


def loader_of(program):
    """The path of the loader as the program names it: /lib64/ld-linux-x86-64.so.2."""
    found = re.search(r"interpreter: (/[^\]]+)\]", readelf("-l", program))
    if not found:
        sys.exit(f"{program}: names no loader, so it is no program that loads libraries")
    return pathlib.Path(found[1])


def libraries_of(program):
    """{"libz.so.1": its file}, of the program, of what it loads, and so on. The loader is among them where a library names it."""
    folder, found, waiting = folder_of_libraries(), {}, [program]
    while waiting:
        by = waiting.pop()
        for name in loaded_by(by):
            if name in found:
                continue
            if "/" in name or not (folder / name).is_file():
                sys.exit(f"{by}: loads {name}, which is not in {folder}: install Debian's package of it")
            found[name] = (folder / name).resolve()
            waiting.append(found[name])
    return found


def packages_of(files):
    """{file: Debian's package of it}. Debian's lists say /lib or /usr/lib, so files are told by their last two names."""
    owners = {}
    for line in said("dpkg-query", "-S", *sorted({f"*/{file.parent.name}/{file.name}" for file in files})).splitlines():
        package, _, path = line.partition(": ")
        owners[pathlib.PurePath(path).parts[-2:]] = package.partition(":")[0]
    return {file: owners[file.parts[-2:]] for file in files}
