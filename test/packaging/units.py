#!/usr/bin/env python3
"""Checks the systemd units and what goes with them: the exposure that systemd-analyze computes, that systemd takes every
line, what polkit lets the agent do, and the lines that must be there (the exposure hardly notices when one of them is
lost). With the folder of built programs also that the default configurations are ones. Without systemd-analyze: one line,
and skipped.

usage: units.py [BIN_FOLDER]
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNITS = ROOT / "systemd"
SKIPPED = 77

# The most exposure that a unit may have, in tenths.
EXPOSURE = {"elbowroomd": 15, "elbowroomd-authority": 25, "elbowroom-scheduler": 25, "elbowroom-rescheduler": 25}

SYSTEM_CALLS = [
    "@system-service",
    "~@privileged @resources @mount @clock @cpu-emulation @debug @module @obsolete @raw-io @reboot @swap @keyring "
    "@aio @ipc @setuid @chown",
    "pipe2 memfd_create"]

# What every unit says, word for word.
EVERYWHERE = {
    "Type": ["notify"], "NotifyAccess": ["main"], "WatchdogSec": ["20s"], "WatchdogSignal": ["SIGABRT"],
    "Restart": ["always"], "RestartSec": ["500ms"], "RestartPreventExitStatus": ["2 78"], "StartLimitIntervalSec": ["0"],
    "TimeoutStartSec": ["60s"], "TimeoutStopSec": ["10s"], "TimeoutAbortSec": ["5s"], "KillMode": ["mixed"],
    "MemorySwapMax": ["0"], "LimitCORE": ["0"], "LimitMEMLOCK": ["0"], "LimitNOFILE": ["8192"],
    "OOMPolicy": ["continue"], "UMask": ["0077"],
    "NoNewPrivileges": ["yes"], "PrivateTmp": ["yes"], "PrivateDevices": ["yes"], "PrivateMounts": ["yes"],
    "PrivateIPC": ["yes"], "ProtectSystem": ["strict"], "ProtectHome": ["yes"], "ProtectHostname": ["yes"],
    "ProtectClock": ["yes"], "ProtectKernelTunables": ["yes"], "ProtectKernelModules": ["yes"],
    "ProtectKernelLogs": ["yes"], "ProtectProc": ["invisible"], "RestrictNamespaces": ["yes"],
    "RestrictRealtime": ["yes"], "RestrictSUIDSGID": ["yes"], "LockPersonality": ["yes"],
    "MemoryDenyWriteExecute": ["yes"], "RemoveIPC": ["yes"], "KeyringMode": ["private"],
    "RestrictAddressFamilies": ["AF_UNIX AF_INET AF_INET6"], "SystemCallArchitectures": ["native"],
    "SystemCallFilter": SYSTEM_CALLS, "SystemCallErrorNumber": ["EPERM"], "WantedBy": ["multi-user.target"]}

# What has no capability at all.
POWERLESS = {
    "CapabilityBoundingSet": [""], "AmbientCapabilities": [""], "PrivateUsers": ["yes"], "ProtectControlGroups": ["yes"],
    "SecureBits": ["noroot noroot-locked no-setuid-fixup no-setuid-fixup-locked"],
    "InaccessiblePaths": ["-/boot -/var/lib/kubelet -/etc/kubernetes -/run/containerd -/run/crio", "-/run/dbus"]}

AGENT = {"User": ["_elbowroom"], "Group": ["_elbowroom"], "OOMScoreAdjust": ["-998"], "MemoryMin": ["24M"],
         "MemoryMax": ["128M"], "StateDirectory": ["elbowroom"], "StateDirectoryMode": ["0700"],
         "RuntimeDirectory": ["elbowroom"], "RuntimeDirectoryMode": ["0700"], "RuntimeDirectoryPreserve": ["restart"],
         "ConditionPathExists": ["/etc/elbowroom/kubeconfig"], "ExecReload": ["/usr/bin/kill -HUP $MAINPID"]}

OWN = {
    "elbowroomd": POWERLESS | AGENT | {
        "ExecStart": ["/usr/sbin/elbowroomd --config /etc/elbowroom/config.yaml --mode companion"],
        "Conflicts": ["elbowroomd-authority.service"], "TasksMax": ["32"],
        "NoExecPaths": ["/ /tmp /var/tmp /dev/shm /var/lib/elbowroom /run/elbowroom"],
        "ExecPaths": ["/usr/sbin/elbowroomd -/usr/bin/kill /usr/lib -/lib -/lib64"]},
    "elbowroomd-authority": AGENT | {
        "ExecStart": ["/usr/sbin/elbowroomd --config /etc/elbowroom/config.yaml --mode authority"],
        "Conflicts": ["elbowroomd.service"], "TasksMax": ["64"],
        # without its order the one would start before the other one has ended
        "After": ["network-online.target time-sync.target containerd.service crio.service elbowroomd.service"],
        "CapabilityBoundingSet": ["CAP_DAC_OVERRIDE"], "AmbientCapabilities": ["CAP_DAC_OVERRIDE"],
        "RootDirectory": ["/usr/share/elbowroom/empty-root"], "MountAPIVFS": ["yes"],
        "TemporaryFileSystem": ["/:ro /run:ro,noexec,nosuid,nodev"],
        # without the + they would be about the root that is left behind
        "NoExecPaths": ["+/tmp +/var/tmp +/dev/shm -+/run/containerd -+/run/crio +/sys/fs/cgroup +/etc/elbowroom "
                        "+/var/lib/elbowroom +/run/elbowroom"],
        "BindPaths": ["-/run/containerd -/run/crio", "/sys/fs/cgroup"],
        "InaccessiblePaths": ["-+/sys/kernel/debug -+/sys/kernel/tracing -+/sys/kernel/security -+/sys/fs/bpf -+/sys/fs/pstore"],
        "BindReadOnlyPaths": [
            "/usr/sbin/elbowroomd -/usr/bin/kill /usr/lib -/lib -/lib64 /etc/ld.so.cache /etc/elbowroom",
            "-/etc/hosts -/etc/resolv.conf -/etc/nsswitch.conf -/etc/host.conf -/etc/gai.conf -/etc/ssl/certs "
            "-/run/systemd/resolve",
            "/run/systemd/journal /run/systemd/notify", "-/run/systemd/system -/run/dbus"]},
    "elbowroom-scheduler": POWERLESS | {
        "ExecStart": ["/usr/sbin/elbowroom-scheduler --config /etc/elbowroom/scheduler.yaml"],
        "ConditionPathExists": ["/etc/elbowroom/scheduler.kubeconfig"], "ProcSubset": ["pid"],
        "User": ["_elbowroom-scheduler"], "Group": ["_elbowroom-scheduler"], "OOMScoreAdjust": ["-500"],
        "MemoryMax": ["1G"], "TasksMax": ["32"],
        "NoExecPaths": ["/ /tmp /var/tmp /dev/shm"],
        "ExecPaths": ["/usr/sbin/elbowroom-scheduler -/usr/bin/kill /usr/lib -/lib -/lib64"]},
    "elbowroom-rescheduler": POWERLESS | {
        "ExecStart": ["/usr/sbin/elbowroom-rescheduler --config /etc/elbowroom/rescheduler.yaml"],
        "ConditionPathExists": ["/etc/elbowroom/rescheduler.kubeconfig"], "ProcSubset": ["pid"],
        "User": ["_elbowroom-rescheduler"], "Group": ["_elbowroom-rescheduler"], "OOMScoreAdjust": ["-500"],
        "MemoryMax": ["1G"], "TasksMax": ["32"],
        "NoExecPaths": ["/ /tmp /var/tmp /dev/shm"],
        "ExecPaths": ["/usr/sbin/elbowroom-rescheduler -/usr/bin/kill /usr/lib -/lib -/lib64"]}}

# What polkit lets the agent do, and units that it must not reach.
RULE = ROOT / "packaging" / "polkit" / "elbowroom-agent.rules"
# The folder that one unit hides and the other one sees, whenever dbus comes.
TMPFILES = UNITS / "elbowroom-agent.tmpfiles"
BUS_FOLDER = "d /run/dbus 0755 root root - -"
RULE_SAYS = ['action.id == "org.freedesktop.systemd1.manage-units"', 'subject.user == "_elbowroom"',
             'action.lookup("verb") == "set-property"', "polkit.Result.YES"]
PODS = ["kubepods-pod0f1e_2d3c.slice", "kubepods-burstable-podA.b_1.slice", "kubepods-besteffort-pod1.slice"]
NO_PODS = ["kubepods.slice", "kubepods-burstable.slice", "system.slice", "kubepods-pod1.service", "kubepods-pod1-x.slice",
           "x-kubepods-pod1.slice", "kubepods-other-pod1.slice", "kubepods-pod1.slice.d", "kubepods-pod.slice"]

DEFAULTS = {"config.yaml": "elbowroomd", "scheduler.yaml": "elbowroom-scheduler",
            "rescheduler.yaml": "elbowroom-rescheduler"}
KUBECONFIG = """\
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
"""


def lines_of(text):
    """Key to its values, in their order; a key never stands in two sections of ours."""
    found = {}
    for key, value in re.findall(r"(?m)^([A-Za-z]+)=(.*)$", text):
        found.setdefault(key, []).append(value)
    return found


def lost_lines(name, text):
    has = lines_of(text)
    return [f"{name}.service: {key}={' | '.join(has.get(key, ['(missing)']))}, not {' | '.join(values)}"
            for key, values in (EVERYWHERE | OWN[name]).items() if has.get(key) != values]


def too_exposed(name, path):
    done = subprocess.run(["systemd-analyze", "security", "--offline=yes", "--no-pager",
                           f"--threshold={EXPOSURE[name]}", str(path)], capture_output=True, text=True, check=False)
    last = (done.stdout.strip().splitlines() or [done.stderr.strip()])[-1]
    print(last.replace("→ ", ""))
    return [] if done.returncode == 0 else [f"{name}.service: above {EXPOSURE[name] / 10}: {last}"]


def not_taken(folder):
    """What systemd says of the units in a system of nothing else."""
    units = folder / "usr/lib/systemd/system"
    units.mkdir(parents=True)
    for target in ("sysinit", "basic", "shutdown", "multi-user", "network-online", "time-sync"):
        (units / f"{target}.target").write_text(f"[Unit]\nDescription={target}\n")
    for name in EXPOSURE:
        shutil.copy(UNITS / f"{name}.service", units)
        for line in lines_of((UNITS / f"{name}.service").read_text()).items():
            for command in line[1] if line[0].startswith("Exec") and line[0] not in ("ExecPaths",) else []:
                program = folder / command.split()[0].lstrip("/")
                program.parent.mkdir(parents=True, exist_ok=True)
                program.write_text("")
                program.chmod(0o755)
    done = subprocess.run(["systemd-analyze", "verify", f"--root={folder}", "--man=no",
                           *(f"{name}.service" for name in EXPOSURE)], capture_output=True, text=True, check=False)
    said = (done.stdout + done.stderr).strip().splitlines()
    return said or ([f"systemd-analyze verify: exit status {done.returncode}"] if done.returncode else [])


def wrong_rule():
    """What the rule says in words, and which units its expression takes: it means the same in Python."""
    text = RULE.read_text()
    wrong = [f"{RULE.name}: does not say {each}" for each in RULE_SAYS if text.count(each) != 1]
    taken = re.search(r"/(\^.*\$)/\.test\(action\.lookup\(\"unit\"\)\)", text)
    if taken is None:
        return wrong + [f"{RULE.name}: names no units"]
    wrong += [f"{RULE.name}: {each} is not let through" for each in PODS if not re.search(taken[1], each)]
    return wrong + [f"{RULE.name}: {each} is let through" for each in NO_PODS if re.search(taken[1], each)]


def no_configuration(programs, folder):
    kubeconfig = folder / "kubeconfig"
    kubeconfig.write_text(KUBECONFIG)
    wrong = []
    for name, program in DEFAULTS.items():
        done = subprocess.run([programs / program, "--check-config", "--config", ROOT / "packaging/config" / name,
                               "--kubeconfig", kubeconfig], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            wrong.append(f"packaging/config/{name}: {done.stderr.strip()}")
    return wrong


def main():
    wrong = [each for name in EXPOSURE for each in lost_lines(name, (UNITS / f"{name}.service").read_text())]
    wrong += wrong_rule()
    if BUS_FOLDER not in TMPFILES.read_text().splitlines():
        wrong.append(f"{TMPFILES.name}: does not say {BUS_FOLDER}")
    can_analyze = shutil.which("systemd-analyze") is not None
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        if len(sys.argv) > 1:
            wrong += no_configuration(pathlib.Path(sys.argv[1]), folder)
        if can_analyze:
            wrong += [each for name in EXPOSURE for each in too_exposed(name, UNITS / f"{name}.service")]
            wrong += not_taken(folder / "system")
    print("\n".join(wrong) or f"units: {len(EXPOSURE)}, every line is there")
    if wrong:
        return 1
    if not can_analyze:
        print("skipped: no systemd-analyze to compute the units' exposure with (Debian: systemd)")
        return SKIPPED
    return 0


if __name__ == "__main__":
    sys.exit(main())
