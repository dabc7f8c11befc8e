"""control_plane_policy: the node's own policy on preemption. With the server's gate on it is the field, set by
server-side apply and merged from several owners; with the gate off the field is dropped silently, and
the annotation does it. Either way the pod says why no room is made for it."""
import json

from api import conditions
from checks import check, sees, stays
from objects import pod, resize
from process import now
from stage import NODE
from timeline import actual

ANNOTATION = "elbowroom.dev/disable-resize-preemption"
DISABLED = {"status": "True", "reason": "PreemptionDisabledByNodePolicy"}


def _apply(stage, owner, entries):
    body = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE}}
    if entries is not None:
        body["spec"] = {"podPreemptionPolicy": {"disableResizePreemption": entries}}
    manifest = f"{stage.folder}/policy-{owner}.json"
    with open(manifest, "w", encoding="ascii") as file:
        json.dump(body, file)
    return stage.kubectl("apply", "--server-side", f"--field-manager={owner}", "-f", manifest)


def _owners(stage):
    policy = stage.admin.get(f"/api/v1/nodes/{NODE}")["spec"].get("podPreemptionPolicy") or {}
    return policy.get("disableResizePreemption") or []


def _forbidden_by(owners):
    return f"resize preemption is disabled on node {NODE} by {' and '.join(owners)}"


def _explained(stage):
    """Why the scheduler makes no room for web."""
    return (stage.scheduler.explains("default/web") or {}).get("message")


def _names(stage, owners):
    """The condition has upstream's words, which name the node alone; /explain names the owners, and so does an event."""
    sees("the pod says PodResizePreemptionDisabled", lambda: stage.has(
        "web", "PodResizePreemptionDisabled", message=f"Preemption for in-place pod resize is disabled on node '{NODE}' by "
        "preemption policy.", **DISABLED), more=lambda: conditions(stage.pod("web")))
    sees(f"/explain names {' and '.join(owners)}", lambda: _explained(stage) == _forbidden_by(owners), more=lambda: _explained(stage))
    sees("and an event of the pod does", lambda: any(_forbidden_by(owners) in one["note"] for one in stage.events(
        "web", "FailedScheduling")), more=lambda: stage.events("web"))


def _full_node(stage):
    stage.run(pod("web", NODE, "2", "high", scheduler="nobody"), pod("batch", NODE, "2", "low", scheduler="nobody"))
    since = now()
    resize(stage.admin, "web", "3")
    sees("web is Deferred", lambda: stage.has("web", "PodResizePending", reason="Deferred"))
    return since


def field(stage):
    """The server keeps the field."""
    status, said = _apply(stage, "a.example.com", ["a.example.com/x"])
    check(status == 0, "kubectl apply --server-side sets an owner", said)
    status, said = _apply(stage, "b.example.com", ["b.example.com/y"])
    check(status == 0, "and another manager another one", said)
    check(_owners(stage) == ["a.example.com/x", "b.example.com/y"], "the server has merged the two as a set",
          _owners(stage))
    since = _full_node(stage)
    _names(stage, ["a.example.com/x", "b.example.com/y"])
    stays("nobody is removed for 3 s", lambda: not stage.timeline.removed(since), 3)
    _apply(stage, "a.example.com", None)
    sees("one owner lets go, the other stands", lambda: _owners(stage) == ["b.example.com/y"])
    sees("/explain names the one that is left", lambda: _explained(stage) == _forbidden_by(["b.example.com/y"]), more=lambda: _explained(stage))
    check(stage.has("web", "PodResizePreemptionDisabled", **DISABLED), "and the condition stands", conditions(stage.pod("web")))
    stays("and nobody is removed for 2 s", lambda: not stage.timeline.removed(since), 2)
    _apply(stage, "b.example.com", None)
    _ends(stage, since)


def annotation(stage):
    """The server drops the field."""
    status, said = _apply(stage, "a.example.com", ["a.example.com/x"])
    check(status == 0 and not _owners(stage), "the server takes the field and drops it without a word", said)
    status, said = stage.kubectl("annotate", "node", NODE, f"{ANNOTATION}=a.example.com/x,b.example.com/y")
    check(status == 0, "kubectl annotates the node in its place", said)
    since = _full_node(stage)
    _names(stage, ["a.example.com/x", "b.example.com/y"])
    stays("nobody is removed for 3 s", lambda: not stage.timeline.removed(since), 3)
    stage.kubectl("annotate", "node", NODE, f"{ANNOTATION}-")
    _ends(stage, since)


def _ends(stage, since):
    sees("the policy is gone: the low pod goes", lambda: stage.timeline.removed(since) == ["batch"],
         more=lambda: stage.scheduler.explains("default/web"))
    sees("the condition is gone, and web has its 3 cpu", lambda: actual("3")("", stage.pod("web")) and
         "PodResizePreemptionDisabled" not in conditions(stage.pod("web")))
    stage.clear()


def whose_policy(stage):
    """The owners of the annotation for critical pods: asked of the server by a dry run, which changes nothing."""
    node = stage.admin.get(f"/api/v1/nodes/{NODE}")
    keeps = node["metadata"].get("annotations", {}).get("elbowroom.dev/critical-preemption")
    gate_is_on = bool(stage.plane.gates)
    check(keeps == (None if gate_is_on else "node"), "the agent makes room for critical pods itself: " +
          ("no, as the server keeps the field" if gate_is_on else "yes, as the server drops the field"), keeps)
    check(not _owners(stage), "and asking left nothing in the Node")
