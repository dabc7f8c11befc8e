"""moves_ground: an API server with its controllers and kube-scheduler, and nodes without a machine, on which one cluster of moves_world
after the other is made as it is planned. Its pods are bound by hand while kube-scheduler is down; from then on only that one binds."""
import json
import socket

import moves_world
import ours
from api import STRATEGIC
from bench_ground import in_turn
from checks import note, wait
from control_plane import ControlPlane
from groups_nodes import FakeNodes
from process import Programs
from timeline import Timeline

NAMESPACE = "/api/v1/namespaces/default"
PODS = f"{NAMESPACE}/pods"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
SETS = "/apis/apps/v1/namespaces/default/replicasets"
PDBS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
SYSTEM = "/api/v1/namespaces/kube-system"
QUICK = ["--kube-api-qps=1000", "--kube-api-burst=1000"]


def _node(of):
    amounts = {"cpu": f"{of['cpu']}m", "memory": f"{of['memory']}Mi", "pods": "110"}
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": of["name"], "labels": {"kubernetes.io/hostname": of["name"], **of["labels"]}},
            "status": {"capacity": amounts, "allocatable": amounts,
                       "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}]}}


def _deployment(of):
    labels = {"app": of["name"]}
    spec = {"terminationGracePeriodSeconds": 1, "containers": [{"name": "app", "image": "pause", "resources": {
        "requests": {"cpu": f"{of['cpu']}m", "memory": f"{of['memory']}Mi"}}}]}
    if of["prefers"]:
        spec["affinity"] = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": weight, "preference": {"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]}}
            for weight, key, value in of["prefers"]]}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": of["name"]},
            "spec": {"replicas": of["replicas"], "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels}, "spec": spec}}}


def _budget(of):
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": of["name"]},
            "spec": {"maxUnavailable": of["unavailable"], "selector": {"matchLabels": {"app": of["name"]}}}}


def has(pod, kind, status, **more):
    return any(one["type"] == kind and one["status"] == status and all(one.get(key) == more[key] for key in more)
               for one in pod.get("status", {}).get("conditions", []))


class Watch(Timeline):
    """All that happened to pods, and what they are now, by uid."""

    def __init__(self, api):
        self.now = {}
        super().__init__(api, PODS)

    def _hear(self, event):
        if event["type"] in ("ADDED", "MODIFIED", "DELETED"):
            uid = event["object"]["metadata"]["uid"]
            if event["type"] == "DELETED":
                self.now.pop(uid, None)
            else:
                self.now[uid] = event["object"]
        return super()._hear(event)

    def pods(self):
        return list(self.now.values())


class MovesGround:
    def __init__(self, build, binaries, kubectl, folder):
        self.build, self.kubectl, self.folder = build, kubectl, folder
        self.plane = ControlPlane(f"{folder}/plane", binaries, is_durable=False)
        self.api = self.plane.admin
        self.programs = Programs()
        self.kubelets = self.watch = self.scheduler = None

    def begin(self):
        self.plane.start()
        status, said = ours.install(ours.Kubectl(self.kubectl, self.plane.user("person", "person", ["system:masters"]),
                                                 self.folder))
        if status:
            raise RuntimeError(said)
        self.api.delete("/apis/apps/v1/namespaces/kube-system/deployments")  # its programs run beside the cluster
        self.plane.start_controllers(("node-lifecycle-controller",), QUICK)
        self.scheduler = self.plane.start_scheduler(qps=1000)
        self.person = self.plane.user("mover", "mover", ["system:masters"])
        self.account = self.plane.account("elbowroom-rescheduler")
        self.kubelets = FakeNodes(self.api, ())

    def end(self):
        for one in (self.watch, self.kubelets):
            if one:
                one.end() if one is self.watch else one.stop()
        self.programs.stop()
        self.plane.stop()

    # ---- one cluster ----

    def make(self, of):
        """Makes the cluster, and waits until it runs as planned."""
        self.scheduler.stop()
        self.of = of
        self.watch = Watch(self.api)
        in_turn(lambda node: self.api.make("/api/v1/nodes", _node(node)), of["nodes"])
        in_turn(lambda one: self.api.make(DEPLOYMENTS, _deployment(one)), of["deployments"])
        count = sum(one["replicas"] for one in of["deployments"])
        self._needs(lambda: len(self.watch.pods()) == count, "the controllers make all pods")
        in_turn(self._bind, self._planned())
        self._needs(self.is_settled, "all pods run")
        budgets = [one for one in of["deployments"] if one["unavailable"] is not None]
        in_turn(lambda one: self.api.make(PDBS, _budget(one)), budgets)
        self._needs(self.are_owners_settled, "all Deployments are ready, and their budgets known")
        if (found := self.measured())["without_node"] or found != moves_world.measure(of, of["places"]):
            raise RuntimeError(f"not as planned: {found}")
        self.scheduler.start()
        port = int(self.scheduler.argv[self.scheduler.argv.index("--secure-port") + 1])
        self._needs(lambda: socket.create_connection(("127.0.0.1", port), 1).close() is None, "kube-scheduler is up")

    def _needs(self, holds, what):
        if not wait(holds, 180):
            raise RuntimeError(f"{what}: it did not come, with {len(self.watch.pods())} pods")

    def _planned(self):
        """(pod, node) for all."""
        by_app = {}
        for pod in self.watch.pods():
            by_app.setdefault(pod["metadata"]["labels"]["app"], []).append(pod["metadata"]["name"])
        return [pair for app, names in by_app.items() for pair in zip(sorted(names), self.of["places"][app])]

    def _bind(self, pair):
        pod, node = pair
        self.api.make(f"{PODS}/{pod}/binding", {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod},
                                                "target": {"apiVersion": "v1", "kind": "Node", "name": node}})

    def is_settled(self):
        """Each pod is Ready, or kube-scheduler finds no node for it."""
        pods = self.watch.pods()
        return len(pods) == sum(one["replicas"] for one in self.of["deployments"]) and all(
            "deletionTimestamp" not in pod["metadata"] and (
                has(pod, "Ready", "True") or has(pod, "PodScheduled", "False", reason="Unschedulable")) for pod in pods)

    def are_owners_settled(self):
        """The statuses of Deployments and budgets say how many of the pods are Ready."""
        ready = {}
        for pod in self.watch.pods():
            app = pod["metadata"]["labels"]["app"]
            ready[app] = ready.get(app, 0) + has(pod, "Ready", "True")
        return all(one.get("status", {}).get("readyReplicas", 0) == ready.get(one["metadata"]["name"], 0)
                   for one in self.api.get(DEPLOYMENTS)["items"]) and all(
            one.get("status", {}).get("currentHealthy", -1) == ready.get(one["metadata"]["name"], 0)
            and not one["status"].get("disruptedPods") for one in self.api.get(PDBS)["items"])

    def settle(self):
        """Waits for what was moved; whether it all came to rest. A pod that waits gets some time, as others have just left."""
        wait(lambda: self.is_settled() and all(has(pod, "Ready", "True") for pod in self.watch.pods()), 15)
        return wait(lambda: self.is_settled() and self.are_owners_settled(), 60)

    def measured(self):
        node_of = {}
        for pod in self.watch.pods():
            if "deletionTimestamp" not in pod["metadata"]:
                node_of.setdefault(pod["metadata"]["labels"]["app"], []).append(pod["spec"].get("nodeName", ""))
        return moves_world.measure(self.of, node_of)

    def clear(self):
        self.watch.end()
        if not wait(self._is_empty, 120):
            raise RuntimeError("the cluster cannot be removed")

    def _is_empty(self):
        for path in (DEPLOYMENTS, SETS, PDBS):
            self.api.delete(path, {"propagationPolicy": "Background"})
        self.api.delete(PODS, {"gracePeriodSeconds": 0})
        self.api.delete("/api/v1/nodes")
        for name in ("elbowroom-rescheduler", "elbowroom-rescheduler-rests"):
            self.api.delete(f"{SYSTEM}/configmaps/{name}")
        return not any(self.api.get(f"{path}?limit=1")["items"] for path in (DEPLOYMENTS, SETS, PODS, "/api/v1/nodes"))


def happened(events, since):
    """What a mover did, by the events of a Watch: `moves`, pods that were evicted; `came_back`, those whose successor is on the node that
    a pod of its owner had to leave at that time; `went_pending`, successors that kube-scheduler found no node for at first;
    `by_hand`, pods that went in another way, of which there should be none."""
    gone, bound, pending = set(), set(), set()
    left, came = {}, {}  # by owner, since it was complete: nodes
    back = others = 0
    started = {pod["metadata"]["uid"] for at, _, pod in events if at < since}
    for at, kind, pod in events:
        uid = pod["metadata"]["uid"]
        if at < since:
            continue
        owner, node = pod["metadata"]["ownerReferences"][0]["uid"], pod["spec"].get("nodeName")
        if has(pod, "PodScheduled", "False", reason="Unschedulable") and uid not in started:
            pending.add(uid)
        if ("deletionTimestamp" in pod["metadata"] or kind == "DELETED") and uid not in gone:
            gone.add(uid)
            others += not has(pod, "DisruptionTarget", "True", reason="EvictionByEvictionAPI")
            left.setdefault(owner, []).append(node)
        elif node and uid not in started and uid not in bound:
            bound.add(uid)
            came.setdefault(owner, []).append(node)
            if len(came[owner]) == len(left.get(owner, ())):
                leaving = left.pop(owner)
                for each in came.pop(owner):
                    if each in leaving:
                        leaving.remove(each)
                        back += 1
    return {"moves": len(gone), "came_back": back, "went_pending": len(pending), "by_hand": others}
