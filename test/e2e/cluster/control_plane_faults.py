"""control_plane_faults: the API server stops and comes back, etcd compacts the past, a leader dies.
Our programs are held (SIGSTOP) while things change and the past is compacted, so that their next watch
cannot continue where the last one ended and everything has to be listed again."""
import signal

import ours
from checks import check, note, sees, stays
from objects import pod, resize
from process import now
from stage import NODE
from timeline import actual, container


def play(stage):
    server_restarts(stage)
    past_is_gone(stage)
    leader_dies(stage)


def _unharmed(stage, name, began):
    one = container(stage.pod(name))
    check(one["state"]["running"]["startedAt"] == began and one["restartCount"] == 0,
          f"{name}'s container is the same and was never stopped")


def _began(stage, name):
    return container(stage.pod(name))["state"]["running"]["startedAt"]


def server_restarts(stage):
    stage.run(pod("web", NODE, "1", "high"), pod("batch", NODE, "3", "low", grace=3))
    began, since = _began(stage, "web"), now()
    resize(stage.admin, "web", "2")
    stage.plane.apiserver.kill()
    check(True, "kube-apiserver is killed with -9, just after a resize was asked for")
    stays("our programs stay up for 3 s", lambda: stage.agent.is_running() and stage.scheduler.is_running(), 3)
    sees("and say that they are not ready", lambda: not stage.agent.is_ready() or not stage.scheduler.is_ready())
    note(stage.agent.why_not_ready()[:200])
    stage.plane.start_apiserver()
    check(True, "kube-apiserver is started again")
    sees("web has its 2 cpu", lambda: actual("2")("", stage.pod("web")))
    sees("our programs are ready again", lambda: stage.agent.is_ready() and stage.scheduler.is_ready(),
         more=lambda: stage.agent.why_not_ready() + stage.scheduler.why_not_ready())
    check(set(stage.timeline.removed(since)) <= {"batch"}, "nobody but batch went", stage.timeline.removed(since))
    _unharmed(stage, "web", began)
    stage.clear()


def past_is_gone(stage):
    stage.run(pod("web", NODE, "1", "high"), pod("first", NODE, "1", "low"), pod("second", NODE, "2", "low"))
    began, since = _began(stage, "web"), now()
    lists = lambda one: one.metric("elbowroom_apiserver_requests_total", verb="LIST")
    before = {one: lists(one) for one in (stage.agent, stage.scheduler)}
    held = [stage.agent, stage.scheduler, stage.runner]
    for one in held:
        one.child.send_signal(signal.SIGSTOP)
    check(True, "our programs are held")
    resize(stage.admin, "web", "2")
    stage.admin.delete("/api/v1/namespaces/default/pods/second", {"gracePeriodSeconds": 0})
    for number in range(50):
        stage.admin.make("/api/v1/namespaces/default/configmaps", {"metadata": {"name": f"noise-{number}"}})
    stage.plane.apiserver.kill()
    revision = stage.plane.compact()
    stage.plane.start_apiserver()
    check(True, f"meanwhile web asks for 2 cpu, second is deleted, etcd is compacted up to {revision}, and the API "
          "server is another one")
    for one in held:
        one.child.send_signal(signal.SIGCONT)
    sees("they go on: web is given the room that second left", lambda: actual("2")("", stage.pod("web")))
    sees("they are ready", lambda: stage.agent.is_ready() and stage.scheduler.is_ready(),
         more=lambda: stage.agent.why_not_ready() + stage.scheduler.why_not_ready())
    check(set(stage.timeline.removed(since)) <= {"second"}, "nobody else went", stage.timeline.removed(since))
    _unharmed(stage, "web", began)
    for one, made in before.items():
        sees(f"{one.name} could not go on where its watch had ended, and has listed anew", lambda one=one, made=made:
             lists(one) > made)
    stage.clear()


def leader_dies(stage):
    other = stage.programs.start(ours.scheduler(stage.build, stage.folder, stage.plane.account("elbowroom-scheduler"),
                                                name="elbowroom-scheduler-2"))
    lease = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/elbowroom-scheduler"
    holder = lambda: (stage.admin.get(lease) or {}).get("spec", {}).get("holderIdentity")
    first = holder()
    sees("a second scheduler stands by", lambda: "elbowroom_" in ours.ask(other.port, "/metrics")[1])
    stage.run(pod("web", NODE, "2", "high"), pod("batch", NODE, "2", "low"))
    stage.scheduler.kill()
    since = now()
    resize(stage.admin, "web", "3")
    sees("the leader is killed, and after its Lease has run out the other leads", lambda: holder() not in (first, None, ""),
         more=other.why_not_ready)
    note(f"{first} -> {holder()}, after {now() - since:.1f} s")
    sees("it makes the room: web has its 3 cpu", lambda: actual("3")("", stage.pod("web")), more=other.why_not_ready)
    check(stage.timeline.removed(since) == ["batch"], "one pod went", stage.timeline.removed(since))
    check(other.stop() == 0, "it ends cleanly")
    sees("and gives its Lease back", lambda: holder() in (None, ""))
    stage.clear()
    stage.start_scheduler(stage.scheduler_flags)
