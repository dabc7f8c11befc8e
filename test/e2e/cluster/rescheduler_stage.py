"""rescheduler_stage: two nodes without a machine, real controllers, a scheduler, and elbowroom-rescheduler with the rights of its
manifests. Passes are ten seconds apart, and owners rest for a minute."""
from api import MERGE
from budgets_stage import BudgetStage
from checks import sees

MAPS = "/api/v1/namespaces/kube-system/configmaps"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
PODS = "/api/v1/namespaces/default/pods"
LOAD = "underutilizedNode: {enabled: true, threshold: 45, target: 50}"
ZONES = "affinityPreference: {enabled: true, minGain: 30}"


def settings(policies, more=""):
    return ("apiVersion: elbowroom.dev/v1alpha1\nkind: ReschedulerConfiguration\ninterval: 10s\ncoolDown: 1m\n"
            f"{more}policies:\n  {policies}\n")


def deployment(name, replicas, scheduler, cpu="400m", prefers=None):
    labels = {"app": name}
    spec = {"schedulerName": scheduler, "terminationGracePeriodSeconds": 2,
            "containers": [{"name": "app", "image": "pause", "resources": {"requests": {"cpu": cpu}}}]}
    if prefers:
        terms = {"weight": 100, "preference": {"matchExpressions": [{"key": "zone", "operator": "In", "values": [prefers]}]}}
        spec["affinity"] = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [terms]}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
            "spec": {"replicas": replicas, "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels}, "spec": spec}}}


class ReschedulerStage(BudgetStage):
    def configure(self, text):
        body = {"data": {"config.yaml": text}}
        if self.admin.get(f"{MAPS}/elbowroom-rescheduler"):
            return self.admin.call("PATCH", f"{MAPS}/elbowroom-rescheduler", body, MERGE)
        return self.admin.make(MAPS, {"apiVersion": "v1", "kind": "ConfigMap",
                                      "metadata": {"name": "elbowroom-rescheduler"}, **body})

    def cordon(self, node, is_closed):
        self.admin.call("PATCH", f"/api/v1/nodes/{node}", {"spec": {"unschedulable": is_closed}}, MERGE)

    def on(self, node, app):
        """How many pods of it run on the node."""
        return sum(one["spec"]["nodeName"] == node for one in self.pods_of(app).values())

    def starts(self, app, replicas, scheduler, **more):
        """All of them on node-1."""
        self.cordon("node-2", True)
        self.admin.make(DEPLOYMENTS, deployment(app, replicas, scheduler, **more))
        self.replicas_run(app, replicas)
        return sees(f"all pods of {app} are on node-1", lambda: self.on("node-1", app) == replicas)

    def forget(self, app):
        self.admin.call("DELETE", f"{DEPLOYMENTS}/{app}")
        sees(f"the pods of {app} are gone", lambda: not self.admin.get(f"{PODS}?labelSelector=app%3D{app}")["items"])

    def evictions(self):
        """How many evictions the server has accepted of the rescheduler, dry runs too."""
        return sum(times for key, times in self.asked().items()
                   if key[0] == "elbowroom-rescheduler" and "eviction" in key[2] and key[3] == 201)
