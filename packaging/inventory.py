"""docs/libraries.md as values: what the programs load, what is linked into them, which headers they are made with. It is the page that people read; the test of the programs and the SPDX list read it too."""
import pathlib
import re
import subprocess

PAGE = pathlib.Path(__file__).resolve().parents[1] / "docs" / "libraries.md"
ROW = re.compile(r"^\| `([^`]+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$")
SECTIONS = {"## Loaded when a program starts": "loaded", "## Linked in": "linked", "## Headers alone": "headers"}


def inventory():
    """{"loaded": {"libz.so": ("zlib", "Zlib", "gRPC")}, "linked": ..., "headers": ...}"""
    found, section = {name: {} for name in SECTIONS.values()}, None
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        section = SECTIONS.get(line, section)
        if match := ROW.match(line):
            found[section][match[1]] = (match[2], match[3], match[4])
    return found


def readelf(option, program):
    return subprocess.run(["readelf", "-W", option, program], capture_output=True, text=True, check=True).stdout


def loaded_by(program):
    """The shared libraries that a program names, as the linker writes them: libz.so.1."""
    return re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("-d", program))


def without_version(soname):
    return re.sub(r"\.so[.\d]*$", ".so", soname)
