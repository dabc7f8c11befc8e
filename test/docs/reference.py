#!/usr/bin/env python3
"""Checks that the pages of docs/ that `elbowroom reference` prints are what it prints.

usage: reference.py ELBOWROOM
"""
import pathlib
import subprocess
import sys

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
PAGES = ["configuration", "events", "metrics", "rbac"]


def main(program):
    wrong = []
    for page in PAGES:
        printed = subprocess.run([program, "reference", page], capture_output=True, text=True, check=True, timeout=30)
        if printed.stdout != (DOCS / f"{page}.md").read_text(encoding="utf-8"):
            wrong.append(f"docs/{page}.md: elbowroom reference {page} > docs/{page}.md puts it right")
    print("\n".join(wrong) or f"{len(PAGES)} reference pages are as the program prints them")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
