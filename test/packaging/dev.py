#!/usr/bin/env python3
"""Runs ./dev on a machine that has nothing installed, with apt, cmake and ctest that only note what they are asked for: each
verb installs what it needs and no more, starts no service, and what the programs need is what their package is built with.

usage: dev.py
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOTES = """#!/bin/sh
echo "${0##*/} $*" >>"$NOTES"
case "$*" in *--version*) echo 1 ;; esac
case "${0##*/} $1" in
cmake*) mkdir -p build build-asan build-lint; touch build/CMakeCache.txt ;;
"apt-get -qq") case "$*" in *download*) exit 1 ;; esac ;;
esac
"""
# Packages that start something where they are installed.
SERVERS = {"nghttp2-proxy", "prometheus", "containerd", "dbus", "dbus-broker", "docker.io", "cri-o"}
TOOLS = {"build-essential", "g++", "ccache", "mold", "git"}
# Unless it is installed, where ./dev finds it.
PROXY = () if pathlib.Path("/usr/sbin/nghttpx").exists() else ("nghttp2-proxy",)
# What each verb installs besides what the programs need.
TESTS = {"libgtest-dev", "libgmock-dev", "librapidcheck-dev"}
CLANG = {"clang-19", "libclang-rt-19-dev"}
OF_TESTS = TESTS | {"openssl", "dbus-daemon", "tmux", "mandoc", "zsh", "fish", "systemd", "libev4", "libjemalloc2", "libc-ares2",
                    "python3-clang-19"}
VERBS = {"build": set(), "test": OF_TESTS, "test docs": TESTS | {"openssl", "dbus-daemon", "tmux"}, "asan": OF_TESTS | CLANG,
         "lint": TESTS | CLANG | {"clang-tidy-19", "clang-format-19", "libbenchmark-dev"}, "fuzz": CLANG,
         "mutants": TESTS | {"openssl", "dbus-daemon", "tmux", "python3-clang-19"}, "bench": TESTS | {"libbenchmark-dev", "openssl"}, "e2e runtime": {"runc", "busybox-static"},
         "package deb": {"debhelper", "dpkg-dev", "fakeroot", "lintian"}, "package image": {"debhelper", "dpkg-dev", "fakeroot", "lintian"},
         "package krew": {"debhelper", "dpkg-dev", "fakeroot", "lintian"}, "package rpm": {"rpm", "rpmlint"}}
# What needs no program of ours, installs this and nothing else.
ALONE = {"format": {"clang-format-19"}, "package chart": {"python3"}}


# As Debian 13 has one of them under another name.
RENAMED = "installed libev4t64,libev4 (= 1:4.33-2.1), libev-libevent-dev"


def installed_by(verb, folder, there=""):
    """The packages, and all that was asked for. `there`: what dpkg-query says is installed."""
    folder = folder / ("bare" if not there else "renamed")
    tree = folder / verb.replace(" ", "-")
    fakes, notes = tree / "fakes", tree / "notes"
    fakes.mkdir(parents=True)
    shutil.copy(ROOT / "dev", tree)
    for suite in ("kubectl", "runtime"):
        shutil.copytree(ROOT / "test/e2e" / suite, tree / "test/e2e" / suite)
    (tree / "test/fuzz").mkdir()
    (tree / "test/fuzz/x_fuzz.cpp").touch()
    for name in ("apt-get", "dpkg-query", "dpkg-deb", "cmake", "ninja", "ctest", "kubectl", "sudo", "clang-format-19", "python3",
                 "dpkg-parsechangelog"):
        (fakes / name).write_text(NOTES.replace("echo 1", 'echo "Client Version: v1.40.0"'))
        (fakes / name).chmod(0o755)
    (fakes / "dpkg-query").write_text(f"#!/bin/sh\necho '{there}'\n")
    (fakes / "sudo").write_text('#!/bin/sh\nexec "$@"\n')
    for name in ("bash", "sh", "env", "dirname", "id", "mktemp", "rm", "mkdir", "mv", "cat", "comm", "sort", "sed", "nproc", "touch", "git",
                 "xargs", "grep", "basename", "tail", "tr"):
        os.symlink(shutil.which(name), fakes / name)
    subprocess.run(["bash", tree / "dev", *verb.split()], cwd=tree, capture_output=True, text=True, check=False, timeout=60,
                   env={"PATH": str(fakes), "HOME": str(tree), "NOTES": str(notes)})
    said = notes.read_text() if notes.exists() else ""
    return {name for line in re.findall(r"apt-get .*? install --no-install-recommends (.*)", said) for name in line.split()}, said


def built_with():
    text = (ROOT / "packaging/deb/control").read_text()
    return {re.sub(r"[ (:].*", "", each.strip()) for each in re.search(r"(?s)Build-Depends:(.*?)\n\S", text)[1].split(",")} | TOOLS


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as made:
        found = {verb: installed_by(verb, pathlib.Path(made)) for verb in [*VERBS, *ALONE]}
        renamed = installed_by("test", pathlib.Path(made), RENAMED)[0]
    base = found["build"][0]
    wrong += [f"build: {each} is not what the package is built with" for each in sorted(base ^ (built_with() & (base | TOOLS)))]
    if "-DELBOWROOM_TESTS=OFF" not in found["build"][1] or "-DELBOWROOM_TESTS=ON" not in found["test"][1]:
        wrong.append("build configures no tests, and test does")
    for verb, own in VERBS.items():
        packages = found[verb][0]
        wrong += [f"{verb}: {each} starts a service" for each in sorted(packages & SERVERS)]
        wrong += [f"{verb}: {each} is not installed" for each in sorted((own | base) - packages)]
        wrong += [f"{verb}: {each} is installed and not needed" for each in sorted(packages - own - base)]
    wrong += [f"{verb}: installs {found[verb][0]}, and needs {own}" for verb, own in ALONE.items() if found[verb][0] != own]
    for verb, unpacked in {"test": ("promtool", "prometheus", *PROXY), "e2e runtime": ("containerd",)}.items():
        wrong += [f"{verb}: {each} is not unpacked" for each in unpacked if f"download {each}" not in found[verb][1]]
    if renamed != found["test"][0] - {"libev4"}:
        wrong.append(f"a package that another one provides: {sorted(renamed ^ found['test'][0])} are treated differently")
    print("\n".join(wrong) or f"dev: {len(found)} verbs, each installs what it needs")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
