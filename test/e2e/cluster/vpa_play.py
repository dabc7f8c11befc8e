"""vpa_play: a recommendation rises, VPA's updater asks for a resize, the kubelet defers it, elbowroom-scheduler makes room, and
the pod that VPA manages has its new size without a restart, in both of VPA's modes that resize in place."""
import os
import re

from api import conditions
from checks import check, note, sees, stays
from objects import pod
from ours import ROOT
from process import now
from stage import NODE
from timeline import actual, container, has_ended, is_deferred, is_leaving
from vpa_stage import EVERY, VPAS


def of_the_page(kind):
    """The manifests of docs/autoscalers.md that make such an object, with an image that is here."""
    with open(os.path.join(ROOT, "docs", "autoscalers.md"), encoding="utf-8") as file:
        block = next(one for one in re.findall(r"(?ms)^```yaml\n(.*?)^```$", file.read()) if f"kind: {kind}\n" in one)
    return re.sub(r"image: \S+.*", "image: localhost/busybox:test\n        command: [sleep, infinity]", block)


def takes_a_placeholder(stage):
    """The page's placeholders, at the priority that Cluster Autoscaler still counts: one goes at once, and its
    successor is pending and unschedulable, which is what Cluster Autoscaler and Karpenter add a node for."""
    status, said = stage.kubectl("apply", "-f", "-", stdin=of_the_page("PriorityClass"))
    check(status == 0, "kubectl applies the page's placeholders", said)
    sees("they run", lambda: _phases(stage) == ["Running"] * 3, more=lambda: stage.pods_of("placeholder"))
    web = stage.deploy("web", 300, "InPlaceOrRecreate", vpa=of_the_page("VerticalPodAutoscaler"))
    held, uid, since = {one["metadata"]["name"] for one in stage.pods_of("placeholder")}, stage.uid(web), now()
    stage.recommend("web", 900)
    sees("elbowroom-scheduler removes one placeholder", lambda: len(stage.timeline.removed(since)) == 1,
         more=stage.scheduler.why_not_ready)
    sees("actual is what is desired, in the same pod", lambda: actual("900m")("", stage.pod(web)) and stage.uid(web) == uid)
    sees("the placeholder's successor is pending, and unschedulable", lambda: [
        conditions(one).get("PodScheduled", {}).get("reason") for one in stage.pods_of("placeholder")
        if one["metadata"]["name"] not in held] == ["Unschedulable"], more=lambda: stage.pods_of("placeholder"))
    check(set(stage.timeline.removed(since)) < held, "nothing else was removed", stage.timeline.removed(since))


def _phases(stage):
    return [one["status"].get("phase") for one in stage.pods_of("placeholder")]


def belongs_to_its_recommender(stage):
    """Why the VPAs here name a recommender that does not run: VPA's own knows no usage, and takes back what is set by hand."""
    stage.deploy("own", 50, "Off", recommender=None)
    sees("without metrics VPA's recommender writes its least over what was set by hand",
         lambda: stage.recommended("own") == ["25m"], more=lambda: stage.vpa("own").get("status"))


def without_elbowroom(stage):
    """What VPA does by itself: it leaves single pods alone unless it is told, and evicts what its node could never take."""
    one = stage.deploy("single", 50, "InPlaceOrRecreate")
    stage.admin.patch(f"{VPAS}/single", {"spec": {"updatePolicy": {"minReplicas": None}}})
    stage.recommend("single", 100)
    stays("VPA leaves a single pod alone by default", lambda: desired("50m")("", stage.pod(one)), 3 * EVERY)
    stage.admin.patch(f"{VPAS}/single", {"spec": {"updatePolicy": {"minReplicas": 1}}})
    sees("and resizes it where minReplicas is 1", lambda: actual("100m")("", stage.pod(one)))
    since = now()
    stage.recommend("single", 5000)
    sees("it evicts a pod whose node has less than is recommended", lambda: stage.timeline.first(one, is_leaving, since) and
         stage.events(one, "EvictedByVPA"), more=lambda: stage.parts["updater"][0].last_lines())
    check(stage.timeline.removed(since) == [one], "nothing else was removed", stage.timeline.removed(since))


def desired(cpu):
    return lambda kind, one: one["spec"]["containers"][0]["resources"]["requests"]["cpu"] == cpu


def grows(stage, name, mode, held):
    """One pod of 300m asks for 900m of 2 cpu, where a victim holds too much for that."""
    web = stage.deploy(name, 300, mode)
    stage.run(pod(f"{name}-batch", NODE, held, "low"))
    before = stage.pod(web)
    stays(f"{name}: VPA leaves alone what it recommends", lambda: desired("300m")("", stage.pod(web)), 2 * EVERY)
    check(stage.recommended(name) == ["300m"], "and its recommender what another is to recommend", stage.recommended(name))
    since = now()
    stage.recommend(name, 900)
    _resizes(stage, name, web, since)
    after = stage.pod(web)
    check(after["metadata"]["uid"] == before["metadata"]["uid"] and
          container(after)["state"] == container(before)["state"], f"{name}: the pod is the same, its container never stopped")
    check(not stage.events(web, "EvictedByVPA"), f"{name}: VPA has evicted nothing")
    _tell(stage, name, web, since)
    return web


def _resizes(stage, name, web, since):
    line = stage.timeline
    sees(f"{name}: the updater asks for 900m", lambda: line.first(web, desired("900m"), since),
         more=lambda: stage.parts["updater"][0].last_lines())
    sees(f"{name}: the resize is Deferred", lambda: line.first(web, is_deferred, since))
    sees(f"{name}: elbowroom-scheduler removes the victim", lambda: line.removed(since) == [f"{name}-batch"],
         more=stage.scheduler.why_not_ready)
    sees(f"{name}: actual is what is desired", lambda: actual("900m")("", stage.pod(web)), 90)
    sees(f"{name}: VPA says so in an event", lambda: stage.events(web, "InPlaceResizedByVPA"))


def _tell(stage, name, web, since):
    rows = [("desired", web, desired("900m")), ("Deferred", web, is_deferred),
            ("victim deleted", f"{name}-batch", is_leaving), ("victim's container has ended", f"{name}-batch", has_ended),
            ("actual", web, actual("900m"))]
    for what, who, holds in rows:
        at = stage.timeline.first(who, holds, since)
        note(f"{'-' if at is None else round((at - since) * 1000):>7} ms  {what}")
