"""vpa_fallback: where a victim's grace period is longer than VPA's patience of five minutes, VPA evicts the pod that room is made
for, unless its mode is InPlace; elbowroom doctor names the victim beforehand. It takes eight minutes of real time.

VPA 1.8 counts the five minutes from the first time that it saw a pod of that name wait, not from each (its
lastInPlaceAttemptTimeMap is never cleared), so a pod that waited once is evicted at once when it waits again."""
import json

from checks import check, note, sees, stays
from objects import STUBBORN, pod
from process import now
from stage import NODE
from timeline import actual, is_deferred, is_gone, is_leaving
from vpa_play import desired
from vpa_stage import EVERY

PATIENCE = 300  # VPA's, which no flag changes
GRACE = 400


def play(stage):
    early = waits_once(stage)
    began = now()
    outlasts(stage)
    check(now() - began > PATIENCE, "VPA's five minutes have passed since the first wait")
    waits_again(stage, early)


def holds(stage, name, cpu, grace):
    return stage.run(pod(name, NODE, cpu, "low", command=STUBBORN, grace=grace))


def waits_once(stage):
    """A pod whose victim takes 15 s: the updater sees it wait, and lets it."""
    early = stage.deploy("early", 100, "InPlaceOrRecreate")
    uid = stage.uid(early)
    holds(stage, "brief", "1800m", 15)
    stage.recommend("early", 300)
    sees("a resize is Deferred, its victim leaves in 15 s", lambda: stage.has(early, "PodResizePending", reason="Deferred"))
    sees("VPA waits for it: actual follows", lambda: actual("300m")("", stage.pod(early)))
    check(stage.uid(early) == uid, "in the same pod")
    return early


def outlasts(stage):
    moved = stage.deploy("moved", 200, "InPlaceOrRecreate")
    kept = stage.deploy("kept", 200, "InPlace")
    first, uid = stage.uid(moved), stage.uid(kept)
    holds(stage, "holder", "1200m", GRACE)
    warns(stage)
    since = now()
    for name in ("moved", "kept"):
        stage.recommend(name, 600)
    for one in (moved, kept):
        sees(f"{one} is Deferred", lambda one=one: stage.timeline.first(one, is_deferred, since))
    sees("elbowroom-scheduler removes the one victim for both", lambda: stage.timeline.removed(since) == ["holder"],
         more=stage.scheduler.why_not_ready)
    stays("VPA waits for almost five minutes", lambda: (stage.pod(moved) or {}).get("metadata", {}).get("uid") == first
          and not is_leaving("", stage.pod(moved)), PATIENCE - 4 * EVERY)
    sees("then it evicts the pod in mode InPlaceOrRecreate, before the victim has left",
         lambda: stage.timeline.first(moved, is_leaving, since), 20 * EVERY)
    check(stage.pod("holder") is not None and stage.events(moved, "EvictedByVPA"), "and says so in an event")
    at = stage.timeline.first(moved, is_leaving, since)
    note(f"{at - since:.0f} s after the recommendation" if at else "-")
    sees("the victim leaves in the end", lambda: stage.timeline.first("holder", is_gone, since), GRACE)
    sees("the pod in mode InPlace has its size", lambda: actual("600m")("", stage.pod(kept)))
    check(stage.uid(kept) == uid and not stage.events(kept, "EvictedByVPA"), "and is the same pod")
    sees("a new pod, of the recommended size, runs in place of the evicted one", lambda: any(
        one["metadata"]["uid"] != first and desired("600m")("", one) and one["status"].get("phase") == "Running"
        for one in stage.pods_of("moved")), more=lambda: json.dumps([one["status"] for one in stage.pods_of("moved")]))
    check(stage.timeline.removed(since) == ["holder", moved], "nothing else was removed", stage.timeline.removed(since))


def warns(stage):
    """The updater runs beside the cluster here: a pod with its labels stands for it."""
    stage.run(pod("vpa-updater-pod", NODE, "10m", "high", labels={"app": "vpa-updater"}))
    found = {one["check"]: one for one in json.loads(
        stage.elbowroom("doctor", "--program", "scheduler", "-o", "json")[1])["checks"]}["beside.vpa"]
    check(found["result"] == "WARN" and f"default/holder ({GRACE} s)" in found["cause"],
          "elbowroom doctor has warned of the victim", found)
    note(found["cause"])
    note(found["remedy"])


def waits_again(stage, early):
    holds(stage, "brief-too", "450m", 30)
    since = now()
    stage.recommend("early", 500)
    sees("the pod that waited once waits again, its victim leaves in 30 s",
         lambda: stage.timeline.first(early, is_deferred, since))
    sees("elbowroom-scheduler has removed the victim", lambda: "brief-too" in stage.timeline.removed(since))
    sees("VPA evicts the pod at its next look", lambda: stage.timeline.first(early, is_leaving, since), 25)
    waited = stage.timeline.first(early, is_deferred, since), stage.timeline.first(early, is_leaving, since)
    note(f"{waited[1] - waited[0]:.0f} s after the resize was Deferred" if all(waited) else "-")
    check(not stage.timeline.first("brief-too", is_gone, since), "while its victim was leaving")
