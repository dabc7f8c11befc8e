#!/usr/bin/env python3
"""Looks into RPMs: what is in each and how it is marked, what its scriptlets do, what it needs of the system it is for; and,
as root, puts them into an empty folder, verifies them and takes them out again. There is no RPM system to start them in here.

usage: rpm.py FILE.rpm...
"""
import os
import re
import subprocess
import sys
import tempfile

AGENT = ["/usr/sbin/elbowroomd", "/usr/lib/systemd/system/elbowroomd.service",
         "/usr/lib/systemd/system/elbowroomd-authority.service", "/usr/lib/sysusers.d/elbowroom-agent.conf",
         "/usr/lib/tmpfiles.d/elbowroom-agent.conf", "/usr/share/elbowroom/empty-root", "/etc/elbowroom/config.yaml",
         "/usr/share/doc/elbowroom-agent/NOTICES", "/usr/share/doc/elbowroom-agent/spdx.json", "/usr/share/polkit-1/rules.d/50-elbowroom-agent.rules",
         "/usr/share/man/man8/elbowroomd.8.gz"]
SCHEDULER = ["/usr/sbin/elbowroom-scheduler", "/usr/lib/systemd/system/elbowroom-scheduler.service",
             "/usr/lib/sysusers.d/elbowroom-scheduler.conf", "/etc/elbowroom/scheduler.yaml",
             "/usr/share/doc/elbowroom-scheduler/NOTICES", "/usr/share/doc/elbowroom-scheduler/spdx.json", "/usr/share/man/man8/elbowroom-scheduler.8.gz"]
RESCHEDULER = ["/usr/sbin/elbowroom-rescheduler", "/usr/lib/systemd/system/elbowroom-rescheduler.service",
               "/usr/lib/sysusers.d/elbowroom-rescheduler.conf", "/etc/elbowroom/rescheduler.yaml",
               "/usr/share/doc/elbowroom-rescheduler/NOTICES", "/usr/share/doc/elbowroom-rescheduler/spdx.json", "/usr/share/man/man8/elbowroom-rescheduler.8.gz"]
COMMAND_LINE = ["/usr/bin/elbowroom", "/usr/bin/kubectl-elbowroom", "/usr/share/man/man1/elbowroom.1.gz",
                "/usr/share/bash-completion/completions/elbowroom", "/usr/share/zsh/site-functions/_elbowroom",
                "/usr/share/elbowroom/monitoring/elbowroom.rules.yaml", "/usr/share/doc/elbowroom/docs/install.md",
                "/usr/share/doc/elbowroom/NOTICES", "/usr/share/doc/elbowroom/spdx.json"]

# name: files, configuration, units that its scriptlets name
EXPECTED = {
    "elbowroom": (COMMAND_LINE, [], []),
    "elbowroom-agent": (AGENT, ["/etc/elbowroom/config.yaml"], ["elbowroomd.service", "elbowroomd-authority.service"]),
    "elbowroom-scheduler": (SCHEDULER, ["/etc/elbowroom/scheduler.yaml"], ["elbowroom-scheduler.service"]),
    "elbowroom-rescheduler": (RESCHEDULER, ["/etc/elbowroom/rescheduler.yaml"], ["elbowroom-rescheduler.service"])}
NEWEST_GLIBC = (2, 36)  # Debian 12's


def rpm(*words):
    done = subprocess.run(["rpm", *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"rpm {' '.join(words)}: {done.stdout}{done.stderr}")
    return done.stdout


def wrong_in(file, name):
    files, configuration, units = EXPECTED[name]
    listed = set(rpm("-qpl", file).split())
    wrong = [f"{name}: no {each}" for each in files if each not in listed]
    flags = dict(line.rsplit(" ", 1) for line in rpm("-qp", "--qf", "[%{FILENAMES} %{FILEFLAGS:fflags}\n]", file).splitlines()
                 if " " in line)
    wrong += [f"{name}: {each} is not config(noreplace), but {flags.get(each)}" for each in configuration
              if sorted(flags.get(each, "")) != ["c", "n"]]
    scripts = rpm("-qp", "--scripts", file)
    wrong += [f"{name}: no scriptlet takes care of {each}" for each in units if each not in scripts]
    for line in scripts.splitlines():
        if "systemd-update-helper" in line and "-x" not in line and not line.endswith("|| :"):
            wrong.append(f"{name}: a scriptlet that can fail: {line.strip()}")
    needed = re.findall(r"GLIBC_(\d+)\.(\d+)", rpm("-qp", "--requires", file))
    newest = max((tuple(map(int, each)) for each in needed), default=(0, 0))
    if newest > NEWEST_GLIBC:
        wrong.append(f"{name}: needs glibc {newest}")
    print(f"{name}: {len(listed)} files, needs glibc {newest[0]}.{newest[1]}")
    return wrong


def wrong_life(files):
    with tempfile.TemporaryDirectory() as root:
        life = ["--root", root, "--dbpath", "/var/lib/rpm", "--nodeps", "--noscripts"]
        rpm(*life, "-i", *files)
        changed = os.path.join(root, "etc/elbowroom/config.yaml")
        with open(changed, "a", encoding="utf-8") as file:
            file.write("# mine\n")
        verified = subprocess.run(["rpm", *life[:4], "-V", "--nodeps", *EXPECTED], capture_output=True, text=True,
                                  check=False).stdout
        rpm(*life, "-e", *EXPECTED)
        wrong = [f"verify: {line}" for line in verified.splitlines() if "config.yaml" not in line]
        if not os.path.exists(changed + ".rpmsave"):
            wrong.append("a configuration that was changed is not kept")
        left = [name for folder, _, names in os.walk(root) for name in names if "elbowroom" in folder + name]
        wrong += [f"left behind: {each}" for each in left if not each.endswith(".rpmsave")]
    return wrong


def main(files):
    names = {rpm("-qp", "--qf", "%{NAME}", file): file for file in files}
    if sorted(names) != sorted(EXPECTED):
        sys.exit(f"packages: {sorted(names)}")
    wrong = [each for name, file in names.items() for each in wrong_in(file, name)]
    if os.geteuid() == 0:
        wrong += wrong_life(files)
    else:
        print("rpm: only root can put them into a folder; their contents are checked")
    print("\n".join(wrong) or f"rpm: {len(files)} packages as they should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
