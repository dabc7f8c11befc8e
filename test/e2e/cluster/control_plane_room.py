"""control_plane_room: a pod grows on a full node of a real cluster, and everything follows: Deferred, a victim
marked and removed, allocated, actual, the sizes in the cgroups; budgets that a controller keeps; no pod is removed twice.
The agent is the one that judges; the victims end by themselves in real containers."""
import json

import runtime
from api import conditions
from checks import check, note, sees, stays
from objects import STUBBORN, budget, fake_node, pod, resize
from process import now
from stage import NODE
from timeline import actual, allocated, container, has_ended, is_deferred, is_gone, is_leaving, is_marked


def _ms(timeline, since, *rows):
    for what, at in rows:
        note(f"{'-' if at is None else round((at - since) * 1000):>6} ms  {what}")


def play(stage):
    grows_and_shrinks(stage)
    makes_room(stage)
    memory_too(stage)
    heeds_budgets(stage)
    removes_nobody_twice(stage)
    above_allocatable(stage)


def grows_and_shrinks(stage, least_memory="40Mi"):
    """`least_memory`: the limit that it shrinks to; before 1.34 a server takes no lower one without a restart."""
    stage.run(pod("web", NODE, "500m", "high", limit="1", memory="32Mi", memory_limit="64Mi"))
    uid = stage.uid("web")
    began = container(stage.pod("web")).get("state", {}).get("running", {}).get("startedAt")
    sees("as started: shares 512, quota 100000, 64 Mi", lambda: runtime.cpu_shares(uid) == {512}
         and runtime.cpu_quota(uid) == {100000} and runtime.memory_limit(uid) == {64 << 20})
    status, said = stage.kubectl("patch", "pod", "web", "--subresource", "resize", "-p",
                                 '{"spec":{"containers":[{"name":"app","resources":{"requests":{"cpu":"1"},'
                                 '"limits":{"cpu":"1500m","memory":"96Mi"}}}]}}')
    check(status == 0, "kubectl patch pod web --subresource resize", said)
    sees("the container's cgroup follows: shares 1024, quota 150000, 96 Mi", lambda: runtime.cpu_shares(uid) == {1024}
         and runtime.cpu_quota(uid) == {150000} and runtime.memory_limit(uid) == {96 << 20})
    sees("the pod's cgroup too", lambda: runtime.pod_quota(uid) == {150000})
    sees("the status says so, and no resize condition is left", lambda: actual("1")("", stage.pod("web")) and
         not {"PodResizePending", "PodResizeInProgress"} & set(conditions(stage.pod("web"))))
    resize(stage.admin, "web", "250m", limit="500m", memory_limit=least_memory)
    least = int(least_memory.removesuffix("Mi"))
    sees(f"it shrinks: shares 256, quota 50000, {least} Mi", lambda: runtime.cpu_shares(uid) == {256}
         and runtime.cpu_quota(uid) == {50000} and runtime.memory_limit(uid) == {least << 20})
    sees("the events say that it was started and completed", lambda: stage.events("web", "ResizeStarted") and
         stage.events("web", "ResizeCompleted"))
    check(container(stage.pod("web"))["state"]["running"]["startedAt"] == began and
          container(stage.pod("web"))["restartCount"] == 0, "the container is the same and was never stopped")
    stage.clear()


def makes_room(stage):
    stage.run(pod("web", NODE, "1", "high"), pod("keep", NODE, "1", "high"), pod("batch-1", NODE, "1", "low"),
              pod("batch-2", NODE, "1", "low"))
    uid = stage.uid("web")
    status, said = stage.elbowroom("simulate", "resize", "--from-cluster", "default/web", "--set", "app:cpu=2", "-o",
                                   "json")
    foretold = [one["pod"] for one in json.loads(said)["preemption"]["victims"]] if status == 0 else said
    check(foretold == ["default/batch-2"], "`elbowroom simulate resize --from-cluster` foretells who would go", foretold)
    since = now()
    status, said = stage.kubectl("patch", "pod", "web", "--subresource", "resize", "-p",
                                 '{"spec":{"containers":[{"name":"app","resources":{"requests":{"cpu":"2"}}}]}}')
    check(status == 0, "web asks for 2 cpu on the full node", said)
    line = stage.timeline
    sees("the agent says Deferred", lambda: line.first("web", is_deferred, since), more=stage.agent.why_not_ready)
    sees("the later of the two low pods is asked to go", lambda: line.removed(since) == ["batch-2"],
         more=lambda: line.removed(since))
    sees("it bears DisruptionTarget, which came first", lambda: (line.first("batch-2", is_marked, since) or 0) and
         line.first("batch-2", is_marked, since) <= line.first("batch-2", is_leaving, since))
    sees("web is allocated its 2 cpu", lambda: line.first("web", allocated("2"), since))
    sees("and has them", lambda: line.first("web", actual("2"), since))
    sees("its cgroup says so: shares 2048", lambda: runtime.cpu_shares(uid) == {2048})
    sees("no resize condition is left", lambda: not {"PodResizePending", "PodResizeInProgress"} &
         set(conditions(stage.pod("web"))))
    sees("batch-2 is gone", lambda: line.first("batch-2", is_gone, since))
    check(line.removed(since) == ["batch-2"], "nobody else was removed")
    deferred = next(one for at, kind, one in line.events if at >= since and one["metadata"]["name"] == "web"
                    and is_deferred(kind, one))
    note(conditions(deferred)["PodResizePending"]["message"])
    marked = next(one for at, kind, one in line.events if at >= since and one["metadata"]["name"] == "batch-2"
                  and is_marked(kind, one))
    note(conditions(marked)["DisruptionTarget"]["reason"] + ": " + conditions(marked)["DisruptionTarget"]["message"])
    _ms(line, since, ("Deferred", line.first("web", is_deferred, since)),
        ("batch-2 marked", line.first("batch-2", is_marked, since)),
        ("batch-2 deleted", line.first("batch-2", is_leaving, since)),
        ("batch-2's container has ended", line.first("batch-2", has_ended, since)),
        ("web allocated", line.first("web", allocated("2"), since)),
        ("web actual", line.first("web", actual("2"), since)))
    sees("the victim's event says who and why", lambda: stage.events("batch-2", "Preempted"))
    for one in stage.events("batch-2", "Preempted")[:1]:
        note(one["note"])
    status, said = stage.kubectl("describe", "pod", "web")
    check(status == 0 and "ResizeCompleted" in said, "kubectl describe shows web's events", said)
    status, said = stage.elbowroom("explain", "pod", "default/web")
    check(status == 0 and "default/web" in said, "`elbowroom explain pod` reads a real cluster", said)
    stage.clear()


def memory_too(stage):
    stage.run(pod("web", NODE, "100m", "high", memory="2Gi", memory_limit="2Gi"),
              pod("hog", NODE, "100m", "low", memory="3Gi"), pod("cpu-hog", NODE, "3", "low", memory="2Gi"))
    uid, since = stage.uid("web"), now()
    resize(stage.admin, "web", "100m", memory="4Gi", memory_limit="4Gi")
    sees("a resize of memory takes the hog that is enough, and no other",
         lambda: stage.timeline.removed(since) == ["cpu-hog"] or stage.timeline.removed(since) == ["hog"],
         more=lambda: stage.timeline.removed(since))
    note("removed: " + ", ".join(stage.timeline.removed(since)))
    sees("its memory limit is in the cgroup", lambda: runtime.memory_limit(uid) == {4 << 30})
    check(len(stage.timeline.removed(since)) == 1, "one pod was removed")
    stage.clear()


def heeds_budgets(stage):
    budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
    stage.admin.make(budgets, budget("db", 1, {"app": "db"}))
    stage.run(pod("web", NODE, "1", "high"), pod("free", NODE, "1", "low"),
              pod("db", NODE, "1", "low", labels={"app": "db"}), pod("keep", NODE, "1", "high"))
    sees("the disruption controller has counted the budget: it allows nobody", lambda: (stage.admin.get(
        f"{budgets}/db").get("status", {}).get("currentHealthy") == 1))
    check(stage.admin.get(f"{budgets}/db")["status"]["disruptionsAllowed"] == 0, "disruptionsAllowed is 0")
    since = now()
    resize(stage.admin, "web", "2")
    sees("the pod without a budget goes, though it is older", lambda: stage.timeline.removed(since) == ["free"],
         more=lambda: stage.timeline.removed(since))
    sees("web has its 2 cpu", lambda: actual("2")("", stage.pod("web")))
    since = now()
    resize(stage.admin, "web", "3")
    sees("where only the protected one is left, it goes", lambda: stage.timeline.removed(since) == ["db"],
         more=lambda: stage.timeline.removed(since))
    sees("web has its 3 cpu", lambda: actual("3")("", stage.pod("web")))
    stage.admin.delete(f"{budgets}/db")
    stage.clear()


def removes_nobody_twice(stage):
    """C.5 of what kube-scheduler does: a covered victim terminates slowly, the controller lowers the allowance
    to 0, then a node appears anywhere, and a second pod is removed there. Here no second pod is removed."""
    budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
    stage.admin.make(budgets, budget("app", 1, {"app": "app"}))
    stage.run(pod("a", NODE, "1", "low"), pod("c", NODE, "1", "high", labels={"app": "app"}),
              pod("b", NODE, "1", "low", labels={"app": "app"}, command=STUBBORN, grace=6), pod("web", NODE, "1", "high"))
    sees("the budget allows one", lambda: stage.admin.get(f"{budgets}/app").get("status", {}).get(
        "disruptionsAllowed") == 1)
    since = now()
    resize(stage.admin, "web", "2")
    sees("the covered one goes, which is the younger", lambda: stage.timeline.removed(since) == ["b"],
         more=lambda: stage.timeline.removed(since))
    sees("the controller allows nobody any more", lambda: stage.admin.get(f"{budgets}/app")["status"]["disruptionsAllowed"] == 0)
    stage.admin.make("/api/v1/nodes", fake_node("elsewhere"))
    stays("a node that appears elsewhere makes nobody else go", lambda: stage.timeline.removed(since) == ["b"], 3)
    sees("web has its 2 cpu", lambda: actual("2")("", stage.pod("web")))
    check(stage.timeline.removed(since) == ["b"], "one pod was removed in all", stage.timeline.removed(since))
    stage.admin.delete("/api/v1/nodes/elsewhere")
    stage.admin.delete(f"{budgets}/app")
    stage.clear()


def above_allocatable(stage):
    stage.run(pod("web", NODE, "1", "high"))
    status, answer = resize(stage.admin, "web", "5")
    check(status == 403 and "NodeCapacity" in str(answer.get("details")),
          "the server itself refuses a request above allocatable: 403, NodeCapacity", f"{status} {answer}")
    stage.clear()
