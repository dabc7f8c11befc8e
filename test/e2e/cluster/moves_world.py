"""moves_world: a random cluster that pays to be spread anew, the same one for the same seed. Nodes of three sizes in three zones; some
are empty, because they were just added or uncordoned, some crowded. Deployments of 1 to 25 pods with cpu and memory apart; some prefer a zone or
a disk, some have a PodDisruptionBudget, and a few of these allow nothing."""
import random

ZONE, DISK = "topology.kubernetes.io/zone", "disk"
MIB = 1 << 20


def _nodes(rng, count):
    sizes = [rng.choice((4, 8, 8, 16)) for _ in range(count)]
    new_zone = rng.choice("abc")  # most of the empty nodes are there
    return [{"name": f"node-{number:02}", "cpu": cpu * 1000, "memory": cpu * 4096, "is_empty": False,
             "labels": {ZONE: rng.choice("abc"), DISK: rng.choice(("ssd", "hdd"))}}
            for number, cpu in enumerate(sizes)], new_zone


def _preferences(rng):
    if rng.random() > 0.4:
        return []
    terms = [(rng.choice((10, 50, 100)), ZONE, rng.choice("abc"))]
    if rng.random() < 0.4:
        terms.append((rng.choice((10, 30, 60)), DISK, rng.choice(("ssd", "hdd"))))
    return terms


def _budget(rng, replicas):
    """maxUnavailable, or None."""
    draw = rng.random()
    if draw < 0.25 and replicas > 1:
        return 1
    return 0 if draw > 0.92 else None


def _deployments(rng, pods, cpu_of_all):
    made, left = [], pods
    while left:
        replicas = min(left, rng.choice((1, 1, 2, 3, 3, 5, 8, 8, 12, 16, 25)))
        cpu = rng.choice((100, 100, 200, 200, 250, 500, 500, 1000))
        made.append({"name": f"app-{len(made):03}", "replicas": replicas, "cpu": cpu,
                     "memory": cpu * rng.choice((1, 2, 4, 4, 6)), "prefers": _preferences(rng),
                     "unavailable": _budget(rng, replicas)})
        left -= replicas
    share = cpu_of_all / sum(one["cpu"] * one["replicas"] for one in made)
    for one in made:
        one["cpu"] = max(10, round(one["cpu"] * share / 10) * 10)
        one["memory"] = max(16, round(one["memory"] * share / 16) * 16)
    return made


def weight_on(prefers, node):
    return sum(weight for weight, key, value in prefers if node["labels"].get(key) == value)


def _place(rng, nodes, deployments):
    """A node for each pod, by Deployment: some nodes attract more than others, preferred ones too."""
    pull = {node["name"]: rng.choice((1, 1, 1, 2)) for node in nodes if not node["is_empty"]}
    used = {name: [0, 0] for name in pull}
    places = {one["name"]: [] for one in deployments}
    pods = [one for one in deployments for _ in range(one["replicas"])]
    rng.shuffle(pods)
    for one in pods:
        fitting = [node for node in nodes if node["name"] in pull
                   and used[node["name"]][0] + one["cpu"] <= 0.95 * node["cpu"]
                   and used[node["name"]][1] + one["memory"] <= 0.95 * node["memory"]]
        if not fitting:
            raise ValueError("no room")
        node = rng.choices(fitting, [pull[node["name"]] * node["cpu"] * (
            3 if one["prefers"] and weight_on(one["prefers"], node) else 1) for node in fitting])[0]
        used[node["name"]][0] += one["cpu"]
        used[node["name"]][1] += one["memory"]
        places[one["name"]].append(node["name"])
    return places


def world(seed, node_count=50, pods=500):
    """{nodes, deployments, places}: places has, by Deployment, the node of each of its pods. Amounts are in millicores and MiB."""
    rng = random.Random(f"moves {seed}")
    while True:
        nodes, new_zone = _nodes(rng, node_count)
        order = sorted(nodes, key=lambda node: (node["labels"][ZONE] != new_zone) + rng.random())
        for node in order[:rng.randint(node_count // 16, node_count // 4)]:
            node["is_empty"] = True
        deployments = _deployments(rng, pods, rng.uniform(0.28, 0.46) * sum(node["cpu"] for node in nodes))
        try:
            return {"nodes": nodes, "deployments": deployments, "places": _place(rng, nodes, deployments)}
        except ValueError:
            continue


# ---- how good it is ----

LOW, HIGH = 20, 50


def measure(of, node_of):
    """What `node_of`, the node (or "") of each pod by Deployment, comes to: the standard deviation of the requested share of cpu over the
    nodes in percent points, crowded and under-utilised nodes, achieved weights as a percentage of all, pods without a node."""
    nodes = {node["name"]: node for node in of["nodes"]}
    used = {name: [0, 0] for name in nodes}
    achieved = wanted = without = 0
    for one in of["deployments"]:
        for name in node_of.get(one["name"], []):
            wanted += sum(weight for weight, _, _ in one["prefers"])
            if not name:
                without += 1
                continue
            used[name][0] += one["cpu"]
            used[name][1] += one["memory"]
            achieved += weight_on(one["prefers"], nodes[name])
    shares = {name: (100 * used[name][0] / node["cpu"], 100 * used[name][1] / node["memory"])
              for name, node in nodes.items()}
    cpu = [share[0] for share in shares.values()]
    mean = sum(cpu) / len(cpu)
    return {"spread": round((sum((each - mean) ** 2 for each in cpu) / len(cpu)) ** 0.5, 2),
            "crowded": sum(max(share) > HIGH for share in shares.values()),
            "over": round(sum(max(0, max(share) - HIGH) for share in shares.values()), 1),
            "underutilized": sum(max(share) < LOW for share in shares.values()),
            "preference": round(100 * achieved / wanted, 2) if wanted else 100.0, "without_node": without,
            "crowded_nodes": sorted(name for name, share in shares.items() if max(share) > HIGH)}


if __name__ == "__main__":
    for number in range(1, 21):
        cluster = world(number)
        found = measure(cluster, cluster["places"])
        print(number, len(cluster["deployments"]), sum(node["is_empty"] for node in cluster["nodes"]), found)
