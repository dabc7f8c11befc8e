#!/usr/bin/env python3
"""Checks docs/security.md: each threat has an id of its own, an answer, and tests that exist.

usage: threats.py
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| (T-\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$")
SHOWN = re.compile(r"`([\w./-]+/[\w./-]+)`(?:: `(\w+)`)?")


def main():
    rows = [ROW.match(line).groups() for line in (ROOT / "docs/security.md").read_text(encoding="utf-8").splitlines()
            if ROW.match(line)]
    wrong = [f"the ids are {[row[0] for row in rows]}"] if [row[0] for row in rows] != [
        f"T-{number}" for number in range(1, len(rows) + 1)] else []
    for threat, _, _, shown in rows:
        tests = SHOWN.findall(shown)
        wrong += [f"{threat}: no test"] if not tests else []
        for path, name in tests:
            if not (ROOT / path).is_file():
                wrong.append(f"{threat}: {path} is not there")
            elif name and name not in (ROOT / path).read_text(encoding="utf-8"):
                wrong.append(f"{threat}: {path} has no {name}")
    print("\n".join(wrong) or f"{len(rows)} threats, each with a test")
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
