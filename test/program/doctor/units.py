#!/usr/bin/env python3
"""Starts and stops the programs of unit files, as `systemctl` does: a stand-in where no systemd runs. It reads the units that the
packages install, and their drop-ins, and runs the programs that they name, as the users that they name.

usage: units.py VERB [--now] UNIT...
"""
import json
import os
import pathlib
import pwd
import shlex
import signal
import socket
import subprocess
import sys
import time

FILES = pathlib.Path("/etc/systemd/system")
STATES = pathlib.Path("/run/units")
PATIENCE = 60


def name_of(word):
    return word.removesuffix(".service")


def parse(name):
    """Every value of each key, in order; an empty one forgets those before it."""
    values = {}
    file = FILES / f"{name}.service"
    drop_ins = sorted((FILES / f"{name}.service.d").glob("*.conf"))
    for path in [file, *drop_ins]:
        for line in path.read_text().splitlines():
            key, equals, value = line.partition("=")
            if not equals or line.startswith("#"):
                continue
            values[key] = values.get(key, []) + [value] if value else []
    newest = max(path.stat().st_mtime_ns for path in [file, *drop_ins])
    return {key: value for key, value in values.items() if value}, newest


def state_of(name):
    try:
        return json.loads((STATES / f"{name}.json").read_text())
    except FileNotFoundError:
        return {"ActiveState": "inactive", "ConditionResult": "no", "ConditionTimestampMonotonic": "0"}


def save(name, **changes):
    state = {**state_of(name), **changes}
    path = STATES / f"{name}.json"
    path.with_suffix(f".{os.getpid()}").write_text(json.dumps(state))
    path.with_suffix(f".{os.getpid()}").rename(path)


def is_enabled(name):
    return (STATES / f"{name}.enabled").exists()


def show(name):
    if not (FILES / f"{name}.service").exists():
        print("LoadState=not-found\nActiveState=inactive")
        return
    values, newest = parse(name)
    state = state_of(name)
    shown = {"LoadState": "loaded", "UnitFileState": "enabled" if is_enabled(name) else "disabled",
             "User": values.get("User", ["root"])[-1], "NRestarts": "0", "ExecMainStatus": "0", "MainPID": "0", "StatusText": "",
             "NeedDaemonReload": "yes" if newest > int((STATES / "read").read_text()) else "no"}
    for key, value in {**shown, **state}.items():
        print(f"{key}={value}")


def make_folders(values, user):
    for key, where in (("StateDirectory", "/var/lib"), ("RuntimeDirectory", "/run")):
        for word in values.get(key, []):
            folder = pathlib.Path(where) / word
            if not folder.exists():
                folder.mkdir(mode=0o700)
                os.chown(folder, user.pw_uid, user.pw_gid)


def run_once(name, values):
    """The exit status of its program."""
    try:
        user = pwd.getpwnam(values.get("User", ["root"])[-1])
        make_folders(values, user)
    except (KeyError, OSError):
        return 217
    words = shlex.split(values["ExecStart"][-1])
    if user.pw_uid:
        caps = ["--inh-caps=+dac_override", "--ambient-caps=+dac_override"] if "AmbientCapabilities" in values else []
        words = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", *caps, "--", *words]
    notices = f"/run/units/{name}.{os.getpid()}.notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told, open(f"/run/units/{name}.log", "ab") as log:
        told.bind(notices)
        os.chmod(notices, 0o666)
        told.settimeout(0.02)
        child = subprocess.Popen(words, env={"PATH": os.environ["PATH"], "NOTIFY_SOCKET": notices}, stdout=log, stderr=log)
        save(name, MainPID=str(child.pid))
        while child.poll() is None:
            if is_ended["now"]:
                child.terminate()
                child.send_signal(signal.SIGCONT)
            try:
                for line in told.recv(4096).decode().splitlines():
                    if line == "READY=1":
                        save(name, ActiveState="active")
                    elif line.startswith("STATUS="):
                        save(name, StatusText=line[7:])
            except TimeoutError:
                pass
    os.unlink(notices)
    return child.returncode


is_ended = {"now": False}


def supervise(name):
    """Runs it until it is stopped, or must not be tried again."""
    signal.signal(signal.SIGTERM, lambda *_: is_ended.update(now=True))
    values, _ = parse(name)
    unset = set(" ".join(values.get("RestartPreventExitStatus", [])).split())
    restarts = 0
    while True:
        code = run_once(name, values)
        done = {"MainPID": "0", "ExecMainStatus": str(max(code, 0))}
        if is_ended["now"]:
            return save(name, ActiveState="inactive", Supervisor=0, **done)
        if str(code) in unset or "Restart" not in values:
            return save(name, ActiveState="failed", Supervisor=0, **done)
        restarts += 1
        save(name, ActiveState="activating", NRestarts=str(restarts), **done)
        time.sleep(0.5)


def is_alive(pid):
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text() if pid else ""
    except OSError:
        return False
    return bool(stat) and stat.rsplit(")", 1)[1].split()[0] != "Z"


def wait_until(holds):
    deadline = time.monotonic() + PATIENCE
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.01)


def start(name):
    values, _ = parse(name)
    if state_of(name).get("Supervisor", 0) and state_of(name)["ActiveState"] == "active":
        return
    for other in " ".join(values.get("Conflicts", [])).split():
        stop(name_of(other))
    stop(name)
    missing = [path for path in values.get("ConditionPathExists", []) if not pathlib.Path(path).exists()]
    if missing:
        save(name, ActiveState="inactive", ConditionResult="no", ConditionTimestampMonotonic="5")
        return
    save(name, ActiveState="starting", ConditionResult="yes", ConditionTimestampMonotonic="5", NRestarts="0", StatusText="")
    if os.fork() == 0:
        os.setsid()
        nothing = os.open("/dev/null", os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
        save(name, Supervisor=os.getpid())
        try:
            supervise(name)
        finally:
            os._exit(0)
    wait_until(lambda: state_of(name)["ActiveState"] != "starting")


def stop(name):
    pid = state_of(name).get("Supervisor", 0)
    if is_alive(pid):
        os.kill(pid, signal.SIGTERM)
        wait_until(lambda: not is_alive(pid))
    if (STATES / f"{name}.json").exists():
        save(name, ActiveState="inactive", Supervisor=0, MainPID="0")


def main(verb, words):
    STATES.mkdir(exist_ok=True)
    now = "--now" in words
    names = [name_of(word) for word in words if not word.startswith("-")]
    if verb == "daemon-reload" or not (STATES / "read").exists():
        (STATES / "read").write_text(str(time.time_ns()))
    for name in names:
        if verb == "show":
            show(name)
        elif not (FILES / f"{name}.service").exists():
            sys.exit(f"Unit {name}.service could not be found.")
        elif verb in ("restart", "start"):
            stop(name) if verb == "restart" else None
            start(name)
        elif verb == "stop":
            stop(name)
        elif verb == "enable":
            (STATES / f"{name}.enabled").touch()
            start(name) if now else None
        elif verb == "disable":
            (STATES / f"{name}.enabled").unlink(missing_ok=True)
            stop(name) if now else None
        else:
            sys.exit(f"Unknown command verb {verb}.")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
