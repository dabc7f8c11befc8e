"""The end state of a scenario: as the API server has it, as virtual time has it, and how the two differ. Without I/O."""
import collections
import fractions
import re

HOUSEKEEPING = {"Initialized", "ContainersReady", "Ready", "PodScheduled", "PodReadyToStartContainers"}
POD_LEVEL = ("cpu", "memory")
SUFFIX = {"": 1, "m": fractions.Fraction(1, 1000), "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15,
          "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50}


def number(quantity):
    """A Kubernetes quantity as an exact number."""
    if isinstance(quantity, fractions.Fraction):
        return quantity
    figure, suffix = re.fullmatch(r"([0-9.]+(?:e[0-9]+)?)([A-Za-z]*)", str(quantity)).groups()
    return fractions.Fraction(fractions.Fraction(figure) * SUFFIX[suffix])


def amounts(resources):
    return {name: number(amount) for name, amount in (resources or {}).items() if number(amount)}


def summed(first, second):
    return {name: first.get(name, 0) + second.get(name, 0) for name in first.keys() | second.keys()}


def greater(first, second):
    return {name: max(first.get(name, 0), second.get(name, 0)) for name in first.keys() | second.keys()}


def total(pod, of_container, of_pod):
    """Upstream's sum of requests: containers and sidecars, at least every init step; pod-level figures replace it."""
    running, steps = {}, {}
    for container in pod["spec"].get("initContainers", []):
        if container.get("restartPolicy") == "Always":
            running = summed(running, of_container(container))
            steps = greater(steps, running)
        else:
            steps = greater(steps, summed(running, of_container(container)))
    for container in pod["spec"]["containers"]:
        running = summed(running, of_container(container))
    sum_of_all = greater(running, steps)
    sum_of_all.update({name: amount for name, amount in (of_pod or {}).items() if name in POD_LEVEL})
    return amounts(summed(sum_of_all, amounts(pod["spec"].get("overhead"))))


def requests(pod):
    status = pod.get("status", {})
    by_name = {each["name"]: each for field in ("containerStatuses", "initContainerStatuses") for each in status.get(field, [])}
    pending = next((each for each in status.get("conditions", []) if each["type"] == "PodResizePending"), {})
    is_infeasible = pending.get("reason") == "Infeasible"

    def desired(container):
        return amounts(container.get("resources", {}).get("requests"))

    def allocated(container):
        known = by_name.get(container["name"], {})
        if "allocatedResources" in known:
            return amounts(known["allocatedResources"])
        return {} if is_infeasible else desired(container)

    def actual(container):
        resources = by_name.get(container["name"], {}).get("resources") or {}
        return amounts(resources["requests"]) if "requests" in resources else allocated(container)

    level = amounts(pod["spec"].get("resources", {}).get("requests"))
    level_allocated = amounts(status["allocatedResources"]) if "allocatedResources" in status else level
    level_actual = amounts(status["resources"].get("requests")) if status.get("resources") else level_allocated
    return {"desired": total(pod, desired, level),
            "allocated": total(pod, allocated, level_allocated if level else None),
            "actual": total(pod, actual, level_actual if level else None)}


def live_pod(pod):
    """What the final state of a Timeline says of a pod, of an object of the API server."""
    status = pod.get("status", {})
    phase = status.get("phase", "Pending")
    has_ended = phase in ("Succeeded", "Failed")
    conditions = {each["type"]: (each["status"], each.get("reason", "")) for each in status.get("conditions", [])
                  if each["type"] not in HOUSEKEEPING or not (each["status"] == "True" or has_ended)}
    return {"phase": phase, "node": pod["spec"].get("nodeName", ""), "nominatedNode": status.get("nominatedNodeName", ""),
            "requests": requests(pod), "conditions": conditions}


def virtual_pod(pod):
    return {"phase": pod["phase"], "node": pod["node"], "nominatedNode": pod["nominatedNode"],
            "requests": {kind: amounts(pod["requests"][kind]) for kind in ("desired", "allocated", "actual")},
            "conditions": {each["type"]: (each["status"], each["reason"]) for each in pod["conditions"]}}


def without_letters(pods, named):
    """The pods by name; those that a controller named lose the letters at the end, which depend on the run."""
    groups = collections.defaultdict(list)
    for name, pod in pods.items():
        is_made = name not in named and re.search(r"-[bcdfghjklmnpqrstvwxz2456789]{5}$", name)
        groups[name[:-5] + "*" if is_made else name].append(pod)
    return {name + (f"#{i}" if name.endswith("*") else ""): pod
            for name, group in groups.items() for i, pod in enumerate(sorted(group, key=repr))}


def pod_differences(name, live, virtual):
    if live is None or virtual is None:
        return [f"{name}: {'does not exist' if live is None else 'exists'}"]
    found = [f"{name}: {field} is {live[field] or 'empty'}, not {virtual[field] or 'empty'}"
             for field in ("phase", "node", "nominatedNode") if live[field] != virtual[field]]
    for kind in ("desired", "allocated", "actual"):
        is_there, wanted = live["requests"][kind], virtual["requests"][kind]
        found += [f"{name}: {kind} {resource} is {float(is_there.get(resource, 0)):g}, not {float(wanted.get(resource, 0)):g}"
                  for resource in sorted(is_there.keys() | wanted.keys()) if is_there.get(resource) != wanted.get(resource)]
    for kind in sorted(live["conditions"].keys() | virtual["conditions"].keys()):
        is_there, wanted = live["conditions"].get(kind), virtual["conditions"].get(kind)
        if is_there != wanted:
            found.append(f"{name}: condition {kind} is {'/'.join(is_there or ['absent'])}, not {'/'.join(wanted or ['absent'])}")
    return found


def differences(live, virtual, named=()):
    """Of two end states {"pods": {name: pod}, "victims": {preemptor: set of names}}; a list of lines, empty where none is."""
    is_there, wanted = without_letters(live["pods"], named), without_letters(virtual["pods"], named)
    found = []
    for name in sorted(is_there.keys() | wanted.keys()):
        found += pod_differences(name, is_there.get(name), wanted.get(name))
    for name in sorted(live["victims"].keys() | virtual["victims"].keys()):
        is_there, wanted = live["victims"].get(name, set()), virtual["victims"].get(name, set())
        if is_there != wanted:
            found.append(f"{name}: its victims are {sorted(is_there) or 'none'}, not {sorted(wanted) or 'none'}")
    return found


def virtual_state(timeline):
    """The end state of a Timeline document."""
    victims = collections.defaultdict(set)
    for event in timeline["events"]:
        if event["victims"]:
            victims[event["pod"]] |= set(event["victims"])
    return {"pods": {pod["pod"]: virtual_pod(pod) for pod in timeline["final"]["pods"]}, "victims": dict(victims)}


MARK = re.compile(r"\(for uid (.*), generation ([0-9]+)\)$")


def preemptor_uid(pod):
    """The uid of the pod or group that this terminating pod makes room for; None: it leaves for another reason."""
    if not pod["metadata"].get("deletionTimestamp"):
        return None
    for condition in pod.get("status", {}).get("conditions", []):
        if condition["type"] == "DisruptionTarget" and condition["status"] == "True":
            mark = MARK.search(condition.get("message", ""))
            return mark.group(1) if mark else None
    return None
