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


NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "far"},
        "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"},
                   "conditions": [{"type": "Ready", "status": "True"}]}}


def pod(name, cpu, priority):
    """On a node that no program runs, so that what is written of it stays."""
    asked = {"requests": {"cpu": cpu, "memory": "1Gi"}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"nodeName": "far", "priority": priority, "terminationGracePeriodSeconds": 300,
                     "containers": [{"name": "app", "image": "x", "resources": asked}]},
            "status": {"phase": "Running", "conditions": [],
                       "containerStatuses": [{"name": "app", "image": "x", "ready": True, "state": {"running": {}},
                                              "allocatedResources": asked["requests"], "resources": asked}]}}


class Daemons:
    """`urls`: of the daemons by name, with a slash at the end."""

    def __init__(self, build):
        self.bin = pathlib.Path(build) / "bin"
        self.folder = tempfile.TemporaryDirectory(prefix="elbowroom-page-")
        self.started, self.urls = [], {}
        kubeconfig = pathlib.Path(self.folder.name) / "kubeconfig"
        self.start("lab", "elbowroom", "lab", "up", "--nodes", "1", "--scheduler", "none", "--agents", "none", "--kubeconfig-out", kubeconfig)
        until(kubeconfig.exists, "the lab")
        self.server = re.search(r"server: (\S+)", kubeconfig.read_text(encoding="utf-8"))[1]
        ours = ["--kubeconfig", kubeconfig, "--listen", "127.0.0.1:0"]
        self.serve("elbowroomd", *ours, "--mode", "companion", "--node-name", "far")
        self.serve("elbowroom-scheduler", *ours, "--leader-elect", "false", "--yield-to=")
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

    def put(self, kind, shown):
        """The object with its status, which a server takes in a write of its own."""
        name = shown["metadata"]["name"]
        call(f"{self.server}/api/v1/{kind}", "POST", shown)
        self.show(kind, name, shown["status"])

    def show(self, kind, name, status):
        call(f"{self.server}/api/v1/{kind}/{name}/status", "PATCH", {"status": status}, "application/merge-patch+json")

    def grow(self):
        """Has a pod ask for more than its node has left; until a victim leaves for it."""
        pods, low, high = "namespaces/default/pods", pod("low", "1500m", 0), pod("high", "1500m", 1000)
        self.put("nodes", NODE)
        self.put(pods, low)
        self.put(pods, high)
        more = {"spec": {"containers": [{"name": "app", "resources": {"requests": {"cpu": "3"}}}]}}
        call(f"{self.server}/api/v1/{pods}/high/resize", "PATCH", more, "application/strategic-merge-patch+json")
        deferred = {"type": "PodResizePending", "status": "True", "reason": "Deferred",
                    "message": "Node didn't have enough resource: cpu", "lastTransitionTime": "2026-01-01T00:00:00Z"}
        self.show(pods, "high", {**high["status"], "conditions": [deferred]})
        until(lambda: "deletionTimestamp" in call(f"{self.server}/api/v1/{pods}/low"), "the removal of the victim")

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
