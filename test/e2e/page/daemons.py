"""The three daemons beside a lab's API server: a pod that grows, waits for room, and has it made by the scheduler."""
import json
import pathlib
import re
import subprocess
import tempfile
import time
import urllib.request

PATIENCE = 60


def call(url, method="GET", body=None, media="application/json"):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method, headers={"Content-Type": media})
    with urllib.request.urlopen(request, timeout=10) as reply:
        return reply.read().decode()


def until(holds, what):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = holds()
        if found:
            return found
        time.sleep(0.1)
    raise RuntimeError(f"{what} did not come within {PATIENCE} s")


def pod(name, cpu, priority):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"nodeName": "node-1", "priority": priority, "terminationGracePeriodSeconds": 20,
                     "containers": [{"name": "app", "image": "x", "resources": {"requests": {"cpu": cpu, "memory": "1Gi"}}}]}}


class Daemons:
    """`urls`: of the daemons by name, with a slash at the end."""

    def __init__(self, build):
        self.bin = pathlib.Path(build) / "bin"
        self.folder = tempfile.TemporaryDirectory(prefix="elbowroom-page-")
        self.started, self.urls = [], {}
        kubeconfig = pathlib.Path(self.folder.name) / "kubeconfig"
        self.start("lab", "elbowroom", "lab", "up", "--nodes", "1", "--scheduler", "none", "--kubeconfig-out", kubeconfig)
        until(kubeconfig.exists, "the lab")
        self.server = re.search(r"server: (\S+)", kubeconfig.read_text(encoding="utf-8"))[1]
        ours = ["--kubeconfig", kubeconfig, "--listen", "127.0.0.1:0"]
        self.serve("elbowroomd", *ours, "--mode", "companion", "--node-name", "node-1")
        self.serve("elbowroom-scheduler", *ours, "--leader-elect", "false")
        self.serve("elbowroom-rescheduler", *ours, "--leader-elect", "false")

    def start(self, name, program, *arguments):
        log = pathlib.Path(self.folder.name) / f"{name}.log"
        with open(log, "wb") as to:
            self.started.append(subprocess.Popen([self.bin / program, *map(str, arguments)], stdin=subprocess.DEVNULL,
                                                 stdout=to, stderr=to))
        return log

    def serve(self, name, *arguments):
        log = self.start(name, name, *arguments)
        port = until(lambda: re.search(r"listening on 127\.0\.0\.1:(\d+)", log.read_text(encoding="utf-8")), f"{name}'s address")
        self.urls[name] = f"http://127.0.0.1:{port[1]}/"

    def pods(self):
        return self.server + "/api/v1/namespaces/default/pods"

    def grow(self):
        """Fills the node, and has a pod ask for more than is left; until a victim leaves for it."""
        call(self.pods(), "POST", pod("low", "1500m", 0))
        call(self.pods(), "POST", pod("high", "1500m", 1000))
        until(lambda: all('"phase":"Running"' in call(f"{self.pods()}/{each}").replace(" ", "") for each in ("low", "high")), "the pods")
        more = {"spec": {"containers": [{"name": "app", "resources": {"requests": {"cpu": "3"}}}]}}
        call(f"{self.pods()}/high/resize", "PATCH", more, "application/strategic-merge-patch+json")
        until(lambda: "deletionTimestamp" in call(f"{self.pods()}/low"), "the removal of the victim")

    def stop(self):
        for each in reversed(self.started):
            each.terminate()
        for each in self.started:
            try:
                each.wait(20)
            except subprocess.TimeoutExpired:
                each.kill()
                each.wait()
        self.folder.cleanup()
