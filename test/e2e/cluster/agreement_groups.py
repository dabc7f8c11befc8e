"""agreement_groups: random small clusters with pod groups, each with a pending pod or a pending group that has to make
room, asked of kube-scheduler, its gates on, and of `elbowroom simulate schedule --rules upstream`: the same answer, the
same nodes, the same victims. The removed ones are pods of no group, of groups that go one by one, and of groups that go
as one. Where scores alone choose the nodes of a group, which are chance among equals, ours is asked again with the
nodes that kube-scheduler took. A pod's node is chance, too, where the removal of the same pods makes room on several."""
import copy
import random

from agreement_objects import budgets, make_surroundings, names_of, objects_of, place, pod, preempted, simulated, stamp
from agreement_worlds import GI, OFTEN, START
from api import STRATEGIC, conditions
from checks import note, wait
from objects import fake_node

VERSION = "v1beta1"
MODES = ("single", "all")
PRIORITIES = (0, 10, 500, 1000, 2000)


def group_place(world):
    return place(world, "podgroups", f"apis/scheduling.k8s.io/{VERSION}")


def pod_group(name, priority_class, policy, mode=None):
    return {"apiVersion": f"scheduling.k8s.io/{VERSION}", "kind": "PodGroup", "metadata": {"name": name},
            "spec": {"schedulingPolicy": policy, "priorityClassName": priority_class,
                     **({"preemptionPolicy": "Never"} if priority_class.endswith("-never") else {}),
                     **({"disruptionMode": {mode: {}}} if mode else {})}}


class Grouped:
    """Two to four nodes, pods on them, some of them in groups, and `web`: a pod, or a group of pods, without a node."""

    def __init__(self, seed, is_gang):
        dice = random.Random(seed)
        self.seed, self.is_gang, self._dice = seed, is_gang, dice
        self.namespace = f"{'gang' if is_gang else 'among'}-{seed}"
        self.nodes, self.groups, self.pods, self.started, self.terminating = [], [], [], {}, []
        self.late_pods, self.late_group, self._late = [], None, []
        for number in range(dice.randrange(0, 4)):
            priority = f"p-{dice.choice(OFTEN)}"
            self.groups.append(pod_group(f"group-{number}", priority, {"basic": {}}, dice.choice(MODES)))
        for number in range(dice.randrange(2, 5)):
            self._node(number)
        never = "-never" if dice.random() < 0.05 else ""
        self._wants(f"p-{dice.choice([500, 1000, 1000, 2000])}{never}")
        self.budgets = budgets(dice)

    # ---- what stands ----

    def _node(self, number):
        dice, name = self._dice, f"{self.namespace}-{number}"
        cpu, memory, count = dice.choice([2000, 4000]), dice.choice([4, 8]) * GI, 0
        free_cpu, free_memory = cpu, memory
        for _ in range(dice.randrange(1, 6)):
            size = (dice.randrange(2, 14) * 100, dice.randrange(0, 10) * (GI // 4))
            if size[0] > free_cpu or size[1] > free_memory:
                continue
            free_cpu, free_memory, count = free_cpu - size[0], free_memory - size[1], count + 1
            self._stand(f"on-{number}-{count}", name, size)
        limit = count if count and dice.random() < 0.1 else 110
        node = fake_node(name, f"{cpu}m", str(memory), str(limit))
        node["metadata"]["labels"]["world"] = str(self.seed)
        if dice.random() < 0.06:
            node["spec"] = {"unschedulable": True}
        self.nodes.append(node)

    def _stand(self, name, node, size):
        dice = self._dice
        one = pod(self, name, size, f"p-{dice.choice(OFTEN)}", node, {"app": dice.choice("abc")})
        of = dice.choice([*self.groups, *self.groups, None]) if self.groups else None
        if of:
            one["spec"]["schedulingGroup"] = {"podGroupName": of["metadata"]["name"]}
            # Else it says another priority than its group. Not where the group goes as one: kube-scheduler then compares
            # nodes by the priority of the first of its pods, and their order is chance.
            if dice.random() < 0.9 or "all" in of["spec"]["disruptionMode"]:
                one["spec"]["priorityClassName"] = of["spec"]["priorityClassName"]
        elif dice.random() < 0.05:
            one["spec"]["schedulingGroup"] = {"podGroupName": "missing"}
        self.started[name] = stamp(START + 60 * dice.randrange(100_000) + len(self.pods))
        if dice.random() < 0.04:
            self.terminating.append(name)
        self.pods.append(one)

    # ---- what waits ----

    def _wants(self, priority_class):
        dice = self._dice
        wish = (dice.randrange(5, 30) * 100, dice.randrange(0, 8) * GI)
        if not self.is_gang:
            self._wait("web", wish, priority_class, None)
            return
        count = dice.randrange(2, 5)
        gang = {"gang": {"minCount": dice.randrange(1, count + 1)}} if dice.random() < 0.85 else {"basic": {}}
        self.late_group = pod_group("web", priority_class, gang)
        is_pinned = dice.random() < 0.5
        for number in range(count):
            if dice.random() < 0.3:
                wish = (dice.randrange(5, 20) * 100, dice.randrange(0, 4) * GI)
            self._wait(f"web-{number}", wish, priority_class,
                       dice.choice(self.nodes)["metadata"]["name"] if is_pinned else None)

    def _wait(self, name, wish, priority_class, node):
        one = pod(self, name, wish, priority_class)
        one["spec"]["nodeSelector"] = {"world": str(self.seed)}
        if node:
            one["spec"]["nodeSelector"]["kubernetes.io/hostname"] = node
        if self.is_gang:
            one["spec"]["schedulingGroup"] = {"podGroupName": "web"}
        (self.late_pods if self.is_gang else self.pods).append(one)

    # ---- on the server ----

    def build(self, api):
        make_surroundings(api, self, self.nodes)
        for one in self.groups:
            api.make(group_place(self), one)
        for one in self.pods:
            name = one["metadata"]["name"]
            api.make(place(self), one)
            if name in self.started:
                api.patch(f"{place(self)}/{name}/status",
                          {"status": {"phase": "Running", "startTime": self.started[name]}}, STRATEGIC)
            if name in self.terminating:
                api.delete(f"{place(self)}/{name}")

    def complete(self, api):
        """The members of the gang, one after the other, then their group, as kube-scheduler runs already: it places
        members as they came, and those that are there before it starts come in any order."""
        self._late += [{"apiVersion": "v1", "kind": "Pod", **api.make(place(self), one)} for one in self.late_pods]
        self._late.append({"apiVersion": f"scheduling.k8s.io/{VERSION}", "kind": "PodGroup",
                           **api.make(group_place(self), self.late_group)})

    def with_late_ones(self, objects):
        return {**objects, "items": [*objects["items"], *self._late]}

    def objects(self, api):
        made = objects_of(api, self, [node["metadata"]["name"] for node in self.nodes])
        made["items"] += [{"apiVersion": f"scheduling.k8s.io/{VERSION}", "kind": "PodGroup", **one}
                          for one in api.get(group_place(self))["items"]]
        return made

    def their_answer(self, api):
        """(result, {pod: node} where pods go for it, the preempted pods)."""
        pods = api.get(place(self))["items"]
        webs = [one for one in pods if is_web(one)]
        if any(one["spec"].get("nodeName") for one in webs):
            return "Bind", {}, set()
        nominated = {one["metadata"]["name"]: one["status"]["nominatedNodeName"] for one in webs
                     if one.get("status", {}).get("nominatedNodeName")}
        return ("Preempt" if nominated else "Unschedulable"), nominated, preempted(pods)


def is_web(one):
    return one["metadata"]["name"].split("-")[0] == "web"


def our_answer(build, folder, world, objects):
    words = ["--group", f"{world.namespace}/web"] if world.is_gang else [f"{world.namespace}/web"]
    said, why_not = simulated(build, folder, world, "schedule", objects, words)
    if said is None:
        return why_not, {}, set()
    if said["result"] == "Bind":
        return "Bind", {}, set()
    if world.is_gang:
        nodes = {one["pod"].split("/")[1]: one["node"] for one in said["placements"]}
    else:
        nodes = {"web": said["node"]} if said["node"] else {}
    return said["result"], nodes, names_of(said["victims"]) - set(world.terminating)


def with_their_nodes(objects, nodes):
    """The same cluster, where each of these pods fits on that node alone."""
    changed = copy.deepcopy(objects)
    for one in changed["items"]:
        if one["kind"] == "Pod" and one["metadata"]["name"] in nodes:
            one["spec"]["nodeSelector"]["kubernetes.io/hostname"] = nodes[one["metadata"]["name"]]
    return changed


def is_up(api):
    """Whether kube-scheduler places pods: one on a node of its own."""
    api.make("/api/v1/namespaces", {"metadata": {"name": "probe"}})
    node = fake_node("probe")
    node["metadata"]["labels"]["world"] = "probe"
    api.make("/api/v1/nodes", node)
    where = "/api/v1/namespaces/probe/pods"
    api.make(where, {"metadata": {"name": "probe"}, "spec": {
        "nodeSelector": {"world": "probe"}, "automountServiceAccountToken": False,
        "containers": [{"name": "app", "image": "localhost/busybox:test"}]}})
    return wait(lambda: api.get(f"{where}/probe")["spec"].get("nodeName"))


def is_settled(api):
    """Whether kube-scheduler has tried every pending pod."""
    return all("PodScheduled" in conditions(one) or one["spec"].get("nodeName")
               for one in api.get("/api/v1/pods")["items"] if is_web(one))


def differs_by_chance(build, folder, world, stood, ours, theirs):
    if not world.is_gang:
        return ours[2] == theirs[2]
    return our_answer(build, folder, world, with_their_nodes(stood[world.seed], theirs[1])) == theirs


def differences(build, folder, api, worlds, stood):
    """A line for each world in which the two do not agree."""
    counts, by_chance, lines = {}, 0, []
    for world in worlds:
        ours, theirs = our_answer(build, folder, world, stood[world.seed]), world.their_answer(api)
        counts[theirs[0]] = counts.get(theirs[0], 0) + 1
        if ours == theirs:
            continue
        if ours[0] == theirs[0] == "Preempt" and differs_by_chance(build, folder, world, stood, ours, theirs):
            by_chance += 1
            continue
        lines.append(f"{world.namespace}: kube-scheduler {theirs}, ours {ours}, leaving {world.terminating}")
    note(f"{len(worlds) - len(lines) - by_chance} of {len(worlds)} are the same, {by_chance} more but for which of equal "
         "nodes was taken; kube-scheduler's: "
         + ", ".join(f"{what} {times}" for what, times in sorted(counts.items())))
    return lines
