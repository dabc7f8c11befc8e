"""versions_kubelet: what is played with API server, controllers and the real kubelet of one version, and elbowroomd in
companion mode: the kubelet judges and resizes, and its own texts and times are what the table says."""
import kubelet_companion
from api import conditions
from checks import check, note, sees, stays
from objects import pod, resize
from process import now
from stage import NODE
from versions_relay import PROTOBUF

RETRIED = 150  # seconds after which the slowest kubelet has looked again at a resize that waits
CONDITION_WRITES = 6  # it is set, put back, and taken away
LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/elbowroom-scheduler"
OF_SCHEDULER = {"nodes", "pods", "poddisruptionbudgets"}  # collections that are asked for in protobuf


def makes_room(stage):
    took = kubelet_companion.makes_room(stage, RETRIED)
    return "yes", slowness(took) if took and took > 5 else ""


def slowness(seconds):
    note(f"the kubelet looked at the resize {seconds:.1f} s after there was room")
    return "the kubelet looks again at a Deferred resize only with the pod's next sync, up to 90 s after there is room"


def too_large(stage):
    """More than the node has at all: it is refused by the server, or judged Infeasible by the kubelet; nobody goes."""
    stage.run(pod("web", NODE, "300m", "high"), pod("batch", NODE, "1600m", "low"))
    since = now()
    status, said = resize(stage.admin, "web", "5")
    if status == 403:
        check("NodeCapacity" in str(said.get("details")), "the server refuses more than the node has: 403, NodeCapacity", said)
        answer = "403, by the server"
    else:
        sees("the kubelet says something", lambda: "PodResizePending" in conditions(stage.pod("web")))
        found = conditions(stage.pod("web")).get("PodResizePending", {})
        note(found.get("message", ""))
        check(found.get("reason") == "Infeasible", "the kubelet says Infeasible", found)
        answer = f"{found.get('reason')}, by the kubelet"
    stays("nobody is removed for it, for 3 s", lambda: not stage.timeline.removed(since), 3)
    stage.clear()
    return answer


def policy(stage):
    kubelet_companion.keeps_the_condition(stage, RETRIED)
    writes = stage.asked().get(("elbowroom-agent", "patch", "pods/status", 200), 0)
    check(0 < writes <= CONDITION_WRITES, f"the companion writes its condition not again and again ({writes} writes)")


def speaks_protobuf(stage):
    """All that was listed and watched since our programs started came in protobuf; then nothing does, and they go on."""
    for verb in ("list", "watch"):
        media = stage.relay.media(verb)
        note(f"{verb}: " + ", ".join(f"{place} {', '.join(kinds)}" for place, kinds in sorted(media.items())))
        check(OF_SCHEDULER <= set(media), f"what is large is asked for in protobuf: {verb}", media)
        check(all(kinds == [PROTOBUF] for kinds in media.values()), f"and answered so: {verb}", media)
    stage.relay.hides_protobuf = True
    stage.relay.forget()
    check(stage.restart_scheduler(), "a server that speaks no protobuf is understood as well")
    media = stage.relay.media("list")
    check(media and all(kinds == ["application/json"] for kinds in media.values()), "by its JSON", media)
    return "protobuf, and JSON where it must be"


def leads(stage):
    holder = lambda: (stage.admin.get(LEASE) or {}).get("spec", {}).get("holderIdentity")
    check(holder(), "the Lease elbowroom-scheduler has a holder", stage.admin.get(LEASE))
    before = holder()
    stage.restart_scheduler()
    sees("another process holds it after a restart", lambda: holder() and holder() != before, more=holder)


def play(row, stage):
    """With everything that packaging/kustomize installs but our own kind, and the pod groups that the version serves."""
    row.play("resize", "a resize, Deferred, a pod removed, resized by the kubelet", lambda: makes_room(stage))
    row.play("too-large", "a resize above what the node has", lambda: too_large(stage))
    row.play("lease", "the Lease of the leader", lambda: leads(stage))
    row.play("protobuf", "lists and watches in protobuf, and without it", lambda: speaks_protobuf(stage))
    row.play("policy", "the node's policy by annotation, told by JSON", lambda: policy(stage))
