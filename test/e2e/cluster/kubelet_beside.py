"""kubelet_beside: kube-scheduler with its gate on and our scheduler, both of which could make room. The one thing
to know: ours yields for 30 s and then acts only where no pod is terminating, so no second pod is removed."""
from checks import check, note, sees, stays
from objects import STUBBORN, pod, resize
from process import now
from stage import NODE
from timeline import actual, is_leaving


def play(stage):
    stage.run(pod("web", NODE, "300m", "high"), pod("a", NODE, "800m", "low", command=STUBBORN, grace=8),
              pod("b", NODE, "800m", "low", command=STUBBORN, grace=8))
    since = now()
    resize(stage.admin, "web", "900m")
    sees("somebody is asked to go", lambda: stage.timeline.removed(since))
    first = stage.timeline.removed(since)
    at = stage.timeline.first(first[0], is_leaving, since)
    note(f"{first[0]} after {round((at - since) * 1000)} ms")
    by = stage.events(first[0], "Preempted")
    note("by " + ", ".join(sorted({str(one.get("reportingController")) for one in by})))
    sees("web is resized when it has gone", lambda: actual("900m")("", stage.pod("web")))
    stays("nobody else goes for 35 s, past the time that ours leaves to others",
          lambda: stage.timeline.removed(since) == first, 35)
    check(len(first) == 1, "one pod went in all", first)
    stage.clear()


def alone(stage):
    """The same gate, and kube-scheduler is not there: after 30 s ours does it."""
    stage.run(pod("web", NODE, "300m", "high"), pod("a", NODE, "800m", "low"), pod("b", NODE, "800m", "low"))
    since = now()
    resize(stage.admin, "web", "900m")
    sees("kube-scheduler is away: ours makes room in the end", lambda: stage.timeline.removed(since), patience=60,
         more=lambda: stage.scheduler.explains("default/web"))
    at = stage.timeline.first((stage.timeline.removed(since) or ["-"])[0], is_leaving, since)
    note("after " + (f"{at - since:.1f} s" if at else "-"))
    sees("web is resized", lambda: actual("900m")("", stage.pod("web")))
    check(len(stage.timeline.removed(since)) == 1, "one pod went in all", stage.timeline.removed(since))
    stage.clear()
