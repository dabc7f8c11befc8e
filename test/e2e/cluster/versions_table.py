#!/usr/bin/env python3
"""versions_table.py: the table of Kubernetes versions in docs/compatibility.md, between two marks, from the record that
`./dev e2e versions` keeps (record/versions.json: {version: {column: {says, note}}}).

usage: versions_table.py [check]: writes the page, or says whether it is as the record would have it
"""
import json
import os
import sys

from versions_row import COLUMNS

HERE = os.path.dirname(os.path.abspath(__file__))
RECORD = os.path.join(HERE, "record", "versions.json")
PAGE = os.path.normpath(os.path.join(HERE, "..", "..", "..", "docs", "compatibility.md"))
BEGIN, END = "<!-- `./dev e2e versions` writes from here -->\n", "<!-- to here -->\n"


def minor(version):
    return int(version.split(".")[1])


def recorded():
    try:
        with open(RECORD, encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return {}


def record(row):
    """Puts the row in the place of that of the same minor version."""
    rows = {version: cells for version, cells in recorded().items() if minor(version) != row.minor}
    rows[row.version] = row.cells
    os.makedirs(os.path.dirname(RECORD), exist_ok=True)
    with open(RECORD, "w", encoding="utf-8") as file:
        json.dump({version: rows[version] for version in sorted(rows, key=minor)}, file, indent=1, sort_keys=False)
        file.write("\n")


def table(rows):
    """The block: a row for each version, and below it the notes, each once."""
    notes, lines = [], []
    for version in sorted(rows, key=minor):
        cells = [version]
        for column in COLUMNS:
            cell = rows[version].get(column, {"says": "not run", "note": ""})
            mark = ""
            if cell["note"]:
                if cell["note"] not in notes:
                    notes.append(cell["note"])
                mark = f" ({notes.index(cell['note']) + 1})"
            cells.append(cell["says"] + mark)
        lines.append("| " + " | ".join(cells) + " |")
    head = ["Kubernetes", *COLUMNS.values()]
    text = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *lines, ""]
    text += [f"({number}) {note[0].upper() + note[1:]}.  " for number, note in enumerate(notes, 1)]
    return "\n".join(text).rstrip(" \n") + "\n"


def page_with(block):
    """(the page as it is, the page with that block)."""
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{PAGE} has no marks for the table")
    return text, before + BEGIN + "\n" + block + "\n" + END + after


def main(word=""):
    is_now, would_be = page_with(table(recorded()))
    if word == "check":
        if is_now != would_be:
            print("docs/compatibility.md: the table is not that of test/e2e/cluster/record/versions.json")
        return 0 if is_now == would_be else 1
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(would_be)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
