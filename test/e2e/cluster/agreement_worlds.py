"""agreement_worlds: small random clusters of one node, each with one Deferred resize. What
a seed makes is always the same, and nothing in it leaves upstream's answer to chance: no two pods start at the
same time, so no choice hangs on a position in a list."""
import random

from agreement_objects import budgets, pod, requests, stamp

GI = 1 << 30
PRIORITIES = [0, 10, 500, 1000, 2000]
OFTEN = [0, 0, 10, 10, 10, 500, 500, 1000, 2000]
START = 1_780_000_000  # seconds since 1970 of the oldest pod


class World:
    """One node and its pods as they are to be created, then what their status is to say."""

    def __init__(self, seed):
        dice = random.Random(seed)
        self.seed, self.namespace, self.node_name = seed, f"case-{seed}", f"node-{seed}"
        self._dice = dice
        self.cpu, self.memory = dice.choice([2000, 4000, 8000]), dice.choice([8, 16]) * GI
        self.pods, self.statuses, self.terminating = [], {}, []
        self.web_priority = dice.choice([500, 1000, 1000, 2000])
        self._others()
        self._web()
        self.budgets = budgets(dice)
        count = len(self.pods)
        self.limit = count if dice.random() < 0.1 else 110
        self.policy = ["owner.example.com/x"] if dice.random() < 0.08 else []

    def node(self):
        amounts = {"cpu": f"{self.cpu}m", "memory": str(self.memory), "pods": str(self.limit)}
        return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": self.node_name},
                "spec": {"podPreemptionPolicy": {"disableResizePreemption": self.policy}} if self.policy else {},
                "status": {"capacity": amounts, "allocatable": amounts,
                           "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}],
                           "declaredFeatures": ["InPlacePodLevelResourcesVerticalScaling",
                                                "InPlacePodVerticalScalingInitContainers"]}}

    def _add(self, name, desired, allocated, priority, condition=None, policy=None, labels=None):
        priority_class = f"p-{priority}" + ("-never" if policy else "")
        self.pods.append(pod(self, name, allocated, priority_class, self.node_name, labels))
        figures = requests(*allocated)
        status = {"phase": "Running", "startTime": stamp(START + 60 * self._dice.randrange(100_000) + len(self.pods)),
                  "containerStatuses": [{"name": "app", "image": "i", "imageID": "i", "ready": True, "restartCount": 0,
                                         "started": True, "state": {"running": {"startedAt": stamp(START)}},
                                         "allocatedResources": figures, "resources": {"requests": figures}}],
                  "conditions": [{"type": "Ready", "status": "True"}] + ([condition] if condition else [])}
        self.statuses[name] = (desired if desired != allocated else None, status)

    def _others(self):
        dice, free_cpu, free_memory = self._dice, self.cpu - 200, self.memory - GI
        for number in range(dice.randrange(2, 8)):
            cpu = dice.randrange(1, 16) * 100
            memory = dice.randrange(0, 12) * (GI // 4)
            if dice.random() < 0.07:
                cpu = memory = 0
            if cpu > free_cpu or memory > free_memory:
                continue
            free_cpu, free_memory = free_cpu - cpu, free_memory - memory
            desired, condition, priority = (cpu, memory), None, dice.choice(OFTEN)
            if cpu and dice.random() < 0.15:  # has a desired size of its own
                desired = (min(cpu + dice.randrange(1, 10) * 100, self.cpu), memory)
                if dice.random() < 0.5:  # one preemptor: no pod has less than the least priority
                    condition = self._pending("Deferred" if priority == PRIORITIES[0] else "Infeasible")
            self._add(f"other-{number}", desired, (cpu, memory), priority, condition,
                      labels={"app": dice.choice("abc")})
            if dice.random() < 0.05:
                self.terminating.append(f"other-{number}")
        self.free = (free_cpu + 200, free_memory + GI)

    @staticmethod
    def _pending(reason):
        return {"type": "PodResizePending", "status": "True", "reason": reason, "message": "as the node says"}

    def _web(self):
        dice = self._dice
        cpu = dice.randrange(1, max(2, self.free[0] // 100)) * 100
        memory = dice.randrange(0, max(1, self.free[1] // (GI // 4))) * (GI // 4)
        more_cpu = dice.randrange(0, 35) * 100
        more_memory = dice.choice([0, 0, 0, GI // 4, GI, 3 * GI]) if memory else 0
        if more_cpu + more_memory == 0:
            more_cpu = 100
        desired = (min(cpu + more_cpu, self.cpu), min(memory + more_memory, self.memory))
        self.is_never = dice.random() < 0.05
        self.web_sizes = (desired, (cpu, memory))
        self._add("web", desired, (cpu, memory), self.web_priority, self._pending("Deferred"), self.is_never)


def classes():
    for value in PRIORITIES:
        yield {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": f"p-{value}"},
               "value": value}
        yield {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": f"p-{value}-never"},
               "value": value, "preemptionPolicy": "Never"}
