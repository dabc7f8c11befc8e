"""Survivors that are no gap, each with its reason: survivors.txt.

A record is five lines, and an empty one after it:

    policy/ledger/ledger.cpp in earliest
      if (left <= 0) return now;
      left <= 0 -> left < 0
      because: words

It names the mutant by file, function, source line and change, so that it outlives lines that are moved.
"""


def read(path):
    """The reasons by Mutant.key."""
    found = {}
    for record in filter(None, (part.strip() for part in path.read_text().split("\n\n"))):
        lines = [line.strip() for line in record.split("\n") if not line.startswith("#")]
        if not lines:
            continue
        if len(lines) != 4 or " in " not in lines[0] or not lines[3].startswith("because: "):
            raise SystemExit(f"mutants: {path} holds a record that is none: {record}")
        source, function = lines[0].split(" in ", 1)
        found[(source, function, lines[1], lines[2])] = lines[3].removeprefix("because: ")
    return found


def stale(reasons, mutants):
    """The keys of reasons of which the sources have no mutant any more."""
    known = {mutant.key for mutant in mutants}
    return [key for key in reasons if key not in known]


def record(mutant):
    """The first lines of its record."""
    path, function, where, change = mutant.key
    return f"{path} in {function}\n  {where}\n  {change}"
