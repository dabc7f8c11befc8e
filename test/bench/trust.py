#!/usr/bin/env python3
"""What can be trusted, in figures: `trust.py BUILD`. How many histories of faults are played in a second, by one process
for each core and for each second of one core; then what trust_driver measures in virtual time. A history counts with at
least 200 observations and 3 faults; shorter ones are played, and not counted."""

import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import time

SECONDS = 10  # about


def play(program, processes, histories, first):
    """(histories that count, seconds, seconds of cores)"""
    def cores():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before, begun = cores(), time.monotonic()
    players = [subprocess.Popen([program, str(first + 1_000_000 * i), str(histories)], stdout=subprocess.PIPE, text=True)
               for i in range(processes)]
    outputs = [player.communicate()[0] for player in players]
    took = time.monotonic() - begun
    for player, output in zip(players, outputs):
        if player.returncode != 0:
            sys.exit("a history broke an invariant:\n" + output[-2000:])
    counted = sum(int(re.search(r"(\d+) long enough to count", output).group(1)) for output in outputs)
    return counted, took, cores() - before


def main(build):
    bin_folder = pathlib.Path(build) / "bin"
    program = bin_folder / "fault_histories"
    _, taken, _ = play(program, 1, 50, 1)
    processes = len(os.sched_getaffinity(0))
    counted, took, of_cores = play(program, processes, max(50, int(50 * SECONDS / taken)), 1_000_000)
    for name, value in (("all_cores", counted / took), ("per_core", counted / of_cores)):
        print(json.dumps({"name": "simulation/fault_histories/" + name, "value": value, "unit": "histories/s"}))
    print(f"fault histories: {processes} processes, {counted} histories that count", file=sys.stderr)
    sys.stdout.flush()
    subprocess.run([bin_folder / "trust_driver"], check=True)


if __name__ == "__main__":
    main(sys.argv[1])
