"""bench_load: Deferred resizes by the hundred on nodes that nobody runs, and what a scheduler makes of them. The
one thing to know: the load is the same for every scheduler and lies ready before it starts; a stand-in for the
kubelets takes the Deferred condition from a pod as soon as room was made for it."""
import threading
from concurrent.futures import ThreadPoolExecutor

from api import STRATEGIC
from checks import note, wait
from objects import fake_node, pod
from process import now

DEFERRED = {"type": "PodResizePending", "status": "True", "reason": "Deferred",
            "message": "Node didn't have enough resource: cpu, requested: 2000, used: 3000, capacity: 4000"}
HANDS = 4  # requests of the load generator at a time


def _status(cpu, memory, *more):
    figures = {"cpu": cpu, "memory": memory}
    return {"status": {"phase": "Running", "startTime": "2026-06-01T00:00:00Z",
                       "containerStatuses": [{"name": "app", "image": "i", "imageID": "i", "ready": True,
                                              "restartCount": 0, "started": True,
                                              "state": {"running": {"startedAt": "2026-06-01T00:00:00Z"}},
                                              "allocatedResources": figures, "resources": {"requests": figures}}],
                       "conditions": [{"type": "Ready", "status": "True"}, *more]}}


class Load:
    """`count` nodes of 4 cpu, on each a pod that wants 2 in place of 1, one as important, and two that are not."""

    def __init__(self, api, count, namespace):
        self.api, self.count, self.namespace = api, count, namespace
        self.place = f"/api/v1/namespaces/{namespace}/pods"
        self.removed = {}  # name of a victim -> when it was gone
        self._actuators = ThreadPoolExecutor(HANDS)
        self._is_over = False
        self._is_watching = threading.Event()

    def build(self, deferred=True):
        self.api.call("POST", "/api/v1/namespaces", {"metadata": {"name": self.namespace}})
        with ThreadPoolExecutor(HANDS) as pool:
            list(pool.map(lambda number: self._node(number, deferred), range(self.count)))

    def _node(self, number, deferred):
        node = f"bench-{number}"
        self.api.call("POST", "/api/v1/nodes", fake_node(node))
        for name, priority in (("web", "high"), ("keep", "high"), ("low-a", "low"), ("low-b", "low")):
            name = f"{name}-{number}"
            self.api.make(self.place, pod(name, node, "1", priority, grace=0, memory="1Gi"))
            self.api.patch(f"{self.place}/{name}/status", _status("1", "1Gi"), STRATEGIC)
        web = f"{self.place}/web-{number}"
        self.api.patch(f"{web}/resize", {"spec": {"containers": [
            {"name": "app", "resources": {"requests": {"cpu": "2", "memory": "1Gi"}}}]}}, STRATEGIC)
        if deferred:
            self.defer(number)

    def defer(self, number):
        self.api.patch(f"{self.place}/web-{number}/status", {"status": {"conditions": [
            {**DEFERRED, "observedGeneration": 2}]}}, STRATEGIC)

    def clear(self):
        self._is_over = True
        self._actuators.shutdown()
        left = self.api.get(self.place)["items"]
        with ThreadPoolExecutor(HANDS) as pool:
            list(pool.map(lambda one: self.api.delete(f"{self.place}/{one['metadata']['name']}",
                                                      {"gracePeriodSeconds": 0}), left))
        wait(lambda: not self.api.get(f"{self.place}?limit=1")["items"])

    # ---- what comes of it ----

    def listen(self):
        """From now on it is written down who goes, and kubelets are stood in for."""
        version = self.api.get(f"{self.place}?limit=1")["metadata"]["resourceVersion"]
        threading.Thread(target=self._listen, args=(version,), daemon=True).start()
        self._is_watching.wait(10)

    def _listen(self, version):
        self._version = version
        self._is_watching.set()
        while not self._is_over:
            try:
                self.api.watch(f"{self.place}?watch=1&resourceVersion={self._version}&timeoutSeconds=900", self._hear)
            except (OSError, ValueError) as error:
                note(f"the load's watch broke and goes on: {error}")

    def _hear(self, event):
        if self._is_over:
            return False
        if event["type"] == "ERROR":
            raise OSError(str(event["object"].get("message")))
        self._version = event["object"]["metadata"]["resourceVersion"]
        name = event["object"]["metadata"]["name"]
        if event["type"] == "DELETED" and name not in self.removed:
            self.removed[name] = now()
            self._actuators.submit(self._actuate, name.rsplit("-", 1)[1])
        return True

    def _actuate(self, number):
        self.api.call("PATCH", f"{self.place}/web-{number}/status", {"status": {
            **_status("2", "1Gi")["status"], "conditions": [{"type": "PodResizePending", "$patch": "delete"}]}}, STRATEGIC)

    def is_done(self):
        return len({name.rsplit("-", 1)[1] for name in list(self.removed)}) >= self.count
