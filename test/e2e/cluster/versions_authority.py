"""versions_authority: what is played with API server and controllers of one version, and elbowroomd in authority mode."""
import json

import budgets_kind
import control_plane_full
import control_plane_policy
import control_plane_rights
import control_plane_room
from api import MERGE
from budgets_stage import BUDGETS
from checks import check, note, sees, stays
from objects import pod, resize
from process import now
from stage import NODE
from timeline import actual

FIELD = {"spec": {"podPreemptionPolicy": {"disableResizePreemption": ["a.example.com/x"]}}}


STATUS_WRITES = 20  # of one agent, for the two scenes; one that the server never shows as written is repeated for ever


def judges(stage, minor):
    lowers_limits = minor >= 34
    control_plane_room.grows_and_shrinks(stage, "40Mi" if lowers_limits else "96Mi")
    control_plane_room.makes_room(stage)
    writes = stage.asked().get(("elbowroom-agent-authority", "patch", "pods/status", 200), 0)
    check(0 < writes <= STATUS_WRITES, f"elbowroomd writes no status again and again ({writes} writes)")
    return "yes", "" if lowers_limits else (
        "the server refuses to lower a memory limit, where the container is not restarted for it")


def keeps_budgets(stage):
    budgets_kind.play(stage)
    stage.admin.make(BUDGETS, budgets_kind.manifest({"minAvailable": 1, "hard": True, "selector": {
        "matchLabels": {"app": "db"}}}, "db"))
    stage.run(pod("web", NODE, "2", "high", scheduler="nobody"),
              pod("db", NODE, "2", "low", labels={"app": "db"}, scheduler="nobody"))
    since = now()
    resize(stage.admin, "web", "3")
    sees("web is Deferred", lambda: stage.has("web", "PodResizePending", reason="Deferred"))
    stays("a hard DisruptionBudget keeps the only pod that could go, for 3 s",
          lambda: not stage.timeline.removed(since), 3)
    stage.admin.delete(f"{BUDGETS}/db")
    sees("without the budget it goes", lambda: stage.timeline.removed(since) == ["db"],
         more=lambda: stage.scheduler.explains("default/web"))
    sees("web has its 3 cpu", lambda: actual("3")("", stage.pod("web")))
    stage.clear()


def field(stage):
    """The server drops the field: our programs find it out by a dry run, and the annotation counts."""
    status, said = stage.admin.call("PATCH", f"/api/v1/nodes/{NODE}", FIELD, MERGE)
    check(status == 200 and "podPreemptionPolicy" not in said["spec"], "the server drops podPreemptionPolicy",
          f"{status} {json.dumps(said)[:200]}")
    control_plane_policy.whose_policy(stage)
    return "no", "the server drops `podPreemptionPolicy`; the annotation counts"


def kept_field(row, stage):
    """With the server's gate on."""
    row.play("field", "the node's policy by its field, the gate on", lambda: _kept_field(stage))


def _kept_field(stage):
    control_plane_policy.whose_policy(stage)
    control_plane_policy.field(stage)
    return "yes", "with the API server's gate `InPlacePodVerticalScalingSchedulerPreemption`, which is off by default"


def play(row, stage, has_field):
    row.play("authority", "elbowroomd judges and resizes, and writes the status", lambda: judges(stage, row.minor))
    if not has_field:
        row.play("field", "the node's policy by its field", lambda: field(stage))
    row.play("budgets", "the kind DisruptionBudget", lambda: keeps_budgets(stage))
    row.play("full", "pending pods, in mode full", lambda: control_plane_full.play(stage))
    row.play("rights", "what our programs asked for, rights and admission policies", lambda: _rights(stage))
    note("programs of ours have ended")


def _rights(stage):
    stage.end_programs()
    control_plane_rights.play(stage)
