"""control_plane_full: elbowroom-scheduler in mode full, with the rights of its manifest and no others, places pods that
name it on a real cluster, and makes room for one. The pod runner runs what was bound, so each
placement is seen to its end."""
from api import conditions
from checks import check, note, sees, stays
from objects import NAMESPACE, pod
from process import now
from stage import NODE
from timeline import has_ended, is_leaving, is_marked

OURS = "elbowroom"


def play(stage):
    status, said = stage.install_part("scheduler-full")
    check(status == 0, "kubectl applies packaging/kustomize/scheduler-full", said)
    check(stage.scheduler.stop() == 0, "elbowroom-scheduler ends cleanly")
    # What happened before still counts for the scheduler that has just ended: its circuit breaker outlives it.
    if not stage.start_scheduler(["--mode=full", "--pods-per-node=100"]):
        return
    places(stage)
    makes_room(stage)
    stage.clear()
    leaves_alone(stage)
    stage.clear()


def _pending(stage, one):
    stage.admin.make(f"{NAMESPACE}/pods", one)


def _is_running(stage, name):
    return stage.pod(name).get("status", {}).get("phase") == "Running"


def _unscheduled(stage, name):
    said = conditions(stage.pod(name)).get("PodScheduled", {})
    return said if said.get("status") == "False" else None


def places(stage):
    since = now()
    _pending(stage, pod("easy", None, "500m", "high", scheduler=OURS))
    sees("a pod that names us is placed", lambda: stage.pod("easy")["spec"].get("nodeName") == NODE,
         more=stage.scheduler.why_not_ready)
    bound = stage.timeline.first("easy", lambda kind, one: one["spec"].get("nodeName"), since)
    note(f"bound after {round((bound - since) * 1000)} ms" if bound else "never seen bound")
    sees("and runs", lambda: _is_running(stage, "easy"))
    check(conditions(stage.pod("easy")).get("PodScheduled", {}).get("status") == "True", "PodScheduled is True")
    sees("its event says Scheduled", lambda: stage.events("easy", "Scheduled"))


def makes_room(stage):
    stage.run(pod("batch-1", NODE, "1500m", "low"), pod("batch-2", NODE, "2", "low"))
    since, line = now(), stage.timeline
    _pending(stage, pod("vital", None, "1500m", "high", scheduler=OURS))
    sees("on the full node one pod is asked to go for a pending one", lambda: line.removed(since) == ["batch-2"],
         more=lambda: line.removed(since))
    sees("the pending pod runs there", lambda: _is_running(stage, "vital"), more=lambda: stage.scheduler.explains(
        "default/vital"))
    check(line.removed(since) == ["batch-2"], "nobody else went", line.removed(since))
    at = {"nominated": line.first("vital", lambda kind, one: one["status"].get("nominatedNodeName") == NODE, since),
          "batch-2 marked": line.first("batch-2", is_marked, since),
          "batch-2 deleted": line.first("batch-2", is_leaving, since),
          "batch-2's container has ended": line.first("batch-2", has_ended, since),
          "vital bound": line.first("vital", lambda kind, one: one["spec"].get("nodeName"), since),
          "vital runs": line.first("vital", lambda kind, one: one["status"].get("phase") == "Running", since)}
    check(at["nominated"], "meanwhile it was nominated to the node")
    check(at["batch-2 marked"] and at["batch-2 marked"] <= at["batch-2 deleted"], "the victim was marked first")
    for what, when in sorted(at.items(), key=lambda each: each[1] or 0):
        note(f"{'-' if when is None else round((when - since) * 1000):>6} ms  {what}")
    sees("the victim's event says who and why", lambda: stage.events("batch-2", "Preempted"))
    sees("the pending pod's events too", lambda: stage.events("vital", "FailedScheduling") and
         stage.events("vital", "Scheduled"))


def leaves_alone(stage):
    stage.run(pod("batch", NODE, "3", "low"))
    since = now()
    _pending(stage, pod("giant", None, "5", "high", scheduler=OURS))
    _pending(stage, pod("theirs", None, "100m", "high"))
    sees("a pod that fits nowhere says why", lambda: "Insufficient cpu" in (_unscheduled(stage, "giant") or {}).get(
        "message", ""))
    note((_unscheduled(stage, "giant") or {}).get("message", ""))
    stays("nobody goes for it, and a pod of another scheduler is left alone, for 3 s",
          lambda: not stage.timeline.removed(since) and not stage.pod("theirs")["spec"].get("nodeName") and
          not _unscheduled(stage, "theirs"), 3)
