#!/usr/bin/env python3
"""Compares the table of Kubernetes versions in docs/compatibility.md with the record of `./dev e2e versions`, and with
what `elbowroom doctor` says that each version lacks.

usage: versions.py [ROOT]
"""
import pathlib
import re
import sys

ROW = re.compile(r'\{(\d+),\s*"([^"]*)",\s*((?:"[^"]*"\s*)+),\s*((?:"[^"]*"\s*)+)\}')
# A column that says "no": the word by which doctor says so.
WORDS = {"field": "podPreemptionPolicy", "groups": "PodGroup", "resize": "a Deferred resize"}


def known(root):
    """{version that was run: what doctor says that it lacks}."""
    text = (root / "cli/doctor/known_versions.h").read_text(encoding="utf-8")
    return {version: "".join(re.findall(r'"([^"]*)"', server + kubelet))
            for _, version, server, kubelet in ROW.findall(text) if version}


def main(root):
    sys.path.insert(0, str(root / "test/e2e/cluster"))
    import versions_table
    wrong, lacks, rows = [], known(root), versions_table.recorded()
    is_now, would_be = versions_table.page_with(versions_table.table(rows))
    if is_now != would_be:
        wrong.append("docs/compatibility.md: its table is not that of the record: versions_table.py writes it")
    if set(lacks) != set(rows):
        wrong.append(f"cli/doctor/known_versions.h names {sorted(lacks)}, the record {sorted(rows)}")
    for version, cells in rows.items():
        for column, cell in cells.items():
            if cell["says"] == "no" and WORDS.get(column, "?") not in lacks.get(version, ""):
                wrong.append(f"{version}: doctor does not say that there is no {column}")
    print("\n".join(wrong) or f"{len(rows)} versions of Kubernetes: as they were run")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()))
