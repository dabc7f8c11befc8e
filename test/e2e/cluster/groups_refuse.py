"""groups_refuse: groups whose pods are not placed, and by which name that is said; whose priority the server writes; and
who lets a deleted group go."""
from checks import check, note, sees, stays
from groups_objects import OURS, group, member, members
from objects import NAMESPACE, path, pod, priority_class

COMPOSITES = "/apis/scheduling.k8s.io/v1alpha3/namespaces/default/compositepodgroups"
CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses"


def play(stage):
    composite(stage)
    constraints(stage)
    two_schedulers(stage)
    priorities(stage)
    priority_differs(stage)
    finalizer(stage)


def _is_refused(stage, name, words, pods):
    sees(f"its condition names it: {words}", lambda: words in stage.group_says(name) and stage.group_has(
        name, "PodGroupInitiallyScheduled", status="False", reason="Unschedulable"), more=lambda: stage.group_says(name))
    note(stage.group_says(name))
    sees("an event of the group, too", lambda: any(words in one for one in stage.told(name, "FailedScheduling")),
         more=lambda: stage.told(name))
    stays("none of its pods is placed, for 2 s", lambda: not stage.bound(*pods), 2)
    note(f"on {pods[0]}: " + stage.says(pods[0]))


def _of_job(template):
    return {"workloadName": "job", "templateName": template}


def composite(stage):
    stage.admin.make(COMPOSITES, {"apiVersion": "scheduling.k8s.io/v1alpha3", "kind": "CompositePodGroup",
                                  "metadata": {"name": "whole"}, "spec": {"schedulingPolicy": {"basic": {}},
                                                                   "priorityClassName": "high",
                                                                   "workloadRef": _of_job("whole")}})
    stage.make_group(group("part", 2, priority="high", parentCompositePodGroupName="whole", workloadRef=_of_job("part")))
    check(stage.group("part")["spec"].get("parentCompositePodGroupName") == "whole", "the server keeps the parent")
    stage.make_pods(*members("part", 2, "1", "high"))
    _is_refused(stage, "part", "CompositePodGroup", ["part-0", "part-1"])
    stage.clear_all()
    stage.admin.delete(f"{COMPOSITES}/whole")


def constraints(stage):
    stage.make_group(group("near", 2, priority="high", schedulingConstraints={"topology": [{"key": "zone"}]}))
    stage.make_pods(*members("near", 2, "1", "high"))
    _is_refused(stage, "near", "schedulingConstraints", ["near-0", "near-1"])
    stage.clear_all()


def two_schedulers(stage):
    stage.make_group(group("torn", 2, priority="high"))
    stage.make_pods(member("torn-0", "torn", "1", "high"), member("torn-1", "torn", "1", "high", scheduler="another"))
    _is_refused(stage, "torn", "default/torn-1 has the schedulerName another", ["torn-0", "torn-1"])
    check(stage.admin.delete(path("torn-1"), {"gracePeriodSeconds": 0})[0] == 200, "the pod of the other one is deleted")
    stage.make_pods(member("torn-2", "torn", "1", "high"))
    sees("and one of ours comes in its place: the gang is placed", lambda: len(stage.bound("torn-0", "torn-2")) == 2,
         more=lambda: stage.group_says("torn"))
    stage.clear_all()


def _priority(stage, name, expected, what):
    seen = stage.group(name)["spec"].get("priority")
    check(seen == expected, f"{what}: the server writes priority {expected}", seen)
    status, said = stage.elbowroom("explain", "group", f"default/{name}")
    check(status == 0 and f"priority {expected}" in said, f"and `elbowroom explain group` reads {expected}", said)


def priorities(stage):
    stage.make_group(group("named", 2, priority="high"))
    _priority(stage, "named", 1000, "a group that names a class")
    stage.make_group(group("plain", 2))
    _priority(stage, "plain", 0, "a group that names none, without a global default")
    stage.admin.make(CLASSES, {**priority_class("usual", 300), "globalDefault": True})
    # The server's admission learns of a class a moment after it is made.
    sees("a class becomes the global default", lambda: stage.admin.make(f"{NAMESPACE}/pods?dryRun=All", pod(
        "probe", None, scheduler=OURS))["spec"]["priority"] == 300)
    stage.make_group(group("usual", 2))
    _priority(stage, "usual", 300, "a group that names none, with a global default")
    stage.admin.delete(f"{CLASSES}/usual")
    sees("the class is deleted", lambda: stage.admin.make(f"{NAMESPACE}/pods?dryRun=All", pod(
        "probe", None, scheduler=OURS))["spec"]["priority"] == 0)
    stage.clear_all()


def priority_differs(stage):
    stage.make_group(group("odd", 2, priority="high"))
    stage.make_pods(member("odd-0", "odd", "1", "low"), member("odd-1", "odd", "1", "high"))
    sees("a gang is placed though a member says another priority", lambda: len(stage.bound("odd-0", "odd-1")) == 2,
         more=lambda: stage.group_says("odd"))
    sees("PodsNotMatchingPriority is True", lambda: stage.group_has("odd", "PodsNotMatchingPriority", status="True"),
         more=lambda: stage.group("odd").get("status"))
    note(stage.group_says("odd", "PodsNotMatchingPriority"))
    sees("one event says so", lambda: any("default/odd-0 (10)" in one for one in stage.told("odd")),
         more=lambda: stage.told("odd"))
    stage.clear_all()


def finalizer(stage):
    stage.make_group(group("last", 2, priority="high"))
    stage.make_pods(*members("last", 2, "1", "high"))
    sees("a gang is placed", lambda: len(stage.bound("last-0", "last-1")) == 2)
    check(stage.group("last")["metadata"].get("finalizers") == ["scheduling.k8s.io/podgroup-protection"],
          "the server has given the group its finalizer", stage.group("last")["metadata"].get("finalizers"))
    stage.admin.delete(f"{stage.groups}/last")
    stays("deleted, it stays as long as its pods run", lambda: stage.group("last"), 2)
    for name in ("last-0", "last-1"):
        stage.admin.delete(path(name), {"gracePeriodSeconds": 1})
    sees("its last pod is gone, and so is the group", lambda: not stage.group("last"))
    stage.clear_all()
