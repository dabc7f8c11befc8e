#!/usr/bin/env python3
"""How long one `elbowroom simulate` takes on a small file, from start to exit: `simulate.py BUILD`."""

import json
import pathlib
import statistics
import subprocess
import sys
import time

RUNS = 31


def measure(name, command):
    took = []
    for _ in range(RUNS):
        begin = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        took.append(1000 * (time.perf_counter() - begin))
    print(json.dumps({"name": name, "value": statistics.median(took), "unit": "ms", "goal": 40}))


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    simulate = [pathlib.Path(sys.argv[1]) / "bin" / "elbowroom", "simulate"]
    measure("simulate/resize/small_file",
            simulate + ["resize", "-o", "json", "-f", root / "docs" / "examples" / "held-charge.yaml", "default/web"])
    measure("cli/simulate_run/small_file",
            simulate + ["run", "-o", "json", root / "test" / "scenarios" / "critical-pod-preempts.yaml"])


if __name__ == "__main__":
    main()
