"""groups_served: another API server on the same etcd serves pod groups in the older version alone, then not at all."""
from checks import check, note, sees, stays
from groups_objects import OURS, group, members
from groups_stage import FLAGS
from objects import pod
from process import now


def play(stage):
    older_alone(stage)
    not_served(stage)
    served_again(stage)


def _restart(stage, versions):
    """The API server is another one; ours is another one, too."""
    check(stage.scheduler.stop() == 0, "elbowroom-scheduler ends cleanly")
    _serve(stage, versions)
    stage.start_scheduler(FLAGS)


def _serve(stage, versions):
    stage.plane.apiserver.stop()
    stage.plane.serve_groups(versions)
    stage.plane.start_apiserver()
    served = stage.admin.get("/apis/scheduling.k8s.io")["versions"]
    note("served: " + ", ".join(one["version"] for one in served))
    stage.version = versions[0] if versions else stage.version


def older_alone(stage):
    _restart(stage, ("v1alpha3",))
    goes_whole(stage)
    for name in ("batch", "train"):
        # The controller-manager reads v1beta1 alone: nobody else lets the groups go.
        stage.admin.patch(f"{stage.groups}/{name}", {"metadata": {"finalizers": None}})
        stage.admin.delete(f"{stage.groups}/{name}")


def goes_whole(stage):
    """A gang is placed, and goes as one for another one."""
    stage.make_group(group("batch", 2, "all", "low"))
    stage.make_pods(*members("batch", 2, "3", "low"))
    sees(f"{stage.version} alone: a gang is placed", lambda: len(stage.bound("batch-0", "batch-1")) == 2,
         more=stage.scheduler.why_not_ready)
    sees("and its condition written", lambda: stage.group_has("batch", "PodGroupInitiallyScheduled", status="True"),
         more=lambda: stage.group("batch").get("status"))
    note(stage.group_says("batch"))
    stage.make_group(group("train", 3, priority="high"))
    since = now()
    stage.make_pods(*members("train", 3, "3", "high"))
    sees("and preempted whole by another one", lambda: len(stage.bound("train-0", "train-1", "train-2")) == 3,
         more=lambda: (stage.says("train-0"), stage.scheduler.why_not_ready()))
    check(sorted(stage.timeline.removed(since)) == ["batch-0", "batch-1"], "nobody else went",
          stage.timeline.removed(since))
    sees("DisruptionTarget of the group is written", lambda: stage.group_has("batch", "DisruptionTarget", status="True"),
         more=lambda: stage.group("batch").get("status"))
    stage.clear()


def not_served(stage):
    _restart(stage, ())
    stage.make_pods(pod("alone", None, "3", "high", scheduler=OURS), *members("lost", 1, "1", "high"))
    sees("no pod groups at all: a pod without a group is placed", lambda: stage.bound("alone"),
         more=stage.scheduler.why_not_ready)
    sees("a pod that names one waits, and says why", lambda: stage.says("lost-0"), more=lambda: stage.pod("lost-0"))
    note(stage.says("lost-0"))
    stage.stand(pod("low-2", "node-2", "3", "low"), pod("low-3", "node-3", "3", "low"), pod("low-1", "node-1", "1", "low"))
    since = now()
    stage.make_pods(pod("vital", None, "3", "high", scheduler=OURS))
    sees("and room is made for another one", lambda: stage.bound("vital"), more=lambda: stage.says("vital"))
    check(len(stage.timeline.removed(since)) == 1, "one pod went", stage.timeline.removed(since))
    stage.clear()


def served_again(stage):
    """Our scheduler goes on; it asks again every half minute."""
    _serve(stage, ("v1beta1", "v1alpha3"))
    stage.make_group(group("train", 2, priority="high"))
    stage.make_pods(*members("train", 2, "3", "high"))
    since = now()
    sees("the kind is served from now on: a gang is placed, without a restart of ours",
         lambda: len(stage.bound("train-0", "train-1")) == 2, 90, more=stage.scheduler.why_not_ready)
    note(f"after {now() - since:.1f} s")
    stays("and stays", lambda: len(stage.bound("train-0", "train-1")) == 2, 1)
    stage.clear_all()
