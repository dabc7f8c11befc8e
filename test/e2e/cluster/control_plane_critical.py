"""control_plane_critical: a critical pod grows on a full node. Where the server drops
podPreemptionPolicy the agent makes room for such pods itself, and the scheduler leaves it to the node; where the
server keeps it that is the scheduler's; either way one pod is removed."""
from api import conditions
from checks import check, note, sees
from objects import pod, resize
from process import now
from stage import NODE
from timeline import actual, is_marked


def play(stage, by_node):
    stage.run(pod("vital", NODE, "1", "system-node-critical"), pod("batch-1", NODE, "1500m", "low"),
              pod("batch-2", NODE, "1500m", "low"))
    since = now()
    resize(stage.admin, "vital", "2")
    sees("one pod goes for the critical one", lambda: len(stage.timeline.removed(since)) == 1,
         more=lambda: stage.timeline.removed(since))
    sees("vital has its 2 cpu", lambda: actual("2")("", stage.pod("vital")))
    removed = stage.timeline.removed(since)
    check(len(removed) == 1, "one pod went in all", removed)
    marked = next((one for at, kind, one in stage.timeline.events if at >= since and is_marked(kind, one)), None)
    mark = conditions(marked).get("DisruptionTarget", {})
    wanted = "TerminationByKubelet" if by_node else "PreemptionByScheduler"
    check(mark.get("reason") == wanted, f"its mark says {wanted}", mark)
    note(f"{removed}: {mark.get('message')}")
    reason = "Preempting" if by_node else "Preempted"
    sees(f"its event says {reason}", lambda: stage.events(removed[0], reason))
    stage.clear()
