#!/usr/bin/env python3
"""Runs every example of docs/differences.md with both rule sets and compares the removed pods.

usage: differences.py ELBOWROOM [DIFFERENCES.md]
"""
import json
import pathlib
import re
import subprocess
import sys

ROW = re.compile(r"^\| `([a-z-]+)` \| ([^|]+) \| ([^|]+) \|$")


def who_goes(program, example, rules):
    """The victims' names, sorted, or the outcome where there are none."""
    verb = "schedule" if example.name.startswith("pending-") else "resize"
    run = subprocess.run(
        [program, "simulate", verb, "-f", str(example), "-o", "json", "--rules", rules, "default/web"],
        capture_output=True, text=True, timeout=30)
    if run.returncode != 0:
        return f"exit {run.returncode}: {run.stderr.strip()}"
    answer = json.loads(run.stdout)
    preemption = answer if verb == "schedule" else answer["preemption"]
    names = sorted(victim["pod"].removeprefix("default/") for victim in preemption["victims"])
    return ", ".join(names) or preemption["result" if verb == "schedule" else "outcome"]


def main(program, page):
    wrong = []
    rows = [match.groups() for match in map(ROW.match, page.read_text().splitlines()) if match]
    for name, *told in rows:
        for rules, said in zip(("elbowroom", "upstream"), told):
            found = who_goes(program, page.parent / "examples" / f"{name}.yaml", rules)
            if found != said.strip():
                wrong.append(f"{name} with --rules {rules}: the page says {said.strip()!r}, it is {found!r}")
        if f"(`{name}`)" not in page.read_text():
            wrong.append(f"{name}: the page has no section with (`{name}`) in its heading")
    for example in page.parent.glob("examples/*.yaml"):
        if example.stem not in (row[0] for row in rows):
            wrong.append(f"{example.name}: not in the table")
    print("\n".join(wrong) or f"{len(rows)} differences are as the page tells them")
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    here = pathlib.Path(__file__).resolve().parents[2]
    sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else here / "docs/differences.md"))
