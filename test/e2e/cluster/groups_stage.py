"""groups_stage: a cluster that knows pod groups, three nodes without a machine, and elbowroom-scheduler in mode full
with the rights of packaging/kustomize/scheduler-full and no others."""
import calendar
import json
import time

import ours
from api import conditions
from checks import check, note, sees, wait
from fake_stage import FakeStage
from groups_objects import GROUPS
from objects import NAMESPACE
from timeline import is_leaving, is_marked

NODES = ("node-1", "node-2", "node-3")
GATES = ["GenericWorkload=true", "PodGroupPreemptionPolicy=true",
         "TopologyAwareWorkloadScheduling=true", "CompositePodGroup=true"]  # the third one is what the fourth asks for
FLAGS = ["--mode=full", "--pods-per-node=1000", "--sets-per-pod=100"]
LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/elbowroom-scheduler"


class GroupStage(FakeStage):
    node_names, flags = NODES, FLAGS

    def __init__(self, build, binaries, kubectl, gates=tuple(GATES), versions=("v1beta1", "v1alpha3")):
        super().__init__(build, binaries, kubectl, gates, group_versions=versions)
        self.version, self.held = versions[0], 0

    def begin(self):
        self.install()
        return super().begin()

    # ---- groups ----

    @property
    def groups(self):
        return GROUPS.format(version=self.version)

    def make_group(self, thing):
        return self.admin.make(self.groups, {**thing, "apiVersion": f"scheduling.k8s.io/{self.version}"})

    def group(self, name):
        return self.admin.get(f"{self.groups}/{name}")

    def group_has(self, name, kind, **fields):
        one = conditions(self.group(name)).get(kind)
        return bool(one) and all(one.get(key) == value for key, value in fields.items())

    def group_says(self, name, kind="PodGroupInitiallyScheduled"):
        """The condition in one line."""
        one = conditions(self.group(name)).get(kind, {})
        return f"{kind}={one.get('status')} {one.get('reason')}: {one.get('message')}"

    def make_pods(self, *pods):
        for one in pods:
            self.admin.make(f"{NAMESPACE}/pods", one)

    def stand(self, *pods):
        """Makes pods that have a node, and waits until each runs; no two start in the same second."""
        for one in pods:
            name = one["metadata"]["name"]
            self.admin.make(f"{NAMESPACE}/pods", one)
            wait(lambda name=name: self.pod(name).get("status", {}).get("startTime"))
            started = calendar.timegm(time.strptime(self.pod(name)["status"]["startTime"], "%Y-%m-%dT%H:%M:%SZ"))
            wait(lambda started=started: time.time() >= started + 1, 5)
        return check(True, "pods run: " + ", ".join(one["metadata"]["name"] for one in pods))

    def node_of(self, name):
        return (self.pod(name) or {}).get("spec", {}).get("nodeName", "")

    def bound(self, *names):
        """{pod: node} of those that have one."""
        return {name: self.node_of(name) for name in names if self.node_of(name)}

    def says(self, name):
        """What PodScheduled says of a pod that has no node."""
        one = conditions(self.pod(name)).get("PodScheduled", {})
        return one.get("message", "") if one.get("status") == "False" else ""

    def told(self, name, reason=None):
        """The notes of events about it."""
        return [one.get("note", "") for one in self.events(name, reason)]

    def times(self, since, marked=(), placed=()):
        """Prints when each of these was first so."""
        line, at = self.timeline, {}
        for name in marked:
            at[f"{name} marked"] = line.first(name, is_marked, since)
            at[f"{name} deleted"] = line.first(name, is_leaving, since)
        for name in placed:
            at[f"{name} nominated"] = line.first(name, lambda kind, one: one["status"].get("nominatedNodeName"), since)
            at[f"{name} bound"] = line.first(name, lambda kind, one: one["spec"].get("nodeName"), since)
        for what, when in sorted(at.items(), key=lambda each: each[1] or 0):
            note(f"{'-' if when is None else round((when - since) * 1000):>6} ms  {what}")
        return at

    def simulated_group(self, name):
        """What `simulate schedule --group --from-cluster` says, or its error."""
        status, said = self.elbowroom("simulate", "schedule", "--from-cluster", "--group", f"default/{name}", "-o",
                                      "json")
        return json.loads(said) if status == 0 else {"error": said}

    def clear_all(self):
        """Removes all pods and groups; the controller-manager lets a group go once no member is left."""
        self.clear()
        for one in self.admin.get(self.groups)["items"]:
            self.admin.delete(f"{self.groups}/{one['metadata']['name']}")
        return sees("all pod groups are deleted, and gone", lambda: not self.admin.get(self.groups)["items"],
                    more=lambda: self.admin.get(self.groups)["items"])

    # ---- who leads ----

    def start_standby(self):
        other = self.programs.start(ours.scheduler(self.build, self.folder, self.plane.account("elbowroom-scheduler"),
                                                   FLAGS, name="elbowroom-scheduler-2"))
        sees("a second scheduler stands by", lambda: "elbowroom_" in ours.ask(other.port, "/metrics")[1])
        return other

    def leader(self):
        return (self.admin.get(LEASE) or {}).get("spec", {}).get("holderIdentity")

    def end_scheduler(self):
        check(self.scheduler.stop() == 0, "elbowroom-scheduler ends cleanly")
        bad = self._refusals()
        held = sum(times for key, times in bad.items() if key[3] == 504)  # what the gate held until its sender was dead
        bad = {key: times for key, times in bad.items() if key[3] != 504}
        check(not bad and held <= self.held, "nothing that our program asked for was refused", bad or f"{held} held")
