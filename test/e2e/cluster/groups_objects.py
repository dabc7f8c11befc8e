"""groups_objects: pod groups and their members as the suite `groups` writes them."""
from objects import pod

GROUPS = "/apis/scheduling.k8s.io/{version}/namespaces/default/podgroups"
OURS = "elbowroom"


def group(name, least=None, mode=None, priority=None, version="v1beta1", **more):
    """A gang, with `least` for its minCount; without it a group of the basic policy."""
    policy = {"gang": {"minCount": least}} if least else {"basic": {}}
    spec = {"schedulingPolicy": policy, **({"disruptionMode": {mode: {}}} if mode else {}),
            **({"priorityClassName": priority} if priority else {}), **more}
    return {"apiVersion": f"scheduling.k8s.io/{version}", "kind": "PodGroup", "metadata": {"name": name}, "spec": spec}


def member(name, of, cpu="1", priority=None, node=None, scheduler=OURS, **more):
    return pod(name, node, cpu, priority, scheduler=scheduler,
               more={"schedulingGroup": {"podGroupName": of}}, **more)


def members(of, count, cpu="1", priority=None, **more):
    return [member(f"{of}-{number}", of, cpu, priority, **more) for number in range(count)]
