"""groups_preempt: a gang makes room for itself by another gang, whole; and a Deferred resize takes a group that goes as
one."""
import json

from api import STRATEGIC, conditions
from checks import check, note, sees, stays
from groups_objects import group, members
from objects import path, pod, resize
from process import now

DEFERRED = {"type": "PodResizePending", "status": "True", "reason": "Deferred", "observedGeneration": 2,
            "message": "Node didn't have enough resource: cpu, requested: 3000, used: 4000, capacity: 4000"}


def play(stage):
    whole_gang(stage)
    never(stage)
    resize_takes_all(stage)


def full_cluster(stage):
    """A gang of mode all on two nodes, by our own hand, and a pod of more importance on the third one."""
    stage.stand(pod("keep", "node-3", "3", "middle"))
    stage.make_group(group("batch", 2, "all", "low"))
    stage.make_pods(*members("batch", 2, "3", "low"))
    sees("a gang of mode all is placed on the two free nodes", lambda: sorted(
        stage.bound("batch-0", "batch-1").values()) == ["node-1", "node-2"], more=lambda: stage.says("batch-0"))
    sees("its pods run", lambda: all(stage.pod(one)["status"].get("startTime") for one in ("batch-0", "batch-1")))


def whole_gang(stage):
    full_cluster(stage)
    stage.make_group(group("train", 2, priority="high"))
    since, line = now(), stage.timeline
    stage.make_pods(*members("train", 1, "3", "high"))
    sees("one member waits for the other one", lambda: "1 remaining" in stage.says("train-0"))
    stays("nobody is removed for it alone, for 2 s", lambda: not line.removed(since), 2)
    asked = now()
    stage.make_pods(members("train", 2, "3", "high")[1])
    sees("both pods of the other gang go", lambda: sorted(line.removed(since)) == ["batch-0", "batch-1"],
         more=lambda: (line.removed(since), stage.says("train-0")))
    sees("the gang has their nodes", lambda: sorted(stage.bound("train-0", "train-1").values()) == ["node-1", "node-2"],
         more=lambda: stage.says("train-0"))
    check(sorted(line.removed(since)) == ["batch-0", "batch-1"], "nobody else went", line.removed(since))
    at = stage.times(asked, ("batch-0", "batch-1"), ("train-0", "train-1"))
    marks, deletes = ([at[f"batch-{number} {what}"] for number in (0, 1)] for what in ("marked", "deleted"))
    check(None not in marks + deletes and max(marks) <= min(deletes), "both were marked before the first was deleted")
    check(at["train-0 nominated"] and at["train-1 nominated"], "meanwhile both members were nominated")
    _what_was_written(stage)
    stage.clear_all()


def _what_was_written(stage):
    mark = next(one for _, _, one in stage.timeline.events if one["metadata"]["name"] == "batch-0" and
                "DisruptionTarget" in conditions(one))
    note("on batch-0: " + json.dumps({key: conditions(mark)["DisruptionTarget"].get(key) for key in
                                      ("reason", "message", "observedGeneration")}))
    sees("the removed group has DisruptionTarget, too", lambda: stage.group_has(
        "batch", "DisruptionTarget", status="True", reason="PreemptionByScheduler"),
         more=lambda: stage.group("batch").get("status"))
    note(stage.group_says("batch", "DisruptionTarget"))
    sees("PodGroupInitiallyScheduled of the other one is True", lambda: stage.group_has(
        "train", "PodGroupInitiallyScheduled", status="True", reason="Scheduled"), more=lambda: stage.group_says("train"))
    uid = stage.group("train")["metadata"]["uid"]
    sees("events of both victims name the group by its uid", lambda: all(
        any(uid in one for one in stage.told(name, "Preempted")) for name in ("batch-0", "batch-1")),
         more=lambda: stage.told("batch-0"))
    for one in stage.events("batch-0", "Preempted"):
        note(one["note"] + ", related: " + json.dumps(one.get("related")))
    note("of train: " + " | ".join(stage.told("train")))


def never(stage):
    """The server keeps preemptionPolicy, as its gate is on; its default counts as said, so that a class that says Never
    is refused unless the group says it, too."""
    stage.stand(pod("keep", "node-3", "3", "middle"), pod("low-1", "node-1", "3", "low"),
                pod("low-2", "node-2", "3", "low"))
    status, said = stage.admin.call("POST", stage.groups, group("meek", 2, priority="high-never"))
    check(status == 403, "a group of a class that says Never must say so itself: 403", f"{status} {said.get('message')}")
    note(said.get("message", ""))
    stage.make_group(group("meek", 2, priority="high-never", preemptionPolicy="Never"))
    check(stage.group("meek")["spec"].get("preemptionPolicy") == "Never", "the server keeps preemptionPolicy")
    since = now()
    stage.make_pods(*members("meek", 2, "3", "high-never"))
    sees("a gang that never preempts waits, and says so", lambda: "preemptionPolicy=Never" in stage.says("meek-0"),
         more=lambda: stage.says("meek-0"))
    note(stage.says("meek-0"))
    stays("nobody is removed for 2 s", lambda: not stage.timeline.removed(since), 2)
    stage.clear_all()


def resize_takes_all(stage):
    stage.make_group(group("pair", 2, "all", "low"))
    stage.stand(pod("web", "node-1", "1", "high"), *[
        {**one, "spec": {**one["spec"], "nodeName": node}}
        for one, node in zip(members("pair", 2, "3", "low"), ("node-1", "node-2"))])
    resize(stage.admin, "web", "3")
    stage.admin.patch(path("web") + "/status", {"status": {"conditions": [{**DEFERRED, "status": "False"}]}}, STRATEGIC)
    status, said = stage.elbowroom("simulate", "resize", "--from-cluster", "default/web")
    note("simulate: " + " ".join(said.split())[:300])
    status, said = stage.elbowroom("simulate", "resize", "--from-cluster", "default/web", "-o", "json")
    foretold = [(one["pod"], one.get("unit")) for one in json.loads(said)["preemption"]["victims"]] if status == 0 else said
    check(sorted(foretold) == [("default/pair-0", "default/pair"), ("default/pair-1", "default/pair")],
          "`simulate resize --from-cluster` foretells that the group goes whole", foretold)
    since, line = now(), stage.timeline
    stage.admin.patch(path("web") + "/status", {"status": {"conditions": [DEFERRED]}}, STRATEGIC)
    sees("for a Deferred resize both pods of the group go, from two nodes", lambda: sorted(line.removed(since)) ==
         ["pair-0", "pair-1"], more=lambda: (line.removed(since), stage.scheduler.explains("default/web")))
    stage.times(since, ("pair-0", "pair-1"))
    sees("the group has DisruptionTarget", lambda: stage.group_has("pair", "DisruptionTarget", status="True"),
         more=lambda: stage.group("pair").get("status"))
    note(stage.group_says("pair", "DisruptionTarget"))
    sees("the event of the resizing pod says which group goes whole, how many pods, and on which nodes", lambda: any(
        "pod group default/pair goes whole (2 pods on nodes node-1 and node-2)" in one for one in stage.told("web")),
         more=lambda: stage.told("web"))
    for one in stage.told("web"):
        note("web: " + one)
    stage.admin.patch(path("web") + "/status", {"status": {"conditions": [
        {"type": "PodResizePending", "$patch": "delete"}]}}, STRATEGIC)
    stage.clear_all()
