"""A machine of its own for one test: private files, processes, addresses and users; a lab's node with its runtime and control
groups; an API server over TLS before it; the units of the packages."""
import base64
import fcntl
import json
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import sys

import secured_api

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from patience import PATIENCE, until  # noqa: E402
ROOT = HERE.parents[2]
CONFIG = pathlib.Path("/etc/elbowroom")
NAME = "api.elbowroom.test"
PORT = 6443
UNSHARE = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--net", "--uts", "--propagation", "private"]


def enter(arguments):
    """Runs this program once more, in a machine of its own. Returns inside of it."""
    if os.environ.get("ELBOWROOM_MACHINE"):
        if os.getppid() != 1 or os.getpid() > 9:  # what follows covers folders of the machine
            sys.exit("ELBOWROOM_MACHINE is set, and this is no machine of its own")
        return
    for needed in ("unshare", "openssl", "kubectl", "setpriv", "systemd-sysusers", "findmnt"):
        if not shutil.which(needed):
            print(f"skipped: {needed} is not installed")
            sys.exit(77)
    if str(ROOT).startswith(("/run/", "/var/lib/")):
        print(f"skipped: {ROOT} would be hidden")
        sys.exit(77)
    tried = subprocess.run([*UNSHARE, "mount", "-t", "tmpfs", "tmpfs", "/run"], capture_output=True, text=True, check=False)
    if os.getuid() or tried.returncode:
        print(f"skipped: a machine of its own needs root and namespaces: {tried.stderr.strip()}")
        sys.exit(77)
    os.execvpe("unshare", [*UNSHARE, "sh", "-c", '"$@"; exit $?', "sh", sys.executable, "-B", *arguments],
               {**os.environ, "ELBOWROOM_MACHINE": "1"})


def run(*words, **more):
    return subprocess.run([*map(str, words)], check=True, capture_output=True, text=True, timeout=PATIENCE, **more).stdout


def loopback_up():
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh", b"lo", 0x1 | 0x40))  # SIOCSIFFLAGS: IFF_UP, IFF_RUNNING


class Machine:
    """Faults are planted in what `reset` makes: a healthy one."""

    def __init__(self, programs):
        loopback_up()
        socket.sethostname("node-1")
        for where in ("/run", "/var/lib"):
            run("mount", "-t", "tmpfs", "-o", "mode=0755", "tmpfs", where)
        self.own_etc()
        self.folder = pathlib.Path("/run/test")
        for each in ("bin", "programs", "home", "lab", "api"):
            (self.folder / each).mkdir(parents=True)
        run("mount", "--bind", programs, self.folder / "programs")
        self.programs = self.folder / "programs"
        self.servers = []
        self.tools()
        pathlib.Path("/run/systemd/system").mkdir(parents=True)
        self.start_lab()
        self.api = secured_api.SecuredApi(self.folder / "api", self.lab_port, PORT, f"DNS:{NAME},IP:127.0.0.1")
        self.rights = self.manifest_objects()

    def own_etc(self):
        copy = pathlib.Path("/run/etc")
        shutil.copytree("/etc", copy, symlinks=True)
        run("mount", "--bind", copy, "/etc")
        with open("/etc/hosts", "a", encoding="utf-8") as hosts:
            hosts.write(f"127.0.0.1 {NAME} other.elbowroom.test\n")
        pathlib.Path("/etc/nsswitch.conf").write_text("passwd: files\ngroup: files\nhosts: files\n")
        self.users = {name: pathlib.Path("/etc", name).read_text() for name in ("passwd", "group", "shadow", "gshadow")
                      if pathlib.Path("/etc", name).exists()}
        run("mount", "-t", "tmpfs", "tmpfs", "/usr/lib/sysusers.d")
        for file in (ROOT / "systemd").glob("*.sysusers"):
            shutil.copy(file, f"/usr/lib/sysusers.d/{file.stem}.conf")

    def tools(self):
        """Commands that remedies name and that are no part of this machine."""
        binaries = self.folder / "bin"
        for name, text in (("systemctl", f'exec {sys.executable} -B {HERE}/units.py "$@"'),
                           ("kubeadm", f'test "$*" = "certs renew apiserver" && touch {self.folder}/renew')):
            (binaries / name).write_text(f"#!/bin/sh\n{text}\n")
            (binaries / name).chmod(0o755)
        os.environ.update(PATH=f"{binaries}:{self.programs}:{os.environ['PATH']}", HOME=str(self.folder / "home"),
                          KUBECONFIG=str(self.folder / "admin.kubeconfig"))
        os.environ.pop("KUBERNETES_SERVICE_HOST", None)

    def start_lab(self):
        log = open(self.folder / "lab.log", "wb")
        self.lab = subprocess.Popen(["elbowroom", "lab", "up", "--nodes", "1", "--agents", "none", "--scheduler", "none",
                                     "--runtime-dir", self.folder / "lab", "--kubeconfig-out", self.folder / "lab.kubeconfig"],
                                    stdout=log, stderr=log)
        said = (self.folder / "lab.log").read_text
        until(lambda: "ready:" in said(), said)
        text = (self.folder / "lab.kubeconfig").read_text()
        self.lab_port = int(text.split("server: http://127.0.0.1:")[1].split()[0])
        run("mount", "--bind", self.folder / "lab/node-1.cgroup", "/sys/fs/cgroup")

    def manifest_objects(self):
        """What `kubectl apply -k` makes of the manifests' rights."""
        self.write_admin()
        for part in ("agent", "scheduler", "rescheduler"):
            text = run("kubectl", "kustomize", ROOT / "packaging/kustomize" / part)
            wanted = [each for each in text.split("\n---\n")
                      if any(f"kind: {kind}\n" in each for kind in ("ServiceAccount", "ClusterRole", "Role", "ClusterRoleBinding",
                                                                    "RoleBinding"))]
            run("kubectl", "create", "--validate=false", "-f", "-", input="\n---\n".join(wanted))
        return json.dumps([[list(key), value] for key, value in self.api.objects.items()])

    def write_admin(self):
        to = self.folder / "api/admin"
        self.api.authority.issue(to, "/O=system:masters/CN=admin")
        self.write_kubeconfig(self.folder / "admin.kubeconfig", {
            "client-certificate-data": base64.b64encode(pathlib.Path(f"{to}.crt").read_bytes()).decode(),
            "client-key-data": base64.b64encode(pathlib.Path(f"{to}.key").read_bytes()).decode()},
            {"certificate-authority-data": base64.b64encode(self.api.authority.certificate.read_bytes()).decode()})

    def write_kubeconfig(self, path, user, cluster, server=f"https://{NAME}:{PORT}", **more):
        pathlib.Path(path).write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "own",
            "clusters": [{"name": "cluster", "cluster": {"server": server, **cluster}}],
            "users": [{"name": "user", "user": user}],
            "contexts": [{"name": "own", "context": {"cluster": "cluster", "user": "user"}}], **more}, indent=1))
        pathlib.Path(path).chmod(0o600)

    # ---- a healthy machine ----

    def reset(self, program="agent", mode="companion", login="token"):
        """With that program's service, which runs; `login`: token, static or certificate."""
        self.close()
        self.program, self.mode = program, mode
        of_mode = "" if mode == "companion" else "-authority"
        self.unit = "elbowroomd" + of_mode if program == "agent" else f"elbowroom-{program}"
        self.role = "elbowroom-agent" + of_mode if program == "agent" else self.unit
        self.group = "_elbowroom" if program == "agent" else f"_elbowroom-{program}"
        self.kubeconfig = CONFIG / ("kubeconfig" if program == "agent" else f"{program}.kubeconfig")
        self.config = CONFIG / ("config.yaml" if program == "agent" else f"{program}.yaml")
        for name, text in self.users.items():
            pathlib.Path("/etc", name).write_text(text)
        run("systemd-sysusers")
        self.api.reset()
        self.api.objects = {tuple(key): value for key, value in json.loads(self.rights)}
        self.write_files(login)
        self.write_units()
        if mode == "authority":
            self.systemctl("start", "containerd")
        else:
            self.serve_health()
        self.systemctl("enable", "--now", self.unit)

    def write_files(self, login):
        shutil.rmtree(CONFIG, ignore_errors=True)
        CONFIG.mkdir(mode=0o755)
        shutil.copy(ROOT / "packaging/config" / self.config.name, self.config)
        with open(self.config, "a", encoding="utf-8") as config:
            config.write("nodeName: node-1\n" if self.program == "agent" else "")
        self.config.chmod(0o644)
        shutil.copy(self.api.authority.certificate, CONFIG / "ca.crt")
        user = f"system:serviceaccount:kube-system:{self.role}"
        if login == "certificate":
            self.api.authority.issue(CONFIG / "own", f"/CN={user}")
            (CONFIG / "own.csr").unlink()
            self.close_file(CONFIG / "own.key")
            named = {"client-certificate": str(CONFIG / "own.crt"), "client-key": str(CONFIG / "own.key")}
        elif login == "static":
            named = {"token": self.api.token_for(user)}
        else:
            (CONFIG / "token").write_text(self.api.token_for(user))
            self.close_file(CONFIG / "token")
            named = {"tokenFile": str(CONFIG / "token")}
        self.login = named
        self.write_kubeconfig(self.kubeconfig, named, {"certificate-authority": str(CONFIG / "ca.crt")})
        self.close_file(self.kubeconfig)

    def close_file(self, path):
        shutil.chown(path, "root", self.group)
        path.chmod(0o640)

    def write_units(self):
        units = pathlib.Path("/etc/systemd/system")
        shutil.rmtree(units, ignore_errors=True)
        units.mkdir(parents=True)
        for file in (ROOT / "systemd").glob("*.service"):
            (units / file.name).write_text(file.read_text().replace("ExecStart=/usr/sbin/", f"ExecStart={self.programs}/"))
        (units / "containerd.service").write_text(
            f"[Service]\nExecStart={sys.executable} -B {HERE}/relay.py /run/containerd/containerd.sock "
            f"{self.folder}/lab/node-1.sock\nRestart=always\n")
        self.systemctl("daemon-reload")

    def serve_health(self, port=10248):
        """What answers there as a kubelet does."""
        self.servers.append(subprocess.Popen([sys.executable, "-B", "-m", "http.server", "--bind", "127.0.0.1", str(port)],
                                             cwd=self.folder / "home", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        until(lambda: self.listens(port), lambda: f"port {port}")

    @staticmethod
    def listens(port):
        with socket.socket() as tried:
            return tried.connect_ex(("127.0.0.1", port)) == 0

    def systemctl(self, *words):
        return run("systemctl", *words)

    def property(self, name, unit=None):
        shown = self.systemctl("show", unit or self.unit)
        return dict(line.split("=", 1) for line in shown.splitlines())[name]

    def pid(self):
        return int(self.property("MainPID"))

    def close(self):
        for each in self.servers:
            each.kill()
            each.wait()
        self.servers = []
        states = pathlib.Path("/run/units")
        if states.exists():
            for state in states.glob("*.json"):
                self.systemctl("stop", state.stem)
        run("sh", "-c", "umount /var/lib/elbowroom 2>/dev/null; "
                        "rm -rf /var/lib/elbowroom* /run/units /run/elbowroom /run/containerd /etc/kubernetes")

    def end(self):
        self.close()
        self.lab.send_signal(signal.SIGTERM)
        self.lab.wait()

    # ---- the doctor ----

    def doctor(self):
        """The findings by check."""
        return {each["check"]: each for each in json.loads(self.said_by_doctor("-o", "json"))["checks"]}

    def said_by_doctor(self, *words):
        return subprocess.run(["elbowroom", "doctor", "--program", self.program, *words], capture_output=True, text=True,
                              timeout=PATIENCE, check=False, stdin=subprocess.DEVNULL).stdout

    def repair(self, check):
        """Runs what the doctor prints for people below that check, line by line. Returns the lines."""
        text = self.said_by_doctor()
        block = text.split(f"\nFAIL {check}: ")[1].split("\n\n")[0].split("\nFAIL ")[0].split("\nWARN ")[0]
        lines = [line.strip() for line in block.splitlines() if line.startswith(" " * 10)]
        for line in lines:
            done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=2 * PATIENCE, check=False)
            if done.returncode:
                raise AssertionError(f"{line}\n{done.stdout}{done.stderr}")
        if (self.folder / "renew").exists():
            (self.folder / "renew").unlink()
            self.api.issue_server_certificate()
        return lines
