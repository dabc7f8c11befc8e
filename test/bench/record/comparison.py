"""The figures on record (last.json beside this file) and those of a run, compared. Pure: what is read and printed is the
business of test/bench/run.

A record: {"machine": {...}, "figures": {NAME: {"value": 1.5, "unit": "ms"}}}, sorted by name. A run's results are dicts with
name, value, unit, goal, at_least (True: more is better) and ok.
"""

TOLERANCE = 1.25  # worse by more than a quarter is reported


def record_of(machine, results):
    return {"machine": machine,
            "figures": {one["name"]: {"value": one["value"], "unit": one["unit"]}
                        for one in sorted(results, key=lambda one: one["name"])}}


def is_worse(before, now, at_least):
    if at_least:
        before, now = now, before
    return now > before * TOLERANCE


def worse(record, results):
    """Of each figure that got worse by more than a quarter: (name, before, now, unit), in the order of the results."""
    found = []
    for one in results:
        before = record["figures"].get(one["name"])
        if before and before["unit"] == one["unit"] and is_worse(before["value"], one["value"], one["at_least"]):
            found.append((one["name"], before["value"], one["value"], one["unit"]))
    return found


def unknown(record, results):
    """Names that cannot be compared: (not on record or in another unit, on record and not measured)."""
    units = {one["name"]: one["unit"] for one in results}
    known = record["figures"]
    fresh = sorted(name for name, unit in units.items() if known.get(name, {}).get("unit") != unit)
    return fresh, sorted(set(known) - set(units))


def summary(record, machine, results):
    """What a run ends with: what was missed, what got worse, and what could not be compared."""
    lines = []
    missed = [one for one in results if not one["ok"]]
    if missed:
        lines.append("goals missed:")
        for one in missed:
            wish = "at least " if one["at_least"] else ""
            lines.append(f'  {one["name"]}: {one["value"]:g} {one["unit"]}, goal {wish}{one["goal"]:g}')
    else:
        lines.append("no goal missed")
    if record is None:
        return [*lines, "nothing is on record: ./dev bench record writes it"]
    if record["machine"] != machine:
        told = ", ".join(f"{key} {record['machine'].get(key)}" for key in sorted(record["machine"]))
        lines.append(f"the record is of another machine ({told}): compared all the same")
    slower = worse(record, results)
    if slower:
        lines.append("worse than on record by more than a quarter:")
        lines += [f"  {name}: {now:g} {unit}, was {before:g}" for name, before, now, unit in slower]
    else:
        lines.append("nothing is worse than on record by more than a quarter")
    fresh, gone = unknown(record, results)
    if fresh:
        lines.append("not on record: " + ", ".join(fresh))
    if gone:
        lines.append("on record and not measured: " + ", ".join(gone))
    return lines
