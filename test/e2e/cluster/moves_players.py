"""moves_players: the descheduler and elbowroom-rescheduler, each of which gets an hour on a cluster. Both look for crowded nodes (above
50 % of cpu or memory) beside under-utilised ones (below 20 % of both), and for nodes that pods prefer."""
import collections
import json

import moves_world
import ours
from checks import wait
from moves_ground import SYSTEM, happened
from process import Program, free_port, now

POLICY = {
    "apiVersion": "descheduler/v1alpha2", "kind": "DeschedulerPolicy",
    "profiles": [{
        "name": "moves",
        "pluginConfig": [
            {"name": "DefaultEvictor", "args": {"nodeFit": True}},
            {"name": "LowNodeUtilization", "args": {
                "thresholds": {"cpu": moves_world.LOW, "memory": moves_world.LOW},
                "targetThresholds": {"cpu": moves_world.HIGH, "memory": moves_world.HIGH}}},
            {"name": "RemovePodsViolatingNodeAffinity", "args": {
                "nodeAffinityType": ["preferredDuringSchedulingIgnoredDuringExecution"]}}],
        "plugins": {"deschedule": {"enabled": ["RemovePodsViolatingNodeAffinity"]},
                    "balance": {"enabled": ["LowNodeUtilization"]}}}]}
PASSES = 12  # of five minutes

# An hour in six minutes: a move's cool-down of ten minutes is one. Passes are as close as they may be. What is left after the hour is
# moved on for another one at most.
HOUR, MOST = 360.0, 720.0
LIMITS = {"default": {"more": "", "load": ""},
          "wide": {"more": "maxMovesPerHour: 600\nmaxMovesPerNodePerHour: 60\n", "load": ", maxMovesPerPass: 20"}}


def rules(limits):
    """The rescheduler's configuration."""
    more, load = LIMITS[limits]["more"], LIMITS[limits]["load"]
    return ("apiVersion: elbowroom.dev/v1alpha1\nkind: ReschedulerConfiguration\ninterval: 10s\ncoolDown: 1m\n"
            f"{more}policies:\n  underutilizedNode: {{enabled: true, threshold: {moves_world.LOW}, "
            f"target: {moves_world.HIGH}{load}}}\n  affinityPreference: {{enabled: true}}\n")


def _result(ground, since, began):
    events = list(ground.watch.events)
    found = happened(events, since)
    moved = [at for at, kind, pod in events if at >= since and "deletionTimestamp" in pod["metadata"]]
    return {**found, "last_move_seconds": round(max(moved) - began, 1) if moved else 0.0, **ground.measured()}


def descheduler(ground, program, log):
    """Its passes one after the other, each when all that the one before moved has come to rest, until two in turn evict nothing."""
    policy = f"{ground.folder}/policy.json"
    with open(policy, "w", encoding="ascii") as file:
        json.dump(POLICY, file)
    since, by_pass, unsettled = now(), [], 0
    while len(by_pass) < PASSES and by_pass[-2:] != [0, 0]:
        one = ground.programs.start(Program("descheduler", [
            program, "--kubeconfig", ground.person, "--policy-config-file", policy, "--descheduling-interval", "0",
            "--client-connection-qps", "500", "--client-connection-burst", "500",
            "--bind-address", "127.0.0.1", "--secure-port", free_port(), "-v", "1"], log))
        if not wait(lambda one=one: not one.is_running(), 120) or one.child.returncode:
            raise RuntimeError("the descheduler: " + " | ".join(one.last_lines()))
        wait(lambda: False, 0.5)  # the watch tells the last eviction
        unsettled += not ground.settle()
        by_pass.append(happened(list(ground.watch.events), since)["moves"] - sum(by_pass))
    return {**_result(ground, since, since), "by_pass": by_pass, "passes": len(by_pass), "unsettled_passes": unsettled}


def rescheduler(ground, limits, log):
    """Its passes until nothing moves or rests any more; what there was after an hour of them is told too."""
    # Without a record all owners would rest once, as after an installation.
    for name, data in (("elbowroom-rescheduler-rests", {"rests.json": "{}"}),
                       ("elbowroom-rescheduler", {"config.yaml": rules(limits)})):
        ground.api.make(f"{SYSTEM}/configmaps", {"metadata": {"name": name}, "data": data})
    since = now()
    one = ours.rescheduler(ground.build, ground.folder, ground.account)
    one.log = log
    ground.programs.start(one)
    if not wait(one.is_ready, 60):
        raise RuntimeError("elbowroom-rescheduler: " + one.why_not_ready())
    began, quiet, hour = now(), None, None  # `quiet`: the passes by the time that nothing moved or rested
    while now() - began < MOST:
        wait(lambda: False, 1)
        if hour is None and now() - began >= HOUR:
            hour = _result(ground, since, began)
        passes = one.metric("elbowroom_rescheduler_passes_total")
        if one.metric("elbowroom_rescheduler_moves_under_way") or one.metric("elbowroom_rescheduler_resting_owners"):
            quiet = None
        elif quiet is None:
            quiet = passes
        elif passes >= quiet + 3:
            break
    is_at_rest = quiet is not None
    ground.settle()
    found = _result(ground, since, began)
    told = {name: one.metric(f"elbowroom_rescheduler_{name}") for name in (
        "passes_total", "moves_came_back_total", "moves_pending_total", "move_gain_promised_points_total",
        "move_gain_achieved_points_total")}
    kept = _kept(ground, one, found["crowded_nodes"])
    if one.stop() != 0:
        raise RuntimeError("elbowroom-rescheduler: " + " | ".join(one.last_lines()))
    return {**found, "after_hour": hour or found, "is_at_rest": is_at_rest, "seconds": round(now() - began, 1), "passes": int(told["passes_total"]),
            "told": told, "kept": kept}


def _kept(ground, one, crowded):
    """Why the pods of crowded nodes, and those that prefer another node, stay: how many for each reason."""
    why = collections.Counter()
    for pod in ground.watch.pods():
        where = pod["spec"].get("nodeName")
        if where in crowded or "affinity" in pod["spec"]:
            said = (one.explains(f"default/{pod['metadata']['name']}") or {}).get("move", {}).get("why", "no answer")
            why[("crowded: " if where in crowded else "prefers: ") + said] += 1
    return why.most_common(40)
