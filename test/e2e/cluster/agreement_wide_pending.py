"""agreement_wide_pending: random clusters with a pending pod, with what decides where a pod may be and is best: taints of
all effects, node and pod affinity, spread, host ports, devices, room that is kept for a nominated pod. Compared are the
answer, the node and the pods that go; of a pod that simply fits, the node is to be one of those of our highest score."""
import random

from agreement_objects import budgets, make_surroundings, names_of, objects_of, place, preempted, simulated, stamp
from agreement_room import Rules, best
from agreement_shapes import DEVICE, GI, START, Shape
from agreement_wide_resizes import EFFECTS, OFTEN
from api import STRATEGIC, conditions
from objects import fake_node

# Why a node of another score was taken: what docs/differences.md says of scores, and how the room would count without it.
EXPLAINED = {"floating point": Rules(in_floats=True),
             "containers that request nothing": Rules(by_container=True),
             "containers that request nothing, floating point": Rules(by_container=True, in_floats=True)}
ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
APPS = "abc"


class Terms:
    """Draws what specs say about nodes and about other pods."""

    def __init__(self, dice):
        self._dice = dice

    def taint(self):
        return {"key": self._dice.choice(["dedicated", "hardware"]), "value": self._dice.choice("xy"),
                "effect": self._dice.choice(EFFECTS)}

    def toleration(self):
        dice = self._dice
        one = {"key": dice.choice(["dedicated", "hardware"])} if dice.random() < 0.8 else {}
        if not one or dice.random() < 0.4:
            one["operator"] = "Exists"
        else:
            one["value"] = dice.choice("xy")
        if dice.random() < 0.6:
            one["effect"] = dice.choice(EFFECTS)
            if one["effect"] == "NoExecute" and dice.random() < 0.3:
                one["tolerationSeconds"] = 600
        return one

    def node_term(self):
        dice = self._dice
        wanted = dice.choice([
            {"key": "disk", "operator": "In", "values": dice.choice([["ssd"], ["ssd", "hdd"]])},
            {"key": "disk", "operator": "NotIn", "values": ["hdd"]}, {"key": "disk", "operator": "Exists"},
            {"key": "gone", "operator": "DoesNotExist"}, {"key": "rank", "operator": "Gt", "values": ["1"]},
            {"key": "rank", "operator": "Lt", "values": ["2"]}])
        return {"matchExpressions": [wanted]}

    def pod_term(self):
        dice = self._dice
        selector = {"matchLabels": {"app": dice.choice(APPS)}} if dice.random() < 0.7 else {
            "matchExpressions": [{"key": "app", "operator": dice.choice(["In", "NotIn"]), "values": dice.sample(APPS, 2)}]}
        return {"labelSelector": selector, "topologyKey": dice.choice([ZONE, HOST])}

    def spread(self):
        dice = self._dice
        is_hard = dice.random() < 0.5
        return {"maxSkew": dice.choice([1, 1, 2]), "topologyKey": dice.choice([ZONE, HOST]),
                "whenUnsatisfiable": "DoNotSchedule" if is_hard else "ScheduleAnyway",
                "labelSelector": {"matchLabels": {"app": dice.choice(APPS)}},
                **({"minDomains": 2} if is_hard and dice.random() < 0.2 else {})}

    def affinity(self, of_running=False):
        """Mostly nothing. Of a pod that runs, only what keeps others away or attracts them."""
        dice, made = self._dice, {}
        if not of_running and dice.random() < 0.2:
            made.setdefault("nodeAffinity", {})["requiredDuringSchedulingIgnoredDuringExecution"] = {
                "nodeSelectorTerms": [self.node_term() for _ in range(dice.choice([1, 2]))]}
        if not of_running and dice.random() < 0.2:
            made.setdefault("nodeAffinity", {})["preferredDuringSchedulingIgnoredDuringExecution"] = [
                {"weight": dice.choice([1, 20, 100]), "preference": self.node_term()} for _ in range(dice.choice([1, 2]))]
        for kind in ("podAffinity", "podAntiAffinity"):
            if dice.random() < (0.08 if of_running else 0.12):
                made.setdefault(kind, {})["requiredDuringSchedulingIgnoredDuringExecution"] = [self.pod_term()]
            if dice.random() < 0.1:
                made.setdefault(kind, {})["preferredDuringSchedulingIgnoredDuringExecution"] = [
                    {"weight": dice.choice([1, 50, 100]), "podAffinityTerm": self.pod_term()}]
        return made


class WidePending:
    """Two to five nodes and their pods, the pod `web` that has none, and perhaps `first`, for which room is kept."""

    def __init__(self, seed):
        dice = random.Random(f"pending {seed}")
        self.seed, self.namespace, self._dice, self._terms = seed, f"wide-{seed}", dice, Terms(dice)
        self.nodes, self.pods, self.started, self.terminating, self.free = [], [], {}, [], {}
        for number in range(dice.randrange(2, 6)):
            self._node(number)
        self.nominated = self._first() if dice.random() < 0.2 else None
        self._web()
        self.budgets = budgets(dice)

    def _node(self, number):
        dice, name = self._dice, f"wide-{self.seed}-{number}"
        cpu, memory, devices = dice.choice([2000, 4000]), dice.choice([4, 8]) * GI, dice.choice([0, 0, 2])
        free, count, is_full = [cpu, memory, devices], 0, dice.random() < 0.6
        for _ in range(dice.randrange(1, 7 if is_full else 3)):
            size = [dice.randrange(2, 14) * 100, dice.randrange(0, 10) * (GI // 4), dice.choice([0, 1]) if free[2] else 0]
            if any(size[i] > free[i] for i in range(3)):
                continue
            free, count = [free[i] - size[i] for i in range(3)], count + 1
            self._running(f"on-{number}-{count}", name, size)
        node = fake_node(name, f"{cpu}m", str(memory), str(count if count and dice.random() < 0.08 else 110))
        if devices:
            for figures in ("capacity", "allocatable"):
                node["status"][figures] = {**node["status"][figures], DEVICE: str(devices)}
        node["metadata"]["labels"] |= {"world": str(self.seed), ZONE: f"zone-{self.seed}-{dice.choice('ab')}"}
        if dice.random() < 0.7:
            node["metadata"]["labels"] |= {"disk": dice.choice(["ssd", "hdd"]), "rank": dice.choice("123")}
        taints = [self._terms.taint() for _ in range(dice.choice([0, 0, 0, 1, 1, 2]))]
        taints = list({(one["key"], one["effect"]): one for one in taints}.values())
        node["spec"] = {**({"taints": taints} if taints else {}),
                        **({"unschedulable": True} if dice.random() < 0.06 else {})}
        self.nodes.append(node)
        self.free[name] = free

    def _pod(self, name, shape, priority_class, spec):
        more = {"priorityClassName": priority_class, "automountServiceAccountToken": False,
                "terminationGracePeriodSeconds": 3600}
        self.pods.append({"apiVersion": "v1", "kind": "Pod", "spec": {**shape.spec(), **more, **spec},
                          "metadata": {"name": name, "namespace": self.namespace, "labels": {"app": self._dice.choice(APPS)}}})

    def _ports(self, spec):
        """Perhaps a port of the node for the first container."""
        if self._dice.random() < 0.12:
            port = self._dice.choice([8080, 8081])
            spec["containers"][0]["ports"] = [{"containerPort": port, "hostPort": port,
                                               "protocol": self._dice.choice(["TCP", "UDP"])}]

    def _running(self, name, node, size):
        dice = self._dice
        self.started[name] = stamp(START + 60 * dice.randrange(100_000) + len(self.pods))
        if dice.random() < 0.05:
            self.terminating.append(name)
        self._pod(name, Shape(dice, size[:2], size[2]), f"p-{dice.choice(OFTEN)}",
                  {"nodeName": node, "affinity": self._terms.affinity(of_running=True)})
        self._ports(self.pods[-1]["spec"])

    def _first(self):
        """A pod for which a node is kept that has too little room for it yet. It preempts nobody itself."""
        dice = self._dice
        node = dice.choice(sorted(self.free))
        size = (self.free[node][0] + 100, 0)
        self._pod("first", Shape(dice, size, may_be_odd=False), f"p-{dice.choice([10, 500, 1000, 2000])}-never",
                  {"nodeSelector": {HOST: node}, "tolerations": [{"operator": "Exists"}]})
        return node

    def _web(self):
        dice = self._dice
        size = (dice.randrange(5, 30) * 100, dice.randrange(0, 8) * GI)
        never = "-never" if dice.random() < 0.08 else ""
        spec = {"nodeSelector": {"world": str(self.seed)}, "affinity": self._terms.affinity(),
                "tolerations": [self._terms.toleration() for _ in range(dice.choice([0, 1, 2, 3]))]}
        if dice.random() < 0.3:
            spec["topologySpreadConstraints"] = [self._terms.spread()]
        self._pod("web", Shape(dice, size, dice.choice([0, 0, 0, 0, 1])), f"p-{dice.choice([500, 1000, 1000, 2000])}{never}",
                  spec)
        self._ports(self.pods[-1]["spec"])

    def build(self, api):
        make_surroundings(api, self, self.nodes)
        for one in self.pods:
            name = one["metadata"]["name"]
            api.make(place(self), one)
            if name in self.started:
                api.patch(f"{place(self)}/{name}/status",
                          {"status": {"phase": "Running", "startTime": self.started[name]}}, STRATEGIC)
            elif name == "first":
                api.patch(f"{place(self)}/{name}/status", {"status": {"nominatedNodeName": self.nominated}}, STRATEGIC)
            if name in self.terminating:
                api.delete(f"{place(self)}/{name}")

    def objects(self, api):
        return objects_of(api, self, [node["metadata"]["name"] for node in self.nodes])

    def their_answer(self, api):
        """(result, node, the preempted pods)."""
        pods = api.get(place(self))["items"]
        web = next(one for one in pods if one["metadata"]["name"] == "web")
        if web["spec"].get("nodeName"):
            return "Bind", web["spec"]["nodeName"], preempted(pods)
        nominated = web.get("status", {}).get("nominatedNodeName", "")
        return ("Preempt" if nominated else "Unschedulable"), nominated, preempted(pods)


def is_settled(api):
    """Whether kube-scheduler has tried every pending pod."""
    return all("PodScheduled" in conditions(one) or one["spec"].get("nodeName")
               for one in api.get("/api/v1/pods")["items"] if one["metadata"]["name"] == "web")


def agrees(build, folder, world, objects, theirs):
    """(what is the same, ""), or ("", what the two say)."""
    said, why_not = simulated(build, folder, world, "schedule", objects)
    if said is None:
        return "", f"{world.namespace}: {why_not}"
    ours = (said["result"], said["node"], names_of(said["victims"]) - set(world.terminating))
    if ours == theirs:
        return f"same: {ours[0]}", ""
    if ours[0] == theirs[0] == "Bind":
        scores = {one["node"]: one["score"] for one in said["nodes"] if one["score"] is not None}
        if scores.get(theirs[1]) == max(scores.values()):
            return "same: Bind, on another of the best nodes", ""
        for why, rules in EXPLAINED.items():
            if theirs[1] in best(objects, scores, rules):
                return "explained: " + why, ""
        return "", f"{world.namespace}: kube-scheduler on {theirs[1]}, ours {ours[1]}, scores {scores}"
    return "", f"{world.namespace}: kube-scheduler {theirs}, ours {ours}, leaving {world.terminating}"


World = WidePending
