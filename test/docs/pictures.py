#!/usr/bin/env python3
"""Draws the pictures of docs/ again and compares them.

usage: pictures.py ROOT BIN_FOLDER     [--write]
"""
import pathlib
import subprocess
import sys
import tempfile

# The picture: what draws it.
PICTURES = {
    "held-charge.svg": ("simulate", "resize", "-f", "docs/examples/held-charge.yaml", "default/web"),
    "room-is-made.svg": ("simulate", "run", "test/scenarios/room-is-made.yaml"),
    "budget-rate.svg": ("simulate", "run", "test/scenarios/budget-rate-outlives-the-scheduler.yaml"),
    "gang.svg": ("simulate", "run", "test/scenarios/gang-preempts-a-gang-whole.yaml"),
    "move.svg": ("simulate", "run", "test/scenarios/move-to-a-new-node.yaml"),
}


def main():
    root, programs = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    wrong = {f"{path.name} is drawn by nothing" for path in (root / "docs/pictures").iterdir() if path.name not in PICTURES}
    for name, words in PICTURES.items():
        kept = root / "docs/pictures" / name
        with tempfile.TemporaryDirectory() as folder:
            drawn = pathlib.Path(folder) / name
            subprocess.run([programs / "elbowroom", *words, "--svg", drawn], cwd=root, check=True, stdout=subprocess.DEVNULL)
            if "--write" in sys.argv:
                kept.write_bytes(drawn.read_bytes())
            elif not kept.exists() or kept.read_bytes() != drawn.read_bytes():
                wrong.add(f"{name} is another one now: run this with --write, and look at it")
    print("\n".join(sorted(wrong)) or f"{len(PICTURES)} pictures are as they are drawn")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
