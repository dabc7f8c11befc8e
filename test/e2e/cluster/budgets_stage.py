"""budgets_stage: two nodes without a machine, real controllers, and elbowroom-scheduler in mode full."""
import json
import subprocess

from checks import sees
from fake_stage import FakeStage

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


class BudgetStage(FakeStage):
    node_names, flags = NODES, FLAGS

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

    def evict_in_background(self, name, *words):
        """A function that waits for its end and returns what evict() returns."""
        child = subprocess.Popen([f"{self.build}/bin/elbowroom", "evict", f"default/{name}", "-o", "json", *words],
                                 env=self.person, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        def end():
            out, err = child.communicate(timeout=120)
            try:
                return child.returncode, json.loads(out)
            except ValueError:
                return child.returncode, {"error": out + err}
        return end

    def stop_controllers(self):
        self._controllers().stop()

    def start_controllers(self):
        self._controllers().start()

    def _controllers(self):
        return next(one for one in self.plane.others if one.name == "kube-controller-manager")

    def pdb_allows(self, name, count):
        return sees(f"PodDisruptionBudget {name} allows {count}", lambda: (self.admin.get(f"{PDBS}/{name}") or {}).get(
            "status", {}).get("disruptionsAllowed") == count, more=lambda: self.admin.get(f"{PDBS}/{name}"))

    def ledger(self, name):
        one = self.admin.get(f"{BUDGETS}/{name}") or {}
        return one.get("status", {}).get("recentDisruptions", [])
