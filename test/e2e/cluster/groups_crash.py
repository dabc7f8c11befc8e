"""groups_crash: a leader is killed between two of its requests, and the other one finishes what it finds."""
from checks import check, note, sees
from groups_gate import Gate
from groups_objects import group, members
from groups_preempt import full_cluster
from objects import NAMESPACE, path
from process import now
from timeline import is_marked


def play(stage):
    between_marks_and_deletes(stage)
    between_bindings(stage)


def _kill_leader(stage, other, gate, what):
    first = stage.leader()
    stage.scheduler.kill()
    gate.refuse_held()
    stage.held += len(gate.held)
    since = now()
    sees(f"the leader is killed {what}, and after its Lease has run out the other leads",
         lambda: stage.leader() not in (first, None, ""), more=other.why_not_ready)
    note(f"after {now() - since:.1f} s")
    stage.scheduler = other


def between_marks_and_deletes(stage):
    full_cluster(stage)
    other = stage.start_standby()
    gate = Gate(stage.plane, "DELETE", "pods")
    as_ours = stage.plane.as_account("elbowroom-scheduler")
    gate.is_in_force(lambda: as_ours.call("DELETE", path("keep") + "?dryRun=All"))
    stage.make_group(group("train", 2, priority="high"))
    since, line = now(), stage.timeline
    stage.make_pods(*members("train", 2, "3", "high"))
    sees("both victims are marked, and the first delete is held", lambda: gate.held and all(
        line.first(name, is_marked, since) for name in ("batch-0", "batch-1")), more=stage.scheduler.why_not_ready)
    check(not line.removed(since), "nobody has been deleted", line.removed(since))
    _kill_leader(stage, other, gate, "between marks and deletes")
    sees("it finishes the set that it found marked", lambda: sorted(line.removed(since)) == ["batch-0", "batch-1"],
         more=lambda: (line.removed(since), other.why_not_ready()))
    sees("the gang has their nodes", lambda: sorted(stage.bound("train-0", "train-1").values()) == ["node-1", "node-2"],
         more=lambda: stage.says("train-0"))
    check(sorted(line.removed(since)) == ["batch-0", "batch-1"], "nobody else went", line.removed(since))
    stage.times(since, ("batch-0", "batch-1"), ("train-0", "train-1"))
    gate.close()
    stage.clear_all()


def between_bindings(stage):
    stage.make_group(group("train", 3, priority="high"))
    other = stage.start_standby()
    gate = Gate(stage.plane, "CREATE", "pods/binding", free=1)
    as_ours = stage.plane.as_account("elbowroom-scheduler")
    binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "train-0"},
               "target": {"apiVersion": "v1", "kind": "Node", "name": "node-1"}}
    names = ["train-0", "train-1", "train-2"]
    pods = members("train", 3, "3", "high")
    stage.make_pods(*pods[:2])
    gate.is_in_force(lambda: as_ours.call("POST", f"{NAMESPACE}/pods/train-0/binding?dryRun=All", binding))
    since = now()
    stage.make_pods(pods[2])
    sees("one member of three is bound, and the next binding is held", lambda: gate.held and
         len(stage.bound(*names)) == 1, more=stage.scheduler.why_not_ready)
    before = stage.bound(*names)
    note(f"bound: {before}; held: {gate.held}")
    _kill_leader(stage, other, gate, "between two bindings")
    sees("it places the rest", lambda: len(stage.bound(*names)) == 3, more=lambda: (stage.bound(*names), other.why_not_ready()))
    note(str(stage.bound(*names)))
    check(before.items() <= stage.bound(*names).items(), "what was bound stayed")
    check(not stage.timeline.removed(since), "nobody went", stage.timeline.removed(since))
    sees("PodGroupInitiallyScheduled is True", lambda: stage.group_has("train", "PodGroupInitiallyScheduled",
                                                                       status="True"), more=lambda: stage.group_says("train"))
    gate.close()
    stage.clear_all()
