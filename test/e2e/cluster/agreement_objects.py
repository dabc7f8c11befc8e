"""agreement_objects: what the random clusters of the agreement suite are made of, and what is read back of them. No
kubelet runs the pods, so their status is what a world writes."""
import json
import subprocess
import time

from api import conditions
from objects import budget


def stamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def requests(cpu, memory):
    """Of millicores and bytes; what is 0 is left out."""
    return {**({"cpu": f"{cpu}m"} if cpu else {}), **({"memory": str(memory)} if memory else {})}


def pod(world, name, size, priority_class, node=None, labels=None):
    spec = {"priorityClassName": priority_class, "automountServiceAccountToken": False,
            "terminationGracePeriodSeconds": 3600,
            "containers": [{"name": "app", "image": "localhost/busybox:test",
                            "resources": {"requests": requests(*size)} if any(size) else {}}],
            **({"nodeName": node} if node else {})}
    return {"apiVersion": "v1", "kind": "Pod", "spec": spec,
            "metadata": {"name": name, "namespace": world.namespace, "labels": labels or {}}}


def budgets(dice):
    """[(budget, status)]: for each label that pods may have, one or none."""
    made = []
    for app in "abc":
        if dice.random() < 0.3:
            allowed = dice.choice([0, 0, 1, 2])
            made.append((budget(f"budget-{app}", 0, {"app": app}),
                         {"disruptionsAllowed": allowed, "currentHealthy": 3, "desiredHealthy": 3 - allowed,
                          "expectedPods": 3, "observedGeneration": 1}))
    return made


def place(world, kind="pods", group="api/v1"):
    return f"/{group}/namespaces/{world.namespace}/{kind}"


def budget_place(world):
    return place(world, "poddisruptionbudgets", "apis/policy/v1")


def make_surroundings(api, world, nodes):
    """The namespace, the nodes and the budgets of a world."""
    api.make("/api/v1/namespaces", {"metadata": {"name": world.namespace}})
    for node in nodes:
        api.make("/api/v1/nodes", node)
    for thing, status in world.budgets:
        api.make(budget_place(world), thing)
        api.patch(f"{budget_place(world)}/{thing['metadata']['name']}/status", {"status": status})


def objects_of(api, world, node_names):
    """A List of all there is of a world now."""
    items = [{"apiVersion": "v1", "kind": "Pod", **one} for one in api.get(place(world))["items"]]
    items += [{"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", **one}
              for one in api.get(budget_place(world))["items"]]
    items += [{"apiVersion": "v1", "kind": "Node", **api.get(f"/api/v1/nodes/{name}")} for name in node_names]
    return {"apiVersion": "v1", "kind": "List", "items": items}


def preempted(pods):
    """The names of the pods that kube-scheduler preempted."""
    return {one["metadata"]["name"] for one in pods
            if conditions(one).get("DisruptionTarget", {}).get("reason") == "PreemptionByScheduler"}


def simulated(build, folder, world, what, objects, about=None):
    """What `elbowroom simulate WHAT` says `about` those words, by default the world's pod web, or None; and why there is
    no answer."""
    path = f"{folder}/{world.namespace}.json"
    with open(path, "w", encoding="utf-8") as file:
        json.dump(objects, file)
    done = subprocess.run([f"{build}/bin/elbowroom", "simulate", what, "-f", path,
                           *(about or [f"{world.namespace}/web"]), "--rules", "upstream", "-o", "json"], capture_output=True, text=True, check=False)
    if done.returncode:
        return None, f"exit status {done.returncode}: {done.stderr.strip()}"
    return json.loads(done.stdout), ""


def names_of(victims):
    """Of the victims as `simulate` names them, NAMESPACE/NAME."""
    return {one["pod"].split("/")[1] for one in victims}
