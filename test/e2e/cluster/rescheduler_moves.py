"""rescheduler_moves: a node is added and a Deployment comes to rest spread; a preferred zone appears; budgets hold moves up and
let them go on; the leader is killed; at rest nothing is evicted."""
import time

from api import MERGE
from budgets_stage import BUDGETS, PDBS
from checks import check, note, sees, stays
from objects import budget
from rescheduler_stage import LOAD, MAPS, ZONES, settings

RESTS = f"{MAPS}/elbowroom-rescheduler-rests"


def refuses_a_bad_one(stage, one):
    stage.configure(settings(LOAD, "budgetReserve: many\n"))
    sees("a bad ConfigMap is named in /readyz", lambda: "budgetReserve" in one.why_not_ready())
    sees("and in an event on it", lambda: any(
        event.get("reason") == "ConfigurationRefused" and "budgetReserve" in event.get("note", "")
        for event in stage.admin.get("/apis/events.k8s.io/v1/namespaces/kube-system/events")["items"]))


def spreads(stage, one, scheduler):
    stage.starts("web", 8, scheduler)
    stage.configure(settings(LOAD))
    sees("the configuration is in use", one.is_ready)
    stays("while there is no other node nothing moves", lambda: stage.on("node-1", "web") == 8, 12)
    stage.cordon("node-2", False)
    began = time.monotonic()
    sees("a node is added, and a pod moves there", lambda: stage.on("node-2", "web") >= 1, 90,
         more=lambda: one.explains(f"default/{next(iter(stage.pods_of('web')))}"))
    text = (stage.admin.get(RESTS) or {}).get("data", {}).get("rests.json", "")
    check("Deployment default/web" in text, "its owner rests, as the ConfigMap says", text)
    sees("three have moved, and node-1 is not crowded any more", lambda: stage.on("node-2", "web") == 3, 400,
         more=lambda: one.explains(f"default/{next(iter(stage.pods_of('web')))}"))
    note(f"that took {time.monotonic() - began:.0f} s")
    stays("then nothing moves", lambda: stage.on("node-2", "web") == 3, 30)
    stage.forget("web")


def prefers_a_zone(stage, one, scheduler):
    stage.configure(settings(ZONES))
    stage.starts("db", 1, scheduler, prefers="b")
    stage.cordon("node-2", False)
    stays("without the zone it stays", lambda: stage.on("node-1", "db") == 1, 12)
    stage.admin.call("PATCH", "/api/v1/nodes/node-2", {"metadata": {"labels": {"zone": "b"}}}, MERGE)
    sees("the zone appears, and the pod moves there", lambda: stage.on("node-2", "db") == 1, 120,
         more=lambda: one.explains(f"default/{next(iter(stage.pods_of('db')), '')}"))
    stage.forget("db")
    stage.admin.call("PATCH", "/api/v1/nodes/node-2", {"metadata": {"labels": {"zone": None}}}, MERGE)


def obeys_budgets(stage, one, scheduler):
    stage.configure(settings(LOAD))
    stage.starts("shop", 7, scheduler)
    stage.admin.make(PDBS, budget("shop", 7, {"app": "shop"}))
    stage.pdb_allows("shop", 0)
    stage.admin.make(BUDGETS, {"apiVersion": "elbowroom.dev/v1alpha1", "kind": "DisruptionBudget",
                               "metadata": {"name": "shop"},
                               "spec": {"selector": {"matchLabels": {"app": "shop"}}, "minAvailable": 7}})
    stage.cordon("node-2", False)
    pod = next(iter(stage.pods_of("shop")))
    sees("both budgets are named", lambda: (one.explains(f"default/{pod}") or {}).get("move", {}).get("why", "").count(
        "default/shop") >= 2 or one.metric("elbowroom_rescheduler_moves_total", result="blocked") > 0, 60,
        more=lambda: one.explains(f"default/{pod}"))
    stays("nothing moves", lambda: stage.on("node-1", "shop") == 7, 15)
    stage.admin.call("PATCH", f"{PDBS}/shop", {"spec": {"minAvailable": 6}}, MERGE)
    stage.pdb_allows("shop", 1)
    stays("the DisruptionBudget alone, which is not hard, still holds", lambda: stage.on("node-1", "shop") == 7, 15)
    stage.admin.call("PATCH", f"{BUDGETS}/shop", {"spec": {"minAvailable": 6}}, MERGE)
    sees("and lets one go on", lambda: stage.on("node-2", "shop") == 1, 90)
    check([entry["by"] for entry in stage.ledger("shop")] == ["elbowroom-rescheduler"], "its ledger says by whom",
          stage.ledger("shop"))


def outlives_its_leader(stage, one, scheduler):
    before = stage.on("node-2", "shop")
    second = stage.start_rescheduler(name="elbowroom-rescheduler-2")
    sees("a second replica is ready", second.is_ready)
    sees("the move has come to rest", lambda: one.metric("elbowroom_rescheduler_moves_under_way") == 0)
    one.kill()
    text = stage.admin.get(RESTS)["data"]["rests.json"]
    check("default/shop" in text, "the owner rests on", text)
    sees("the other one goes on once its rest is over", lambda: stage.on("node-2", "shop") > before, 200,
         more=lambda: second.why_not_ready())
    check(all(entry["by"] == "elbowroom-rescheduler" for entry in stage.ledger("shop")), "no debit is another's",
          stage.ledger("shop"))
    return second


def rests(stage, one):
    sees("it comes to rest", lambda: one.metric("elbowroom_rescheduler_moves_under_way") == 0, 120)
    time.sleep(1)  # the audit log is written behind
    stage.configure("apiVersion: elbowroom.dev/v1alpha1\nkind: ReschedulerConfiguration\n")
    before = stage.evictions()
    stays("without a policy nothing is evicted", lambda: stage.evictions() == before, 20)
    bad = {key: times for key, times in stage.asked().items() if key[0] == "elbowroom-rescheduler" and key[3] >= 400
           and key[3] not in (404, 409, 410, 422, 429)}
    check(not bad, "nothing that it asked for was refused", bad)


def play(stage, scheduler):
    # Without a record all owners rest once, which would take ten minutes.
    stage.admin.make(MAPS, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "elbowroom-rescheduler-rests"},
                            "data": {"rests.json": "{}"}})
    one = stage.start_rescheduler()
    refuses_a_bad_one(stage, one)
    spreads(stage, one, scheduler)
    prefers_a_zone(stage, one, scheduler)
    obeys_budgets(stage, one, scheduler)
    last = outlives_its_leader(stage, one, scheduler)
    rests(stage, last)
    check(last.stop() == 0, "elbowroom-rescheduler ends cleanly")
