"""A cluster of real programs for one scenario: `elbowroom lab up` without agents and scheduler, and each of those as a process."""
import http.client
import json
import os
import pathlib
import queue
import re
import shutil
import subprocess
import tempfile
import threading
import time

PATIENCE = 60  # seconds that a program may take to start
MERGE = "application/merge-patch+json"


class Refused(Exception):
    """The API server's answer to a request that it refuses."""

    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code = code


class Process:
    """One program; what it says is in LOG."""

    def __init__(self, command, log):
        self.command, self.log = command, log
        self.start()

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def restart(self):
        self.kill()
        self.start()

    def is_ready(self):
        """Whether it has read what it decides from; its log says at which port it listens."""
        ports = re.findall(r"listening on 127\.0\.0\.1:([0-9]+)", pathlib.Path(self.log).read_text(encoding="utf-8"))
        try:
            connection = http.client.HTTPConnection("127.0.0.1", int(ports[-1]), timeout=PATIENCE)
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except (OSError, IndexError, http.client.HTTPException):
            return False


class Api:
    """The lab's API server: plain HTTP on loopback."""

    def __init__(self, port):
        self.port = port
        self.paths = {}
        groups = [version["groupVersion"] for group in self.get("/apis")["groups"] for version in group["versions"]]
        for version in ["api/v1"] + ["apis/" + group for group in groups]:
            for resource in self.get("/" + version)["resources"]:
                if "/" not in resource["name"]:
                    self.paths.setdefault(resource["kind"], (version, resource["name"], resource["namespaced"]))

    def request(self, method, path, body=None, content="application/json"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, None if body is None else json.dumps(body),
                               {"Content-Type": content, "Accept": "application/json", "User-Agent": "live"})
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        if answer.status >= 400:
            raise Refused(answer.status, json.loads(text).get("message", "") if text[:1] == b"{" else text.decode())
        return json.loads(text)

    def get(self, path):
        return self.request("GET", path)

    def path_of(self, kind, name, version=None):
        """NAME: NAMESPACE/NAME, or NAME of a kind without namespaces."""
        known, plural, is_namespaced = self.paths[kind]
        prefix = known if version is None else ("api/" if "/" not in version else "apis/") + version
        if not is_namespaced:
            return f"/{prefix}/{plural}/{name}"
        namespace, _, own = name.rpartition("/")
        return f"/{prefix}/namespaces/{namespace or 'default'}/{plural}/{own}"

    def find(self, kind, name):
        try:
            return self.get(self.path_of(kind, name))
        except Refused as refused:
            if refused.code != 404:
                raise
            return None

    def list(self, kind):
        version, plural, _ = self.paths[kind]
        return self.get(f"/{version}/{plural}")

    def create(self, item):
        metadata = item["metadata"]
        path = self.path_of(item["kind"], f"{metadata.get('namespace', 'default')}/{metadata['name']}"
                            if self.paths[item["kind"]][2] else metadata["name"], item["apiVersion"])
        return self.request("POST", path.rpartition("/")[0], item)

    def patch(self, kind, name, merge, subresource=""):
        return self.request("PATCH", self.path_of(kind, name) + subresource, merge, MERGE)


class PodWatch:
    """Follows all pods on a thread of its own, and hands each state of each of them to `see(pod, is_gone)`."""

    def __init__(self, api, see):
        self.api, self.see, self.stopping = api, see, False
        self.pods, self.lock = {}, threading.Lock()
        listed = api.list("Pod")
        for pod in listed["items"]:
            self.take(pod, False)
        self.version = listed["metadata"]["resourceVersion"]
        self.thread = threading.Thread(target=self.follow, daemon=True)
        self.thread.start()

    def take(self, pod, is_gone):
        with self.lock:
            if is_gone:
                self.pods.pop(pod["metadata"]["uid"], None)
            else:
                self.pods[pod["metadata"]["uid"]] = pod
        self.see(pod, is_gone)

    def follow(self):
        while not self.stopping:
            connection = http.client.HTTPConnection("127.0.0.1", self.api.port, timeout=PATIENCE)
            try:
                connection.request("GET", f"/api/v1/pods?watch=1&resourceVersion={self.version}")
                answer = connection.getresponse()
                for line in iter(answer.readline, b""):
                    event = json.loads(line)
                    if event["type"] == "ERROR":
                        raise AssertionError(f"the watch of pods is over: {event['object']}")
                    self.version = event["object"]["metadata"]["resourceVersion"]
                    if event["type"] != "BOOKMARK":
                        self.take(event["object"], event["type"] == "DELETED")
            except (OSError, http.client.HTTPException, ValueError):
                time.sleep(0.05)  # the connection is over: the watch goes on where it was
            finally:
                connection.close()

    def all(self):
        with self.lock:
            return list(self.pods.values())


RUNNING = set()  # the clusters that are up


def end_all(*_):
    """Ends what was started, and this process: for SIGTERM and SIGINT."""
    for cluster in list(RUNNING):
        cluster.end()
    os._exit(130)


class Cluster:
    """Everything that runs for one scenario, below one folder of its own."""

    def __init__(self, binaries, objects, nodes, spec):
        self.binaries = pathlib.Path(binaries)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="elbowroom-live-", dir="/tmp"))
        self.programs, self.spec, self.nodes = {}, spec, nodes
        RUNNING.add(self)
        try:
            self.start_lab(objects)
        except BaseException:
            self.end()
            raise

    def start_lab(self, objects):
        spec = self.spec
        (self.folder / "objects.json").write_text(json.dumps({"kind": "List", "items": objects}))
        companion = ["--agent-mode", "companion"] if spec["agents"] == "companion" else []
        self.lab = subprocess.Popen(
            [self.binaries / "elbowroom", "lab", "up", "--agents", "none", "--scheduler", "none", *companion,
             "--controllers", "embedded" if spec["controllers"] == "active" else "none",
             "--runtime-dir", self.folder, "--kubeconfig-out", self.folder / "kubeconfig", "-f", self.folder / "objects.json",
             *(word for node in self.nodes for word in ("--node", node))],
            stdout=subprocess.PIPE, stderr=open(self.folder / "lab.log", "ab"), text=True)
        lines = queue.Queue()
        threading.Thread(target=lambda: lines.put(self.lab.stdout.readline()), daemon=True).start()
        if not lines.get(timeout=PATIENCE).startswith("ready:"):
            raise AssertionError("the lab is not ready:\n" + (self.folder / "lab.log").read_text())
        server = re.search(r"server: http://[^:]+:([0-9]+)", (self.folder / "kubeconfig").read_text())
        self.api = Api(int(server.group(1)))

    def start(self, name, program, *words):
        self.programs[name] = Process([self.binaries / program, "--kubeconfig", self.folder / "kubeconfig", "--listen", "127.0.0.1:0",
                                       *words], self.folder / f"{name.replace('/', '-')}.log")

    def start_programs(self):
        spec = self.spec
        for node in self.nodes:
            if spec["agents"] == "none":
                break
            words = ["--critical-preemption=true"] if spec["agents"] == "authority" else []
            self.start(f"agent/{node}", "elbowroomd", "--node-name", node, "--mode", spec["agents"],
                       "--runtime-endpoint", f"unix://{self.folder}/{node}.sock", "--cgroup-root", self.folder / f"{node}.cgroup",
                       "--cgroup-driver", "cgroupfs", "--kubelet-healthz=", "--state-dir",
                       self.folder / f"{node}.state", *words)
        if spec["scheduler"] != "none":
            self.start("scheduler", "elbowroom-scheduler", "--mode", spec["scheduler"], "--leader-elect=false",
                       "--yield-to=" + ",".join(spec["yieldTo"]))
        if spec["rescheduler"] != "none":
            self.start("rescheduler", "elbowroom-rescheduler", "--leader-elect=false")

    def evict(self, pod, avoid_node):
        subprocess.run([self.binaries / "elbowroom", "evict", pod, "--kubeconfig", self.folder / "kubeconfig",
                        *(["--avoid-node"] if avoid_node else [])], check=False, timeout=PATIENCE,
                       stdout=open(self.folder / "evict.log", "ab"), stderr=subprocess.STDOUT)

    def unready(self):
        return [name for name, program in self.programs.items() if not program.is_ready()]

    def ended(self):
        """The programs that have ended, though none should."""
        return [name for name, program in self.programs.items() if program.process.poll() is not None]

    def end(self, keep=False):
        for program in list(self.programs.values()):
            program.kill()
        if self.lab.poll() is None:
            self.lab.terminate()  # it removes its own folder; once it is ready, in order
        try:
            self.lab.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.lab.kill()
            self.lab.wait()
        RUNNING.discard(self)
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)
