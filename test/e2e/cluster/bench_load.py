"""bench_load: the loads that schedulers are compared by. A load is the same for every
scheduler, and all of it but what makes it begin lies ready before."""
from concurrent.futures import ThreadPoolExecutor

from api import STRATEGIC
from bench_ground import HANDS, Ground, in_turn, status_of
from checks import wait
from process import now

DEFERRED = {"type": "PodResizePending", "status": "True", "reason": "Deferred",
            "message": "Node didn't have enough resource: cpu, requested: 2000, used: 3000, capacity: 4000"}


class Resizes(Ground):
    """`count` nodes of 4 cpu, on each a pod that wants 2 in place of 1, one as important, and two that are not. A
    stand-in for the kubelets takes the Deferred condition from a pod as soon as room was made for it."""

    FLOOR = "low-a-"  # the pods that the floor's calls are about

    def __init__(self, api, namespace, count, scheduler, mode):
        super().__init__(api, namespace, count, scheduler, mode)
        self._actuators = ThreadPoolExecutor(HANDS)

    def build(self):
        in_turn(self._node, range(self.count))

    def _node(self, number):
        for name, priority in (("web", "high"), ("keep", "high"), ("low-a", "low"), ("low-b", "low")):
            self.add(f"{name}-{number}", f"bench-{number}", "1", priority)
        self.api.patch(f"{self.place}/web-{number}/resize", {"spec": {"containers": [
            {"name": "app", "resources": {"requests": {"cpu": "2", "memory": "1Gi"}}}]}}, STRATEGIC)

    def defer(self, number):
        self.api.patch(f"{self.place}/web-{number}/status", {"status": {"conditions": [
            {**DEFERRED, "observedGeneration": 2}]}}, STRATEGIC)

    def defer_alone(self, number):
        """Seconds from the write that defers it to the removal of its victim."""
        began = now()
        self.defer(number)
        mine = {f"low-a-{number}", f"low-b-{number}"}
        wait(lambda: mine & self.removed.keys(), 60)
        return min(self.removed[name] for name in mine & self.removed.keys()) - began

    def begin(self):
        """All at once, except those that were alone."""
        left = [number for number in range(self.count) if str(number) not in self._results]
        in_turn(self.defer, left)

    def on_removed(self, name):
        number = name.rsplit("-", 1)[1]
        self._actuators.submit(self._actuate, number)
        self.result(number)

    def _actuate(self, number):
        self.api.call("PATCH", f"{self.place}/web-{number}/status", {"status": {
            **status_of("2", "1Gi")["status"], "conditions": [{"type": "PodResizePending", "$patch": "delete"}]}},
                      STRATEGIC)

    def clear(self):
        self._actuators.shutdown()
        super().clear()


class Placements(Ground):
    """`count` pods of half a cpu, and room for all of them on empty nodes."""

    FLOOR = "web-"

    def build(self):
        """Needs no objects before."""

    def begin(self):
        in_turn(lambda number: self.add(f"web-{number}", None, "500m", memory="512Mi", scheduler=self.scheduler),
                range(self.count))

    def on_bound(self, name):
        self.result(name)


class Replacing(Placements):
    """The same pods without a word about a scheduler: ours takes kube-scheduler's place."""

    def __init__(self, api, namespace, count, scheduler, mode):
        super().__init__(api, namespace, count, None, mode)


class Preemptions(Ground):
    """`count` nodes of 4 cpu, on each four unimportant pods of 1; and as many important pods that want 3."""

    def build(self):
        in_turn(self._node, range(self.count))

    def _node(self, number):
        for letter in "abcd":
            self.add(f"low-{letter}-{number}", f"bench-{number}", "1", "low")

    def begin(self):
        in_turn(lambda number: self.add(f"web-{number}", None, "3", "high", scheduler=self.scheduler),
                range(self.count))

    def on_bound(self, name):
        if name.startswith("web-"):
            self.result(name)


class Groups(Ground):
    """`count` nodes of 4 cpu, on each ten unimportant pods, and as many important pods that want a whole node: the shape
    of scheduler_perf's PreemptionPodGroupDisruptionMode. The ten pods of a node are of ten groups, each of which has one
    on ten nodes; by `mode` they are of no group (none), go one by one (single), or as one (all)."""

    SIZE = 10

    def build(self):
        if self.mode != "none":
            in_turn(self._group, range(self.count))
        in_turn(self._node, range(self.count))

    @property
    def _groups(self):
        return f"/apis/scheduling.k8s.io/v1beta1/namespaces/{self.namespace}/podgroups"

    def _group(self, number):
        self.api.make(self._groups, {
            "apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": f"group-{number}"},
            "spec": {"schedulingPolicy": {"gang": {"minCount": self.SIZE}}, "disruptionMode": {self.mode: {}},
                     "priorityClassName": "low"}})

    def _node(self, number):
        first = number - number % self.SIZE
        for each in range(self.SIZE):
            more = {} if self.mode == "none" else {"more": {"schedulingGroup": {"podGroupName": f"group-{first + each}"}}}
            self.add(f"low-{each}-{number}", f"bench-{number}", "300m", "low", memory="50Mi", **more)

    def begin(self):
        in_turn(lambda number: self.add(f"web-{number}", None, "3970m", "high", memory="500Mi",
                                        scheduler=self.scheduler), range(self.count))

    def on_bound(self, name):
        if name.startswith("web-"):
            self.result(name)

    def clear(self):
        super().clear()
        for one in self.api.get(self._groups)["items"]:  # no controller is there to let them go
            where = f"{self._groups}/{one['metadata']['name']}"
            self.api.patch(where, {"metadata": {"finalizers": None}})
            self.api.delete(where)
