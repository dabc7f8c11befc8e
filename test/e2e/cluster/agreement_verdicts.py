"""agreement_verdicts: random resizes of pods on the real kubelet, and what `elbowroom simulate resize --set` said of
each just before: the same verdict, and for Deferred the same reason and message. Each
resize is compared when the one before it is actual, so nothing is under way that the input does not show."""
import json
import random
import subprocess

from api import STRATEGIC, conditions
from checks import check, note, wait
from objects import NAMESPACE, path, pod
from stage import NODE
from timeline import container

MI = 1 << 20
NAMES = ["a", "b", "c", "web"]


def _millicores(text):
    return int(text[:-1]) if text.endswith("m") else int(text) * 1000


def _figures(one):
    """(cpu in millicores, memory as written) that the node has allocated to the pod's container."""
    figures = container(one).get("allocatedResources", {})
    return figures.get("cpu"), figures.get("memory")


def _is_settled(one):
    return not {"PodResizePending", "PodResizeInProgress"} & set(conditions(one)) and container(one).get(
        "resources", {}).get("requests") == one["spec"]["containers"][0]["resources"]["requests"]


class Kubelets:
    """One real node, asked of resizes one after the other."""

    def __init__(self, stage, seed):
        self.stage, self.dice = stage, random.Random(seed)
        self.counts, self.differ = {}, []

    def dump(self):
        things = [{"apiVersion": "v1", "kind": "Node", **self.stage.admin.get(f"/api/v1/nodes/{NODE}")}]
        things += [{"apiVersion": "v1", "kind": "Pod", **one}
                   for one in self.stage.admin.get(f"{NAMESPACE}/pods")["items"]]
        return json.dumps({"apiVersion": "v1", "kind": "List", "items": things})

    def simulate(self, name, cpu, memory):
        done = subprocess.run([f"{self.stage.build}/bin/elbowroom", "simulate", "resize", "-f", "-", f"default/{name}",
                               "--set", f"app:cpu={cpu}m,app:memory={memory}Mi", "-o", "json"], input=self.dump(),
                              capture_output=True, text=True, check=False)
        if done.returncode:
            return f"exit status {done.returncode}", done.stderr.strip()
        said = json.loads(done.stdout)
        return said["verdict"], said["message"]

    def ask(self, name, cpu, memory):
        """The kubelet's verdict, or the server's before it."""
        change = {"spec": {"containers": [{"name": "app", "resources": {"requests": {
            "cpu": f"{cpu}m", "memory": f"{memory}Mi"}}}]}}
        status, said = self.stage.admin.call("PATCH", path(name) + "/resize", change, STRATEGIC)
        if status == 403:
            return "Infeasible", "refused by the server: " + said["message"]
        if status != 200:
            return f"status {status}", said.get("message")
        generation = said["metadata"]["generation"]
        return wait(lambda: self.heard(name, generation), 30) or ("nothing", "")

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
            cpu, memory = _figures(one)
            change = {"spec": {"containers": [{"name": "app", "resources": {"requests": {"cpu": cpu, "memory": memory}}}]}}
            self.stage.admin.patch(path(name) + "/resize", change, STRATEGIC)
        return wait(lambda: _is_settled(self.stage.pod(name)), 30)

    def one_more(self):
        name = self.dice.choice(NAMES)
        cpu = self.dice.choice([self.dice.randrange(1, 21) * 50, self.dice.randrange(10, 42) * 50])
        memory = self.dice.choice([32, 64, 128, 4096, 8192, 16384, 30000])
        before = self.stage.pod(name)
        was = (_millicores(_figures(before)[0]), _figures(before)[1])
        if was[0] == cpu and was[1] == f"{memory}Mi":
            return
        ours, message = self.simulate(name, cpu, memory)
        theirs, their_message = self.ask(name, cpu, memory)
        self.counts[theirs] = self.counts.get(theirs, 0) + 1
        is_refused = their_message.startswith("refused by the server")
        if ours != theirs or (message != their_message and not is_refused and theirs == "Deferred"):
            self.differ.append(f"{name} to {cpu}m, {memory}Mi: the kubelet {theirs} {their_message!r}, ours {ours} {message!r}")
        if is_refused:
            self.counts["of these refused by the server"] = self.counts.get("of these refused by the server", 0) + 1
        self.settle(name)


def play(stage, times=120, seed=1):
    stage.run(*[pod(name, NODE, cpu, memory="64Mi") for name, cpu in zip(NAMES, ["300m", "400m", "500m", "300m"])])
    one = Kubelets(stage, seed)
    asked = 0
    for _ in range(times):
        one.one_more()
    asked = sum(times for what, times in one.counts.items() if not what.startswith("of these"))
    note(f"{asked} resizes: " + ", ".join(f"{what} {times}" for what, times in sorted(one.counts.items())))
    for line in one.differ:
        note(line)
    check(asked >= 100 and not one.differ, "the kubelet and `simulate resize` say the same of every resize")
    stage.clear()
