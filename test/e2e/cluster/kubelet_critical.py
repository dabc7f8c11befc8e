"""kubelet_critical: a critical pod's resize on a full node, with the kubelet's gate
InPlacePodVerticalScalingSchedulerPreemption off (the kubelet makes room itself) and on (it waits for a scheduler).
Either way one pod is removed, exactly once."""
from api import conditions
from checks import check, note, sees, stays
from objects import pod, resize
from process import now
from stage import NODE
from timeline import actual, is_deferred, is_marked


def play(stage, gate_is_on):
    stage.run(pod("vital", NODE, "300m", "system-node-critical"), pod("batch", NODE, "1", "low"),
              pod("other", NODE, "500m", "low"))
    since = now()
    resize(stage.admin, "vital", "1")
    sees("vital has its cpu", lambda: actual("1")("", stage.pod("vital")), patience=90,
         more=lambda: conditions(stage.pod("vital")))
    line = stage.timeline
    marked = next((one for at, kind, one in line.events if at >= since and is_marked(kind, one)), None)
    mark = conditions(marked).get("DisruptionTarget", {})
    wanted = "PreemptionByScheduler" if gate_is_on else "TerminationByKubelet"
    check(mark.get("reason") == wanted, f"the victim's mark says {wanted}", mark)
    note(f"{marked['metadata']['name'] if marked else None}: {mark.get('message')}")
    at = line.first("vital", is_deferred, since)
    note("Deferred: " + ("never seen" if at is None else f"after {round((at - since) * 1000)} ms"))
    at = line.first("vital", actual("1"), since)
    note(f"resized after {round((at - since) * 1000)} ms" if at else "never resized")
    hit = lambda: {one["metadata"]["name"] for at, kind, one in line.events
                   if at >= since and (is_marked(kind, one) or kind == "DELETED" or
                                       "deletionTimestamp" in one["metadata"])}
    stays("nobody else goes for 5 s", lambda: len(hit()) == 1, 5)
    note("gone: " + ", ".join(sorted(hit())))
    stage.clear()
