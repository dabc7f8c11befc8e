"""control_plane_rights: what our identities may not do, tried on a real server with the manifests in force:
RBAC and the admission policies. Each refusal is checked together with its source, so
that a policy that never runs is not taken for one that works."""
import json

from api import STRATEGIC, Api
from checks import check, sees
from objects import fake_node, path, pod
from stage import NODE

OTHER = "node-2"
GUARD, EVENTS_GUARD = "elbowroom-agent-own-node", "elbowroom-agent-events"
EVENT_PODS_GUARD = "elbowroom-agent-event-pods"
SCHEDULER_GUARD, SCHEDULER_PODS = "elbowroom-scheduler-nodes", "elbowroom-scheduler-pods"
AVOID_GUARD, RESCHEDULER_GUARD = "elbowroom-avoid-node", "elbowroom-rescheduler-nodes"
AVOIDED = "scheduler.alpha.kubernetes.io/preferAvoidPods"
ENTRY = {"podSignature": {"podController": {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u",
                                            "controller": True}},
         "evictionTime": "2027-01-01T00:00:00Z", "reason": "tried", "message": "tried (until 2027-01-01T01:00:00Z)"}
# Of a Node and of a pod's status: none of it is ours to write.
OF_A_NODE = {"a label that isolates Nodes": {"metadata": {"labels": {"node-restriction.kubernetes.io/secure": "true"}}},
             "a role": {"metadata": {"labels": {"node-role.kubernetes.io/control-plane": ""}}},
             "a finalizer": {"metadata": {"finalizers": ["a.example.com/x"]}},
             "somebody's annotation": {"metadata": {"annotations": {"a.example.com/x": "y"}}}}
OF_A_POD = {"labels": {"metadata": {"labels": {"app": "payments"}}},
            "annotations": {"metadata": {"annotations": {"a.example.com/x": "y"}}},
            "its phase": {"status": {"phase": "Failed"}},
            "its address": {"status": {"podIP": "10.6.6.6", "podIPs": [{"$patch": "replace"}, {"ip": "10.6.6.6"}]}},
            "that it is ready": {"status": {"conditions": [{"type": "Ready", "status": "False"}]}}}


def _refused(answer, by, what):
    status, said = answer
    check(status in (403, 422) and by in str(said.get("message")), what, f"{status} {said.get('message', said)}")


def _allowed(answer, what):
    status, said = answer
    check(status in (200, 201), what, f"{status} {said.get('message', said)}")


def play(stage):
    stage.admin.make("/api/v1/nodes", fake_node(OTHER))
    stage.admin.make("/api/v1/namespaces/default/pods", pod("theirs", OTHER))
    stage.run(pod("ours", NODE))
    _policies_run(stage)
    agent(stage)
    events(stage)
    companion(stage)
    unbound(stage)
    scheduler(stage)
    evictors(stage)
    strangers(stage)
    stage.admin.delete("/api/v1/namespaces/default/pods/theirs", {"gracePeriodSeconds": 0})
    stage.admin.delete(f"/api/v1/nodes/{OTHER}")
    stage.clear()


def _policies_run(stage):
    for name in (GUARD, EVENTS_GUARD, EVENT_PODS_GUARD, SCHEDULER_GUARD, SCHEDULER_PODS, AVOID_GUARD, RESCHEDULER_GUARD):
        one = stage.admin.get(f"/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/{name}")
        sees(f"the server has looked at policy {name}", lambda name=name: stage.admin.get(
            f"/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/{name}").get("status", {}).get(
                "observedGeneration"), patience=20)
        one = stage.admin.get(f"/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/{name}")
        warnings = one.get("status", {}).get("typeChecking", {}).get("expressionWarnings", [])
        check(not warnings, "and finds its expressions well typed", json.dumps(warnings))


def _condition(kind, uid):
    return {"metadata": {"uid": uid}, "status": {"conditions": [{"type": kind, "status": "True", "reason": "Tried"}]}}


def _leaves_alone(me, place, changes, by, who):
    for what, change in changes.items():
        _refused(me.call("PATCH", place, change, STRATEGIC), by, f"{who} does not write {what}")


def agent(stage):
    me = stage.plane.as_account("elbowroom-agent-authority", NODE)
    note_it = {"metadata": {"annotations": {"elbowroom.dev/critical-preemption": "node"}}}
    _refused(me.call("PATCH", f"/api/v1/nodes/{OTHER}", note_it, STRATEGIC), GUARD, "an agent changes no other Node")
    _refused(me.call("PATCH", f"/api/v1/nodes/{NODE}", {"spec": {"unschedulable": True}}, STRATEGIC), GUARD,
             "nor its own Node's spec")
    _allowed(me.call("PATCH", f"/api/v1/nodes/{NODE}?dryRun=All", {"spec": {"unschedulable": True}}, STRATEGIC),
             "only by a dry run")
    _allowed(me.call("PATCH", f"/api/v1/nodes/{NODE}", {"metadata": {"annotations": {"elbowroom.dev/tried": None}}},
                     STRATEGIC), "its own Node's annotations")
    _allowed(me.call("PATCH", f"/api/v1/nodes/{NODE}", note_it, STRATEGIC), "and the one that is its own")
    me.call("PATCH", f"/api/v1/nodes/{NODE}", {"metadata": {"annotations": {"elbowroom.dev/critical-preemption": None}}},
            STRATEGIC)
    _leaves_alone(me, f"/api/v1/nodes/{NODE}", OF_A_NODE, GUARD, "of its own Node an agent")
    _leaves_alone(me, path("ours") + "/status", OF_A_POD, GUARD, "of a pod an agent")
    _allowed(me.call("PATCH", path("ours") + "/status", _condition("PodResizePending", stage.uid("ours")), STRATEGIC),
             "an authority writes PodResizePending")
    stage.admin.patch(path("ours") + "/status", {"status": {"conditions": [
        {"type": "PodResizePending", "$patch": "delete"}]}}, STRATEGIC)
    _refused(me.call("DELETE", path("theirs")), GUARD, "an agent deletes no pod of another node")
    _refused(me.call("PATCH", path("theirs") + "/status", _condition("PodResizePending", stage.uid("theirs")), STRATEGIC),
             GUARD, "nor writes its status")
    for verb, place, body in (("POST", path("ours") + "/eviction", {"apiVersion": "policy/v1", "kind": "Eviction",
                                                                    "metadata": {"name": "ours"}}),
                              ("GET", "/api/v1/namespaces/kube-system/secrets", None),
                              ("DELETE", f"/api/v1/nodes/{NODE}", None),
                              ("PATCH", path("ours"), {"metadata": {"labels": {"a": "b"}}}),
                              ("POST", "/api/v1/namespaces/default/pods", pod("new", NODE))):
        _refused(me.call(verb, place, body, STRATEGIC if verb == "PATCH" else "application/json"),
                 "cannot", f"RBAC: no {verb} {place.removeprefix('/api/v1/')}")


def _event(kind, name, namespace, by, suffix, uid="none"):
    regarding = {"apiVersion": "v1", "kind": kind, "name": name} | ({"namespace": namespace, "uid": uid} if kind == "Pod" else {})
    return {"apiVersion": "events.k8s.io/v1", "kind": "Event",
            "metadata": {"name": f"tried.{suffix}", "namespace": namespace, "labels": {"elbowroom.dev/by-agent": "true"}},
            "eventTime": "2027-01-01T00:00:00.000000Z", "reportingController": "elbowroom.dev/elbowroomd",
            "reportingInstance": by, "action": "Trying", "reason": "Tried", "type": "Normal", "regarding": regarding, "note": "x"}


def events(stage):
    me = stage.plane.as_account("elbowroom-agent-authority", NODE)
    place = "/apis/events.k8s.io/v1/namespaces/default/events"
    series = {"series": {"count": 2, "lastObservedTime": "2027-01-01T00:01:00.000000Z"}}
    without_label = _event("Pod", "ours", "default", NODE, "7", stage.uid("ours"))
    without_uid = _event("Pod", "theirs", "default", NODE, "10", "")
    del without_label["metadata"]["labels"]
    for what, event in {"a pod that is gone": _event("Pod", "gone", "default", NODE, "9"), "its own Node": _event("Node", NODE, "default", NODE, "1"),
                        "a pod of it": _event("Pod", "ours", "default", NODE, "2", stage.uid("ours")),
                        "a pod whose name another node's has by now": _event("Pod", "theirs", "default", NODE, "11")}.items():
        _allowed(me.call("POST", place, event), f"an agent writes events about {what}")
        _allowed(me.call("PATCH", f"{place}/{event['metadata']['name']}", series, STRATEGIC), "and counts them")
    for what, event in {"about another Node": _event("Node", OTHER, "default", NODE, "3"),
                        "about what is neither": _event("Namespace", "default", "default", NODE, "4"),
                        "in another node's name": _event("Pod", "ours", "default", OTHER, "5", stage.uid("ours")),
                        "about a pod without the label": without_label, "about a pod without its uid": without_uid,
                        "about a pod of another node": _event("Pod", "theirs", "default", NODE, "8", stage.uid("theirs"))}.items():
        guard = EVENT_PODS_GUARD if what.endswith("another node") else EVENTS_GUARD
        _refused(me.call("POST", place, event), guard, f"an agent writes no events {what}")
        stage.admin.make(place, event)
        _refused(me.call("PATCH", f"{place}/{event['metadata']['name']}", series, STRATEGIC), guard, "nor counts them")
    _refused(stage.plane.as_account("elbowroom-agent").call("POST", place, _event("Node", NODE, "default", NODE, "6")), EVENTS_GUARD,
             "a token that is bound to no Node writes none")


def companion(stage):
    me = stage.plane.as_account("elbowroom-agent", NODE)
    uid = stage.uid("ours")
    _allowed(me.call("PATCH", path("ours") + "/status", _condition("PodResizePreemptionDisabled", uid), STRATEGIC),
             "a companion writes PodResizePreemptionDisabled")
    _refused(me.call("PATCH", path("ours") + "/status", _condition("PodResizePending", uid), STRATEGIC), GUARD,
             "and no other condition")
    _leaves_alone(me, path("ours") + "/status", OF_A_POD, GUARD, "of a pod a companion")
    _leaves_alone(me, path("ours") + "/status",
                  {"what its containers were given": {"status": {"containerStatuses": []}}}, GUARD, "a companion")
    _refused(me.call("DELETE", path("ours")), "cannot", "RBAC: a companion deletes no pods")
    stage.admin.patch(path("ours") + "/status", {"status": {"conditions": [
        {"type": "PodResizePreemptionDisabled", "$patch": "delete"}]}}, STRATEGIC)


def unbound(stage):
    me = stage.plane.as_account("elbowroom-agent-authority")
    _refused(me.call("PATCH", path("ours") + "/status", _condition("PodResizePending", stage.uid("ours")), STRATEGIC),
             GUARD, "an agent's token that is bound to no Node writes nothing")
    _refused(me.call("DELETE", path("ours")), GUARD, "and deletes nothing")


def scheduler(stage):
    me = stage.plane.as_account("elbowroom-scheduler")
    change = {"spec": {"unschedulable": True}}
    _refused(me.call("PATCH", f"/api/v1/nodes/{NODE}", change, STRATEGIC), SCHEDULER_GUARD,
             "the scheduler changes no Node")
    _allowed(me.call("PATCH", f"/api/v1/nodes/{NODE}?dryRun=All", change, STRATEGIC), "but may ask by a dry run")
    _leaves_alone(me, path("ours") + "/status", OF_A_POD, SCHEDULER_PODS, "of a pod the scheduler")
    leases = "/apis/coordination.k8s.io/v1/namespaces"
    _refused(me.call("GET", f"{leases}/kube-node-lease/leases/{NODE}"), "cannot", "RBAC: it reads no Lease but its own")
    _refused(me.call("GET", "/api/v1/namespaces/kube-system/secrets"), "cannot", "RBAC: nor Secrets")
    _refused(me.call("POST", path("ours") + "/eviction", {"apiVersion": "policy/v1", "kind": "Eviction",
                                                          "metadata": {"name": "ours"}}), "cannot", "RBAC: nor evicts")


def _bind(stage, role, subject):
    stage.admin.make("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
        "metadata": {"name": f"tried-{role}-{subject['name']}"}, "subjects": [subject],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role}})


def evictors(stage):
    """People and the rescheduler may write which pods avoid a Node, and nothing else of it."""
    roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
    accounts = "/api/v1/namespaces/kube-system/serviceaccounts"
    _bind(stage, "elbowroom-avoid-node", {"kind": "User", "name": "anna", "apiGroup": "rbac.authorization.k8s.io"})
    stage.admin.call("POST", accounts, {"apiVersion": "v1", "kind": "ServiceAccount",
                                        "metadata": {"name": "elbowroom-rescheduler"}})
    stage.admin.make(roles, {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
                             "metadata": {"name": "tried-all-of-nodes"},
                             "rules": [{"apiGroups": [""], "resources": ["nodes", "nodes/status"],
                                        "verbs": ["get", "patch", "update", "create"]}]})
    _bind(stage, "tried-all-of-nodes", {"kind": "ServiceAccount", "name": "elbowroom-rescheduler",
                                        "namespace": "kube-system"})
    certificate, key = stage.plane.authority.issue("anna", "anna")
    anna = Api(stage.plane.port, stage.plane.authority.certificate, certificate, key)
    rescheduler = stage.plane.as_account("elbowroom-rescheduler")
    node = f"/api/v1/nodes/{OTHER}"
    for me, who, guard in ((anna, "a person", AVOID_GUARD), (rescheduler, "the rescheduler", RESCHEDULER_GUARD)):
        for value in (json.dumps({"preferAvoidPods": [ENTRY]}), None):
            sees(f"{who} writes whom to avoid", lambda me=me, value=value: me.call(
                "PATCH", node, {"metadata": {"annotations": {AVOIDED: value}}}, STRATEGIC)[0] == 200, patience=20)
        _leaves_alone(me, node, OF_A_NODE | {"its spec": {"spec": {"unschedulable": True}}}, guard,
                      f"of a Node {who}")
    _refused(rescheduler.call("PATCH", f"{node}/status", {"status": {"capacity": {"cpu": "9"}}}, STRATEGIC), RESCHEDULER_GUARD,
             "nor its status, whatever rights it has")
    _refused(anna.call("PATCH", f"{node}/status", {"status": {"capacity": {"cpu": "9"}}}, STRATEGIC), "cannot",
             "RBAC: a person writes no status of a Node")
    _allowed(stage.admin.call("PATCH", node, {"metadata": {"labels": {"tried": "x"}}}, STRATEGIC),
             "who may update Nodes anyway is not kept to it")


def strangers(stage):
    _allowed(stage.admin.call("PATCH", f"/api/v1/nodes/{OTHER}", {"spec": {"unschedulable": True}}, STRATEGIC),
             "other users are none of the policies' business")
