"""suite_moves_bench.py BUILD BINARIES KUBECTL DESCHEDULER [CLUSTERS [AT_ONCE [LIMITS]]]: the descheduler and elbowroom-rescheduler, an hour
each, from the same state of the same random clusters (moves_world.py), with kube-scheduler and its controllers on a real API server.
20 clusters, 4 at once on servers of their own. LIMITS: wide, or default for those that the rescheduler comes with. Rows go to
BUILD/bench-moves.json."""
import json
import multiprocessing
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time

import moves_players
import moves_world
from checks import note, title
from moves_ground import MovesGround
from moves_table import table
from process import now

NAMES = ("descheduler", "elbowroom-rescheduler")


def _play(ground, number, program, limits):
    """The rows of one cluster."""
    of, rows = moves_world.world(number), []
    for name in NAMES:
        ground.make(of)
        row = {"cluster": number, "mover": name, "start": ground.measured()}
        log = f"{ground.folder}/{name}-{number}.log"
        row |= (moves_players.descheduler(ground, program, log) if name == NAMES[0] else
                moves_players.rescheduler(ground, limits, log))
        note(" ".join(f"{key}={value}" for key, value in row.items() if key not in ("start", "kept", "crowded_nodes", "after_hour")))
        rows.append(row)
        ground.clear()
    return rows


def _work(todo, done, folder, limits, where):
    """Plays clusters on a server of its own, until there is none left."""
    build, binaries, kubectl, program = where
    ground = MovesGround(build, binaries, kubectl, folder)
    try:
        ground.begin()
        while (number := todo.get()) is not None:
            done.put(_play(ground, number, program, limits))
    except (OSError, RuntimeError) as error:
        note(f"one server is given up: {error}")
    finally:
        ground.end()
        done.put(None)


def _at_once(clusters, at_once, folder, limits, where):
    """All rows, in the order of the clusters."""
    todo, done = multiprocessing.Queue(), multiprocessing.Queue()
    for number in [*clusters, *[None] * at_once]:
        todo.put(number)
    workers = [multiprocessing.Process(target=_work, args=(todo, done, f"{folder}/{each}", limits, where))
               for each in range(at_once)]
    for one in workers:
        one.start()
    rows = []
    try:
        left = at_once
        while left:
            found = done.get()
            left -= found is None
            rows += found or []
            yield rows
    finally:
        for one in workers:
            one.terminate()  # it unwinds, and ends what it started
            one.join()


def _clusters(words):
    first, _, last = words.partition("-")
    return list(range(int(first), int(last) + 1)) if last else list(range(1, int(first) + 1))


def main(build, binaries, kubectl, program, clusters="20", at_once="4", limits="wide"):
    folder, began = tempfile.mkdtemp(prefix="elbowroom-moves-", dir="/tmp"), now()
    title(f"bench: {clusters} clusters for the descheduler and for elbowroom-rescheduler, limits {limits}")
    out = f"{build}/bench-moves.json"
    version = subprocess.run([f"{build}/bin/elbowroom-rescheduler", "--version"], capture_output=True, text=True,
                             check=False).stdout.strip()
    rows = []
    try:
        for rows in _at_once(_clusters(clusters), int(at_once), folder, limits, (build, binaries, kubectl, program)):
            rows.sort(key=lambda row: (row["cluster"], NAMES.index(row["mover"])))
            with open(out, "w", encoding="ascii") as file:
                json.dump({"host": {"cores": os.cpu_count(), "kernel": platform.release()},
                           "date": time.strftime("%Y-%m-%d"), "version": version, "limits": limits,
                           "rules": moves_players.rules(limits),
                           "policy": moves_players.POLICY, "rows": rows}, file, indent=1)
    finally:
        if not os.environ.get("ELBOWROOM_KEEP"):
            shutil.rmtree(folder, ignore_errors=True)
    table(rows, NAMES)
    note(f"{(now() - began) / 60:.0f} minutes; raw rows: {out}")


if __name__ == "__main__":
    main(*sys.argv[1:])
