"""agreement_kubelet: random resizes of pods of several shapes on the real kubelet, none above what the node has, so that
the kubelet itself judges each; and what `elbowroom simulate resize --set` said of it just before: the same verdict, and the
same message. Each is asked when the one before it is actual, so nothing is under way that the input does not show."""
import json
import random
import re
import subprocess

from api import STRATEGIC, conditions
from checks import check, note, wait
from objects import NAMESPACE, path, pod
from stage import NODE

LACKS = re.compile(r"Node didn't have enough resource: (cpu|memory), requested: (\d+),")
CONTAINERS = {"plain": ["app"], "two": ["app", "beside"], "helped": ["app", "side"], "heavy": ["app"],
              "three": ["app", "beside", "third"]}


def _container(name, cpu, more=None):
    return {**pod("any", cpu=cpu, memory="64Mi")["spec"]["containers"][0], "name": name, **(more or {})}


def _pods():
    """One of each shape; together they hold some 1100m of the node's 2 cpu."""
    yield pod("plain", NODE, "200m", memory="64Mi")
    for name, containers in CONTAINERS.items():
        one = pod(name, NODE, "100m", memory="64Mi")
        one["spec"]["containers"] += [_container(each, "100m") for each in containers[1:] if each != "side"]
        if "side" in containers:
            one["spec"]["initContainers"] = [_container("side", "100m", {"restartPolicy": "Always"})]
        if name == "heavy":
            one["spec"]["runtimeClassName"] = "small"
        if name != "plain":
            yield one


def _lists(one):
    """{container: (its part of the spec, its status)} of all that a resize may change."""
    found = {}
    for key, statuses in (("containers", "containerStatuses"), ("initContainers", "initContainerStatuses")):
        given = {each["name"]: each for each in one.get("status", {}).get(statuses, [])}
        for each in one["spec"].get(key, []):
            found[each["name"]] = (each, given.get(each["name"], {}), key)
    return found


def _is_settled(one):
    return not {"PodResizePending", "PodResizeInProgress"} & set(conditions(one)) and all(
        given.get("resources", {}).get("requests") == each["resources"]["requests"] for each, given, _ in _lists(one).values())


def _amount(text):
    """Millicores, or bytes."""
    for suffix, times in (("Ki", 2**10), ("Mi", 2**20), ("Gi", 2**30)):
        if text.endswith(suffix):
            return int(text.removesuffix(suffix)) * times
    return int(text.removesuffix("m")) if text.endswith("m") else int(text) * 1000


def _sum(parts):
    return {resource: sum(_amount(part[resource]) for part in parts if resource in part) for resource in ("cpu", "memory")}


def _overhead(one):
    return _sum([one["spec"].get("overhead", {})])


def _total(one):
    """{resource: what the pod requests, overhead included}"""
    return _sum([each["resources"]["requests"] for each, _, _ in _lists(one).values()] + [one["spec"].get("overhead", {})])


def _why(had, overhead, ours, message):
    """The section of docs/differences.md that explains why the kubelet alone misses a resource; "" for none."""
    lacks, ours_lacks = LACKS.match(message or ""), LACKS.match(ours[1])
    if not lacks or not (ours[0] == "Allocated" or ours[0] == "Deferred" and ours_lacks and ours_lacks[1] != lacks[1]):
        return ""
    more = int(lacks[2]) - had[lacks[1]]
    if more <= 0:  # its node holds more than it has
        return "only-what-grows"
    return "overhead" if more <= overhead[lacks[1]] else ""


class Kubelet:
    def __init__(self, stage, seed):
        self.stage, self.dice = stage, random.Random(f"kubelet {seed}")
        self.counts, self.differ, self.texts, self.explained = {}, [], set(), {}
        node = stage.admin.get(f"/api/v1/nodes/{NODE}")
        self._memory = int(node["status"]["allocatable"]["memory"].removesuffix("Ki")) // 1024

    def dump(self):
        things = [{"apiVersion": "v1", "kind": "Node", **self.stage.admin.get(f"/api/v1/nodes/{NODE}")}]
        things += [{"apiVersion": "v1", "kind": "Pod", **one}
                   for one in self.stage.admin.get(f"{NAMESPACE}/pods")["items"]]
        return json.dumps({"apiVersion": "v1", "kind": "List", "items": things})

    def wish(self, name):
        """{container: (millicores, MiB)} of one or two of its containers; the pod fits the node if it is alone there."""
        dice, all_of = self.dice, CONTAINERS[name]
        some = dice.sample(all_of, dice.choice([1, 1, min(2, len(all_of))]))
        most = (1900 // len(all_of), (self._memory - 512) // len(all_of))
        return {each: (dice.choice([dice.randrange(1, 8) * 50, dice.randrange(1, most[0] // 50) * 50]),
                       min(dice.choice([32, 64, 128, 2048, 4096, 8192, 16384]), most[1])) for each in some}

    def simulate(self, name, wish):
        words = ",".join(f"{each}:cpu={cpu}m,{each}:memory={memory}Mi" for each, (cpu, memory) in wish.items())
        done = subprocess.run([f"{self.stage.build}/bin/elbowroom", "simulate", "resize", "-f", "-", f"default/{name}",
                               "--set", words, "-o", "json"], input=self.dump(), capture_output=True, text=True, check=False)
        if done.returncode:
            return f"exit status {done.returncode}", done.stderr.strip()
        said = json.loads(done.stdout)
        return said["verdict"], said["message"]

    def holds(self):
        """{pod: {container: what it desires, is allocated and has}}"""
        return {one["metadata"]["name"]: {
            each: [part["resources"].get("requests"), given.get("allocatedResources"),
                   given.get("resources", {}).get("requests")]
            for each, (part, given, _) in _lists(one).items()} for one in self.stage.admin.get(f"{NAMESPACE}/pods")["items"]}

    def change(self, name, figures):
        """pods/resize with these requests; (status, answer)."""
        lists, spec = _lists(self.stage.pod(name)), {}
        for each in (one for one in lists if one in figures):  # in the pod's own order
            spec.setdefault(lists[each][2], []).append({"name": each, "resources": {"requests": figures[each]}})
        return self.stage.admin.call("PATCH", path(name) + "/resize", {"spec": spec}, STRATEGIC)

    def ask(self, name, wish):
        status, said = self.change(name, {each: {"cpu": f"{cpu}m", "memory": f"{memory}Mi"}
                                          for each, (cpu, memory) in wish.items()})
        if status != 200:
            return f"status {status}", said.get("message")
        generation = said["metadata"]["generation"]
        return wait(lambda: self.heard(name, generation), 60) or ("nothing", "")

    def heard(self, name, generation):
        one = self.stage.pod(name)
        pending = conditions(one).get("PodResizePending", {})
        if pending.get("observedGeneration") == generation:
            return pending["reason"], pending.get("message", "")
        if one["status"].get("observedGeneration") == generation and _is_settled(one):
            return "Allocated", ""
        return None

    def settle(self, name):
        """A resize that waits is taken back, so that the next one finds only what the API shows."""
        one = self.stage.pod(name)
        if "PodResizePending" in conditions(one):
            self.change(name, {each: given["allocatedResources"] for each, (_, given, _) in _lists(one).items()})
        return wait(lambda: _is_settled(self.stage.pod(name)), 60)

    def one_more(self):
        name = self.dice.choice(sorted(CONTAINERS))
        wish = self.wish(name)
        stands = _lists(self.stage.pod(name))
        if all(stands[each][0]["resources"]["requests"] == {"cpu": f"{cpu}m", "memory": f"{memory}Mi"}
               for each, (cpu, memory) in wish.items()):
            return
        before = self.holds()
        stands_as = self.stage.pod(name)
        ours, theirs = self.simulate(name, wish), self.ask(name, wish)
        self.counts[theirs[0]] = self.counts.get(theirs[0], 0) + 1
        if theirs[1]:
            self.texts.add(theirs[1])
        if ours[0] == theirs[0] and ours[1] == (theirs[1] or ours[1]):
            pass
        elif why := _why(_total(stands_as), _overhead(stands_as), ours, theirs[1]):
            self.explained[why] = self.explained.get(why, 0) + 1
        else:
            self.differ.append(f"{name} to {wish}: the kubelet {theirs}, ours {ours}")
            note(f"{self.differ[-1]}; before: {before}")
        if not self.settle(name):
            check(False, f"{name} is settled", self.stage.pod(name).get("status"))


def play(stage, times, seed):
    stage.run(*_pods())
    one = Kubelet(stage, seed)
    while sum(one.counts.values()) < times:
        one.one_more()
    note(f"{sum(one.counts.values())} verdicts of the kubelet itself: "
         + ", ".join(f"{what} {count}" for what, count in sorted(one.counts.items())) + f"; {len(one.texts)} messages; explained: {one.explained}")
    check(not one.differ, "the kubelet and `simulate resize` say the same of every resize, but for what is explained")
    stage.clear()
