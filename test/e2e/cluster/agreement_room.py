"""agreement_room: the part of a node's score that depends on the room that is used there, as kube-scheduler 1.37 computes
it (noderesources, least allocated and balanced allocation), and with what docs/differences.md says that we do otherwise."""

DEFAULTS = (100, 200 << 20)  # what a container, or by our rules a pod, counts with where it requests nothing
SUFFIXES = {"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}


def amounts(listed):
    """(millicores, bytes) of a list of resources."""
    cpu, memory = str(listed.get("cpu", "0")), str(listed.get("memory", "0"))
    scale = SUFFIXES.get(memory[-2:], 1)
    return (int(cpu[:-1]) if cpu.endswith("m") else int(cpu) * 1000,
            int(memory.removesuffix(memory[-2:]) if scale > 1 else memory) * scale)


def _container(one, defaults):
    return tuple(figure or least for figure, least in zip(amounts(one["resources"].get("requests", {})), defaults))


def request(spec, defaults=(0, 0)):
    """(millicores, bytes) that a pod requests; a container that requests nothing does so with `defaults`."""
    sidecars, most = (0, 0), (0, 0)
    for one in spec.get("initContainers", []):
        own = _container(one, defaults)
        with_it = (sidecars[0] + own[0], sidecars[1] + own[1])
        if one.get("restartPolicy") == "Always":
            sidecars = with_it
        most = (max(most[0], with_it[0]), max(most[1], with_it[1]))
    apps = [_container(one, defaults) for one in spec["containers"]]
    total = [max(most[i], sidecars[i] + sum(one[i] for one in apps)) for i in range(2)]
    whole = spec.get("resources", {}).get("requests", {})
    for i, name in enumerate(("cpu", "memory")):
        if name in whole:
            total[i] = amounts(whole)[i]
    more = amounts(spec.get("overhead", {}))
    return total[0] + more[0], total[1] + more[1]


def counted(spec, by_container):
    """What least allocated counts a pod with."""
    if by_container:
        return request(spec, DEFAULTS)
    return tuple(figure or least for figure, least in zip(request(spec), DEFAULTS))


def _alike(used, all_of, in_billionths):
    """Of two resources, 50 to 100."""
    if in_billionths:
        shares = [min(one * 10**9 // whole, 10**9) for one, whole in zip(used, all_of)]
        return (2 * 10**9 - abs(shares[0] - shares[1])) * 100 // (2 * 10**9)
    shares = [min(one / whole, 1.0) for one, whole in zip(used, all_of)]
    return int((1 - abs((shares[0] - shares[1]) / 2)) * 100)


class Rules:
    """`by_container`: a container that requests nothing counts with DEFAULTS, not the pod. `in_floats`: in floating point."""

    def __init__(self, by_container=False, in_floats=False):
        self.by_container, self.in_floats = by_container, in_floats


OURS = Rules()


def score(node, pods, web, rules):
    """Of a node with cpu and memory, for the pod `web`; `pods`: the specs of those that are there."""
    all_of = amounts(node["status"]["allocatable"])
    used = [sum(figures) for figures in
            zip(counted(web, rules.by_container), *(counted(one, rules.by_container) for one in pods))]
    least = sum((all_of[i] - used[i]) * 100 // all_of[i] if used[i] < all_of[i] else 0 for i in range(2)) // 2
    asks = request(web)
    if asks == (0, 0):
        return least
    without = [sum(figures) for figures in zip((0, 0), *(request(one) for one in pods))]
    alike = [_alike([without[i] + times * asks[i] for i in range(2)], all_of, not rules.in_floats) for times in (1, 0)]
    return least + 50 + (50 + alike[0] - alike[1]) // 2


def best(objects, scores, rules):
    """The nodes of the highest score if the room counted so, `scores` being ours of the nodes that fit."""
    specs = {one["metadata"]["name"]: one["spec"] for one in objects["items"] if one["kind"] == "Pod"}
    nodes = {one["metadata"]["name"]: one for one in objects["items"] if one["kind"] == "Node"}
    changed = {}
    for name, ours in scores.items():
        there = [spec for spec in specs.values() if spec.get("nodeName") == name]
        parts = [score(nodes[name], there, specs["web"], how) for how in (OURS, rules)]
        changed[name] = ours - parts[0] + parts[1]
    return {name for name, figure in changed.items() if figure == max(changed.values())}
