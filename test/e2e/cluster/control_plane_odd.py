"""control_plane_odd: pods that are odd in every way that a real API server lets a user have, beside pods that grow.
What the server refuses is noted and passed over; nothing of what it takes may stop a neighbour's
resize, in the agent or in the scheduler."""
import json

from checks import check, note, sees
from objects import NAMESPACE, path, pod, resize
from process import now
from stage import NODE
from timeline import actual

HUGE = "9223372036854775807"


def _prefers(operator, value):
    expression = {"key": "version", "operator": operator, "values": [value]}
    return {"affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
        {"weight": 1, "preference": {"matchExpressions": [expression]}}]}}}


def _requires(operator, value):
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": "version", "operator": operator, "values": [value]}]}]}}}}


def _values(name, expressions, values):
    """Empty values are small on the wire, and large as a tree."""
    term = {"matchExpressions": [{"key": f"k{i}", "operator": "NotIn", "values": [""] * values}
                                 for i in range(expressions)]}
    return pod(name, NODE, "1m", more={"affinity": {"nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}})


def _written_later(one):
    one["metadata"]["managedFields"] = [{
        "manager": "later", "operation": "Update", "apiVersion": "v1", "time": "9999-12-31T23:59:59-23:59",
        "fieldsType": "FieldsV1", "fieldsV1": {"f:metadata": {}}}]
    return one


def _wide_budget():
    selector = {"matchExpressions": [{"key": "a", "operator": "In", "values": [""] * 300_000}]}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "wide"},
            "spec": {"minAvailable": 1, "selector": selector}}


def _crowd(name, count):
    """Many containers that are never started: the first of them asks for more than any node has."""
    one = pod(name, NODE, HUGE)
    small = one["spec"]["containers"][0] | {"resources": {"requests": {"cpu": "1m"}}}
    one["spec"]["containers"] += [small | {"name": f"c{i}"} for i in range(count)]
    return one


def _odd_pods():
    """(what is odd, the pod). Where one runs it asks for 1m."""
    spread = {"maxSkew": 2147483647, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}
    return [
        ("cpu 9223372036854775807", pod("huge-cpu", NODE, HUGE)),
        ("cpu 10e999", pod("huge-exponent", NODE, "10e999")),
        ("cpu 1000E", pod("huge-suffix", NODE, "1000E")),
        ("memory of 22 digits", pod("huge-memory", NODE, "1m", memory="9223372036854775806501m")),
        ("a limit of cpu 9223372036854775807", pod("huge-limit", NODE, "1m", limit=HUGE)),
        ("a request of its own beyond 64 bits", pod("huge-own", NODE, "1m",
                                                    more={"resources": {"requests": {"cpu": HUGE}}})),
        ("a preference for Gt v5", pod("odd-preference", NODE, "1m", more=_prefers("Gt", "v5"))),
        ("a requirement of Lt v5", pod("odd-requirement", NODE, "1m", more=_requires("Lt", "v5"))),
        ("a preference for a label that can be none", pod("odd-label", NODE, "1m", more=_prefers("In", "a b"))),
        ("a toleration of another kind", pod("odd-toleration", NODE, "1m",
                                             more={"tolerations": [{"key": "a", "operator": "Lt", "value": "v5"}]})),
        ("2,000 tolerations", pod("many-tolerations", NODE, "1m", more={"tolerations": [
            {"key": f"k{i}", "operator": "Exists"} for i in range(2000)]})),
        ("a spread of any label", pod("odd-spread", NODE, "1m", more={"topologySpreadConstraints": [spread | {
            "labelSelector": {"matchExpressions": [{"key": "a", "operator": "NotIn", "values": [""]}]}}]})),
        ("a grace period below zero", pod("negative-grace", NODE, "1m", grace=-1)),
        ("a huge grace period", pod("huge-grace", NODE, "1m", grace=9223372036854775807)),
        ("1,000 containers", _crowd("crowd", 1000)),
        ("500,000 values in its terms", _values("many-values", 500, 1000)),
        ("a managed field of the year 10000", _written_later(pod("written-later", NODE, "1m"))),
        ("a label and an annotation of every kind", _annotated(pod("annotated", NODE, "1m"))),
    ]


def _annotated(one):
    one["metadata"]["annotations"] = {
        "kubernetes.io/config.source": "\u0000\U0001f600", "elbowroom.dev/move": "{", "long": "x" * 200_000,
        "elbowroom.dev/critical-preemption": "node", "elbowroom.dev/disable-resize-preemption": ",,,"}
    return one


def _make_all(stage):
    """The names of the pods that the server accepted."""
    taken = []
    for what, one in _odd_pods():
        status, answer = stage.admin.call("POST", f"{NAMESPACE}/pods", one)
        name = one["metadata"]["name"]
        said = "" if status == 201 else f": {str(answer.get('message'))[:160]}"
        note(f"{status}  {what}{said}")
        if status == 201:
            taken.append(name)
            asked = answer["spec"]["containers"][0]["resources"].get("requests", {})
            if name.startswith("huge"):
                note(f"     is kept as {json.dumps(asked)}")
    return taken


def play(stage):
    # The server keeps 1000E as 1 cpu. web lacks less than all small pods hold together, so few have to be removed.
    stage.run(pod("web", NODE, "1", "high", memory="32Mi"), pod("keep", NODE, "900m", "high"),
              pod("batch-1", NODE, "1", "low"), pod("batch-2", NODE, "500m", "low"))
    taken = _make_all(stage)
    check("huge-cpu" in taken and "odd-preference" in taken, "the server takes a huge request and Gt v5", taken)
    sees("a pod that the node could never take is refused there, as by a kubelet",
         lambda: stage.pod("huge-cpu")["status"].get("reason") == "OutOfcpu",
         more=lambda: stage.pod("huge-cpu")["status"])
    budgets = "/apis/policy/v1/namespaces/kube-public/poddisruptionbudgets"
    status, answer = stage.admin.call("POST", budgets, _wide_budget())
    note(f"{status}  a budget of another namespace with 300,000 values" +
         ("" if status == 201 else f": {str(answer.get('message'))[:160]}"))
    since = now()
    resize(stage.admin, "web", "2")
    sees("beside them a Deferred resize is helped", lambda: stage.timeline.removed(since),
         more=lambda: stage.pod("web")["status"].get("conditions"))
    sees("and gets its 2 cpu", lambda: actual("2")("", stage.pod("web")))
    note("removed: " + ", ".join(stage.timeline.removed(since)))
    resize(stage.admin, "keep", "950m")
    sees("and a resize that fits is allocated", lambda: actual("950m")("", stage.pod("keep")),
         more=lambda: stage.pod("keep")["status"].get("conditions"))
    for program in (stage.agent, stage.scheduler):
        check(program.metric("elbowroom_quarantined_objects") == 0, f"{program.name} understands every pod",
              program.last_lines(5))
    status, said = stage.elbowroom("simulate", "resize", "--from-cluster", "default/keep", "--set", "app:cpu=1200m",
                                   "-o", "json")
    check(status == 0, "`elbowroom simulate resize --from-cluster` judges beside them", said)
    stage.admin.call("DELETE", f"{budgets}/wide")
    # The pod runner of the lab does not read the first, and the API server takes no status of the second: neither would end.
    for name in ("many-values", "written-later"):
        stage.admin.call("DELETE", path(name), {"gracePeriodSeconds": 0})
    stage.clear()
