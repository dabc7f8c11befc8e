#!/usr/bin/env python3
"""Runs ./dev build with a cmake and a ninja that only print: it says beforehand about how long it takes, then how far it is, on
a terminal in one line; what ninja says is in a file, and what failed is shown.

usage: progress.py
"""
import os
import pathlib
import pty
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CMAKE = "#!/bin/sh\nmkdir -p build\n"
NINJA = """#!/bin/sh
echo '[0/2] Re-checking globbed directories...'
for i in $(seq 40); do
  echo "[$i/40] step $i"
  [ $i != 25 ] || [ ! -e fails ] || { echo 'FAILED: x.o'; echo 'x.cpp:1: no such thing'; echo '[26/40] step 26'; exit 1; }
done
"""


def built(folder, output=subprocess.PIPE, fails=False):
    tree = pathlib.Path(folder)
    shutil.copy(ROOT / "dev", tree)
    for name, text in (("cmake", CMAKE), ("ninja", NINJA)):
        (tree / name).write_text(text)
        (tree / name).chmod(0o755)
    if fails:
        (tree / "fails").touch()
    return subprocess.run(["bash", tree / "dev", "build"], cwd=tree, stdout=output, stderr=subprocess.PIPE, text=True, check=False,
                          timeout=60, env={"PATH": f"{tree}:{os.environ['PATH']}", "HOME": folder, "ELBOWROOM_INSTALL": "no",
                                           "ELBOWROOM_JOBS": "2"})


def of_a_pipe(folder):
    done = built(folder)
    lines = done.stdout.splitlines()
    log = (pathlib.Path(folder) / "build/compile.log").read_text().splitlines()
    return {"it ends with 0": done.returncode == 0,
            "it says beforehand how long": lines[:1] == ["dev: compiling in 40 steps, about 2 minutes on 2 cores; less where an "
                                                         "earlier build is of use (what is said meanwhile: build/compile.log)"],
            "each tenth is a line": lines[1:] == [f"dev: {i} of 40 steps" for i in range(4, 41, 4)],
            "the file has all": log[1:] == [f"[{i}/40] step {i}" for i in range(1, 41)]}


def of_a_failure(folder):
    done = built(folder, fails=True)
    return {"it fails": done.returncode == 1,
            "what failed is shown": "FAILED: x.o\nx.cpp:1: no such thing\n" in done.stderr and "step 24" not in done.stderr,
            "and where all is": done.stderr.endswith("all that was said in build/compile.log\n")}


def of_a_terminal(folder):
    try:
        ours, theirs = pty.openpty()
    except OSError as none:
        print(f"progress: nothing is seen of a terminal: {none}")
        return {}
    built(folder, output=theirs)
    os.close(theirs)
    said = b""
    try:
        while part := os.read(ours, 65536):
            said += part
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    lines = said.decode().split("\r\n")
    return {"a terminal has one line that moves on": len(lines) == 2 and lines[1].count("\r\033[Kdev: ") == 40,
            "which is gone at the end": said.endswith(b"\r\033[K")}


def main():
    wrong = []
    for play in (of_a_pipe, of_a_failure, of_a_terminal):
        with tempfile.TemporaryDirectory() as folder:
            wrong += [f"{play.__name__}: not so: {what}" for what, holds in play(folder).items() if not holds]
    print("\n".join(wrong) or "progress: told beforehand and meanwhile")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
