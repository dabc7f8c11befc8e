#!/usr/bin/env python3
"""Renders the manifests as `kubectl apply -k` does, and checks what must hold of the whole: nothing is left out,
only the programs and those who evict get rights, no secret and no wildcard is among them, and an overlay that sets
another namespace and a prefix leaves nothing behind: each account meets the same policies under its new name. Programs run in pods
of images of this version, by digest where images were made, and with nothing of their host. Without kubectl only the last is checked, on a model of what kustomize rewrites, and the rest skipped.

usage: kustomize.py [ROOT]
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
PREFIX = "team-"
FORBIDDEN = [
    (r"(?m)^\s*- ['\"]?\*['\"]?$|(?:verbs|resources|apiGroups): \[[^]]*['\"]?\*", "a wildcard in a rule"),
    (r"(?m)^  - (?:secrets|pods/exec|nodes/proxy|pods/resize)$", "a resource that no program needs"),
    (r"(?m)^  - pods/eviction$", "a right to evict"),
    (r"(?m)^kind: (?:Secret|Namespace)$", "an object that is not ours to make"),
]

# What no pod of ours has of its host, and what each of them says of itself.
OF_HOST = [r"hostPath:", r"hostNetwork: true", r"hostPID: true", r"hostIPC: true", r"hostPort:", r"privileged: true", r"\badd:"]
CONFINED = ["imagePullPolicy: Never", "runAsNonRoot: true", "runAsUser: 65532", "readOnlyRootFilesystem: true",
            "allowPrivilegeEscalation: false",
            "type: RuntimeDefault", "drop:\n            - ALL", "livenessProbe:", "readinessProbe:", "requests:", "limits:"]
WORKLOADS = {"scheduler": "Deployment/elbowroom-scheduler", "rescheduler": "Deployment/elbowroom-rescheduler",
             "companion": "DaemonSet/elbowroom-agent"}

# The policies that each account meets.
MET = {"elbowroom-agent": ["elbowroom-agent-event-pods", "elbowroom-agent-events", "elbowroom-agent-own-node"],
       "elbowroom-agent-authority": ["elbowroom-agent-event-pods", "elbowroom-agent-events", "elbowroom-agent-own-node"],
       "elbowroom-scheduler": ["elbowroom-scheduler-nodes", "elbowroom-scheduler-pods"],
       "elbowroom-rescheduler": ["elbowroom-rescheduler-nodes"]}

# The webhook leaves the cluster's own pods out, wherever it is itself.
MEANT = ["values: [kube-system]", "- kube-system"]
# What the rescheduler reads in kube-system wherever it runs, and the folder whose transformers keep that there.
MOVES, ELSEWHERE = "elbowroom-rescheduler-moves", "rescheduler-elsewhere"

ALLOWED = {"ClusterRole/elbowroom-evict": ["a right to evict"],
           "ClusterRole/elbowroom-rescheduler": ["a right to evict"]}


def rendered(folder):
    done = subprocess.run(["kubectl", "kustomize", str(folder)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{folder}: {done.stderr.strip()}")
    return done.stdout.split("\n---\n")


def names(documents):
    kind = re.compile(r"(?m)^kind: (\S+)$")
    name = re.compile(r"(?m)^metadata:\n(?:  .*\n)*?  name: (\S+)$")
    return sorted(f"{kind.search(each)[1]}/{name.search(each)[1]}" for each in documents)


def left_behind(documents):
    """Where another namespace than the overlay's is still meant."""
    return [f"an overlay's namespace does not reach: {line.strip()}" for document in documents
            for line in document.splitlines() if "kube-system" in line.split("#")[0] and line.strip() not in MEANT]


def modelled(text):
    """What an overlay with `namespace: elsewhere` makes of a file: the namespace of objects, of accounts in bindings and of
    a webhook's Service is rewritten, and nothing else."""
    return re.sub(r"(?m)^((?:  |      )?)namespace: kube-system$", r"\1namespace: elsewhere", text)


def overlay(base, transformers=()):
    with tempfile.TemporaryDirectory() as folder:
        there = os.path.relpath(base, os.path.realpath(folder))
        pathlib.Path(folder, "kustomization.yaml").write_text(json.dumps({
            "namespace": "elsewhere", "namePrefix": PREFIX, "resources": [there],
            "transformers": [f"{there}/{each}" for each in transformers]}))
        return rendered(folder)


def moved(base):
    """An overlay of another namespace by docs/install.md; what of it is not in the namespace that the rescheduler reads."""
    documents = overlay(base, [ELSEWHERE])
    stays = {each: document for document in documents for each in names([document]) if each.endswith(MOVES)}
    wrong = left_behind(document for document in documents if document not in stays.values())
    if list(stays) != [f"Role/{PREFIX}{MOVES}", f"RoleBinding/{PREFIX}{MOVES}"]:
        return [*wrong, f"the rights of moves are {list(stays)}"]
    wrong += [f"{each}: is not in kube-system" for each, document in stays.items()
              if re.findall(r"(?m)^  namespace: (\S+)$", document.partition("\nsubjects:")[0]) != ["kube-system"]]
    account = f"  name: {PREFIX}elbowroom-rescheduler\n  namespace: elsewhere"
    return wrong + [f"{each}: is not of the account elsewhere" for each, document in stays.items()
                    if each.startswith("RoleBinding/") and account not in document.partition("\nsubjects:")[2]]


def policies_of(documents):
    """{account: {policy: what its expressions say of the account's name}}, of the policies that are bound and meet it; names
    without the overlay's prefix."""
    by_kind = {}
    for document in documents:
        kind, _, name = names([document])[0].partition("/")
        by_kind.setdefault(kind, {})[name] = document
    bound = {re.search(r"(?m)^  policyName: (\S+)$", each)[1] for each in by_kind.get("ValidatingAdmissionPolicyBinding", {}).values()}
    met = {}
    for account, document in by_kind.get("ServiceAccount", {}).items():
        username = f"system:serviceaccount:{re.search(r'(?m)^  namespace: (.+)$', document)[1]}:{account}"
        for policy in bound & set(by_kind.get("ValidatingAdmissionPolicy", {})):
            text = by_kind["ValidatingAdmissionPolicy"][policy].replace("''", "'")
            said = [bool(re.search(each, username)) for each in re.findall(r"username\.matches\('([^']+)'\)", text)]
            if said and said[0]:  # matchConditions come first
                met.setdefault(account.removeprefix(PREFIX), {})[policy.removeprefix(PREFIX)] = said
    return met


def follows(base):
    """Replicas whose Lease is in the namespace of their Role."""
    own = re.compile(r"name: POD_NAMESPACE\n\s*valueFrom: \{fieldRef: \{fieldPath: metadata\.namespace\}\}")
    texts = [(base / part / "deployment.yaml").read_text() for part in ("scheduler", "rescheduler")]
    return all(own.search(text) and "--lease-namespace=$(POD_NAMESPACE)" in text for text in texts)


def with_digests(root, out, images):
    """What write_manifests.py makes of the manifests; its outcome."""
    (out / "images.json").write_text(json.dumps(images))
    return subprocess.run([sys.executable, "-B", root / "packaging/image/write_manifests.py", root / "packaging/kustomize",
                           out / "images.json", out / "kustomize"], capture_output=True, text=True, check=False)


def wrong_images(root):
    """Of the manifests as they are, and as they are written where images were made."""
    version = re.search(r"project\(elbowroom VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text())[1]
    named = {part: workload.split("/")[1] for part, workload in WORKLOADS.items()}
    images = [{"name": f"localhost/{name}", "newTag": version, "digest": "sha256:" + f"{number:064x}"}
              for number, name in enumerate(named.values(), 1)]
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder)
        done = with_digests(root, out, images)
        if done.returncode:
            return [f"write_manifests.py: {done.stderr}"]
        wrong = []
        for part, image in zip(named, images):
            plain, digested = (rendered(each / part) for each in (root / "packaging/kustomize", out / "kustomize"))
            tagged = f"image: {image['name']}:{version}"
            if sum(tagged in each for each in plain) != 1:
                wrong.append(f"{part}: runs no {tagged}")
            if [each.replace(tagged, f"{tagged}@{image['digest']}") for each in plain] != digested:
                wrong.append(f"{part}: with digests it differs in more than its image")
        for odd in ({"newTag": "0.0.0"}, {"name": "localhost/elbowroom-none"}):
            if with_digests(root, out, [{**images[0], **odd}]).returncode == 0:
                wrong.append(f"write_manifests.py: takes an image with {odd}")
        with_digests(root, out, images)
        return wrong + wrong_registry(root, out / "kustomize", images) + wrong_elsewhere(root, out / "kustomize")


def written(root, section):
    """The first kustomization.yaml of that section of docs/install.md."""
    return re.search(r"(?m)^```yaml\n((?:.*\n)*?)```$", (root / "docs/install.md").read_text().partition(f"\n## {section}\n")[2])[1]


def wrong_elsewhere(root, made):
    """By the overlay that docs/install.md writes for another namespace nothing stays in kube-system but the rights of moves."""
    folder = made.parent / "elsewhere"
    folder.mkdir()
    (folder / "kustomization.yaml").write_text(written(root, "Another namespace than kube-system"))
    stay = names(each for each in rendered(folder) if "\n  namespace: kube-system\n" in each.partition("\nsubjects:")[0])
    return [] if stay == [f"Role/{MOVES}", f"RoleBinding/{MOVES}"] else [f"docs/install.md: by the overlay of elsewhere {stay} stay"]


def wrong_registry(root, made, images):
    """The overlay that docs/install.md writes for a registry, over the manifests that were made with digests."""
    text, whole = written(root, "Images"), f"- ../{made.name}\n"
    wrong = [] if whole in text else [f"docs/install.md: the overlay for a registry is not of {whole}"]
    for part, count in (("", 2), ("/companion", 1)):
        folder = made.parent / f"registry{count}"
        folder.mkdir()
        (folder / "kustomization.yaml").write_text(text.replace(whole, f"- ../{made.name}{part}\n"))
        documents = rendered(folder)
        named = [f"image: registry.example.com/{each['name'].partition('/')[2]}:{each['newTag']}@{each['digest']}" for each in images]
        if sum(each in document for document in documents for each in named) != count:
            wrong.append(f"docs/install.md: by the overlay for a registry, not {count} pods of {made.name}{part} have an image there")
        wrong += [f"docs/install.md: by the overlay for a registry {names([each])[0]} has {never}"
                  for each in documents for never in re.findall("imagePullPolicy: Never|image: localhost.*", each)]
    return wrong


def wrong_pods(base):
    """How a program of ours runs with more than it needs."""
    wrong = []
    for part, workload in WORKLOADS.items():
        (document,) = (each for each in rendered(base / part) if names([each]) == [workload])
        wrong += [f"{workload}: {each}" for each in OF_HOST if re.search(each, document)]
        wrong += [f"{workload}: does not say {each}" for each in CONFINED if each not in document]
        if ("priorityClassName: system-cluster-critical" in document) != workload.startswith("Deployment/") or "node-critical" in document:
            wrong.append(f"{workload}: has another priority: what decides comes before others, and what observes removes nobody")
    return wrong


def main(root):
    base = root / "packaging" / "kustomize"
    wrong = left_behind(modelled(path.read_text()) for path in sorted(base.glob("*/*.yaml"))
                        if path.parent.name != ELSEWHERE)
    if not follows(base):
        wrong.append("deployment.yaml: the Lease is not looked for in the pod's own namespace")
    if wrong:
        print("\n".join(wrong))
        return 1
    if shutil.which("kubectl") is None:
        print("skipped: there is no kubectl to render packaging/kustomize with")
        return SKIPPED
    whole = rendered(base)
    parts = [document for part in ("crd", "scheduler", "rescheduler", "agent", "evict") for document in rendered(base / part)]
    wrong = left_behind(overlay(base)) + moved(base)
    met, as_overlay = policies_of(whole), policies_of(overlay(base))
    if met != as_overlay or {account: sorted(policies) for account, policies in met.items()} != MET:
        wrong.append(f"policies by account: {met}; under another name: {as_overlay}; they should be {MET}")
    if names(whole) != names(parts):
        wrong.append(f"the whole and its parts differ: {set(names(whole)) ^ set(names(parts))}")
    in_files = sum(len(re.findall(r"(?m)^kind: ", path.read_text())) for path in base.glob("*/*.yaml")
                   if path.name != "kustomization.yaml" and path.parent.name not in ("scheduler-full", "rescheduler-webhook", "companion", ELSEWHERE))
    if in_files != len(whole):
        wrong.append(f"the files hold {in_files} objects, {len(whole)} are rendered")
    full = rendered(base / "scheduler-full")
    more = set(names(full)) - set(names(rendered(base / "scheduler")))
    if more != {"ClusterRole/elbowroom-scheduler-full", "ClusterRoleBinding/elbowroom-scheduler-full"}:
        wrong.append(f"mode full brings: {more}")
    if not any("- --mode=full" in document for document in full):
        wrong.append("scheduler-full: the mode is not set")
    instead = rendered(base / "scheduler-default")
    if names(instead) != names(full) or not any("- --mode=full" in document and
                                                "- --scheduler-name=default-scheduler" in document for document in instead):
        wrong.append("scheduler-default: it is not scheduler-full with another name")
    hook = rendered(base / "rescheduler-webhook")
    more = set(names(hook)) - set(names(rendered(base / "rescheduler")))
    if more != {"Service/elbowroom-rescheduler-webhook", "ValidatingWebhookConfiguration/elbowroom-rescheduler"}:
        wrong.append(f"the webhook brings: {more}")
    if not any("- --webhook-listen=" in document for document in hook):
        wrong.append("rescheduler-webhook: the flags are not set")
    companion = rendered(base / "companion")
    more = set(names(companion)) - set(names(rendered(base / "agent")))
    if more != {"DaemonSet/elbowroom-agent", "NetworkPolicy/elbowroom-agent"}:
        wrong.append(f"the companion brings: {more}")
    wrong += wrong_images(root) + wrong_pods(base) + left_behind(overlay(base / "companion"))
    for document in whole + full + hook + companion:
        if "admissionregistration" in document:  # apiVersions: ["*"] is what it guards, not what it allows
            continue
        name = names([document])[0]
        wrong += [f"{name}: {what}" for pattern, what in FORBIDDEN
                  if re.search(pattern, document) and what not in ALLOWED.get(name, ())]
    print("\n".join(wrong) or f"manifests: {len(whole)} objects rendered")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()))
