"""moves_table: what each mover came to in the end, a line for each cluster and their sums, and where the second one is worse. Cells
are the first mover's figure and the second one's."""
import json
import sys

HEAD = ("cluster", "spread at the start", "crowded, under-utilised", "preference", "moves", "came back",
        "pending, at the end", "spread", "crowded", "under-utilised", "preference", "last move s")
WORSE = {"spread": 1, "crowded": 1, "over": 1, "underutilized": 1, "preference": -1, "without_node": 1}


def _pair(one, other, key):
    return f"{one[key]:g} / {other[key]:g}"


def _pending(row):
    return f"{row['went_pending']}, {row['without_node']}"


def _sums(rows):
    keys = ("moves", "came_back", "went_pending", "without_node", "crowded", "underutilized")
    means = ("spread", "preference", "last_move_seconds")
    return {**{key: sum(row[key] for row in rows) for key in keys},
            **{key: round(sum(row[key] for row in rows) / len(rows), 1) for key in means}}


def _line(name, start, one, other):
    cells = [name, f"{start['spread']:g}", f"{start['crowded']:g}, {start['underutilized']:g}", f"{start['preference']:g}",
             _pair(one, other, "moves"), _pair(one, other, "came_back"), f"{_pending(one)} / {_pending(other)}",
             *(_pair(one, other, key) for key in ("spread", "crowded", "underutilized", "preference", "last_move_seconds"))]
    print("| " + " | ".join(cells) + " |")


def table(rows, names):
    by_cluster = {}
    for row in rows:
        by_cluster.setdefault(row["cluster"], {})[row["mover"]] = row
    whole = {number: [found[name] for name in names] for number, found in sorted(by_cluster.items()) if len(found) == 2}
    if not whole:
        return
    print("| " + " | ".join(HEAD) + " |")
    print("|" + "---|" * len(HEAD))
    for number, (one, other) in whole.items():
        _line(str(number), one["start"], one, other)
    starts = [one["start"] for one, _ in whole.values()]
    start = {**{key: sum(each[key] for each in starts) for key in ("crowded", "underutilized")},
             **{key: round(sum(each[key] for each in starts) / len(starts), 1) for key in ("spread", "preference")}}
    _line("sum, or mean", start, *(_sums([pair[place] for pair in whole.values()]) for place in (0, 1)))
    for number, (one, other) in whole.items():
        worse = [f"{key} {other[key]:g} to {one[key]:g}" for key, sign in WORSE.items() if sign * (other[key] - one[key]) > 0]
        if other["moves"] * 2 > one["moves"]:
            worse.append(f"moves {other['moves']} to {one['moves']}, more than half")
        if worse:
            print(f"cluster {number}: {names[1]} is worse in " + ", ".join(worse))
    hours = [other.get("after_hour", other) for _, other in whole.values()]
    print(f"{names[1]} after an hour of passes: " + ", ".join(
        f"{key} {value:g}" for key, value in _sums(hours).items() if key != "last_move_seconds"))
    sys.stdout.flush()


if __name__ == "__main__":
    with open(sys.argv[1], encoding="ascii") as raw:
        table(json.load(raw)["rows"], ("descheduler", "elbowroom-rescheduler"))
