#!/usr/bin/env python3
"""How long one `elbowroom simulate resize` takes on a small file, from start to exit: `simulate.py BUILD`."""

import json
import pathlib
import statistics
import subprocess
import sys
import time

RUNS = 31


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    command = [pathlib.Path(sys.argv[1]) / "bin" / "elbowroom", "simulate", "resize", "-o", "json",
               "-f", root / "docs" / "examples" / "held-charge.yaml", "default/web"]
    took = []
    for _ in range(RUNS):
        begin = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        took.append(1000 * (time.perf_counter() - begin))
    print(json.dumps({"name": "simulate/resize/small_file", "value": statistics.median(took), "unit": "ms", "goal": 40}))


if __name__ == "__main__":
    main()
