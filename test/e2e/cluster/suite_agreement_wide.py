"""suite_agreement_wide.py BUILD BINARIES KUBECTL [CLUSTERS [SEED [PART...]]]: what suite_agreement.py asks, of clusters with
pods of all shapes (agreement_shapes.py) and all that places them. Parts: resizes, pending, verdicts. CLUSTERS of each
of the first two, in servers of at most BATCH clusters; of resizes on the kubelet a third as many."""
import collections
import contextlib
import os
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import agreement_kubelet
import agreement_wide_pending
import agreement_wide_resizes
import agreement_worlds
import kubelet
from agreement_objects import preempted
from agreement_shapes import runtime_classes
from api import conditions
from checks import check, conclude, note, title, wait
from control_plane import RESIZE_GATE, ControlPlane
from process import now
from stage import Stage

BATCH = 200
QUIET = 15.0  # seconds without a change after which kube-scheduler has decided everything, on a busy machine too


@contextlib.contextmanager
def server(binaries, gates=()):
    """(folder, control plane) with everything but a scheduler, removed afterwards."""
    folder = tempfile.mkdtemp(prefix="elbowroom-agreement-", dir="/tmp")
    plane = ControlPlane(f"{folder}/plane", binaries, gates, is_durable=False)
    try:
        plane.start()
        for one in agreement_worlds.classes():
            plane.admin.make("/apis/scheduling.k8s.io/v1/priorityclasses", one)
        for one in runtime_classes():
            plane.admin.make("/apis/node.k8s.io/v1/runtimeclasses", one)
        yield folder, plane
    finally:
        plane.stop()
        shutil.rmtree(folder, ignore_errors=True)


def quiet(api):
    """Waits until nothing has been marked for QUIET seconds."""
    last = [-1, now()]

    def is_quiet():
        marked = sum("DisruptionTarget" in conditions(one) for one in api.get("/api/v1/pods")["items"])
        if marked != last[0]:
            last[:] = [marked, now()]
        return now() - last[1] > QUIET
    return wait(is_quiet, 300)


def batch(build, binaries, kind, gates, seeds):
    """[(what was the same or explained, what differs)] of these clusters, all in one server."""
    with server(binaries, gates) as (folder, plane):
        api = plane.admin
        with ThreadPoolExecutor(4) as pool:
            worlds = [kind.World(seed) for seed in seeds]
            list(pool.map(lambda world: world.build(api), worlds))
            stood = list(pool.map(lambda world: world.objects(api), worlds))
            plane.start_scheduler(qps=5000)
            wait(lambda: preempted(api.get("/api/v1/pods")["items"]), 60)  # it has begun
            check(wait(lambda: kind.is_settled(api), 300), "kube-scheduler has looked at every cluster")
            quiet(api)
            return list(pool.map(lambda pair: kind.agrees(build, folder, pair[0], pair[1], pair[0].their_answer(api)),
                                 zip(worlds, stood)))


def asked(build, binaries, what, kind, gates, clusters, seed):
    title(f"agreement, wide: {clusters} clusters with {what}, seed {seed}, asked of kube-scheduler and of `simulate`")
    counts, differ = collections.Counter(), []
    first = int(seed) * 1_000_000
    for begin in range(first, first + clusters, BATCH):
        for said, line in batch(build, binaries, kind, gates, range(begin, min(begin + BATCH, first + clusters))):
            counts[said or "different"] += 1
            if line:
                differ.append(line)
                note(line)
        note(f"of {sum(counts.values())}: " + "; ".join(f"{times} {said}" for said, times in sorted(counts.items())))
    check(not differ, f"kube-scheduler and `simulate` say the same of every cluster with {what}, but for what is explained")


def resizes(build, binaries, _, clusters, seed):
    asked(build, binaries, "a Deferred resize", agreement_wide_resizes, [f"{RESIZE_GATE}=true"], clusters, seed)


def pending(build, binaries, _, clusters, seed):
    asked(build, binaries, "a pending pod", agreement_wide_pending, [], clusters, seed)


def verdicts(build, binaries, kubectl, clusters, seed):
    if kubelet.why_not():
        title(f"agreement with the kubelet, wide: skipped: {kubelet.why_not()}")
        return
    title(f"agreement, wide: {clusters // 3} resizes, seed {seed}, asked of the kubelet and of `simulate`")
    with Stage(build, binaries, kubectl) as stage:
        for one in runtime_classes():
            stage.admin.make("/apis/node.k8s.io/v1/runtimeclasses", one)
        if stage.start_kubelet():
            agreement_kubelet.play(stage, clusters // 3, seed)


PARTS = {"resizes": resizes, "pending": pending, "verdicts": verdicts}


def main(build, binaries, kubectl, clusters="1000", seed="1", *parts):
    for part in parts or PARTS:
        PARTS[part](build, binaries, kubectl, int(clusters), seed)
    conclude()


if __name__ == "__main__":
    main(*sys.argv[1:])
