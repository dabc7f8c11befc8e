"""budgets_evict: `elbowroom evict` beside the real disruption controller, and what becomes of the evicted pods."""
import time

from budgets_kind import manifest
from budgets_stage import BUDGETS, PDBS, PODS, SETS, replica_set
from checks import check, note, sees
from objects import budget


def play(stage):
    stage.admin.make(SETS, replica_set("web", 2))
    stage.replicas_run("web", 2)
    avoids_the_node(stage)
    waits_for_a_pdb(stage)
    refuses(stage)
    keeps_the_rate(stage)
    wrong_uid(stage)
    replaced(stage)
    waits_as_it_is_asked(stage)
    under_kube_scheduler(stage)


def avoids_the_node(stage):
    """Scores alone would place the new pod on the node that the old one left."""
    stage.admin.make(PDBS, budget("web", 1, {"app": "web"}))
    stage.pdb_allows("web", 1)
    name, pod = next(iter(sorted(stage.pods_of("web").items())))
    node = pod["spec"]["nodeName"]
    status, said = stage.evict(name, "--avoid-node", "--dry-run")
    check(status == 0 and said.get("result") == "WouldEvict", "a dry run says that it would be evicted", said)
    check(name in stage.pods_of("web"), "and evicts nothing")
    status, said = stage.evict(name, "--avoid-node")
    check(status == 0 and said.get("result") == "Evicted" and said.get("uid") == pod["metadata"]["uid"],
          "a pod is evicted, as its PodDisruptionBudget allows one", said)
    sees("its set makes another one", lambda: len(stage.pods_of("web")) == 2 and name not in stage.pods_of("web"))
    nodes = [one["spec"]["nodeName"] for one in stage.pods_of("web").values()]
    check(node not in nodes, f"it is placed beside the other one, and not on {node}", nodes)


def waits_for_a_pdb(stage):
    stage.admin.patch(f"{PDBS}/web", {"spec": {"minAvailable": 2}})
    stage.pdb_allows("web", 0)
    name = sorted(stage.pods_of("web"))[0]
    status, said = stage.evict(name)
    check(status == 75 and said.get("result") == "Blocked" and "web" in str(said.get("by")),
          "one that its PodDisruptionBudget keeps is named, exit 75", (status, said))
    began = time.monotonic()
    status, said = stage.evict(name, "--wait", "3s")
    check(status == 75 and time.monotonic() - began >= 2.5, "--wait 3s asks again until then", (status, said))
    check(name in stage.pods_of("web"), "the pod stays")
    stage.admin.patch(f"{PDBS}/web", {"spec": {"minAvailable": 1}})
    status, said = stage.evict(name, "--wait", "30s")
    check(status == 0 and said.get("result") == "Evicted", "and evicts once it may", (status, said))
    stage.replicas_run("web", 2)


def refuses(stage):
    stage.admin.make(PDBS, budget("web-too", 1, {"app": "web"}))
    stage.pdb_allows("web-too", 1)
    name = sorted(stage.pods_of("web"))[0]
    status, said = stage.evict(name)
    check(status == 1 and "web-too" in str(said), "one under two PodDisruptionBudgets is refused, with both names",
          (status, said))
    stage.admin.delete(f"{PDBS}/web-too")
    stage.admin.make(PODS, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "alone"},
                            "spec": {"nodeName": "node-1", "containers": [{"name": "app", "image": "pause",
                                                                           "resources": {}}]}})
    status, said = stage.evict("alone")
    check(status == 1, "one without a controller is refused", (status, said))
    status, said = stage.evict("alone", "--force", "--dry-run")
    check(status == 0, "and not with --force", (status, said))
    stage.admin.patch(f"{PODS}/alone", {"metadata": {"finalizers": ["example.com/held"]}})
    stage.admin.delete(f"{PODS}/alone", {"gracePeriodSeconds": 60})
    status, said = stage.evict("alone", "--force")
    check(status == 1 and "terminat" in str(said), "one that terminates is refused", (status, said))
    stage.admin.patch(f"{PODS}/alone", {"metadata": {"finalizers": None}})


def keeps_the_rate(stage):
    stage.admin.make(BUDGETS, manifest({"selector": {"matchLabels": {"app": "web"}},
                                        "rate": {"disruptions": 1, "per": "1h"}}, "slow"))
    name, pod = next(iter(sorted(stage.pods_of("web").items())))
    stage.pdb_allows("web", 1)
    status, said = stage.evict(name)
    check(status == 0, "the first one within an hour is evicted", said)
    entries = stage.ledger("slow")
    check([(one["uid"], one["by"]) for one in entries] == [(pod["metadata"]["uid"], "elbowroom")],
          "and stands in the ledger", entries)
    stage.replicas_run("web", 2)
    stage.pdb_allows("web", 1)
    name = sorted(stage.pods_of("web"))[0]
    status, said = stage.evict(name)
    check(status == 75 and "default/slow" in str(said.get("by")) and said.get("nextAllowedTime", "")[:4].isdigit(),
          "the second one is not, though the budget is soft, and the next time is told", (status, said))
    check(len(stage.ledger("slow")) == 1, "nothing more is entered")
    stage.admin.delete(f"{BUDGETS}/slow")


def wrong_uid(stage):
    """Why the uid is read again just before."""
    name = sorted(stage.pods_of("web"))[0]
    stage.pdb_allows("web", 1)
    status, said = stage.admin.call("POST", f"{PODS}/{name}/eviction", {
        "apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": "default"},
        "deleteOptions": {"preconditions": {"uid": "00000000-0000-0000-0000-000000000000"}}})
    disrupted = stage.admin.get(f"{PDBS}/web")["status"].get("disruptedPods", {})
    note(f"the server answers an eviction with another uid {status}, and disruptedPods is {sorted(disrupted)}")
    check(status == 409 and name in stage.pods_of("web"), "an eviction with another uid evicts nothing", said)


def replaced(stage):
    """A pod that another one of its name follows while `evict` waits: that one stays, and costs no budget anything."""
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "again", "labels": {"app": "again"}},
           "spec": {"nodeName": "node-1", "containers": [{"name": "app", "image": "pause", "resources": {}}]}}
    stage.admin.make(PODS, pod)
    stage.admin.make(PDBS, budget("again", 1, {"app": "again"}))
    sees("the pod runs", lambda: "again" in stage.pods_of("again"))
    stage.pdb_allows("again", 0)
    waiting = stage.evict_in_background("again", "--force", "--wait", "60s")
    sees("evict has been refused once", lambda: any(
        one.get("reason") == "EvictionBlocked" for one in stage.admin.get(
            "/apis/events.k8s.io/v1/namespaces/default/events")["items"]
        if (one.get("regarding") or {}).get("name") == "again"))
    stage.admin.delete(f"{PODS}/again", {"gracePeriodSeconds": 0})
    sees("the pod is gone", lambda: stage.admin.get(f"{PODS}/again") is None)
    stage.admin.make(PODS, pod)
    sees("another one has the name", lambda: "again" in stage.pods_of("again"))
    stage.admin.patch(f"{PDBS}/again", {"spec": {"minAvailable": 0}})
    stage.pdb_allows("again", 1)
    status, said = waiting()
    check(status == 1 and "replaced by another" in str(said), "evict says that the pod was replaced", (status, said))
    left = stage.admin.get(f"{PDBS}/again")["status"]
    check(left["disruptionsAllowed"] == 1 and not left.get("disruptedPods") and "again" in stage.pods_of("again"),
          "the other one stays, and its PodDisruptionBudget is as it was", left)
    stage.admin.delete(f"{PDBS}/again")
    stage.admin.delete(f"{PODS}/again", {"gracePeriodSeconds": 0})


def waits_as_it_is_asked(stage):
    """The server answers 429 with Retry-After where it waits for its own disruption controller."""
    name = sorted(stage.pods_of("web"))[0]
    stage.stop_controllers()
    stage.admin.patch(f"{PDBS}/web", {"spec": {"minAvailable": 0}})
    status, said = stage.admin.call("POST", f"{PODS}/{name}/eviction?dryRun=All", {
        "apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": "default"}})
    asked = (said.get("details") or {}).get("retryAfterSeconds")
    check(status == 429 and asked, "429 with Retry-After while the PodDisruptionBudget is being processed", said)
    began = time.monotonic()
    waiting = stage.evict_in_background(name, "--wait", "60s")
    stage.start_controllers()
    status, said = waiting()
    took = time.monotonic() - began
    check(status == 0 and said.get("result") == "Evicted", "evict waits for it", (status, said))
    check(took >= asked, f"and asks no sooner than in {asked} s", took)
    stage.admin.patch(f"{PDBS}/web", {"spec": {"minAvailable": 1}})
    stage.replicas_run("web", 2)


def under_kube_scheduler(stage):
    """What kube-scheduler makes of the annotation is for docs/compatibility.md."""
    stage.plane.start_scheduler()
    stage.admin.make(SETS, replica_set("other", 2, "default-scheduler"))
    stage.replicas_run("other", 2)
    name, pod = next(iter(sorted(stage.pods_of("other").items())))
    node = pod["spec"]["nodeName"]
    status, said = stage.evict(name, "--avoid-node")
    check(status == 0, "a pod of kube-scheduler's is evicted", said)
    sees("its set makes another one", lambda: len(stage.pods_of("other")) == 2 and name not in stage.pods_of("other"))
    nodes = sorted(one["spec"]["nodeName"] for one in stage.pods_of("other").values())
    check(node in nodes, f"kube-scheduler does not heed the annotation: it places it on {node} again", nodes)
    for one in ("web", "other"):
        stage.admin.call("DELETE", f"{SETS}/{one}", {"propagationPolicy": "Background"})
    sees("the sets and their pods are gone", lambda: not stage.admin.get(PODS)["items"])
    stage.admin.delete(f"{PDBS}/web")
