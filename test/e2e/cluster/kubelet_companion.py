"""kubelet_companion: elbowroomd in companion mode beside a real kubelet, and our scheduler, the only one that preempts
for resizes. The kubelet judges and resizes; what we add is one condition and the removal of a victim."""
from api import STRATEGIC, conditions
from checks import PATIENCE, check, note, sees, stays
from objects import path, pod, resize
from process import now
from stage import NODE
from timeline import actual, allocated, container, has_ended, is_deferred, is_gone, is_leaving, is_marked
import runtime

ANNOTATION = "elbowroom.dev/disable-resize-preemption"


def play(stage):
    makes_room(stage)
    keeps_the_condition(stage)


def _deferred(stage):
    """A Deferred resize on the full node of 2 cpu; when it was asked for."""
    stage.run(pod("web", NODE, "300m", "high"), pod("batch", NODE, "1600m", "low"))
    since = now()
    status, said = resize(stage.admin, "web", "900m")
    check(status == 200, "web asks for 900m where batch holds 1600m of 2 cpu", said)
    return since


def makes_room(stage, patience=PATIENCE):
    """Seconds from the end of the victim's container to web's new size; None where one of the two was not seen."""
    since, line = _deferred(stage), stage.timeline
    uid = stage.uid("web")
    began = container(stage.pod("web"))["state"]["running"]["startedAt"]
    sees("the kubelet says Deferred", lambda: line.first("web", is_deferred, since))
    sees("our scheduler removes batch", lambda: line.removed(since) == ["batch"], more=stage.scheduler.why_not_ready)
    sees("the kubelet has resized web", lambda: actual("900m")("", stage.pod("web")), patience)
    sees("its cgroup says so: shares 921", lambda: runtime.cpu_shares(uid) == {921})
    sees("batch is gone", lambda: line.first("batch", is_gone, since))
    check(container(stage.pod("web"))["state"]["running"]["startedAt"] == began, "web's container was never stopped")
    rows = [("Deferred", "web", is_deferred), ("batch marked", "batch", is_marked), ("batch deleted", "batch", is_leaving),
            ("batch's container has ended", "batch", has_ended), ("web allocated", "web", allocated("900m")),
            ("web actual", "web", actual("900m"))]
    for what, name, holds in rows:
        at = line.first(name, holds, since)
        note(f"{'-' if at is None else round((at - since) * 1000):>6} ms  {what}")
    ended, resized = line.first("batch", has_ended, since), line.first("web", actual("900m"), since)
    stage.clear()
    return resized - ended if ended and resized else None


def keeps_the_condition(stage, patience=PATIENCE):
    stage.kubectl("annotate", "node", NODE, f"{ANNOTATION}=owner.example.com/x")
    since = _deferred(stage)
    says = lambda: stage.has("web", "PodResizePreemptionDisabled", status="True",
                             reason="PreemptionDisabledByNodePolicy")
    sees("the companion says PodResizePreemptionDisabled", says, more=stage.agent.why_not_ready)
    before = conditions(stage.pod("web"))
    stays("condition and pods stay as they are for 15 s of the kubelet's status syncs",
          lambda: says() and not stage.timeline.removed(since), 15)
    after = conditions(stage.pod("web"))
    check(after == before, "not one of the pod's conditions has changed meanwhile", f"{before} {after}")
    stage.admin.patch(path("web") + "/status", {"status": {"conditions": [
        {"type": "PodResizePreemptionDisabled", "$patch": "delete"}]}}, STRATEGIC)
    sees("somebody takes the condition away: it is put back", says)
    check(stage.has("web", "PodResizePending", reason="Deferred"), "the kubelet's own condition stands")
    stage.kubectl("annotate", "node", NODE, f"{ANNOTATION}-")
    sees("the policy goes: batch goes", lambda: stage.timeline.removed(since) == ["batch"])
    sees("web is resized, and the condition is gone", lambda: actual("900m")("", stage.pod("web")) and
         "PodResizePreemptionDisabled" not in conditions(stage.pod("web")), patience)
    stage.clear()
