"""Which test reaches which mutants, and how long it takes."""

import dataclasses
from concurrent.futures import ThreadPoolExecutor


@dataclasses.dataclass(frozen=True)
class Reach:
    entry: object
    seconds: float
    numbers: frozenset  # of the mutants


def recorded(entries, count, folder, jobs):
    """Runs every entry once with all `count` mutants off. An entry that fails is an error: it could kill nothing."""
    def record(numbered):
        number, entry = numbered
        path = folder / f"reached-{number}"
        path.write_bytes(bytes(count))
        outcome, took = entry.run({"ELBOWROOM_MUTANTS_REACHED": str(path)}, entry.timeout)
        reached = path.read_bytes()
        path.unlink()
        return outcome, Reach(entry, took, frozenset(at for at, byte in enumerate(reached) if byte))

    with ThreadPoolExecutor(jobs) as pool:
        done = list(pool.map(record, enumerate(entries)))
    broken = [f"{reach.entry.name}: {outcome}" for outcome, reach in done if outcome != "ok"]
    if broken:
        raise SystemExit("mutants: tests fail without any mutant:\n" + "\n".join(broken))
    return [reach for _, reach in done]
