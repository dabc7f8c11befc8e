#!/usr/bin/env python3
"""Checks docs/architecture.md: every file that it names exists, and every function and type that it names is in a source."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = "base policy api cri cluster daemon page control recording agent scheduler rescheduler lab cli test".split()


def main():
    sources = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for folder in FOLDERS
               for path in (ROOT / folder).rglob("*") if path.suffix in (".h", ".cpp", ".py")}
    known = set(re.findall(r"\w+", "\n".join(sources.values())))
    wrong, seen = [], 0
    for number, line in enumerate((ROOT / "docs/architecture.md").read_text(encoding="utf-8").split("\n"), 1):
        for word in re.findall(r"`([^`]+)`", line):
            seen += 1
            if re.search(r"\.(h|cpp|py)$", word):
                if not any(name == word or name.endswith("/" + word) for name in sources):
                    wrong.append(f"{number}: there is no {word}")
            elif re.fullmatch(r"[A-Za-z]\w*(::\w+)?", word) and word.split("::")[-1] not in known:
                wrong.append(f"{number}: nothing is called {word}")
    print("\n".join(f"docs/architecture.md:{each}" for each in wrong) or f"architecture: {seen} names, every one is there")
    sys.exit(1 if wrong else 0)


main()
