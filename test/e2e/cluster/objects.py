"""objects: pods, nodes and budgets as the suites write them. A pod runs busybox from
the image that containerd.sh makes on the spot, so nothing is pulled."""

STUBBORN = ["/bin/sh", "-c", "trap '' TERM; while :; do sleep 1; done"]
OBEDIENT = ["/bin/sh", "-c", "trap 'exit 0' TERM; while :; do sleep 100000 & wait $!; kill $!; done"]
NAMESPACE = "/api/v1/namespaces/default"


def resources(cpu, memory=None, limit=None, memory_limit=None):
    requests = {"cpu": cpu, **({"memory": memory} if memory else {})}
    limits = {**({"cpu": limit} if limit else {}), **({"memory": memory_limit} if memory_limit else {})}
    return {"requests": requests, **({"limits": limits} if limits else {})}


def pod(name, node=None, cpu="100m", priority=None, command=None, grace=5, labels=None, scheduler=None, more=None,
        **sizes):
    spec = {"terminationGracePeriodSeconds": grace, "automountServiceAccountToken": False,
            "tolerations": [{"operator": "Exists"}],
            "containers": [{"name": "app", "image": "localhost/busybox:test", "imagePullPolicy": "Never",
                            "command": command or OBEDIENT, "resources": resources(cpu, **sizes)}]}
    if node:
        spec["nodeName"] = node
    if priority:
        spec["priorityClassName"] = priority
    if scheduler:
        spec["schedulerName"] = scheduler
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels or {}},
            "spec": {**spec, **(more or {})}}


def fake_node(name, cpu="4", memory="16Gi", pods="110"):
    amounts = {"cpu": cpu, "memory": memory, "pods": pods}
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
            "status": {"capacity": amounts, "allocatable": amounts,
                       "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}],
                       "declaredFeatures": ["InPlacePodLevelResourcesVerticalScaling",
                                            "InPlacePodVerticalScalingInitContainers"]}}


def priority_class(name, value, policy=None):
    return {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value,
            **({"preemptionPolicy": policy} if policy else {})}


def budget(name, least, labels):
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name},
            "spec": {"minAvailable": least, "selector": {"matchLabels": labels}}}


CLASSES = [priority_class("low", 10), priority_class("middle", 500), priority_class("high", 1000),
           priority_class("high-never", 1000, "Never")]


def make_classes(api):
    for one in CLASSES:
        api.make("/apis/scheduling.k8s.io/v1/priorityclasses", one)


def path(name):
    return f"{NAMESPACE}/pods/{name}"


def resize(api, name, cpu, container="app", **sizes):
    """(status, answer) of a write to pods/resize."""
    from api import STRATEGIC
    body = {"spec": {"containers": [{"name": container, "resources": resources(cpu, **sizes)}]}}
    return api.call("PATCH", path(name) + "/resize", body, STRATEGIC)
