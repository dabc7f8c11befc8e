"""suite_agreement.py BUILD BINARIES KUBECTL [CASES [SEED [PART...]]]: random small clusters asked of kube-scheduler and of
`elbowroom simulate resize --rules upstream`: the same victims on the same node; others with a pending pod, and with pod
groups and a pending pod or group, of it and of `simulate schedule`; others where the scores of nodes decide; then random
resizes asked of the kubelet. Parts: resizes, pending, scores, groups, verdicts. Every cluster has nodes and a
namespace of its own in one server; all stand still until kube-scheduler is started, and what it marked is compared with
what we say of the objects as they stood."""
import collections
import contextlib
import copy
import os
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import agreement_groups
import agreement_pending
import agreement_scores
import agreement_verdicts
import agreement_worlds
import kubelet
from agreement_objects import make_surroundings, names_of, objects_of, place, preempted, requests, simulated
from api import STRATEGIC, conditions
from checks import check, conclude, note, title, wait
from control_plane import RESIZE_GATE, ControlPlane
from process import now
from stage import Stage

GROUP_GATES = ["GenericWorkload=true", "PodGroupPreemptionPolicy=true"]
QUIET = 6.0  # seconds without a change after which kube-scheduler has decided everything


def build_world(api, world):
    make_surroundings(api, world, [world.node()])
    for pod in world.pods:
        name = pod["metadata"]["name"]
        api.make(place(world), pod)
        desired, status = world.statuses[name]
        if desired:
            api.patch(f"{place(world)}/{name}/resize", {"spec": {"containers": [
                {"name": "app", "resources": {"requests": requests(*desired)}}]}}, STRATEGIC)
        api.patch(f"{place(world)}/{name}/status", {"status": status}, STRATEGIC)
        if name in world.terminating:
            api.delete(f"{place(world)}/{name}")


def our_answer(build, folder, world, objects):
    """(verdict, victims); (None, why not) where there is no answer."""
    said, why_not = simulated(build, folder, world, "resize", objects)
    if said is None:
        return None, why_not
    return said["verdict"], names_of(said["preemption"]["victims"])


def their_answer(api, world):
    return preempted(api.get(place(world))["items"])


@contextlib.contextmanager
def server(binaries, gates=(), group_versions=()):
    """(folder, control plane) with everything but a scheduler, removed afterwards."""
    folder = tempfile.mkdtemp(prefix="elbowroom-agreement-", dir="/tmp")
    plane = ControlPlane(f"{folder}/plane", binaries, gates, group_versions, is_durable=False)
    try:
        plane.start()
        for one in agreement_worlds.classes():
            plane.admin.make("/apis/scheduling.k8s.io/v1/priorityclasses", one)
        yield folder, plane
    finally:
        plane.stop()
        if os.environ.get("ELBOWROOM_KEEP"):
            note(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


def made(kind, cases, seed, build):
    """That many worlds of the kind, built."""
    worlds = [kind(int(seed) * 1_000_000 + number) for number in range(int(cases))]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(build, worlds))
    return worlds


def is_quiet(api, last):
    """Whether nothing has been marked or deleted for QUIET seconds. `last`: [marked, since when]."""
    pods = api.get("/api/v1/pods")["items"]
    marked = sum("DisruptionTarget" in conditions(one) for one in pods)
    if marked != last[0]:
        last[:] = [marked, now()]
    return now() - last[1] > QUIET


def victims(build, binaries, cases, seed):
    title(f"agreement: {cases} random clusters, seed {seed}, asked of kube-scheduler and of `simulate`")
    with server(binaries, [f"{RESIZE_GATE}=true"]) as (folder, plane):
        api = plane.admin
        worlds = made(agreement_worlds.World, cases, seed, lambda world: build_world(api, world))
        stood = {world.seed: objects_of(api, world, [world.node_name]) for world in worlds}
        plane.start_scheduler(qps=5000)
        wait(lambda last=[0, now() + QUIET]: is_quiet(api, last), 300)
        compare(build, folder, api, worlds, stood)


def pending(build, binaries, cases, seed):
    if not agreement_pending.is_there(build):
        title("agreement of pending pods: skipped: these programs have no `simulate schedule`")
        return
    title(f"agreement: {cases} random clusters with a pending pod, seed {seed}, asked of kube-scheduler and of `simulate`")
    with server(binaries) as (folder, plane):
        api = plane.admin
        worlds = made(agreement_pending.Pending, cases, seed, lambda world: world.build(api))
        stood = {world.seed: world.objects(api) for world in worlds}
        plane.start_scheduler(qps=5000)
        wait(lambda: agreement_pending.is_settled(api), 300)
        wait(lambda last=[0, now()]: is_quiet(api, last), 300)
        differ = agreement_pending.differences(build, folder, api, worlds, stood)
        for line in differ:
            note(line)
        check(not differ, "kube-scheduler and `simulate schedule --rules upstream` say the same of every pending pod")


def scores(build, binaries, cases, seed):
    if not agreement_pending.is_there(build):
        title("agreement of scores: skipped: these programs have no `simulate schedule`")
        return
    title(f"agreement: {cases} random clusters where the score of nodes decides, seed {seed}, asked of kube-scheduler and "
          "of `simulate`")
    with server(binaries) as (folder, plane):
        api = plane.admin
        worlds = made(agreement_scores.Scored, cases, seed, lambda world: world.build(api))
        stood = {world.seed: world.objects(api) for world in worlds}
        plane.start_scheduler(qps=5000)
        wait(lambda: agreement_scores.is_settled(api, worlds), 300)
        differ = agreement_scores.differences(build, folder, api, worlds, stood)
        for line in differ:
            note(line)
        check(not differ, "kube-scheduler takes a node that scores best with us")


def groups(build, binaries, cases, seed):
    """With a pod as preemptor `cases` of them, with a group half as many; each in a server of its own, as a group looks
    at all nodes there are."""
    for is_gang, count in ((False, int(cases)), (True, int(cases) // 2)):
        title(f"agreement: {count} random clusters with pod groups and a pending {'group' if is_gang else 'pod'}, "
              f"seed {seed}, asked of kube-scheduler and of `simulate`")
        with server(binaries, GROUP_GATES, (agreement_groups.VERSION,)) as (folder, plane):
            api = plane.admin
            worlds = made(lambda number, is_gang=is_gang: agreement_groups.Grouped(number, is_gang), count, seed,
                          lambda world: world.build(api))
            stood = {world.seed: world.objects(api) for world in worlds}
            plane.start_scheduler(qps=5000)
            if is_gang:
                check(agreement_groups.is_up(api), "kube-scheduler places pods")
                with ThreadPoolExecutor(4) as pool:
                    list(pool.map(lambda world: world.complete(api), worlds))
                stood = {world.seed: world.with_late_ones(stood[world.seed]) for world in worlds}
            wait(lambda: agreement_groups.is_settled(api), 300)
            wait(lambda last=[0, now()]: is_quiet(api, last), 300)
            differ = agreement_groups.differences(build, folder, api, worlds, stood)
            for line in differ:
                note(line)
            check(not differ, "kube-scheduler and `simulate schedule --rules upstream` say the same of every pending "
                  + ("group" if is_gang else "pod"))


def verdicts(build, binaries, kubectl, seed):
    if kubelet.why_not():
        title(f"agreement with the kubelet: skipped: {kubelet.why_not()}")
        return
    title("agreement: random resizes, asked of the kubelet and of `simulate`")
    with Stage(build, binaries, kubectl) as stage:
        if stage.start_kubelet():
            agreement_verdicts.play(stage, seed=int(seed))


PARTS = {"resizes": lambda build, binaries, kubectl, cases, seed: victims(build, binaries, cases, seed),
         "pending": lambda build, binaries, kubectl, cases, seed: pending(build, binaries, cases, seed),
         "scores": lambda build, binaries, kubectl, cases, seed: scores(build, binaries, cases, seed),
         "groups": lambda build, binaries, kubectl, cases, seed: groups(build, binaries, cases, seed),
         "verdicts": lambda build, binaries, kubectl, cases, seed: verdicts(build, binaries, kubectl, seed)}


def main(build, binaries, kubectl, cases="320", seed="1", *parts):
    for part in parts or PARTS:
        PARTS[part](build, binaries, kubectl, cases, seed)
    conclude()


def with_wishes_held(objects):
    """The same cluster, where every pod holds what it requested, unless that is Infeasible."""
    changed = copy.deepcopy(objects)
    for one in changed["items"]:
        if one["kind"] == "Pod" and one["metadata"]["name"] != "web" and conditions(one).get(
                "PodResizePending", {}).get("reason") != "Infeasible":
            wish = one["spec"]["containers"][0]["resources"].get("requests", {})
            one["status"]["containerStatuses"][0] |= {"allocatedResources": wish, "resources": {"requests": wish}}
    return changed


def with_all_raised(objects, world):
    """The same cluster, where web raises every resource that it does not shrink: its charge is the same."""
    changed = copy.deepcopy(objects)
    web = next(one for one in changed["items"] if one["kind"] == "Pod" and one["metadata"]["name"] == "web")
    figures = web["status"]["containerStatuses"][0]
    for name, (wants, has), least in zip(("cpu", "memory"), zip(*world.web_sizes), ("1m", "1")):
        if wants >= has and name in figures["allocatedResources"]:
            figures["allocatedResources"][name] = figures["resources"]["requests"][name] = least
    return changed


def why_it_differs(build, folder, world, objects, theirs):
    """Upstream removes pods for a resize that fits: what for, or "" where none of the known reasons holds. `--rules
    upstream` does not follow it there, as the verdict is always ours."""
    if our_answer(build, folder, world, with_wishes_held(objects)) == ("Deferred", theirs):
        return "takes what others wish for used"
    if our_answer(build, folder, world, with_all_raised(with_wishes_held(objects), world)) == ("Deferred", theirs):
        return "wants room, too, for what the resize does not raise, with what others wish taken for used"
    others = {one["metadata"]["name"]: one["spec"]["priority"] for one in objects["items"] if one["kind"] == "Pod"}
    if len(others) == world.limit and len(theirs) == 1 and others[min(theirs)] < others["web"]:
        return "counts the pod's own slot twice"
    return ""


def compare(build, folder, api, worlds, stood):
    same, with_victims, known, differ = 0, 0, collections.Counter(), []
    for world in worlds:
        verdict, ours = our_answer(build, folder, world, stood[world.seed])
        theirs = their_answer(api, world)
        # A pod that was already terminating is a victim without a mark, as nothing more is done to it.
        if verdict and ours - set(world.terminating) == theirs:
            same += 1
            with_victims += bool(theirs)
        elif verdict == "Allocated" and (why := why_it_differs(build, folder, world, stood[world.seed], theirs)):
            known[why] += 1
        else:
            differ.append(f"{world.namespace}: kube-scheduler {sorted(theirs)}, ours {verdict} {ours}")
    note(f"{same} of {len(worlds)} are the same, {with_victims} of them with victims")
    for why, times in sorted(known.items()):
        note(f"{times} more: kube-scheduler removes pods for a resize that fits, as it {why}")
    for line in differ:
        note(line)
    check(not differ, "kube-scheduler and `simulate resize --rules upstream` name the same victims in every other case")


if __name__ == "__main__":
    main(*sys.argv[1:])
