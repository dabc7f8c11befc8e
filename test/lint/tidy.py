#!/usr/bin/env python3
"""Runs clang-tidy on every source of ours in a compile database; those that are compiled as one are checked
as one, as most of the time is spent on headers. What passed is remembered under the build folder by its code,
so only what changed, or includes what changed, is checked again."""

import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import re
import shlex
import subprocess
import sys

# Comments change no finding, but for those that silence one.
COMMENT = re.compile(rb'//(?!.*NOLINT)[^\n]*|("(?:\\.|[^"\\\n])*")')

INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.M)


class Sources:
    """Digests of files together with everything of ours that they include."""

    def __init__(self, root):
        self.root = root
        self.included = {}

    def ours_included_by(self, path):
        if path not in self.included:
            names = INCLUDE.findall(path.read_bytes())
            places = [place / name.decode() for name in names for place in (self.root, path.parent)]
            self.included[path] = sorted({place.resolve() for place in places if place.is_file()})
        return self.included[path]

    def digest(self, path, salt):
        seen, open_ends = {path}, [path]
        while open_ends:
            for other in self.ours_included_by(open_ends.pop()):
                if other not in seen:
                    seen.add(other)
                    open_ends.append(other)
        total = hashlib.sha256(salt)
        for one in sorted(seen):
            code = COMMENT.sub(lambda found: found.group(1) or b"", one.read_bytes())
            total.update(f"\0{one.relative_to(self.root)}\0".encode() + b" ".join(code.split()))
        return total.hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="folder with compile_commands.json")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--tidy", default="clang-tidy-19")
    options = parser.parse_args()

    root = pathlib.Path(__file__).resolve().parents[2]
    build = options.build.resolve()
    passed = build / "tidy"
    passed.mkdir(exist_ok=True)

    # What besides the sources decides the outcome: the tool, its configuration, generated code, installed headers.
    salt = subprocess.run([options.tidy, "--version"], check=True, capture_output=True).stdout
    for name in (".clang-tidy", "test/.clang-tidy", "cri/runtime.proto"):
        salt += (root / name).read_bytes() if (root / name).exists() else b""
    salt += subprocess.run("dpkg-query -W 'lib*-dev' 2>/dev/null | sort", shell=True, capture_output=True).stdout

    sources = Sources(root)
    work = []
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["directory"], entry["file"]).resolve()
        is_group = build in path.parents and path.parent.name == "Unity"
        if root not in path.parents or (build in path.parents and not is_group):
            continue
        parts = sources.ours_included_by(path) if is_group else [path]
        if any(root / "test" in part.parents for part in parts):  # tests are held to the compilers' warnings only
            continue
        flags = entry.get("command") or shlex.join(entry["arguments"])
        mark = passed / sources.digest(path, salt + flags.replace(str(root), ".").encode())
        if not mark.exists():
            work.append((path, mark, sum(part.stat().st_size for part in parts)))
    # The longest first would be best; the largest is a fair guess.
    work.sort(key=lambda item: -item[2])

    def check(item):
        path, mark, _ = item
        run = subprocess.run([options.tidy, "--quiet", "-p", str(build), str(path)], cwd=root,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        if run.returncode == 0:
            mark.touch()
        return path, run

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for done in concurrent.futures.as_completed([pool.submit(check, item) for item in work]):
            path, run = done.result()
            if run.returncode != 0:
                failed += 1
                told = re.sub(r"^\d+ warnings? .*\n", "", run.stdout, flags=re.M)
                print(f"--- {path.relative_to(root)}\n{told.strip()}", flush=True)
    print(f"clang-tidy: {len(work)} files checked, {failed} with findings")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
