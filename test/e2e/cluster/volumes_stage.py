"""volumes_stage: three nodes without a machine, elbowroom-scheduler in mode full, and claims, volumes and classes."""
from api import conditions
from checks import check, sees
from fake_stage import FakeStage
from objects import NAMESPACE, pod

NODES = ("node-1", "node-2", "node-3")
VOLUMES, CLAIMS = "/api/v1/persistentvolumes", f"{NAMESPACE}/persistentvolumeclaims"
STORAGE = "/apis/storage.k8s.io/v1"
OURS = "elbowroom"


def local_volume(name, node, size="5Gi", mode="ReadWriteOnce"):
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
            "spec": {"capacity": {"storage": size}, "accessModes": [mode], "storageClassName": "local",
                     "persistentVolumeReclaimPolicy": "Retain", "local": {"path": f"/mnt/{name}"},
                     "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                         {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}]}]}}}}


def claim(name, size="2Gi", mode="ReadWriteOnce", storage_class="local"):
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name},
            "spec": {"storageClassName": storage_class, "accessModes": [mode],
                     "resources": {"requests": {"storage": size}}}}


def stored_pod(name, claim_name, cpu="100m", priority=None):
    return pod(name, None, cpu, priority, scheduler=OURS, more={
        "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": claim_name}}]})


class VolumeStage(FakeStage):
    node_names, flags = NODES, ["--mode=full", "--pods-per-node=1000", "--sets-per-pod=100"]

    def begin(self):
        self.install()
        for name, provisioner in (("local", "kubernetes.io/no-provisioner"), ("made", "suite.elbowroom.dev")):
            self.admin.make(f"{STORAGE}/storageclasses", {
                "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name},
                "provisioner": provisioner, "volumeBindingMode": "WaitForFirstConsumer"})
        return super().begin()

    def make_volume(self, *args, **more):
        return self.admin.make(VOLUMES, local_volume(*args, **more))

    def make_claim(self, *args, **more):
        return self.admin.make(CLAIMS, claim(*args, **more))

    def make_pod(self, *args, **more):
        return self.admin.make(f"{NAMESPACE}/pods", stored_pod(*args, **more))

    def claim(self, name):
        return self.admin.get(f"{CLAIMS}/{name}") or {}

    def volume(self, name):
        return self.admin.get(f"{VOLUMES}/{name}") or {}

    def volume_of(self, claim_name):
        """The volume that the claim is bound to, once it is."""
        one = self.claim(claim_name)
        return one.get("spec", {}).get("volumeName", "") if one.get("status", {}).get("phase") == "Bound" else ""

    def node_of(self, name):
        return (self.pod(name) or {}).get("spec", {}).get("nodeName", "")

    def says(self, name):
        one = conditions(self.pod(name)).get("PodScheduled", {})
        return one.get("message", "") if one.get("status") == "False" else ""

    def clear_all(self):
        self.clear()
        for kind in (CLAIMS, VOLUMES):
            for one in self.admin.get(kind)["items"]:
                self.admin.delete(f"{kind}/{one['metadata']['name']}")
        return sees("all claims and volumes are gone", lambda: not self.admin.get(CLAIMS)["items"] and
                    not self.admin.get(VOLUMES)["items"], more=lambda: self.admin.get(VOLUMES)["items"])

    def end_scheduler(self):
        check(self.scheduler.stop() == 0, "elbowroom-scheduler ends cleanly")
        bad = self._refusals()
        check(not bad, "nothing that our program asked for was refused", bad)
