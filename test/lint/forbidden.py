#!/usr/bin/env python3
"""Looks for what must not be in the tree and no compiler sees. `forbidden.py ROOT` prints one line per
offence, with the remedy, and exits 1 if there is any. Only files that git knows or would add are read."""

import pathlib
import re
import subprocess
import sys

SOURCE = (".cpp", ".h")
TEXT = SOURCE + (".py", ".sh", ".md", ".txt", ".yaml", ".yml", ".json", ".cmake", ".proto", ".service", "")

# (suffixes, folders or "" for all, pattern, remedy). Patterns are split where this file would match itself.
RULES = [
    (SOURCE + (".py", ".sh", ""), "", r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X)\b(?!\(#\d+\): )",
     "work left open: do it, or write it with the number of an issue, as in style"),
    (SOURCE, "", r"\b(?:sleep_for|sleep_until|usleep|nanosleep)\b|(?<![\w.])sleep\s*\(",
     "wait for a condition with a deadline instead of sleeping"),  # but see NAPS
    (SOURCE, "", r"\.detach\s*\(", "every thread is joined by its owner"),
    (SOURCE, "", r"\bvolatile\b(?! sig_atomic_t)", "volatile synchronizes nothing: hand values over"),
    (SOURCE, "", r"#\s*include\s*<(?:format|print)>|\bstd::(?:format|print|println)\b",
     "libstdc++ 12 does not have it: use spdlog's fmt or std::to_string"),
    (SOURCE, "", r"(?<![:\w.>])quoted\s*\(",
     "std::quoted of <iomanip> is found for strings too: call it in_quotes"),
    (SOURCE, "", r"\bNOLINT(?:NEXTLINE|BEGIN|END)?\b(?!\([\w.,-]+\): \S)",
     "name the check and the reason: // NOLINT(check): reason"),
    (SOURCE, "", r"\b(?:class|struct|enum class)\s+(?!ServiceManager\b)\w*(?:Manager|Helper|Util|Handler|Info|Data|Misc)\b",
     "the name says nothing: say what it is (the vocabulary is in docs/glossary.md)"),
    (SOURCE, "policy", r"^\s*#\s*define\b", "no macros in policy"),
    ((".py",), "", r"\.extractall\s*\((?![^\n]*\*\*)", "Debian 12's Python takes no filter, later ones want one: unpack() of unpacking.py"),
    (TEXT, "", r"(?<![\w.$}])/(?:ho" r"me|ro" r"ot|wo" r"rk)/\w", "a path of one machine"),
    (TEXT, "", r"\.\./sha" r"red\b", "a path outside the repository"),
]

# Where programs of others are polled, there is nothing else to wait on between two looks.
NAPS = "test/e2e/"

FILE_NAME = re.compile(r"(?:^|/|_)(?:managers?|helpers?|utils?|handlers?|misc|common_stuff)(?:_|\.|/|$)")


def tracked(root):
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            cwd=root, check=True, capture_output=True).stdout
    names = {name.decode() for name in listed.split(b"\0") if name}
    return sorted(name for name in names if (root / name).is_file())


def offences_in(name, text):
    """Sorted "path:line: what: remedy" of one file."""
    suffix = pathlib.PurePosixPath(name).suffix
    found = []
    if FILE_NAME.search(name):
        found.append((0, "the file's name says nothing: name its one noun"))
    if suffix == ".h" and "#pragma once" not in text:
        found.append((1, "a header without #pragma once"))
    if suffix == ".h" and not re.search(r"^//", text, re.M):
        found.append((1, "a header that does not open with what it is"))
    for suffixes, folder, pattern, remedy in RULES:
        if name.startswith(NAPS) and "sleeping" in remedy:
            continue
        if suffix in suffixes and (not folder or name.startswith(folder + "/")):
            for hit in re.finditer(pattern, text, re.M):
                found.append((text.count("\n", 0, hit.start()) + 1, f"{hit.group().strip()}: {remedy}"))
    return [f"{name}:{line}: {what}" for line, what in sorted(found)]


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: forbidden.py ROOT")
    root = pathlib.Path(sys.argv[1]).resolve()
    found = []
    for name in tracked(root):
        suffix = pathlib.PurePosixPath(name).suffix
        if suffix in TEXT and not name.startswith("test/fuzz/corpus/") and (root / name).stat().st_size < 1 << 20:
            found += offences_in(name, (root / name).read_text(encoding="utf-8", errors="replace"))
    print("\n".join(found) if found else "forbidden things: none")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
