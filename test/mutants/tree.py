"""A copy of the checkout in which every sampled mutant stands behind its switch, and its build."""

import os
import pathlib
import re
import subprocess

from mutant import with_switches

HERE = pathlib.Path(__file__).parent
# Where a compiler says that something is wrong, and what it was about to make of it.
TOLD = re.compile(r"^([^\s:]+):(\d+)(?::\d+)?: +(?:error|note|required)", re.M)


class Tree:
    """`copy` is where the sources go; the build is its folder `build`, so that the cache of compiles of the checkout's
    own build serves here too."""

    def __init__(self, root, copy, jobs):
        self.root = root
        self.copy = copy
        self.build = copy / "build"
        self.jobs = jobs

    def take_sources(self):
        """Brings the copy up to date. What did not change keeps its time."""
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=self.root,
                                check=True, capture_output=True).stdout.decode()
        names = {name for name in listed.split("\0") if name and (self.root / name).is_file()}
        for name in names:
            put(self.copy / name, (self.root / name).read_bytes(), os.access(self.root / name, os.X_OK))
        for path in self.copy.rglob("*"):
            name = str(path.relative_to(self.copy))
            if path.is_file() and not name.startswith("build/") and name not in names:
                path.unlink()

    def configure(self, options=()):
        # The object of the switch is linked to every program: no rule of the build has to know of it.
        self.build.mkdir(parents=True, exist_ok=True)
        switch = self.build / "switch.o"
        run(["g++", "-std=c++23", "-O2", "-fPIC", "-c", HERE / "switch.cpp", "-o", switch])
        put(self.copy / "switch.h", (HERE / "switch.h").read_bytes())
        run(["cmake", "-S", self.copy, "-B", self.build, "-G", "Ninja", "--log-level=WARNING",
             f"-DCMAKE_EXE_LINKER_FLAGS={switch}", *options])

    def place(self, numbered):
        """Writes the mutants (number: mutant) into the copy, and takes out those of before."""
        by_path = {}
        for number, mutant in numbered.items():
            by_path.setdefault(mutant.path, {})[number] = mutant
        for path in {*by_path, *getattr(self, "placed", ())}:
            text = (self.root / path).read_bytes()
            put(self.copy / path, with_switches(text, by_path[path]) if path in by_path else text)
        self.placed = set(by_path)

    def compile(self, targets, numbered):
        """Compiles; returns the numbers of the mutants that the compiler refused, none once all is built."""
        made = subprocess.run(["ninja", "-k", "0", "-C", self.build, f"-j{self.jobs}", *targets], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if made.returncode == 0:
            return set()
        refused = set()
        for path, line in TOLD.findall(made.stdout):
            inside = (self.build / path).resolve()
            if inside.is_relative_to(self.copy):
                name = str(inside.relative_to(self.copy))
                refused |= {number for number, mutant in numbered.items()
                            if mutant.path == name and mutant.line <= int(line) <= mutant.last_line}
        if not refused:
            raise SystemExit(f"mutants: the build failed, and no mutant is the cause:\n{made.stdout[-6000:]}")
        return refused


def put(path, content, runs=False):
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    if runs:
        path.chmod(0o755)


def run(words):
    made = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if made.returncode != 0:
        raise SystemExit(f"mutants: {words[0]} failed:\n{made.stdout[-6000:]}")
