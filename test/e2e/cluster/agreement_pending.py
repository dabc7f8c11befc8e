"""agreement_pending: random small clusters, each with one pending pod that has to make room, asked of kube-scheduler
and of `elbowroom simulate schedule --rules upstream`: the same answer, the same node, the same victims. All clusters
are in one server, kept apart by a node selector; where a pod needs no preemption, only that is compared, because the
chosen node depends on scores, which are ours."""
import random
import subprocess

from agreement_objects import budgets, make_surroundings, names_of, objects_of, place, pod, preempted, simulated, stamp
from agreement_worlds import GI, OFTEN, START
from api import STRATEGIC, conditions
from checks import note
from objects import fake_node


class Pending:
    """One to three nodes and their pods, and the pod `web` that has none."""

    def __init__(self, seed):
        dice = random.Random(seed)
        self.seed, self.namespace, self._dice = seed, f"pending-{seed}", dice
        self.nodes, self.pods, self.started, self.terminating = [], [], {}, []
        for number in range(dice.randrange(1, 4)):
            self._node(number)
        wish = (dice.randrange(5, 30) * 100, dice.randrange(0, 8) * GI)
        never = "-never" if dice.random() < 0.05 else ""
        self._pod("web", None, wish, f"p-{dice.choice([500, 1000, 1000, 2000])}{never}")
        self.pods[-1]["spec"]["nodeSelector"] = {"world": str(seed)}
        self.budgets = budgets(dice)

    def _node(self, number):
        dice, name = self._dice, f"pending-{self.seed}-{number}"
        cpu, memory, count = dice.choice([2000, 4000]), dice.choice([4, 8]) * GI, 0
        free_cpu, free_memory = cpu, memory
        for _ in range(dice.randrange(1, 5)):
            size = (dice.randrange(2, 14) * 100, dice.randrange(0, 10) * (GI // 4))
            if size[0] > free_cpu or size[1] > free_memory:
                continue
            free_cpu, free_memory, count = free_cpu - size[0], free_memory - size[1], count + 1
            self._pod(f"on-{number}-{count}", name, size, f"p-{dice.choice(OFTEN)}")
        limit = count if count and dice.random() < 0.1 else 110
        node = fake_node(name, f"{cpu}m", str(memory), str(limit))
        node["metadata"]["labels"]["world"] = str(self.seed)
        if dice.random() < 0.08:
            node["spec"] = {"unschedulable": True}
        elif dice.random() < 0.08:
            node["spec"] = {"taints": [{"key": "dedicated", "value": "x", "effect": "NoSchedule"}]}
        self.nodes.append(node)

    def _pod(self, name, node, size, priority_class):
        if node:
            self.started[name] = stamp(START + 60 * self._dice.randrange(100_000) + len(self.pods))
            if self._dice.random() < 0.05:
                self.terminating.append(name)
        self.pods.append(pod(self, name, size, priority_class, node, {"app": self._dice.choice("abc")} if node else {}))

    def build(self, api):
        make_surroundings(api, self, self.nodes)
        for one in self.pods:
            name = one["metadata"]["name"]
            api.make(place(self), one)
            if name in self.started:
                api.patch(f"{place(self)}/{name}/status",
                          {"status": {"phase": "Running", "startTime": self.started[name]}}, STRATEGIC)
            if name in self.terminating:
                api.delete(f"{place(self)}/{name}")

    def objects(self, api):
        return objects_of(api, self, [node["metadata"]["name"] for node in self.nodes])

    def their_answer(self, api):
        """(result, node, the preempted pods)."""
        pods = api.get(place(self))["items"]
        web = next(one for one in pods if one["metadata"]["name"] == "web")
        gone = preempted(pods)
        if web["spec"].get("nodeName"):
            return "Bind", "", gone
        nominated = web.get("status", {}).get("nominatedNodeName", "")
        return ("Preempt" if nominated else "Unschedulable"), nominated, gone


def is_there(build):
    """Whether these programs have `simulate schedule`."""
    done = subprocess.run([f"{build}/bin/elbowroom", "simulate", "--help"], capture_output=True, text=True, check=False)
    return any(line.split()[:1] == ["schedule"] for line in done.stdout.splitlines())


def our_answer(build, folder, world, objects):
    said, why_not = simulated(build, folder, world, "schedule", objects)
    if said is None:
        return why_not, "", set()
    return (said["result"], "" if said["result"] == "Bind" else said["node"],
            names_of(said["victims"]) - set(world.terminating))


def is_settled(api):
    """Whether kube-scheduler has tried every pending pod."""
    return all("PodScheduled" in conditions(one) or one["spec"].get("nodeName")
               for one in api.get("/api/v1/pods")["items"] if one["metadata"]["name"] == "web")


def differences(build, folder, api, worlds, stood):
    """A line for each world in which the two do not agree."""
    counts, lines = {}, []
    for world in worlds:
        ours, theirs = our_answer(build, folder, world, stood[world.seed]), world.their_answer(api)
        counts[theirs[0]] = counts.get(theirs[0], 0) + 1
        if ours != theirs:
            lines.append(f"{world.namespace}: kube-scheduler {theirs}, ours {ours}, leaving {world.terminating}")
    note(f"{len(worlds) - len(lines)} of {len(worlds)} are the same; kube-scheduler's: "
         + ", ".join(f"{what} {times}" for what, times in sorted(counts.items())))
    return lines
