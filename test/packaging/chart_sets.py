"""Sets of values of the chart, each with the overlay of packaging/kustomize that has to give the same objects."""
import json

DIGEST = "sha256:" + "0123456789abcdef" * 4
CONFIG = """\
apiVersion: elbowroom.dev/v1alpha1
kind: ReschedulerConfiguration
"avoidFor": "2h"
"budgetReserve": 1
"coolDown": "1h30m"
"interval": "30m"
"maxMovesPerHour": 10
"maxMovesPerNodePerHour": 2
"namespaces": {"exclude":["kube-system"],"include":[]}
"policies": {"affinityPreference":{"enabled":true,"minGain":60},"underutilizedNode":{"enabled":false,"maxMovesPerPass":1,"minGain":20,"target":70,"threshold":10}}
"protectLocalStorage": true
"webhook": {"deletesBy":{"groups":[],"users":["system:node-cleaner"]},"whenUnsure":"refuse"}
"""
# Every key of a ReschedulerConfiguration that the chart knows, as the text above has it.
MOVES = {
    "avoidFor": "2h", "budgetReserve": 1, "coolDown": "1h30m", "interval": "30m", "maxMovesPerHour": 10, "maxMovesPerNodePerHour": 2,
    "namespaces": {"include": [], "exclude": ["kube-system"]}, "protectLocalStorage": True,
    "policies": {"underutilizedNode": {"enabled": False, "threshold": 10, "target": 70, "maxMovesPerPass": 1, "minGain": 20},
                 "affinityPreference": {"enabled": True, "minGain": 60}},
    "webhook": {"whenUnsure": "refuse", "deletesBy": {"users": ["system:node-cleaner"], "groups": []}}}


def patch(kind, name, *operations):
    return {"target": {"kind": kind, "name": name}, "patch": json.dumps(list(operations))}


def add(path, value):
    return {"op": "add", "path": path, "value": value}


def put(path, value):
    return {"op": "replace", "path": path, "value": value}


POD = "/spec/template/spec"
FIRST = f"{POD}/containers/0"
PEER = "/spec/ingress/0/from/0"
HOOK = "/webhooks/0"
SETTINGS = [{"name": "elbowroom-rescheduler", "namespace": "kube-system", "files": ["config.yaml"],
             "options": {"disableNameSuffixHash": True}}]
INJECTED = {"cert-manager.io/inject-ca-from": "kube-system/hook"}
TOLERATIONS = [{"key": "node-role.kubernetes.io/control-plane", "operator": "Exists", "effect": "NoSchedule"}]
SMALL = {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"cpu": "1", "memory": "2Gi"}}


def small(name):
    """The overlay's part for elbowroom-NAME of the set `small`."""
    return [
        patch("Deployment", name, put("/spec/replicas", 1), put(f"{FIRST}/resources", SMALL),
              add(f"{FIRST}/args/-", "--log-level=debug"), add(f"{POD}/nodeSelector", {"kubernetes.io/arch": "amd64"}),
              add(f"{POD}/tolerations", TOLERATIONS)),
        patch("NetworkPolicy", name, put(f"{PEER}/namespaceSelector/matchLabels/kubernetes.io~1metadata.name", "observed"),
              put(f"{PEER}/podSelector/matchLabels/app.kubernetes.io~1name", "agent")),
        {"patch": json.dumps({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "$patch": "delete",
                              "metadata": {"name": name, "namespace": "kube-system"}})}]


def of_small():
    return {"replicas": 1, "resources": SMALL, "args": ["--log-level=debug"], "nodeSelector": {"kubernetes.io/arch": "amd64"},
            "tolerations": TOLERATIONS}


# {name: (namespace, values, kustomization with resources below packaging/kustomize, {file beside it: its text})}
SETS = {
    "default": ("kube-system", {}, {"resources": ["."]}, {}),
    "full": ("kube-system", {"scheduler": {"mode": "full"}},
             {"resources": ["crd", "scheduler-full", "rescheduler", "agent", "evict"]}, {}),
    "instead of kube-scheduler": (
        "kube-system", {"scheduler": {"mode": "full", "schedulerName": "default-scheduler"}, "rescheduler": {"enabled": False}},
        {"resources": ["crd", "scheduler-default", "agent", "evict"]}, {}),
    "webhook": (
        "kube-system",
        {"rescheduler": {"config": MOVES, "webhook": {
            "enabled": True, "caBundle": "LS0tLS1CRUdJTg==", "annotations": INJECTED,
            "failurePolicy": "Fail", "timeoutSeconds": 10, "reviewDeletes": True}}},
        {"resources": ["crd", "scheduler", "rescheduler-webhook", "agent", "evict"],
         "configMapGenerator": SETTINGS,
         "patches": [patch("ValidatingWebhookConfiguration", "elbowroom-rescheduler",
                           add(f"{HOOK}/clientConfig/caBundle", "LS0tLS1CRUdJTg=="), put(f"{HOOK}/failurePolicy", "Fail"),
                           put(f"{HOOK}/timeoutSeconds", 10),
                           add("/metadata/annotations", INJECTED),
                           add(f"{HOOK}/rules/-", {"operations": ["DELETE"], "apiGroups": [""], "apiVersions": ["v1"],
                                                   "resources": ["pods"], "scope": "Namespaced"}))]},
        {"config.yaml": CONFIG}),
    "elsewhere": (
        "elsewhere", {"rescheduler": {"webhook": {"enabled": True, "annotations": INJECTED}, "config": MOVES}},
        {"namespace": "elsewhere", "resources": ["crd", "scheduler", "rescheduler-webhook", "agent", "evict"],
         "transformers": ["rescheduler-elsewhere"], "configMapGenerator": SETTINGS,
         "patches": [patch("ValidatingWebhookConfiguration", "elbowroom-rescheduler",
                           add(f"{HOOK}/namespaceSelector/matchExpressions/0/values/-", "elsewhere"),
                           add("/metadata/annotations", INJECTED))]}, {"config.yaml": CONFIG}),
    "images": (
        "kube-system",
        {"imagePullSecrets": [{"name": "registry"}], "rescheduler": {"image": {"tag": "2.0.0-rc.1"}},
         "scheduler": {"image": {"repository": "registry.example.org:5000/team/elbowroom-scheduler", "digest": DIGEST}}},
        {"resources": ["."],
         "images": [{"name": "localhost/elbowroom-scheduler", "newName": "registry.example.org:5000/team/elbowroom-scheduler",
                     "newTag": "0.1.0", "digest": DIGEST}, {"name": "localhost/elbowroom-rescheduler", "newTag": "2.0.0-rc.1"}],
         "patches": [{"target": {"kind": "Deployment"}, "patch": json.dumps([add(f"{POD}/imagePullSecrets", [{"name": "registry"}])])},
                     patch("Deployment", "elbowroom-scheduler", put(f"{FIRST}/imagePullPolicy", "IfNotPresent"))]},
        {}),
    "small": (
        "kube-system", {"metrics": {"namespace": "observed", "app": "agent"}, "scheduler": of_small(), "rescheduler": of_small()},
        {"resources": ["."], "patches": [*small("elbowroom-scheduler"), *small("elbowroom-rescheduler")]}, {}),
    "IPv6": (
        "kube-system", {"listen": "[::]", "agent": {"companion": {"enabled": True}},
                        "rescheduler": {"webhook": {"enabled": True, "annotations": INJECTED}}},
        {"resources": ["crd", "scheduler", "rescheduler-webhook", "companion", "evict"],
         "patches": [patch("Deployment", "elbowroom-scheduler", put(f"{FIRST}/args/0", "--listen=[::]:10362")),
                     patch("Deployment", "elbowroom-rescheduler", put(f"{FIRST}/args/0", "--listen=[::]:10363"),
                           put(f"{FIRST}/args/3", "--webhook-listen=[::]:10443")),
                     patch("DaemonSet", "elbowroom-agent", put(f"{FIRST}/args/2", "--listen=[::]:10361")),
                     patch("ValidatingWebhookConfiguration", "elbowroom-rescheduler", add("/metadata/annotations", INJECTED))]}, {}),
    "secret path": (
        "kube-system", {"agent": {"enabled": False},
                        "rescheduler": {"webhook": {"enabled": True, "annotations": INJECTED, "path": "/review/0123abCD",
                                                    "from": [{"ipBlock": {"cidr": "10.0.0.0/28"}}]}}},
        {"resources": ["crd", "scheduler", "rescheduler-webhook", "evict"],
         "patches": [patch("Deployment", "elbowroom-rescheduler", add(f"{FIRST}/args/-", "--webhook-path=/review/0123abCD")),
                     patch("NetworkPolicy", "elbowroom-rescheduler", add("/spec/ingress/1/from", [{"ipBlock": {"cidr": "10.0.0.0/28"}}])),
                     patch("ValidatingWebhookConfiguration", "elbowroom-rescheduler", add("/metadata/annotations", INJECTED),
                           put(f"{HOOK}/clientConfig/service/path", "/review/0123abCD"))]}, {}),
    "companion": (
        "kube-system", {"agent": {"companion": {
            "enabled": True, "args": ["--log-level=debug"], "resources": SMALL, "nodeSelector": {"kubernetes.io/arch": "amd64"},
            "image": {"digest": DIGEST}, "tolerations": TOLERATIONS, "priorityClassName": "observers"}}},
        {"resources": ["crd", "scheduler", "rescheduler", "companion", "evict"],
         "images": [{"name": "localhost/elbowroom-agent", "newTag": "0.1.0", "digest": DIGEST}],
         "patches": [patch("DaemonSet", "elbowroom-agent", put(f"{FIRST}/resources", SMALL), add(f"{FIRST}/args/-", "--log-level=debug"),
                           add(f"{POD}/nodeSelector", {"kubernetes.io/arch": "amd64"}), put(f"{POD}/tolerations", TOLERATIONS),
                           add(f"{POD}/priorityClassName", "observers"))]}, {}),
    "companion alone": (
        "elsewhere", {"scheduler": {"enabled": False}, "rescheduler": {"enabled": False}, "crds": {"enabled": False},
                      "evict": {"enabled": False}, "agent": {"companion": {"enabled": True}}},
        {"namespace": "elsewhere", "resources": ["companion"]}, {}),
    "agents alone": (
        "kube-system", {"scheduler": {"enabled": False}, "rescheduler": {"enabled": False, "webhook": {"enabled": True, "annotations": INJECTED}},
                        "crds": {"enabled": False}, "evict": {"enabled": False}},
        {"resources": ["agent"]}, {}),
}
