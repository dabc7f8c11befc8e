"""bench_needless: small cases in which kube-scheduler removes pods needlessly, played for it and for ours. Each case is
a node and a namespace of its own; a pod counts as removed when its deletion was requested, and each case says how many
removals are needed."""
from api import STRATEGIC, conditions
from bench_ground import status_of
from bench_load import DEFERRED
from checks import wait
from objects import fake_node, pod
from process import now

SETTLE = 4.0  # seconds within which a scheduler that is going to act has acted


class Case:
    """One node, its pods, and what the Deferred ones say."""

    def __init__(self, api, name, round_name, pods_limit="110"):
        self.api, self.node = api, f"{name}-{round_name}"
        self.place = f"/api/v1/namespaces/{self.node}/pods"
        self.api.make("/api/v1/namespaces", {"metadata": {"name": self.node}})
        self.api.make("/api/v1/nodes", fake_node(self.node, pods=pods_limit))
        self._started = 0

    def add(self, name, cpu, priority, desired=None, reason=None, status="True", generation=2, labels=None):
        self.api.make(self.place, pod(name, self.node, cpu, priority, grace=600, memory="64Mi", labels=labels))
        if desired:
            self.api.patch(f"{self.place}/{name}/resize", {"spec": {"containers": [
                {"name": "app", "resources": {"requests": {"cpu": desired, "memory": "64Mi"}}}]}}, STRATEGIC)
        said = status_of(cpu, "64Mi")
        self._started += 1
        said["status"]["startTime"] = f"2026-06-01T00:{self._started:02}:00Z"
        self.api.patch(f"{self.place}/{name}/status", said, STRATEGIC)
        if reason:
            self.api.patch(f"{self.place}/{name}/status", {"status": {"conditions": [
                {**DEFERRED, "reason": reason, "status": status, "observedGeneration": generation}]}}, STRATEGIC)

    def removed(self):
        items = self.api.get(self.place)["items"]
        return sorted(one["metadata"]["name"] for one in items
                      if "deletionTimestamp" in one["metadata"] or "DisruptionTarget" in conditions(one))

    def settle(self):
        """The removed pods, when nothing has changed for a while."""
        last, since = self.removed(), now()
        while now() - since < SETTLE:
            wait(lambda: self.removed() != last, 0.5)
            if self.removed() != last:
                last, since = self.removed(), now()
        return last

    def end(self):
        self.api.call("DELETE", self.place, {"gracePeriodSeconds": 0})
        self.api.delete(f"/api/v1/nodes/{self.node}")


def own_slot(api, name):
    """The node is at its pod limit; the resize fits by cpu."""
    case = Case(api, "own-slot", name, pods_limit="2")
    case.add("victim", "1", "low")
    case.add("web", "1", "high", "2", "Deferred")
    return case


def four_pods(api, name):
    """The example of the proposal: the neighbours' desired sizes count as used."""
    case = Case(api, "four-pods", name)
    for number in range(3):
        case.add(f"low-{number}", "1", "low", "3", "Deferred")
    case.add("web", "1", "high", "2", "Deferred")
    return case


def phantom_room(api, name):
    """A low pod's own oversized request, beside a high one that fits by what is allocated."""
    case = Case(api, "phantom-room", name)
    case.add("low", "1", "low", "4", "Deferred")
    case.add("web", "1", "high", "2", "Deferred")
    return case


def stale_condition(api, name):
    """The condition says Deferred, status False."""
    case = Case(api, "stale-condition", name)
    case.add("low", "3", "low")
    case.add("web", "1", "high", "2", "Deferred", status="False")
    return case


def double_preemption(api, name):
    """A victim's budget falls to 0 while it terminates, then a node appears anywhere."""
    case = Case(api, "double-preemption", name)
    budgets = f"/apis/policy/v1/namespaces/{case.node}/poddisruptionbudgets"
    case.add("low-a", "1", "low")
    case.add("low-b", "1", "low", labels={"app": "app"})
    case.add("keep", "1", "high")
    api.make(budgets, {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "app"},
                       "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "app"}}}})
    counted = {"currentHealthy": 2, "desiredHealthy": 1, "expectedPods": 2, "observedGeneration": 1}
    api.patch(f"{budgets}/app/status", {"status": {**counted, "disruptionsAllowed": 1}})
    case.add("web", "1", "high", "2", "Deferred")
    wait(case.removed, 15)
    api.patch(f"{budgets}/app/status", {"status": {**counted, "currentHealthy": 1, "disruptionsAllowed": 0}})
    wait(lambda: False, 0.5)
    api.make("/api/v1/nodes", fake_node(f"unrelated-{name}"))
    return case


# case, number of removals needed
CASES = [(own_slot, 0), (four_pods, 1), (phantom_room, 0), (stale_condition, 0), (double_preemption, 1)]
