"""bench_ground: nodes without a kubelet, a namespace of pods on them, and what a scheduler makes of it. A watch of
metadata alone records which pods were bound and which were removed, and at the first and the last result that counts,
too, how much cpu the scheduler has used by then."""
import threading
from concurrent.futures import ThreadPoolExecutor

from api import STRATEGIC
from checks import note, wait
from objects import fake_node, pod
from process import now

HANDS = 4  # requests of the load generator at a time
METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"


def status_of(cpu, memory, *more):
    """What a kubelet would say of a pod that runs and has what it asked for."""
    figures = {"cpu": cpu, "memory": memory}
    return {"status": {"phase": "Running", "startTime": "2026-06-01T00:00:00Z",
                       "containerStatuses": [{"name": "app", "image": "i", "imageID": "i", "ready": True,
                                              "restartCount": 0, "started": True,
                                              "state": {"running": {"startedAt": "2026-06-01T00:00:00Z"}},
                                              "allocatedResources": figures, "resources": {"requests": figures}}],
                       "conditions": [{"type": "Ready", "status": "True"}, *more]}}


def in_turn(do, numbers):
    """do(number) for all of them, HANDS at a time; the first failure is reported."""
    with ThreadPoolExecutor(HANDS) as pool:
        list(pool.map(do, numbers))


def make_nodes(api, count):
    in_turn(lambda number: api.make("/api/v1/nodes", fake_node(f"bench-{number}")), range(count))


def remove_nodes(api):
    def is_empty():
        api.call("DELETE", "/api/v1/nodes")
        return not api.get("/api/v1/nodes?limit=1")["items"]
    wait(is_empty, 120)


class Ground:
    """Pods in a namespace of their own; `count` results are expected of the scheduler that pending pods name."""

    def __init__(self, api, namespace, count, scheduler, mode="backlog"):
        self.api, self.namespace, self.count, self.scheduler, self.mode = api, namespace, count, scheduler, mode
        self.place = f"/api/v1/namespaces/{namespace}/pods"
        self.program = None  # the process whose cpu is counted
        self.bound, self.removed = {}, {}  # name -> when it was so first
        self.first = self.last = None  # (when, cpu seconds by then), of results
        self._results = set()
        self._is_over = False
        self._is_watching = threading.Event()
        api.make("/api/v1/namespaces", {"metadata": {"name": namespace}})

    def add(self, name, node, cpu, priority=None, grace=0, memory="1Gi", **more):
        self.api.make(self.place, pod(name, node, cpu, priority, grace=grace, memory=memory, **more))
        if node:
            self.api.patch(f"{self.place}/{name}/status", status_of(cpu, memory), STRATEGIC)

    def clear(self):
        """Removes all pods, and waits until none is left."""
        self._is_over = True
        wait(self._is_empty, 120)

    def _is_empty(self):
        self.api.call("DELETE", self.place, {"gracePeriodSeconds": 0})
        return not self.api.get(f"{self.place}?limit=1")["items"]

    # ---- results ----

    def listen(self):
        """Records from now on which pods are bound and which are removed."""
        version = self.api.get(f"{self.place}?limit=1")["metadata"]["resourceVersion"]
        threading.Thread(target=self._listen, args=(version,), daemon=True).start()
        self._is_watching.wait(10)

    def _listen(self, version):
        self._version = version
        self._is_watching.set()
        while not self._is_over:
            path = f"{self.place}?watch=1&fieldSelector=spec.nodeName!=&resourceVersion={self._version}"
            try:
                self.api.watch(f"{path}&timeoutSeconds=900", self._hear, accept=METADATA)
            except (OSError, ValueError) as error:
                note(f"the load's watch broke and goes on: {error}")
                wait(lambda: self._is_over, 1)

    def _hear(self, event):
        if self._is_over:
            return False
        if event["type"] == "ERROR":
            raise OSError(str(event["object"].get("message")))
        self._version = event["object"]["metadata"]["resourceVersion"]
        name = event["object"]["metadata"]["name"]
        # The watched metadata shows which pod gets a node.
        if event["type"] == "ADDED" and name not in self.bound:
            self.bound[name] = now()
            self.on_bound(name)
        elif event["type"] == "DELETED" and name not in self.removed:
            self.removed[name] = now()
            self.on_removed(name)
        return True

    def on_bound(self, name):
        """A load says itself what of this is a result."""

    def on_removed(self, name):
        """A load says itself what of this is a result."""

    def result(self, key):
        if key in self._results:
            return
        self._results.add(key)
        if len(self._results) in (1, self.count):
            mark = (now(), self.program.cpu_seconds() if self.program else 0.0)
            self.first = self.first or mark
            if len(self._results) == self.count:
                self.last = mark

    def is_done(self):
        return self.last is not None

    def events(self):
        """How many events the API server holds of this load."""
        found = self.api.get(f"/apis/events.k8s.io/v1/namespaces/{self.namespace}/events?limit=1")
        return len(found["items"]) + found["metadata"].get("remainingItemCount", 0)
