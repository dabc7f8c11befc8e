"""agreement_scores: random small clusters, each with one pending pod and more than one node that takes it, asked of
kube-scheduler and of `elbowroom simulate schedule --rules upstream`: the node that kube-scheduler takes is one of those
that score best with us. What they differ by: services and controllers that spread pods without constraints, images on
nodes, constraints with matchLabelKeys, minDomains and inclusion policies, terms that select namespaces. Resources are
alike on all nodes, so that neither side's rounding decides. All clusters are in one server, kept apart by a node
selector, labels and topology keys of their own; images count over all nodes, so each is asked with the nodes of all."""
import random

from agreement_objects import make_surroundings, objects_of, place, pod, simulated, stamp
from agreement_worlds import GI, START
from api import STRATEGIC, conditions
from checks import note
from objects import fake_node

MI = 1 << 20
ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
APPS = "ab"
SELECTING = {"ReplicaSet": ("replicasets", "apis/apps/v1", "apps/v1"),
             "StatefulSet": ("statefulsets", "apis/apps/v1", "apps/v1"),
             "ReplicationController": ("replicationcontrollers", "api/v1", "v1"),
             "Service": ("services", "api/v1", "v1")}


def term(dice, world):
    """About pods of one app: of the world's own namespace, of the one beside it, or of those with a label."""
    made = {"labelSelector": {"matchLabels": {"app": dice.choice(APPS)}}, "topologyKey": dice.choice([HOST, ZONE])}
    where = dice.randrange(5)
    if where == 0:
        made["namespaces"] = [world.beside]
    elif where == 1:
        made["namespaceSelector"] = {"matchLabels": {"world": str(world.seed)}}
    elif where == 2:
        made["namespaceSelector"] = {"matchLabels": {"world": str(world.seed), "side": "yes"}}
    if dice.random() < 0.4:
        made[dice.choice(["matchLabelKeys", "mismatchLabelKeys"])] = ["revision"]
    return made


def constraint(dice):
    made = {"maxSkew": dice.randrange(1, 3), "topologyKey": dice.choice([HOST, ZONE]),
            "whenUnsatisfiable": dice.choice(["DoNotSchedule", "ScheduleAnyway"]),
            "labelSelector": {"matchLabels": {"app": dice.choice(APPS)}}}
    if dice.random() < 0.4:
        made["matchLabelKeys"] = ["revision"]
    if dice.random() < 0.4:
        made["nodeAffinityPolicy"] = dice.choice(["Honor", "Ignore"])
    if dice.random() < 0.4:
        made["nodeTaintsPolicy"] = dice.choice(["Honor", "Ignore"])
    if made["whenUnsatisfiable"] == "DoNotSchedule" and dice.random() < 0.4:
        made["minDomains"] = dice.randrange(1, 5)
    return made


class Scored:
    """Three to five nodes of equal size, their pods in two namespaces, and the pod `web` that has no node."""

    def __init__(self, seed):
        dice = random.Random(seed)
        self.seed, self.namespace, self.beside, self._dice = seed, f"scored-{seed}", f"beside-{seed}", dice
        self.nodes, self.pods, self.selecting, self.started, self.budgets = [], [], [], {}, []
        for number in range(dice.randrange(3, 6)):
            self._node(number)
        for number in range(dice.randrange(3, 9)):
            node = dice.choice(self.nodes)["metadata"]["name"]
            self._pod(f"on-{number}", node, dice.choice([self.namespace, self.namespace, self.beside]))
        self._pod("web", None, self.namespace)
        self._wishes(self.pods[-1])
        self._select(self.pods[-1])

    def _node(self, number):
        dice, name = self._dice, f"scored-{self.seed}-{number}"
        node = fake_node(name, "8", str(32 * GI))
        labels = node["metadata"]["labels"]
        labels["world"] = str(self.seed)
        if dice.random() < 0.85:
            labels[ZONE] = f"{self.seed}-{dice.choice('xy')}"
        if dice.random() < 0.1:
            del labels[HOST]
        if dice.random() < 0.1:
            node["spec"] = {"taints": [{"key": "dedicated", "value": "x", "effect": "NoSchedule"}]}
        node["status"]["images"] = [
            {"names": [f"registry/{self.seed}/{image}@sha256:{number}", f"registry/{self.seed}/{image}:latest"],
             "sizeBytes": size * MI}
            for image, size in (("big", 40_000), ("small", 900), ("tiny", 10)) if dice.random() < 0.4]
        self.nodes.append(node)

    def _pod(self, name, node, namespace):
        dice = self._dice
        labels = {"app": dice.choice(APPS), "revision": dice.choice("12")}
        made = pod(self, name, (0, 0), "p-10", node, labels)
        made["metadata"]["namespace"] = namespace
        if node:
            self.started[name] = stamp(START + 60 * len(self.pods))
        self.pods.append(made)

    def _wishes(self, web):
        dice, spec = self._dice, web["spec"]
        spec["nodeSelector"] = {"world": str(self.seed)}
        spec["preemptionPolicy"] = "Never"
        spec["priorityClassName"] = "p-10-never"
        image = dice.choice(["big", "small", "tiny", "none"])
        spec["containers"][0]["image"] = f"registry/{self.seed}/{image}"
        if dice.random() < 0.4:
            spec["topologySpreadConstraints"] = list(
                {(one["topologyKey"], one["whenUnsatisfiable"]): one
                 for one in (constraint(dice) for _ in range(dice.randrange(1, 3)))}.values())
        if dice.random() < 0.4:
            kind = dice.choice(["podAffinity", "podAntiAffinity"])
            if dice.random() < 0.4:
                spec["affinity"] = {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term(dice, self)]}}
            else:
                spec["affinity"] = {kind: {"preferredDuringSchedulingIgnoredDuringExecution": [
                    {"weight": dice.randrange(1, 100), "podAffinityTerm": term(dice, self)}]}}

    def _select(self, web):
        """Services of some labels, and perhaps a controller of the pod."""
        dice, labels = self._dice, web["metadata"]["labels"]
        for number in range(dice.randrange(0, 3)):
            wanted = {"app": dice.choice(APPS)}
            if dice.random() < 0.3:
                wanted["revision"] = dice.choice("12")
            self.selecting.append({"kind": "Service", "metadata": {"name": f"service-{number}"},
                                   "spec": {"selector": wanted, "ports": [{"port": 80}]}})
        kind = dice.choice([None, "ReplicaSet", "StatefulSet", "ReplicationController"])
        if not kind:
            return
        template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "app", "image": "i"}]}}
        wanted = {"app": labels["app"]} if kind == "ReplicationController" else {"matchLabels": {"app": labels["app"]}}
        self.selecting.append({"kind": kind, "metadata": {"name": "web"},
                               "spec": {"replicas": 1, "selector": wanted, "template": template,
                                        **({"serviceName": "web"} if kind == "StatefulSet" else {})}})
        web["metadata"]["ownerReferences"] = [{"apiVersion": SELECTING[kind][2], "kind": kind, "name": "web",
                                               "uid": f"uid-of-{self.namespace}", "controller": True}]

    def build(self, api):
        make_surroundings(api, self, self.nodes)
        api.patch(f"/api/v1/namespaces/{self.namespace}", {"metadata": {"labels": {"world": str(self.seed)}}})
        api.make("/api/v1/namespaces", {"metadata": {"name": self.beside, "labels": {"world": str(self.seed), "side": "yes"}}})
        for one in self.selecting:
            plural, group, _ = SELECTING[one["kind"]]
            api.make(place(self, plural, group), one)
        for one in self.pods:
            where = f"/api/v1/namespaces/{one['metadata']['namespace']}/pods"
            api.make(where, one)
            name = one["metadata"]["name"]
            if name in self.started:
                api.patch(f"{where}/{name}/status",
                          {"status": {"phase": "Running", "startTime": self.started[name]}}, STRATEGIC)

    def objects(self, api):
        made = objects_of(api, self, [])
        items = made["items"]
        items += [{"apiVersion": "v1", "kind": "Pod", **one}
                  for one in api.get(f"/api/v1/namespaces/{self.beside}/pods")["items"]]
        for kind in {one["kind"] for one in self.selecting}:
            plural, group, version = SELECTING[kind]
            items += [{"apiVersion": version, "kind": kind, **one} for one in api.get(place(self, plural, group))["items"]]
        items += [{"apiVersion": "v1", "kind": "Namespace", **api.get(f"/api/v1/namespaces/{name}")}
                  for name in (self.namespace, self.beside)]
        return made

    def their_node(self, api):
        """"": it was not placed."""
        pods = api.get(place(self))["items"]
        return next(one for one in pods if one["metadata"]["name"] == "web")["spec"].get("nodeName", "")


def is_settled(api, worlds):
    def is_told(world):
        web = api.get(f"{place(world)}/web")
        return "PodScheduled" in conditions(web) or web["spec"].get("nodeName")
    return all(is_told(world) for world in worlds)


def best_nodes(build, folder, world, objects):
    """The names of the nodes that score best with us; none where the pod fits nowhere; and why there is no answer."""
    said, why_not = simulated(build, folder, world, "schedule", objects)
    if said is None:
        return None, why_not
    scores = {one["node"]: one["score"] for one in said["nodes"] if one.get("score") is not None}
    return ({name for name, score in scores.items() if score == max(scores.values())} if scores else set()), scores


def differences(build, folder, api, worlds, stood):
    """A line for each world in which the two do not agree."""
    lines, placed, decided = [], 0, 0
    all_nodes = [{"apiVersion": "v1", "kind": "Node", **one} for one in api.get("/api/v1/nodes")["items"]]
    for world in worlds:
        objects = {**stood[world.seed], "items": stood[world.seed]["items"] + all_nodes}
        ours, scores = best_nodes(build, folder, world, objects)
        theirs = world.their_node(api)
        placed += bool(theirs)
        decided += bool(ours) and len(ours) < len(scores)
        if ours is None or (theirs not in ours if theirs else ours):
            lines.append(f"{world.namespace}: kube-scheduler {theirs or 'nowhere'}, ours {scores}")
    note(f"{len(worlds) - len(lines)} of {len(worlds)} are the same; {placed} placed, in {decided} the score decided")
    return lines
