#!/usr/bin/env python3
"""Runs acts.py as one of our units: `probe.py UNIT` starts a copy of the unit in which only the program is another one.
An exposure that systemd computes is a sum of words; this is what is really denied."""
import pathlib
import re
import shutil
import subprocess
import sys

ACTS = "/usr/lib/elbowroom-acts.py"  # every one of the units sees that folder
OUT = "/e2e/acts.out"


def main(unit):
    shutil.copy("/e2e/acts.py", ACTS)
    shutil.copy("/e2e/lab.kubeconfig", "/etc/elbowroom/lab.kubeconfig")
    pathlib.Path("/etc/elbowroom/lab.kubeconfig").chmod(0o644)
    for secret in ("/var/lib/kubelet/pki/kubelet-client-current.pem", "/etc/kubernetes/admin.conf"):
        pathlib.Path(secret).parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(secret).write_text("secret")
    python = str(pathlib.Path("/usr/bin/python3").resolve())
    text = subprocess.run(["systemctl", "cat", unit], capture_output=True, text=True, check=True).stdout
    text = re.sub(r"(?m)^(Type|NotifyAccess|ExecStart|ExecReload|Watchdog\w+|Restart\w*|Conflicts|SyslogIdentifier|"
                  r"TimeoutStartSec|ConditionPathExists)=.*\n", "", text)
    text = text.replace("[Service]\n", f"[Service]\nType=oneshot\nExecStart={python} -B {ACTS} {unit.split('.')[0]}\n"
                        f"{'BindReadOnlyPaths' if 'RootDirectory=' in text else 'ExecPaths'}={python}\nStandardOutput=truncate:{OUT}\nStandardError=inherit\nTimeoutStartSec=60\n", 1)
    pathlib.Path("/run/systemd/system/acts.service").write_text(text)
    subprocess.run(["systemctl", "daemon-reload"], check=True)
    started = subprocess.run(["systemctl", "start", "acts.service"], capture_output=True, text=True, check=False)
    said = pathlib.Path(OUT).read_text() if pathlib.Path(OUT).exists() else ""
    print(started.stderr + said)
    sys.exit(started.returncode)


if __name__ == "__main__":
    main(sys.argv[1])
