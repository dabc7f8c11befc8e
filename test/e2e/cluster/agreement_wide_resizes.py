"""agreement_wide_resizes: random clusters of one node with a Deferred resize, whose pods have all the shapes that pods
have; and what of the differences that docs/differences.md lists explains an answer that is not ours. Each explanation is a
change of the cluster for which our answer becomes theirs, so none explains what it does not cause."""
import copy
import random

from agreement_objects import budgets, make_surroundings, names_of, objects_of, place, preempted, simulated, stamp
from agreement_shapes import DEVICE, GI, START, Shape
from api import STRATEGIC, conditions
from objects import fake_node

PRIORITIES = [0, 10, 500, 1000, 2000]
OFTEN = [0, 0, 10, 10, 10, 500, 500, 1000, 2000]
EFFECTS = ["NoSchedule", "NoExecute", "PreferNoSchedule"]


def pending(reason):
    return {"type": "PodResizePending", "status": "True", "reason": reason, "message": "as the node says"}


class WideResize:
    """A node, its pods as they are created, and then their status; `wishes`: {pod: the patch of its resize}."""

    def __init__(self, seed):
        dice = random.Random(f"resize {seed}")
        self.seed, self.namespace, self.node_name = seed, f"wide-{seed}", f"wide-{seed}"
        self._dice = dice
        self.cpu, self.memory = dice.choice([2000, 4000, 8000]), dice.choice([8, 16]) * GI
        self.devices = dice.choice([0, 0, 4])
        self.pods, self.wishes, self.statuses, self.terminating, self.shapes = [], {}, {}, [], {}
        self._free = [self.cpu - 200, self.memory - GI, self.devices]
        for number in range(dice.randrange(2, 8)):
            self._other(f"other-{number}")
        self._web()
        self.budgets = budgets(dice)
        self.limit = len(self.pods) if dice.random() < 0.08 else 110
        self._policy = {"disableResizePreemption": ["owner.example.com/x"]} if dice.random() < 0.05 else None
        # Neither of the two is looked at for a pod that is there already.
        self._taint = {"key": "dedicated", "value": "x", "effect": dice.choice(EFFECTS)} if dice.random() < 0.15 else None
        self._is_cordoned = dice.random() < 0.05

    def node(self):
        node = fake_node(self.node_name, f"{self.cpu}m", str(self.memory), str(self.limit))
        if self.devices:
            for figures in ("capacity", "allocatable"):
                node["status"][figures] = {**node["status"][figures], DEVICE: str(self.devices)}
        node["spec"] = {**({"podPreemptionPolicy": self._policy} if self._policy else {}),
                        **({"taints": [self._taint]} if self._taint else {}),
                        **({"unschedulable": True} if self._is_cordoned else {})}
        return node

    def _add(self, name, shape, wish, priority_class, condition=None, labels=None):
        spec = {"priorityClassName": priority_class, "automountServiceAccountToken": False, "nodeName": self.node_name,
                "terminationGracePeriodSeconds": 3600, **shape.spec()}
        self.pods.append({"apiVersion": "v1", "kind": "Pod", "spec": spec,
                          "metadata": {"name": name, "namespace": self.namespace, "labels": labels or {}}})
        self.statuses[name] = {
            "phase": "Running", "startTime": stamp(START + 60 * self._dice.randrange(100_000) + len(self.pods)),
            "conditions": [{"type": "Ready", "status": "True"}, *([condition] if condition else [])], **shape.status()}
        if wish:
            self.wishes[name] = shape.resize(wish)
        self.shapes[name] = (shape, wish or shape)

    def _other(self, name):
        dice = self._dice
        size = [dice.randrange(1, 16) * 100, dice.randrange(0, 12) * (GI // 4)]
        if dice.random() < 0.07:
            size = [0, 0]
        devices = dice.choice([0, 1, 2]) if self.devices else 0
        if size[0] > self._free[0] or size[1] > self._free[1] or devices > self._free[2]:
            return
        shape = Shape(dice, size, devices, may_be_odd=size != [0, 0])
        wish, condition, priority = None, None, dice.choice(OFTEN)
        shape.is_guaranteed = all(part[0] and part[1] for part in shape.containers().values()) and not shape.whole \
            and not shape.first and dice.random() < 0.1
        self._free = [self._free[0] - size[0], self._free[1] - size[1], self._free[2] - devices]
        if size[0] and not shape.is_guaranteed and dice.random() < 0.15:  # has a desired size of its own
            wish = shape.copy()
            wish.raise_by(dice.choice(sorted(wish.apps)), dice.randrange(1, 10) * 100, 0)
            if wish.total()[0] > self.cpu:
                wish = None
            elif dice.random() < 0.5:  # one preemptor: no pod has less than the least priority
                condition = pending("Deferred" if priority == PRIORITIES[0] else "Infeasible")
        self._add(name, shape, wish, f"p-{priority}", condition, {"app": dice.choice("abc")})
        if dice.random() < 0.05:
            self.terminating.append(name)

    def _web(self):
        dice, free = self._dice, (self._free[0] + 200, self._free[1] + GI)
        cpu = dice.randrange(1, max(2, free[0] // 100)) * 100
        memory = dice.randrange(0, max(1, free[1] // (GI // 4))) * (GI // 4)
        devices = dice.choice([0, 1]) if self._free[2] else 0
        shape = Shape(dice, (cpu, memory), devices)
        wish = shape.copy()
        for _ in range(dice.choice([1, 1, 2])):
            name = dice.choice(sorted(wish.containers()))
            more = dice.choice([0, 0, 0, GI // 4, GI, 3 * GI]) if wish.containers()[name][1] else 0
            least = min(dice.randrange(0 if more else 1, 35) * 100, self.cpu - wish.total()[0])
            wish.raise_by(name, least, min(more, self.memory - wish.total()[1]))
        if wish.containers() == shape.containers():
            wish.raise_by("app", min(100, self.cpu - wish.total()[0]), 0)
        never = "-never" if dice.random() < 0.05 else ""
        self._add("web", shape, wish, f"p-{dice.choice([500, 1000, 1000, 2000])}{never}", pending("Deferred"))

    def build(self, api):
        make_surroundings(api, self, [self.node()])
        for one in self.pods:
            name = one["metadata"]["name"]
            api.make(place(self), one)
            if name in self.wishes:
                api.patch(f"{place(self)}/{name}/resize", self.wishes[name], STRATEGIC)
            api.patch(f"{place(self)}/{name}/status", {"status": self.statuses[name]}, STRATEGIC)
            if name in self.terminating:
                api.delete(f"{place(self)}/{name}")

    def objects(self, api):
        return objects_of(api, self, [self.node_name])

    def their_answer(self, api):
        return preempted(api.get(place(self))["items"])


def our_answer(build, folder, world, objects):
    """(verdict, victims); (None, why not) where there is no answer."""
    said, why_not = simulated(build, folder, world, "resize", objects)
    if said is None:
        return None, why_not
    return said["verdict"], names_of(said["preemption"]["victims"])


# ---- what explains a difference ----

def _pods(objects):
    return [one for one in objects["items"] if one["kind"] == "Pod"]


def _holds(one, figures_of):
    """Writes into the pod's status what `figures_of` makes of (requests, allocated) of each container, and of the pod."""
    wants = {each["name"]: each["resources"].get("requests", {}) for key in ("containers", "initContainers")
             for each in one["spec"].get(key, [])}
    for key in ("containerStatuses", "initContainerStatuses"):
        for each in one["status"].get(key, []):
            if "allocatedResources" in each or "running" in each["state"]:
                given = figures_of(wants[each["name"]], each.get("allocatedResources", {}))
                each |= {"allocatedResources": given, "resources": {"requests": given}}
    if "resources" in one["spec"]:
        given = figures_of(one["spec"]["resources"].get("requests", {}), one["status"].get("allocatedResources", {}))
        one["status"] |= {"allocatedResources": given, "resources": {"requests": given}}


def with_wishes_held(objects):
    """The same cluster, where every other pod holds what it requested, unless that is Infeasible."""
    changed = copy.deepcopy(objects)
    for one in _pods(changed):
        is_infeasible = conditions(one).get("PodResizePending", {}).get("reason") == "Infeasible"
        if one["metadata"]["name"] != "web" and not is_infeasible:
            _holds(one, lambda wants, given: wants)
    return changed


def with_all_raised(objects, world):
    """The same cluster, where web raises every resource that it does not shrink: its charge is the same."""
    changed = copy.deepcopy(objects)
    had, wants = (shape.total() for shape in world.shapes["web"])
    least = {name: figure for name, figure, before, after in
             zip(("cpu", "memory"), ("1m", "1"), had, wants) if after >= before}
    web = next(one for one in _pods(changed) if one["metadata"]["name"] == "web")
    for each in web["spec"].get("initContainers", []):
        if each.get("restartPolicy") != "Always":  # it has run, and would hide what the others raise
            each["resources"] = {}
    _holds(web, lambda _, given: {key: least.get(key, value) for key, value in given.items()})
    return changed


def with_nothing_given(objects):
    """The same cluster, where the status says of containers without any figure that they were given nothing."""
    changed, nothing = copy.deepcopy(objects), {"cpu": "0", "memory": "0"}
    for one in _pods(changed):
        for key in ("containerStatuses", "initContainerStatuses"):
            for each in one["status"].get(key, []):
                if "resources" in each and not each.get("allocatedResources") and not each["resources"].get("requests"):
                    each |= {"allocatedResources": nothing, "resources": {"requests": nothing}}
    return changed


def why_it_differs(build, folder, world, objects, theirs):
    """The section of docs/differences.md that explains why upstream removes pods for a resize that fits; "" for none."""
    if our_answer(build, folder, world, with_wishes_held(objects)) == ("Deferred", theirs):
        return "held-charge"
    if our_answer(build, folder, world, with_all_raised(objects, world)) == ("Deferred", theirs):
        return "only-what-grows"
    if our_answer(build, folder, world, with_all_raised(with_wishes_held(objects), world)) == ("Deferred", theirs):
        return "held-charge and only-what-grows"
    others = {one["metadata"]["name"]: one["spec"]["priority"] for one in _pods(objects)}
    if len(others) == world.limit and len(theirs) == 1 and others[min(theirs)] < others["web"]:
        return "pod-limit"
    return ""


def agrees(build, folder, world, objects, theirs):
    """("same", "") or the section that explains it, or what the two say."""
    verdict, ours = our_answer(build, folder, world, objects)
    # A pod that was already terminating is a victim without a mark, as nothing more is done to it.
    if verdict and ours - set(world.terminating) == theirs:
        return ("same, with victims" if theirs else "same, without victims"), ""
    if verdict == "Unchanged":
        given = with_nothing_given(objects)
        answer = our_answer(build, folder, world, given)
        if answer == ("Deferred", theirs):
            return "explained: a container that had no request", ""
        if answer[0] == "Allocated" and (why := why_it_differs(build, folder, world, given, theirs)):
            return "explained: a container that had no request and " + why, ""
    if verdict == "Allocated" and (why := why_it_differs(build, folder, world, objects, theirs)):
        return "explained: " + why, ""
    return "", f"{world.namespace}: kube-scheduler {sorted(theirs)}, ours {verdict} {ours}"


def is_settled(_):
    """Of a resize kube-scheduler writes nothing where nobody goes: there is nothing to wait for but quiet."""
    return True


World = WideResize
