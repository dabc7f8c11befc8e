"""budgets_keeper: elbowroom-rescheduler, with the rights of its manifests, keeps the status of DisruptionBudgets. The pods
are objects alone, on a Node that nobody runs."""
import time

from api import JSON_PATCH, MERGE, conditions
from budgets_kind import manifest
from checks import check, note, sees, stays

NODE = "/api/v1/nodes/node-b"
PODS = "/api/v1/namespaces/default/pods"
BUDGETS = "/apis/elbowroom.dev/v1alpha1/namespaces/default/disruptionbudgets"
AVOID = "scheduler.alpha.kubernetes.io/preferAvoidPods"


def make_node(stage):
    stage.admin.make("/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-b"}})


def run_pod(stage, name):
    """A pod that is bound and Ready."""
    stage.admin.make(PODS, {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": "web"}},
        "spec": {"nodeName": "node-b", "terminationGracePeriodSeconds": 60,
                 "containers": [{"name": "app", "image": "pause"}]}})
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    stage.admin.call("PATCH", f"{PODS}/{name}/status", {"status": status}, MERGE)


def status_of(stage, name="web"):
    return (stage.admin.get(f"{BUDGETS}/{name}") or {}).get("status", {})


def holder(stage):
    lease = stage.admin.get("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/elbowroom-rescheduler")
    return (lease or {}).get("spec", {}).get("holderIdentity", "")


def counts(stage, first):
    run_pod(stage, "a")
    run_pod(stage, "b")
    stage.admin.make(BUDGETS, manifest({"selector": {"matchLabels": {"app": "web"}}, "minAvailable": 1,
                                        "rate": {"disruptions": 5, "per": "1h"}, "hard": True}))
    sees("the status counts pods, and says what is allowed",
         lambda: [status_of(stage).get(key) for key in ("expectedPods", "currentHealthy", "desiredHealthy",
                                                        "disruptionsAllowed", "observedGeneration")] == [2, 2, 1, 1, 1],
         more=lambda: status_of(stage))
    is_now = conditions(stage.admin.get(f"{BUDGETS}/web"))
    check(is_now.get("Observed", {}).get("status") == "True" and
          is_now.get("DisruptionAllowed", {}).get("reason") == "SufficientPods", "and its conditions", is_now)
    explained = first.explains_budget("default/web")
    check(explained and explained["disruptionsAllowed"] == 1 and explained["statusIsCurrent"], "/explain says the same",
          explained)
    stays("without a change nothing is written", lambda: first.metric(
        "elbowroom_rescheduler_status_writes_total", result="written") <= 2, 3)


def enters(stage, first):
    """An eviction by the API itself, and a plain delete."""
    status, said = stage.admin.call("POST", f"{PODS}/a/eviction", {
        "apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "a", "namespace": "default"}})
    check(status == 201, "the API evicts a pod", said)
    sees("it is entered, with the reason of its DisruptionTarget",
         lambda: [(one["pod"], one["by"]) for one in status_of(stage).get("recentDisruptions", [])]
         == [("a", "EvictionByEvictionAPI")], more=lambda: status_of(stage))
    sees("and nothing more is allowed", lambda: status_of(stage).get("disruptionsAllowed") == 0)
    sees("it is counted once", lambda: first.metric("elbowroom_rescheduler_entered_total") == 1, 5)
    status, said = stage.kubectl("get", "disruptionbudgets", "web")
    check(status == 0 and "HEALTHY" in said and "NEXT" in said, "kubectl shows healthy, allowed and next", said)


def refunds(stage, first):
    uid = stage.admin.get(f"{PODS}/b")["metadata"]["uid"]
    before = status_of(stage).get("recentDisruptions", [])
    old = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 115))
    entry = {"pod": "b", "uid": uid, "time": old, "by": "nobody"}
    stage.admin.call("PATCH", f"{BUDGETS}/web/status", {"status": {"recentDisruptions": [*before, entry]}}, MERGE)
    sees("a debit whose pod lives is refunded two minutes later",
         lambda: [one["pod"] for one in status_of(stage).get("recentDisruptions", [])] == ["a"], 20,
         more=lambda: status_of(stage))
    sees("it is counted once", lambda: first.metric("elbowroom_rescheduler_refunds_total") == 1, 5)


def takes_entries_away(stage, first):
    """Entries of nodes to avoid: ours that has ended goes, another's stays."""
    past = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 60))

    def entry(uid, reason):
        return ('{"podSignature":{"podController":{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"' + uid +
                '","controller":true}},"evictionTime":"' + past + '","reason":"' + reason + '","message":"x (until ' + past + ')"}')

    text = '{"preferAvoidPods":[' + entry("u-1", "ElbowroomEviction") + "," + entry("u-2", "Mine") + "]}"
    stage.admin.call("PATCH", NODE, {"metadata": {"annotations": {AVOID: text, "other": "stays"}}}, MERGE)

    def left():
        return stage.admin.get(NODE)["metadata"]["annotations"].get(AVOID, "")
    sees("an ended entry of ours is taken away, another's stays", lambda: "u-1" not in left() and "u-2" in left(), 20,
         more=lambda: f"{left()} | {first.last_lines(3)}")
    account = stage.plane.as_account("elbowroom-rescheduler")
    status, said = account.call("PATCH", NODE, [{"op": "add", "path": "/spec/unschedulable", "value": True}], JSON_PATCH)
    check(status in (403, 422), "the policy refuses any other change of a Node", (status, said.get("message")))


def hands_over(stage, first):
    second = stage.start_rescheduler(name="elbowroom-rescheduler-2")
    leader = holder(stage)
    stage.admin.call("PATCH", f"{BUDGETS}/web", {"spec": {"minAvailable": 0}}, MERGE)
    sees("the leader writes", lambda: status_of(stage).get("observedGeneration") == 2)
    check(second.metric("elbowroom_rescheduler_status_writes_total") == 0, "the other replica writes nothing")
    check(first.stop() == 0, "the leader ends cleanly")
    sees("the other one leads within seconds", lambda: holder(stage) not in ("", leader), 10)
    stage.admin.call("PATCH", f"{BUDGETS}/web", {"spec": {"minAvailable": 1}}, MERGE)
    sees("and writes", lambda: status_of(stage).get("observedGeneration") == 3)
    return second


def play(stage):
    make_node(stage)
    first = stage.start_rescheduler()
    sees("it leads", lambda: holder(stage))
    counts(stage, first)
    enters(stage, first)
    refunds(stage, first)
    takes_entries_away(stage, first)
    second = hands_over(stage, first)
    check(second.stop() == 0, "elbowroom-rescheduler ends cleanly")
    bad = {key: times for key, times in stage.asked().items() if key[0] == "elbowroom-rescheduler" and key[3] >= 400
           and key[3] not in (404, 409, 410)}
    note(f"asked for and refused: {bad}")
    check(all(key[1] == "patch" and key[2] == "nodes" for key in bad), "nothing else that it asked for was refused", bad)
