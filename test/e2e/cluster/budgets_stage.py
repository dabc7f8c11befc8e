"""budgets_stage: two nodes without a machine, real controllers, and elbowroom-scheduler in mode full."""
import json

from checks import check, sees
from groups_nodes import FakeNodes
from stage import Stage

NODES = ("node-1", "node-2")
FLAGS = ["--mode=full"]
BUDGETS = "/apis/elbowroom.dev/v1alpha1/namespaces/default/disruptionbudgets"
PDBS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
SETS = "/apis/apps/v1/namespaces/default/replicasets"
PODS = "/api/v1/namespaces/default/pods"
LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/elbowroom-scheduler"


def replica_set(name, replicas, scheduler="elbowroom", cpu="100m"):
    labels = {"app": name}
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": name},
            "spec": {"replicas": replicas, "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels},
                                  "spec": {"schedulerName": scheduler, "terminationGracePeriodSeconds": 5,
                                           "priorityClassName": "low",
                                           "containers": [{"name": "app", "image": "pause",
                                                           "resources": {"requests": {"cpu": cpu}}}]}}}}


class BudgetStage(Stage):
    controllers_left_out = ("node-lifecycle-controller",)  # no machine renews the Leases of these nodes

    def __init__(self, build, binaries, kubectl):
        super().__init__(build, binaries, kubectl)
        self.nodes = None

    def begin(self):
        status, said = self.install_part("scheduler-full")
        check(status == 0, "kubectl applies packaging/kustomize/scheduler-full", said)
        self.nodes = FakeNodes(self.admin, NODES)
        return self.start_scheduler(FLAGS)

    def close(self):
        if self.nodes:
            self.nodes.stop()
        super().close()

    def pods_of(self, app):
        """Those that run, by name."""
        items = self.admin.get(f"{PODS}?labelSelector=app%3D{app}")["items"]
        return {one["metadata"]["name"]: one for one in items if "deletionTimestamp" not in one["metadata"]
                and one.get("status", {}).get("phase") == "Running"}

    def replicas_run(self, app, count):
        return sees(f"{count} pods of {app} run", lambda: len(self.pods_of(app)) == count,
                    more=lambda: [(one["metadata"]["name"], one.get("status")) for one in
                                  self.admin.get(PODS)["items"]])

    def evict(self, name, *words):
        """(exit status, the EvictionDecision or what was said)."""
        status, said = self.elbowroom("evict", f"default/{name}", "-o", "json", *words)
        try:
            return status, json.loads(said)
        except ValueError:
            return status, {"error": said}

    def pdb_allows(self, name, count):
        return sees(f"PodDisruptionBudget {name} allows {count}", lambda: (self.admin.get(f"{PDBS}/{name}") or {}).get(
            "status", {}).get("disruptionsAllowed") == count, more=lambda: self.admin.get(f"{PDBS}/{name}"))

    def ledger(self, name):
        one = self.admin.get(f"{BUDGETS}/{name}") or {}
        return one.get("status", {}).get("recentDisruptions", [])
