"""ours: elbowroomd, elbowroom-scheduler, elbowroom-rescheduler and the lab's pod runner as they are delivered, with exactly the identities of
packaging/kustomize. kubectl applies the manifests, as a user would, and no program of ours is an administrator."""
import http.client
import json
import os
import subprocess

from process import Program, free_port

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", "..", ".."))


class Kubectl:
    """Runs kubectl as the user."""

    def __init__(self, program, kubeconfig, folder):
        self._words = [program, "--kubeconfig", kubeconfig, "--cache-dir", f"{folder}/kubectl-cache"]

    def __call__(self, *words, stdin=None):
        """(exit status, what it wrote to both)."""
        done = subprocess.run([*self._words, *words], input=stdin, capture_output=True, text=True, check=False)
        return done.returncode, (done.stdout + done.stderr).strip()


def install(kubectl, part=""):
    """Applies packaging/kustomize, or that part of it; (exit status, output)."""
    return kubectl("apply", "-k", os.path.join(ROOT, "packaging", "kustomize", part))


def ask(port, path):
    """(status, text) of a daemon's own HTTP; (0, why) where it does not answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        reply = connection.getresponse()
        return reply.status, reply.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        return 0, str(error)
    finally:
        connection.close()


class Daemon(Program):
    """One of our daemons, with its port."""

    def __init__(self, name, argv, log):
        self.port = free_port()
        super().__init__(name, [*argv, f"--listen=127.0.0.1:{self.port}"], log)

    def is_ready(self):
        return ask(self.port, "/readyz")[0] == 200

    def why_not_ready(self):
        return ask(self.port, "/readyz?verbose")[1].replace("\n", "; ") + " | " + " | ".join(self.last_lines(6))

    def explains(self, key):
        status, text = ask(self.port, f"/explain?pod={key}")
        return json.loads(text) if status == 200 else None

    def explains_budget(self, key):
        status, text = ask(self.port, f"/explain?budget={key}")
        return json.loads(text) if status == 200 else None

    def metric(self, name, **labels):
        """The sum of one metric over all series with these labels."""
        total = 0.0
        for line in ask(self.port, "/metrics")[1].splitlines():
            if line.split("{")[0].split(" ")[0] != name or line.startswith("#"):
                continue
            if all(f'{key}="{value}"' in line for key, value in labels.items()):
                total += float(line.rsplit(" ", 1)[1])
        return total


def agent(build, folder, node, kubeconfig, endpoint, mode="authority", more=()):
    argv = [f"{build}/bin/elbowroomd", f"--mode={mode}", f"--node-name={node}", f"--kubeconfig={kubeconfig}"]
    if mode == "authority":
        argv += [f"--runtime-endpoint={endpoint}", "--kubelet-healthz=", f"--state-dir={folder}/agent-{node}"]
    return Daemon("elbowroomd", [*argv, *more], f"{folder}/elbowroomd-{node}.log")


def scheduler(build, folder, kubeconfig, more=(), name="elbowroom-scheduler"):
    argv = [f"{build}/bin/elbowroom-scheduler", f"--kubeconfig={kubeconfig}"]
    return Daemon(name, [*argv, *more], f"{folder}/{name}.log")


def rescheduler(build, folder, kubeconfig, more=(), name="elbowroom-rescheduler"):
    argv = [f"{build}/bin/elbowroom-rescheduler", f"--kubeconfig={kubeconfig}"]
    return Daemon(name, [*argv, *more], f"{folder}/{name}.log")


def pod_runner(build, folder, node, kubeconfig, endpoint, cpu="4", memory="8Gi"):
    return Program("pod runner", [f"{build}/bin/elbowroom", "lab", "kubelet", "--kubeconfig", kubeconfig,
                                  "--node-name", node, "--runtime-endpoint", endpoint, "--cpu", cpu,
                                  "--memory", memory, "--cgroup-root", "/sys/fs/cgroup"],
                   f"{folder}/runner-{node}.log")
