"""agreement_shapes: what random pods look like inside: one to three containers, a sidecar, a container that runs first,
overhead of a RuntimeClass, resources of the pod as a whole, an extended resource. A shape knows what it asks for, and what a
node's status says of a pod of that shape."""
import copy

from agreement_objects import stamp

GI = 1 << 30
START = 1_780_000_000
DEVICE = "example.com/device"
OVERHEADS = {"small": (100, 64 << 20), "large": (300, GI // 4)}  # RuntimeClass: millicores and bytes of each pod
IMAGE = "localhost/busybox:test"


def runtime_classes():
    for name, (cpu, memory) in OVERHEADS.items():
        yield {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": name}, "handler": "runc",
               "overhead": {"podFixed": {"cpu": f"{cpu}m", "memory": str(memory)}}}


def amounts(part):
    """A part's requests as the API has them; what is 0 is left out."""
    cpu, memory, devices = part
    return {**({"cpu": f"{cpu}m"} if cpu else {}), **({"memory": str(memory)} if memory else {}),
            **({DEVICE: str(devices)} if devices else {})}


class Shape:
    """`apps`, `sidecars`, `first`: {container: [millicores, bytes, devices]}. `whole`: the same of the pod, or None."""

    def __init__(self, dice, size, devices=0, may_be_odd=True):
        """A pod that asks for about `size` in all, and never for more."""
        cpu, memory = size
        self.apps, self.sidecars, self.first, self.whole, self.overhead = {}, {}, {}, None, None
        self.is_guaranteed = False
        if may_be_odd and dice.random() < 0.25:
            self.overhead = dice.choice([name for name, (own, more) in OVERHEADS.items()
                                         if own < cpu and more < memory] or [None])
        if self.overhead:
            cpu, memory = cpu - OVERHEADS[self.overhead][0], memory - OVERHEADS[self.overhead][1]
        if may_be_odd and cpu > 200 and dice.random() < 0.25:
            part = [cpu // 300 * 100, memory // 4, 0]
            self.sidecars["side"] = part
            cpu, memory = cpu - part[0], memory - part[1]
        count = dice.choice([1, 1, 2, 3]) if may_be_odd else 1
        for number in range(count):
            is_last = number == count - 1
            part = [cpu, memory, devices] if is_last else [cpu // 200 * 100, memory // 2, 0]
            self.apps["app" if number == 0 else f"app-{number}"] = part
            cpu, memory = cpu - part[0], memory - part[1]
        if may_be_odd and dice.random() < 0.15:
            self.first["before"] = [max(part[0] for part in self.apps.values()), 0, 0]
        # The pod as a whole asks for what its containers do; where it asks for more, that is what counts.
        if may_be_odd and dice.random() < 0.15 and all(self.sum()[:2]):
            self.whole = list(self.sum()[:2])
            if dice.random() < 0.5:
                self.apps["app"] = [self.apps["app"][0] // 200 * 100, *self.apps["app"][1:]]
                for part in self.first.values():
                    part[0] = max(app[0] for app in self.apps.values())

    def copy(self):
        return copy.deepcopy(self)

    def sum(self):
        """What apps and sidecars ask for; a container that runs first never asks for more."""
        parts = [*self.apps.values(), *self.sidecars.values()]
        return [sum(part[i] for part in parts) for i in range(3)]

    def total(self):
        """(millicores, bytes) that the pod costs on a node."""
        own = self.whole or self.sum()[:2]
        more = OVERHEADS.get(self.overhead, (0, 0))
        return own[0] + more[0], own[1] + more[1]

    def containers(self):
        """{name: part} of all that a resize may change."""
        return {**self.apps, **self.sidecars}

    def raise_by(self, name, cpu, memory):
        part = self.containers()[name]
        part[0], part[1] = part[0] + cpu, part[1] + memory
        if self.whole:
            self.whole = [max(self.whole[i], self.sum()[i]) for i in range(2)]

    # ---- as the API has it ----

    def _container(self, name, part, more=None):
        wants = amounts(part)
        limits = wants if self.is_guaranteed else {key: wants[key] for key in wants if key == DEVICE}
        return {"name": name, "image": IMAGE, **(more or {}),
                "resources": {**({"requests": wants} if wants else {}), **({"limits": limits} if limits else {})}}

    def spec(self):
        always = {"restartPolicy": "Always"}
        first = [self._container(name, part, always) for name, part in self.sidecars.items()]
        first += [self._container(name, part) for name, part in self.first.items()]
        return {"containers": [self._container(name, part) for name, part in self.apps.items()],
                **({"initContainers": first} if first else {}),
                **({"runtimeClassName": self.overhead} if self.overhead else {}),
                **({"resources": {"requests": amounts([*self.whole, 0])}} if self.whole else {})}

    def resize(self, to):
        """The patch of pods/resize that makes this shape that other one."""
        lists = {"containers": (self.apps, to.apps), "initContainers": (self.sidecars, to.sidecars)}
        spec = {}
        for key, (before, after) in lists.items():
            changed = [{"name": name, "resources": {"requests": amounts(after[name])}}
                       for name in after if after[name] != before[name]]
            if changed:
                spec[key] = changed
        if to.whole != self.whole:
            spec["resources"] = {"requests": amounts([*to.whole, 0])}
        return {"spec": spec}

    def _status(self, name, part):
        return {"name": name, "image": "i", "imageID": "i", "ready": True, "restartCount": 0, "started": True,
                "state": {"running": {"startedAt": stamp(START)}}, "allocatedResources": amounts(part),
                "resources": {"requests": amounts(part)}}

    def status(self):
        """The part of a pod's status that says what it was given."""
        sidecars = [self._status(name, part) for name, part in self.sidecars.items()]
        sidecars += [{"name": name, "image": "i", "imageID": "i", "ready": True, "restartCount": 0,
                      "state": {"terminated": {"exitCode": 0, "reason": "Completed"}}} for name in self.first]
        whole = amounts([*self.whole, 0]) if self.whole else None
        return {"containerStatuses": [self._status(name, part) for name, part in self.apps.items()],
                **({"initContainerStatuses": sidecars} if sidecars else {}),
                **({"allocatedResources": whole, "resources": {"requests": whole}} if whole else {})}
