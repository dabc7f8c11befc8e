"""rescheduler_moves: a node is added and a Deployment comes to rest spread; a preferred zone appears; budgets hold moves up and
let them go on; the leader is killed, at rest and in mid-move; at rest nothing is evicted."""
import os
import time

from api import MERGE
from budgets_stage import BUDGETS, PDBS
from checks import check, note, sees, stays
from held_evictions import HeldEvictions
from objects import budget
from rescheduler_stage import LOAD, MAPS, PODS, ZONES, settings

RESTS = f"{MAPS}/elbowroom-rescheduler-rests"
NOTHING_MOVED = {"data": {"rests.json": "{}"}}
QUIET = 600 if os.environ.get("ELBOWROOM_LONG") else 60  # seconds at rest without an eviction


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
    stage.starts("shop", 8, scheduler)
    stage.admin.make(PDBS, budget("shop", 8, {"app": "shop"}))
    stage.pdb_allows("shop", 0)
    stage.admin.make(BUDGETS, {"apiVersion": "elbowroom.dev/v1alpha1", "kind": "DisruptionBudget",
                               "metadata": {"name": "shop"},
                               "spec": {"selector": {"matchLabels": {"app": "shop"}}, "minAvailable": 8}})
    stage.cordon("node-2", False)
    pod = next(iter(stage.pods_of("shop")))
    sees("both budgets are named", lambda: (one.explains(f"default/{pod}") or {}).get("move", {}).get("why", "").count(
        "default/shop") >= 2 or one.metric("elbowroom_rescheduler_moves_total", result="blocked") > 0, 60,
        more=lambda: one.explains(f"default/{pod}"))
    stays("nothing moves", lambda: stage.on("node-1", "shop") == 8, 15)
    stage.admin.call("PATCH", f"{PDBS}/shop", {"spec": {"minAvailable": 7}}, MERGE)
    stage.pdb_allows("shop", 1)
    stays("the DisruptionBudget alone, which is not hard, still holds", lambda: stage.on("node-1", "shop") == 8, 15)
    stage.admin.call("PATCH", f"{BUDGETS}/shop", {"spec": {"minAvailable": 7}}, MERGE)
    sees("and lets one go on", lambda: stage.on("node-2", "shop") == 1, 90)
    check([entry["by"] for entry in stage.ledger("shop")] == ["elbowroom-rescheduler"], "its ledger says by whom",
          stage.ledger("shop"))


def outlives_its_leader(stage, one):
    before = stage.on("node-2", "shop")
    second = stage.start_rescheduler(name=f"{one.name}-2")
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


def dies_in_mid_move(stage, one):
    """Its eviction is in the API server's hands: the debit is entered, and the pod is not evicted."""
    sees("the move has come to rest", lambda: one.metric("elbowroom_rescheduler_moves_under_way") == 0)
    third = stage.start_rescheduler(name=f"{one.name}-3")
    before, pods = stage.on("node-2", "shop"), set(stage.pods_of("shop"))
    held = HeldEvictions(stage.admin, stage.plane.authority)
    try:
        if not sees("the next eviction is on its way", lambda: held.held, 240, more=one.why_not_ready):
            return third
        who, pod = held.held[0]
        uid = stage.admin.get(f"{PODS}/{pod}")["metadata"]["uid"]
        check(who == "elbowroom-rescheduler" and uid in [entry["uid"] for entry in stage.ledger("shop")],
              "and its debit is in the ledger", (who, stage.ledger("shop")))
        one.kill()
    finally:
        held.end()
    check(len(held.held) == 1, "no other eviction was asked for", held.held)
    sees("another one leads", lambda: third.metric("elbowroom_rescheduler_leader") == 1, 90)
    stays("the pod that was not evicted stays while its owner rests", lambda: set(stage.pods_of("shop")) == pods, 20)
    sees("the debit of a pod that stayed is taken back", lambda: uid not in [entry["uid"] for entry in stage.ledger(
        "shop")] or pod not in stage.pods_of("shop"), 240, more=lambda: stage.ledger("shop"))
    rest = (third.explains(f"default/{next(iter(stage.pods_of('shop')))}") or {}).get("move", {})
    check(rest.get("ownerRestsUntil"), "as nobody knows what came of the move, its owner rests on", rest)
    check(third.stop() == 0, "the leader ends cleanly")
    stage.admin.patch(RESTS, NOTHING_MOVED)
    third = stage.start_rescheduler(name=f"{one.name}-4")
    least = [8]

    def goes_on():
        least[0] = min(least[0], len(stage.pods_of("shop")))
        return stage.on("node-2", "shop") > before
    sees("where nothing is known to have moved, the move is made", goes_on, 300,
         more=lambda: [third.explains(f"default/{name}").get("move") for name in list(stage.pods_of("shop"))[:2]])
    check(least[0] >= 7, "never were fewer up than the budgets want", least)
    uids = [entry["uid"] for entry in stage.ledger("shop")]
    check(len(uids) == len(set(uids)), "no pod is debited twice", stage.ledger("shop"))
    return third


def rests(stage, one):
    sees("it comes to rest", lambda: one.metric("elbowroom_rescheduler_moves_under_way") == 0, 120)
    sees("node-1 is not crowded any more", lambda: stage.on("node-1", "shop") == 5 and len(stage.pods_of("shop")) == 8, 200,
         more=lambda: one.explains(f"default/{next(iter(stage.pods_of('shop')))}"))
    sees("and no owner rests", lambda: one.metric("elbowroom_rescheduler_resting_owners") == 0, 200)
    time.sleep(1)  # the audit log is written behind
    before, pods, passes = stage.evictions(), set(stage.pods_of("shop")), one.metric("elbowroom_rescheduler_passes_total")
    stays(f"with its policy on nothing is evicted for {QUIET} s", lambda: set(stage.pods_of("shop")) == pods, QUIET)
    check(stage.evictions() == before and one.metric("elbowroom_rescheduler_passes_total") >= passes + QUIET // 10 - 2,
          "though there were passes", (before, stage.evictions(), passes, one.metric("elbowroom_rescheduler_passes_total")))
    stage.configure("apiVersion: elbowroom.dev/v1alpha1\nkind: ReschedulerConfiguration\n")
    stays("without a policy nothing is evicted", lambda: stage.evictions() == before, 20)
    bad = {key: times for key, times in stage.asked().items() if key[0] == "elbowroom-rescheduler" and key[3] >= 400
           and key[3] not in (404, 409, 410, 422, 429, 504)}
    # 504: what was on its way when its leader was killed.
    check(not bad, "nothing that it asked for was refused", bad)
    stage.forget("shop")
    stage.admin.delete(f"{PDBS}/shop")
    stage.admin.delete(f"{BUDGETS}/shop")


def play(stage, scheduler):
    # Without a record all owners rest once, which would take ten minutes.
    if stage.admin.get(RESTS):
        stage.admin.patch(RESTS, NOTHING_MOVED)
    else:
        stage.admin.make(MAPS, {"apiVersion": "v1", "kind": "ConfigMap",
                                "metadata": {"name": "elbowroom-rescheduler-rests"}, **NOTHING_MOVED})
    one = stage.start_rescheduler(name=f"elbowroom-rescheduler-{scheduler}")
    refuses_a_bad_one(stage, one)
    spreads(stage, one, scheduler)
    prefers_a_zone(stage, one, scheduler)
    obeys_budgets(stage, one, scheduler)
    one = dies_in_mid_move(stage, outlives_its_leader(stage, one))
    rests(stage, one)
    check(one.stop() == 0, "elbowroom-rescheduler ends cleanly")
