"""bench_table: what the runs of two schedulers come to. A cell is the median of the runs and, in
brackets, the least and the greatest; the third line of each load is the second scheduler's median as a part of the
first one's, and what follows is the floor: the calls alone."""
import statistics
import sys

KEYS = {"seconds": "seconds", "per_second": "per second", "cpu_ms": "cpu ms each",
        "cpu_ms_after_the_first": "after the first", "peak_mib": "peak MiB", "first_ms": "first result ms",
        "alone_ms": "one alone ms", "victims": "victims", "events": "events",
        "events_seconds": "to the last event s", "cpu_ms_with_events": "cpu ms to it",
        "cpu_ms_a_call": "cpu ms a call"}


def _cell(values):
    if not values:
        return "-"
    return f"{statistics.median(values):g} ({min(values):g}-{max(values):g})"


def _ratio(values, against):
    if not values or not against or not statistics.median(against):
        return "-"
    return f"{statistics.median(values) / statistics.median(against):.2f}"


def table(rows, names):
    print("| load | scheduler | " + " | ".join(KEYS.values()) + " |")
    print("|---|---|" + "---|" * len(KEYS))
    for load, mode in dict.fromkeys((row["load"], row["mode"]) for row in rows):
        here = [row for row in rows if (row["load"], row["mode"]) == (load, mode)]
        floors = dict.fromkeys(row["scheduler"] for row in here if row["scheduler"] not in names)
        values = {name: {key: [row[key] for row in here if row["scheduler"] == name and row.get(key) is not None]
                         for key in KEYS} for name in (*names, *floors)}
        said = f"{here[0]['count']} {load}, {mode}, {here[0]['nodes']} nodes"
        for name in names:
            print(f"| {said} | {name} | " + " | ".join(_cell(values[name][key]) for key in KEYS) + " |")
        ratios = [_ratio(values[names[1]][key], values[names[0]][key]) for key in KEYS]
        print(f"| {said} | ours / upstream's | " + " | ".join(ratios) + " |")
        for name in floors:
            print(f"| {said} | {name} | " + " | ".join(_cell(values[name][key]) for key in KEYS) + " |")
    for row in rows:
        if not row["is_done"]:
            print(f"NOT DONE within its time: {row['load']}, {row['mode']}, {row['scheduler']}, run {row['run']}")
    sys.stdout.flush()
