#!/usr/bin/env python3
"""Finds what is linked into the built programs by their symbols: a function that a program has, and a static library of this
machine too, is of that library. docs/libraries.md lists each such library, and none that is not there.

usage: linked.py BIN_FOLDER
"""
import collections
import fnmatch
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "packaging"))
from inventory import inventory  # noqa: E402  (its folder is known only now)

# Whether the libraries are linked in.
PROGRAMS = {"elbowroomd": True, "elbowroom-scheduler": False, "elbowroom-rescheduler": False, "elbowroom": True}
FOLDERS = ["/usr/lib/*-linux-gnu/*.a", "/usr/lib/*.a", "/usr/lib64/*.a", "/usr/local/lib/*.a"]
EVERYBODYS = {"main"}


def functions_of(files):
    """(file, function), of those that other files may call; in a program they are local ones."""
    done = subprocess.run(["nm", "--defined-only", "--portability", "--print-file-name", *files], capture_output=True, text=True,
                          check=False)
    for line in done.stdout.splitlines():
        where, _, rest = line.partition(": ")
        words = rest.split()
        if len(words) > 1 and words[1] in "Tt" and words[0] not in EVERYBODYS:
            yield pathlib.Path(where.split("[")[0]).name, words[0], words[1]


def by_function():
    archives = [str(path) for pattern in FOLDERS for path in sorted(pathlib.Path("/").glob(pattern[1:]))]
    found = collections.defaultdict(set)
    for archive, name, kind in functions_of(archives):
        if kind == "T":
            found[name].add(archive)
    return found


def linked_into(program, archives_of, listed):
    """Rows of the page that are in the program, and {library that no row names: one of its functions}."""
    rows, others = set(), {}
    for _, name, _ in functions_of([str(program)]):
        archives = archives_of.get(name, set())
        of = {row for row in listed for archive in archives if fnmatch.fnmatch(archive, row)}
        rows |= of
        if archives and not of:
            others.setdefault(" or ".join(sorted(archives)), name)
    return rows, others


def main():
    folder, listed, wrong = pathlib.Path(sys.argv[1]), set(inventory()["linked"]), []
    archives_of = by_function()
    if not archives_of:
        wrong.append("no static library is on this machine: nothing can be told")
    for program, has in PROGRAMS.items():
        rows, others = linked_into(folder / program, archives_of, listed)
        wrong += [f"{program}: {library} is linked in ({name}), and not in docs/libraries.md" for library, name in others.items()]
        wrong += [f"{program}: {row} of docs/libraries.md is not linked in" for row in sorted(listed - rows) if has]
        wrong += [f"{program}: {row} is linked in" for row in sorted(rows) if not has]
    print("\n".join(wrong) or f"linked: {len(PROGRAMS)} programs, {len(listed)} rows")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
