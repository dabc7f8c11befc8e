"""budgets_leaders: a rate outlives the scheduler that debited it, and an agent's rights in a ledger."""
import ours
from budgets_kind import manifest
from budgets_stage import BUDGETS, FLAGS, LEASE, PODS
from checks import check, note, sees, stays
from objects import pod

GUARD = "elbowroom-agent-own-node"


def play(stage):
    outlives_its_leader(stage)
    guards_the_ledger(stage)


def _bound(stage, name):
    return (stage.pod(name) or {}).get("spec", {}).get("nodeName", "")


def outlives_its_leader(stage):
    for number, node in enumerate(("node-1", "node-2")):
        stage.admin.make(PODS, pod(f"low-{number}", node, "3", "low", labels={"app": "low"}))
    sees("the pods run", lambda: len(stage.pods_of("low")) == 2)
    stage.admin.make(BUDGETS, manifest({"selector": {"matchLabels": {"app": "low"}}, "hard": True,
                                        "rate": {"disruptions": 1, "per": "1h"}}, "low"))
    holder = lambda: (stage.admin.get(LEASE) or {}).get("spec", {}).get("holderIdentity")
    first = holder()
    second = stage.programs.start(ours.scheduler(stage.build, stage.folder, stage.plane.account("elbowroom-scheduler"),
                                                 FLAGS, "elbowroom-scheduler-2"))
    stage.admin.make(PODS, pod("first", None, "3", "high", scheduler="elbowroom"))
    sees("a pending pod of high priority is given the place of one", lambda: _bound(stage, "first"),
         more=lambda: stage.pod("first").get("status"))
    entries = stage.ledger("low")
    check(len(entries) == 1 and entries[0]["by"] == "elbowroom-scheduler", "which stands in the ledger", entries)
    stage.scheduler.kill()
    sees("the leader is killed, and another one leads", lambda: holder() not in (first, None, ""), 60,
         more=second.why_not_ready)
    stage.admin.make(PODS, pod("second", None, "3", "high", scheduler="elbowroom"))
    sees("it finds no place for the next one", lambda: any(
        one.get("type") == "PodScheduled" and one.get("status") == "False"
        for one in stage.pod("second").get("status", {}).get("conditions", [])))
    stays("and the rate, which it did not debit itself, keeps the other pod",
          lambda: len(stage.pods_of("low")) == 1 and not _bound(stage, "second"), 4)
    check(len(stage.ledger("low")) == 1, "nothing more is entered", stage.ledger("low"))
    stage.admin.patch(f"{BUDGETS}/low", {"spec": {"rate": {"disruptions": 2, "per": "1h"}}})
    sees("a rate of two lets it go", lambda: _bound(stage, "second"), more=lambda: stage.pod("second").get("status"))
    uids = [one["uid"] for one in stage.ledger("low")]
    check(len(uids) == 2 and len(set(uids)) == 2, "both stand in the ledger, once each", uids)
    check(second.stop() == 0, "it ends cleanly")
    note(f"led by {first}, then {second.name}")


def guards_the_ledger(stage):
    """An agent enters its own victims, and touches nothing else of a budget."""
    me = stage.plane.as_account("elbowroom-agent-authority", "node-1")
    place = f"{BUDGETS}/low/status"
    others = stage.ledger("low")
    mine = {"pod": "a", "uid": "u-1", "time": "2027-01-01T00:00:00Z", "by": "elbowroomd"}

    def tries(status):
        code, said = me.call("PATCH", place, {"status": status}, "application/merge-patch+json")
        return code, str(said.get("message"))

    code, said = tries({"recentDisruptions": [*others, mine]})
    check(code == 200, "an agent enters a pod in a ledger", (code, said))
    for what, status in (("another program's entry", {"recentDisruptions": [*others, {**mine, "by": "somebody"}]}),
                         ("away what others entered", {"recentDisruptions": [mine]}),
                         ("what is allowed", {"disruptionsAllowed": 99})):
        code, said = tries(status)
        check(code in (403, 422) and GUARD in said, f"and does not write {what}", (code, said))
    code, said = me.call("PATCH", f"{BUDGETS}/low", {"spec": {"hard": False}}, "application/merge-patch+json")
    check(code == 403, "nor its spec", said)
    code, said = me.call("GET", BUDGETS)
    check(code == 200, "it reads them", said)
