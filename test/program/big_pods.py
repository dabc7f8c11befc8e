#!/usr/bin/env python3
"""The daemons within the memory of their units, on a server whose pods are as many and as big as an API server takes
them: each is started in a control group of its own (128 MiB for the agent, 1 GiB for the scheduler) and has to stay
alive, to decide the resize of an ordinary pod where that is possible, and to say why where it is not. Where no such
group can be made: one line, and skipped.

usage: big_pods.py BIN_FOLDER [-k WORD]
"""
import argparse
import http.server
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

SKIPPED = 77
MIB = 1 << 20
NODE = "node1"
# Collections of which the server has none.
EMPTY = ("disruptionbudgets", "namespaces", "services", "replicationcontrollers", "replicasets", "statefulsets",
         "persistentvolumes", "persistentvolumeclaims", "storageclasses", "csinodes", "csidrivers",
         "csistoragecapacities", "priorityclasses")
PROTOBUF = "application/vnd.kubernetes.protobuf"

# ---- objects ----


def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def entry(number, key, value):
    return field(number, field(1, key) + field(2, value))


def quantity(number, amounts):
    return b"".join(entry(number, name, field(1, amount)) for name, amount in sorted(amounts.items()))


class Pod:
    """One pod in both encodings. `containers`: their requests; `actual`: those of the statuses, none without them;
    `expressions`: about nodes, of 1,001 values each."""

    def __init__(self, phase, containers, actual=None, filler=0, labels=(), expressions=0):
        self.phase, self.containers, self.actual, self.filler = phase, containers, actual, filler
        self.expressions = expressions
        self.labels = dict(labels)
        self.labels_in_protobuf = b"".join(entry(11, key, value) for key, value in self.labels.items())
        self.halves = {True: self.parts_in_protobuf(), False: self.parts_in_json()}

    def named(self, name, protobuf):
        spec_and_status = self.halves[protobuf]
        if protobuf:
            meta = (field(1, name) + field(3, "default") + field(5, "uid-" + name) + field(6, "7") + field(7, 1) +
                    self.labels_in_protobuf)
            return field(1, meta) + spec_and_status
        meta = {"name": name, "namespace": "default", "uid": "uid-" + name, "resourceVersion": "7", "generation": 1,
                "labels": self.labels}
        return b'{"metadata":' + json.dumps(meta).encode() + spec_and_status

    def parts_in_protobuf(self):
        spec = b""
        for index, requests in enumerate(self.containers):
            spec += field(2, field(1, f"c{index}") + field(2, "i") + field(8, quantity(2, requests)) +
                          field(12, "/dev/termination-log") + field(14, "IfNotPresent") + field(20, "File"))
        spec += field(10, NODE)
        if self.expressions:
            one = field(1, field(1, "k") + field(2, "In") + field(3, "") * 1001)
            spec += field(18, field(1, field(1, field(1, one * self.expressions))))
        spec += b"".join(field(22, field(2, "Exists")) for _ in range(self.filler))
        status = field(1, self.phase) + field(9, "Burstable")
        for index, requests in enumerate(self.actual or []):
            status += field(8, field(1, f"c{index}") + field(2, field(2, b"")) + quantity(10, requests) +
                            field(11, quantity(2, requests)))
        return field(2, spec) + field(3, status)

    def parts_in_json(self):
        spec = {"containers": [{"name": f"c{index}", "image": "i", "resources": {"requests": requests}}
                               for index, requests in enumerate(self.containers)],
                "tolerations": [{"operator": "Exists"}] * self.filler, "nodeName": NODE}
        if self.expressions:
            one = {"key": "k", "operator": "In", "values": [""] * 1001}
            spec["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": [one] * self.expressions}]}}}
        statuses = [{"name": f"c{index}", "state": {"running": {}}, "allocatedResources": requests,
                     "resources": {"requests": requests}} for index, requests in enumerate(self.actual or [])]
        status = {"phase": self.phase, "qosClass": "Burstable", "containerStatuses": statuses}
        return (b',"spec":' + json.dumps(spec, separators=(",", ":")).encode() + b',"status":' +
                json.dumps(status, separators=(",", ":")).encode() + b"}")


def event(name, pod, protobuf):
    """A watch's event MODIFIED."""
    if not protobuf:
        return b'{"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1",' + pod.named(name, False)[1:] + b"}\n"
    envelope = b"k8s\0" + field(1, field(1, "v1") + field(2, "Pod")) + field(2, pod.named(name, True))
    frame = field(1, "MODIFIED") + field(2, field(1, envelope))
    return len(frame).to_bytes(4, "big") + frame


SMALL = {"cpu": "1m", "memory": "1Ki"}
ORDINARY = Pod("Running", [{"cpu": "2", "memory": "100Mi"}], [{"cpu": "1", "memory": "100Mi"}])
TINY = Pod("Running", [SMALL], [SMALL])
LABELLED = Pod("Running", [SMALL], labels=((f"key{index:04}", "v" * 60) for index in range(300)))
FINISHED = Pod("Succeeded", [SMALL], [SMALL])
# The 40 kB of a pod of which the most is kept.
WAITING = Pod("Pending", [{}] * 100, labels=((f"a{index:03}", "v" * 28) for index in range(1_000)))
BOMB = Pod("Pending", [SMALL], expressions=500)
NODE_OBJECT = {"metadata": {"name": NODE, "uid": "n1", "resourceVersion": "1"},
               "status": {"allocatable": {"cpu": "2000", "memory": "999Gi", "pods": "250000"},
                          "capacity": {"cpu": "2000", "memory": "999Gi", "pods": "250000"},
                          "conditions": [{"type": "Ready", "status": "True"}]}}


def budget(index, values):
    """A PodDisruptionBudget in protobuf with that many values in its selector."""
    meta = field(1, f"budget-{index:06}") + field(3, f"team-{index // 100:04}") + field(5, f"{index:036}") + field(6, "5")
    if values == 1:
        return field(1, meta) + field(2, field(2, entry(1, "app.kubernetes.io/name", f"web-{index:06}")))
    return field(1, meta) + field(2, field(2, field(2, field(1, "k") + field(2, "In") + field(3, "") * values)))


def own_budget(index):
    return {"metadata": {"name": f"own-{index:06}", "namespace": f"team-{index // 100:04}", "uid": f"{index:036}",
                         "resourceVersion": "5"},
            "spec": {"selector": {"matchLabels": {"app.kubernetes.io/name": f"web-{index:06}"}}, "minAvailable": 1}}


def namespace(index):
    name = f"namespace-{index:06}"
    return {"metadata": {"name": name, "uid": f"{index:036}", "resourceVersion": "5",
                         "labels": {"kubernetes.io/metadata.name": name, "team": f"team-{index % 1000}"}}}


def node(index):
    """In protobuf, with the labels that clouds give."""
    name = f"ip-10-{index >> 8}-{index & 255}.eu-central-1.compute.internal"
    labels = b"".join(entry(11, f"topology.kubernetes.example/label-{key:02}", f"{name[:30]}-{key}") for key in range(20))
    amounts = b"".join(quantity(number, {"cpu": "64", "memory": "256Gi", "pods": "110", "ephemeral-storage": "1Ti"})
                       for number in (1, 2))
    return (field(1, field(1, name) + field(5, f"{index:036}") + field(6, "5") + labels) +
            field(3, amounts + field(4, field(1, "Ready") + field(2, "True"))))


class World:
    """What is served: an ordinary pod whose resize waits, and `others`, a list of (how many, Pod); and the items of
    other lists, made when they are asked for."""

    def __init__(self, others, protobuf=True, endless=False, budgets=(), own_budgets=(), namespaces=(), nodes=()):
        self.others, self.protobuf, self.endless = others, protobuf, endless
        self.budgets, self.own_budgets, self.namespaces, self.nodes = budgets, own_budgets, namespaces, nodes
        self.events = []  # (pod's name, Pod), sent by each watch of pods once `tells` is set
        self.tells = threading.Event()
        self.told = threading.Event()
        self.count = 1 + sum(many for many, _ in others)

    def pod(self, index, protobuf):
        if index == 0:
            return ORDINARY.named("ordinary", protobuf)
        left = index - 1
        for many, pod in self.others:
            if left < many:
                return pod.named(f"p{index}", protobuf)
            left -= many
        raise IndexError(index)

    def page(self, first, limit, protobuf):
        """Pieces of the body of a page, and where the next one begins ("" for none)."""
        last = self.count if limit == 0 else min(first + limit, self.count)
        following = str(last) if last < self.count else ""
        if self.endless and not following:
            following = "1"
        items = (self.pod(index, protobuf) for index in range(first, last))
        if not protobuf:
            def pieces():
                meta = json.dumps({"resourceVersion": "9", "continue": following})
                yield b'{"kind":"PodList","apiVersion":"v1","metadata":' + meta.encode() + b',"items":['
                for number, item in enumerate(items):
                    yield (b"," if number else b"") + item
                yield b"]}"
            return pieces()
        head = field(1, field(2, "9") + field(3, following))
        whole = [field(2, item) for item in items]
        size = len(head) + sum(map(len, whole))
        envelope = b"k8s\0" + field(1, field(1, "v1") + field(2, "PodList"))
        return iter([envelope + varint(2 << 3 | 2) + varint(size) + head] + whole)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, world):
        super().__init__(("127.0.0.1", 0), Handler)
        self.world = world
        self.asked = []

    def handle_error(self, request, address):
        pass  # a killed process leaves connections behind


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def say(self, status, body, kind="application/json"):
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def flow(self, pieces, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        pending = bytearray()
        for piece in pieces:
            pending += piece
            if len(pending) > 1 << 16:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(pending), pending))
                pending.clear()
        if pending:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(pending), pending))
        self.wfile.write(b"0\r\n\r\n")

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        self.server.asked.append((url.path, query))
        if "watch" in query:
            return self.watch(url.path == "/api/v1/pods")
        world = self.server.world
        for path, kind, items in (("/api/v1/nodes", "Node", world.nodes),
                                  ("/apis/policy/v1/poddisruptionbudgets", "PodDisruptionBudget", world.budgets)):
            if url.path == path and items:
                head = b"k8s\0" + field(1, field(1, "v1") + field(2, kind + "List"))
                whole = b"".join([field(1, field(2, "9"))] + [field(2, item) for item in items])
                return self.say(200, head + field(2, whole), PROTOBUF)
        for end, items in (("elbowroom.dev/v1alpha1/disruptionbudgets", world.own_budgets),
                           ("/namespaces", world.namespaces)):
            if url.path.endswith(end) and items:
                return self.say(200, {"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "9"},
                                      "items": list(items)})
        if url.path == "/api/v1/nodes":
            return self.say(200, {"kind": "NodeList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"},
                                  "items": [NODE_OBJECT]})
        if url.path == "/api/v1/pods":
            protobuf = self.server.world.protobuf and PROTOBUF in self.headers.get("Accept", "")
            first, limit = int(query.get("continue", 0)), int(query.get("limit", 0))
            kind = PROTOBUF if protobuf else "application/json"
            return self.flow(self.server.world.page(first, limit, protobuf), kind)
        if url.path == "/version":
            return self.say(200, {"major": "1", "minor": "35", "gitVersion": "v1.35.0"})
        if url.path.endswith(EMPTY):
            return self.say(200, {"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": []})
        return self.say(404, {"kind": "Status", "status": "Failure", "reason": "NotFound", "code": 404})

    def watch(self, is_of_pods):
        world = self.server.world
        protobuf = world.protobuf and is_of_pods
        self.send_response(200)
        self.send_header("Content-Type", PROTOBUF + ";stream=watch" if protobuf else "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.flush()
        if is_of_pods and world.events:
            world.tells.wait()
            for name, pod in world.events:
                told = event(name, pod, protobuf)
                self.wfile.write(b"%x\r\n%s\r\n" % (len(told), told))
            self.wfile.flush()
            world.told.set()
        time.sleep(3600)

    def do_PATCH(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.say(403, {"kind": "Status", "status": "Failure", "reason": "Forbidden", "code": 403})

    do_POST = do_PUT = do_DELETE = do_PATCH


# ---- control groups ----


class Group:
    """A control group with a limit of memory; None where there can be none."""

    def __init__(self, folder, version, limit):
        self.folder, self.version = folder, version
        (folder / ("memory.max" if version == 2 else "memory.limit_in_bytes")).write_text(str(limit))
        swap = folder / "memory.swap.max"
        if swap.exists():
            swap.write_text("0")

    @staticmethod
    def make(limit):
        root = pathlib.Path("/sys/fs/cgroup")
        name = f"elbowroom-big-pods-{os.getpid()}-{time.monotonic_ns()}"
        for version, parent in ((2, root), (1, root / "memory")):
            if not (parent / ("cgroup.controllers" if version == 2 else "memory.limit_in_bytes")).exists():
                continue
            folder = parent / name
            try:
                if version == 2:
                    (parent / "cgroup.subtree_control").write_text("+memory")
                folder.mkdir()
                return Group(folder, version, limit)
            except OSError:
                if folder.exists():
                    folder.rmdir()
        return None

    def enter(self):
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def peak(self):
        for name in ("memory.peak", "memory.max_usage_in_bytes"):
            if (self.folder / name).exists():
                return int((self.folder / name).read_text())
        return 0

    def killed(self):
        name = "memory.events" if self.version == 2 else "memory.oom_control"
        counts = dict(line.split() for line in (self.folder / name).read_text().splitlines())
        return int(counts.get("oom_kill", 0))

    def drop(self):
        for _ in range(100):
            try:
                return self.folder.rmdir()
            except OSError:
                time.sleep(0.05)


# ---- one case ----


def kubeconfig(port):
    return ("current-context: m\ncontexts: [{name: m, context: {cluster: c, user: u}}]\n"
            f"clusters: [{{name: c, cluster: {{server: 'http://127.0.0.1:{port}'}}}}]\nusers: [{{name: u, user: {{}}}}]\n")


class Case:
    def __init__(self, bins, name, world, patience=120):
        self.bins, self.name, self.patience = bins, name, patience
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="big-pods-"))
        self.server = Server(world)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.log_file = self.folder / "out.log"
        (self.folder / "kubeconfig").write_text(kubeconfig(self.server.server_port))

    def start(self, program, limit, *arguments):
        self.group = Group.make(limit)
        self.began = time.monotonic()
        with self.log_file.open("wb") as log:
            self.process = subprocess.Popen(
                [str(self.bins / program), f"--kubeconfig={self.folder / 'kubeconfig'}", "--listen=127.0.0.1:0",
                 *arguments], stdout=log, stderr=log, preexec_fn=self.group.enter, cwd=self.folder)

    def log(self):
        return self.log_file.read_text(errors="replace")

    def get(self, path):
        for line in self.log().splitlines():
            if "127.0.0.1:" in line and "listen" in line:
                port = line.split("127.0.0.1:")[1].split('"')[0].split()[0].strip("/,")
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
                        return answer.status, answer.read().decode()
                except urllib.error.HTTPError as error:
                    return error.code, error.read().decode()
                except OSError:
                    return 0, ""
        return 0, ""

    def has_told(self):
        """Whether all events of the world have left, and it has had time for the last one."""
        world = self.server.world
        if not world.events:
            return True
        if not world.tells.is_set():
            world.tells.set()
            return False
        return world.told.is_set() and self.get("/livez")[0] == 200

    def until(self, holds):
        while time.monotonic() - self.began < self.patience:
            if self.process.poll() is not None:
                return False
            if holds():
                return True
            time.sleep(0.1)
        return False

    def end(self):
        alive = self.process.poll() is None
        if alive:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.wait()
        peak, killed = self.group.peak(), self.group.killed()
        self.group.drop()
        self.server.shutdown()
        self.server.server_close()
        return alive and not killed, peak

    def judge(self, holds, wanted):
        was_so = self.until(holds)
        took = time.monotonic() - self.began
        lives, peak = self.end()
        good = was_so and lives
        print(f"{'ok  ' if good else 'FAIL'} {self.name}: {wanted}: {was_so}; alive: {lives}; "
              f"peak {peak / MIB:.0f} MiB, {took:.1f} s", flush=True)
        if not good:
            print("\n".join("     " + line[:300] for line in self.log().splitlines()[-15:]), flush=True)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)
        return good


def agent(bins, name, world, told=None):
    case = Case(bins, "agent, " + name, world)
    cgroups = case.folder / "cgroups"
    for controller in ("cpu", "memory"):
        (cgroups / controller).mkdir(parents=True)
    case.start("elbowroomd", 128 * MIB, f"--node-name={NODE}", "--mode=authority", "--dry-run",
               f"--state-dir={case.folder}/state", f"--cgroup-root={cgroups}",
               f"--runtime-endpoint=unix://{case.folder}/none.sock", "--kubelet-healthz=")
    if told:
        return case.judge(lambda: told in case.get("/readyz?verbose")[1] and told in case.log(), f"told: {told}")
    return case.judge(lambda: "would allocate" in case.log() and case.has_told(), "the resize is decided")


def scheduler(bins, name, world, told=None, mode="full"):
    case = Case(bins, "scheduler, " + name, world)
    case.start("elbowroom-scheduler", 1024 * MIB, "--dry-run", f"--mode={mode}", "--leader-elect=false")
    if told:
        return case.judge(lambda: told in case.get("/readyz?verbose")[1] and told in case.log(), f"told: {told}")
    return case.judge(lambda: case.get("/readyz")[0] == 200 and case.has_told(), "it is ready")


class Many:
    """So many, made one by one."""

    def __init__(self, count, make):
        self.count, self.make = count, make

    def __len__(self):
        return self.count

    def __iter__(self):
        return map(self.make, range(self.count))


def tiny(count):
    return [SMALL] * count


def with_events(world, pod, many):
    world.events = [(f"e{index}", pod) for index in range(many)]
    return world


CASES = {
    "12 finished pods of 10,000 containers": lambda: (World([(12, Pod("Succeeded", tiny(10_000)))]), None),
    "the same in JSON": lambda: (World([(12, Pod("Failed", tiny(10_000)))], protobuf=False), None),
    "110 pods of 600 kB": lambda: (World([(110, Pod("Running", tiny(10_000)))]), None),
    "110 pods of 600 kB in JSON": lambda: (World([(110, Pod("Running", tiny(6_000)))], protobuf=False), None),
    "20 pods of 1.2 MB with statuses": lambda: (World([(20, Pod("Running", tiny(9_000), tiny(9_000)))]), None),
    "110 pods with 50,000 tolerations": lambda: (World([(110, Pod("Running", tiny(1), None, 50_000))]), None),
    "40 events of 600 kB": lambda: (with_events(World([]), Pod("Running", tiny(10_000)), 40), None),
    "40 events of 600 kB in JSON": lambda: (
        with_events(World([], protobuf=False), Pod("Running", tiny(6_000)), 40), None),
    "110 pods with 1,000 labels and 100 containers": lambda: (World([(110, WAITING)]), None),
    "250 pods with 1,000 labels and 100 containers": lambda: (World([(250, WAITING)]), None),
    "250 such pods in JSON": lambda: (World([(250, WAITING)], protobuf=False), None),
    "110 pods of 500,500 values": lambda: (World([(110, BOMB)]), None),
    "20 pods of 500,500 values in JSON": lambda: (World([(20, BOMB)], protobuf=False), None),
    "20 events of 500,500 values": lambda: (with_events(World([]), BOMB, 20), None),
    "12,000 finished pods": lambda: (World([(12_000, FINISHED)]), None),
    "100,000 pods": lambda: (World([(100_000, TINY)]), "more pods"),
    "endless pages": lambda: (World([(1_000, LABELLED)], endless=True), "more pods"),
}
# What the scheduler can hold.
HOLDS = {"100,000 pods"}
# What only a scheduler reads.
OF_SCHEDULER = {
    "5,000 pods with 1,000 labels and 100 containers": ("full", lambda: World([(5_000, WAITING)])),
    "a budget of 600,000 values": ("resize", lambda: World([], budgets=[budget(0, 600_000)])),
    "40 budgets of 960 kB": ("resize", lambda: World([], budgets=[budget(index, 480_000) for index in range(40)])),
    "20,000 budgets of 900 values, few of them kept": (
        "resize", lambda: World([], budgets=Many(20_000, lambda index: budget(index, 900)))),
    "resize: 15,000 nodes, 100,000 budgets": (
        "resize", lambda: World([], budgets=Many(100_000, lambda index: budget(index, 1)),
                              own_budgets=Many(10_000, own_budget), nodes=Many(15_000, node))),
    "a cluster of 15,000 nodes, 100,000 namespaces and budgets": (
        "full", lambda: World([], budgets=Many(100_000, lambda index: budget(index, 1)),
                              own_budgets=Many(1_000, own_budget), namespaces=Many(100_000, namespace),
                              nodes=Many(15_000, node))),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bins", type=pathlib.Path)
    parser.add_argument("-k", default="", help="only cases with this word")
    arguments = parser.parse_args()
    probe = Group.make(64 * MIB)
    if probe is None:
        print("no control group with a limit of memory can be made here: skipped")
        return SKIPPED
    probe.drop()
    good = True
    for who, run in (("agent", agent), ("scheduler", scheduler)):
        for name, make in CASES.items():
            if arguments.k not in f"{who}, {name}":
                continue
            world, told = make()
            if who == "scheduler" and name in HOLDS:
                told = None
            good = run(arguments.bins.resolve(), name, world, told) and good
    for name, (mode, make) in OF_SCHEDULER.items():
        if arguments.k in f"scheduler, {name}":
            good = scheduler(arguments.bins.resolve(), name, make(), mode=mode) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
