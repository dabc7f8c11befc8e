#!/usr/bin/env python3
"""What can be trusted, in figures: `trust.py BUILD`. How many histories of faults are played in a second by two
processes, then what trust_driver measures in virtual time."""

import json
import pathlib
import subprocess
import sys
import time

PROCESSES = 2
HISTORIES = 600  # each


def main(build):
    bin_folder = pathlib.Path(build) / "bin"
    begun = time.monotonic()
    players = [subprocess.Popen([bin_folder / "fault_histories", str(1_000_000 * (i + 1)), str(HISTORIES)],
                                stdout=subprocess.PIPE, text=True) for i in range(PROCESSES)]
    outputs = [player.communicate()[0] for player in players]
    took = time.monotonic() - begun
    for player, output in zip(players, outputs):
        if player.returncode != 0:
            sys.exit("a history broke an invariant:\n" + output[-2000:])
    rate = PROCESSES * HISTORIES / took
    print(json.dumps({"name": "simulation/fault_histories/2_processes", "value": rate, "unit": "histories/s"}))
    sys.stdout.flush()
    subprocess.run([bin_folder / "trust_driver"], check=True)


if __name__ == "__main__":
    main(sys.argv[1])
