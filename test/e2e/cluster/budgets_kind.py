"""budgets_kind: the kind DisruptionBudget as the API server judges it. Each bad one is refused, with its field."""
import json

from checks import check

MANY = [{"key": f"k{i}", "operator": "In", "values": [f"v{j}" for j in range(64)]} for i in range(16)]
# spec: the field that the message names
BAD = [
    ({"minAvailable": 1, "maxUnavailable": 1}, "spec.maxUnavailable"),
    ({"rate": {"disruptions": 1001, "per": "1h"}}, "spec.rate.disruptions"),
    ({"rate": {"disruptions": -1, "per": "1h"}}, "spec.rate.disruptions"),
    ({"rate": {"disruptions": "x", "per": "1h"}}, "spec.rate.disruptions"),
    ({"rate": {"per": "1h"}}, "spec.rate.disruptions"),
    ({"rate": {"disruptions": 1}}, "spec.rate.per"),
    ({"rate": {"disruptions": 1, "per": ""}}, "spec.rate.per"),
    ({"rate": {"disruptions": 1, "per": "0s"}}, "spec.rate.per"),
    ({"rate": {"disruptions": 1, "per": "721h"}}, "spec.rate.per"),
    ({"rate": {"disruptions": 1, "per": "720h1s"}}, "spec.rate.per"),
    ({"rate": {"disruptions": 1, "per": "1d"}}, "spec.rate.per"),
    ({"rate": {"disruptions": 1, "per": "-1h"}}, "spec.rate.per"),
    ({"rate": {"disruptions": 1, "per": "1000ms"}}, "spec.rate.per"),
    ({"rate": {"disruptions": 1, "per": "99999999999999999999h"}}, "spec.rate.per"),
    ({"rate": {"disruptions": 1, "per": "0" * 33 + "1h"}}, "spec.rate.per"),
    ({"minAvailable": -1}, "spec.minAvailable"),
    ({"minAvailable": "101%"}, "spec.minAvailable"),
    ({"minAvailable": "007%"}, "spec.minAvailable"),
    ({"minAvailable": "two"}, "spec.minAvailable"),
    ({"minAvailable": 1.5}, "spec.minAvailable"),
    ({"maxUnavailable": "-0%"}, "spec.maxUnavailable"),
    ({"maxUnavailable": 2147483648}, "spec.maxUnavailable"),
    ({"maxUnavailable": []}, "spec.maxUnavailable"),
    ({"hard": "yes"}, "spec.hard"),
    ({"selector": []}, "spec.selector"),
    ({"selector": {"matchExpressions": [{"key": "a", "operator": "In"}]}}, "matchExpressions[0].values"),
    ({"selector": {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]}}, "matchExpressions[0].values"),
    ({"selector": {"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["1"]}]}}, "matchExpressions[0].operator"),
    ({"selector": {"matchExpressions": [{"operator": "Exists"}]}}, "matchExpressions[0].key"),
    ({"selector": {"matchExpressions": [{"key": "", "operator": "Exists"}]}}, "matchExpressions[0].key"),
    ({"selector": {"matchLabels": {"a": "x" * 64}}}, "spec.selector.matchLabels.a"),
    ({"selector": {"matchExpressions": MANY}}, "spec.selector"),
]
GOOD = [
    {"minAvailable": 1}, {"maxUnavailable": "25%", "hard": True}, {"minAvailable": "100%"}, {"selector": {}},
    {"rate": {"disruptions": 1000, "per": "720h"}}, {"rate": {"disruptions": 0, "per": "1s"}},
    {"rate": {"disruptions": 1, "per": "1h30m"}},
    {"selector": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}, {"key": "c", "operator": "Exists"}]}}]


def manifest(spec, name="web"):
    return {"apiVersion": "elbowroom.dev/v1alpha1", "kind": "DisruptionBudget",
            "metadata": {"name": name, "namespace": "default"}, "spec": spec}


def tried(stage, spec):
    """(exit status, what kubectl says) of a server-side dry run."""
    return stage.kubectl("create", "--dry-run=server", "--validate=false", "-f", "-", stdin=json.dumps(manifest(spec)))


def play(stage):
    for spec, field in BAD:
        status, said = tried(stage, spec)
        check(status != 0 and field in said, f"refused, with {field}: {json.dumps(spec)[:70]}", said)
    for spec in GOOD:
        status, said = tried(stage, spec)
        check(status == 0, f"taken: {json.dumps(spec)[:70]}", said)
    path = "/apis/elbowroom.dev/v1alpha1/namespaces/default/disruptionbudgets"
    made = stage.admin.make(path, manifest({"selector": {}}, "plain"))
    check(made["spec"]["hard"] is False, "hard is false where it is left out", made["spec"])
    stage.admin.call("DELETE", f"{path}/plain")
