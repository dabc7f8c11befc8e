#!/usr/bin/env python3
"""Makes the Helm chart twice, and compares the objects that it renders for its default values and for other sets of them with what
kustomize builds of overlays. Values that the schema must not let through are refused under their names. Without kubectl the objects
are not compared, and the test is skipped when all else holds.

usage: chart.py
"""
import difflib
import gzip
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

from chart_sets import DIGEST, MOVES, SETS
from go_template import rendered
from value_schema import objections, unknown_words

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
VERSION = re.search(r"project\(elbowroom VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
# Helm would delete the kind, and with it every budget. For kustomize it means nothing.
KEPT = "  annotations:\n    helm.sh/resource-policy: keep\n"
# Kustomize gives them a namespace, because it does not know them; a server ignores it.
OF_NO_NAMESPACE = {"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"}
# What is refused, and the name that the refusal has to have.
REFUSED = [({"schedulr": {}}, "schedulr"), ({"scheduler": {"moed": "full"}}, "moed"), ({"scheduler": {"mode": "all"}}, "mode"),
           ({"scheduler": {"replicas": 0}}, "replicas"), ({"scheduler": {"replicas": "2"}}, "replicas"),
           ({"scheduler": {"enabled": "no"}}, "enabled"), ({"scheduler": {"image": {"digest": "sha256:12"}}}, "digest"),
           ({"scheduler": {"image": {"tga": "1"}}}, "tga"), ({"scheduler": {"args": ["--mode=full"]}}, "args"),
           ({"scheduler": {"args": ["-x"]}}, "args"), ({"scheduler": {"resources": {"requests": {"gpu": "1"}}}}, "gpu"),
           ({"scheduler": {"resources": {"requests": {"cpu": "1 core"}}}}, "cpu"),
           ({"scheduler": {"tolerations": [{"effekt": "NoSchedule"}]}}, "effekt"),
           ({"rescheduler": {"mode": "full"}}, "mode"), ({"rescheduler": {"webhook": {"failurePolicy": "Maybe"}}}, "failurePolicy"),
           ({"rescheduler": {"webhook": {"timeoutSeconds": 31}}}, "timeoutSeconds"),
           ({"rescheduler": {"webhook": {"path": "review"}}}, "path"), ({"rescheduler": {"webhook": {"path": "/a b"}}}, "path"),
           ({"rescheduler": {"webhook": {"from": [{"ipBlock": {"cidr": "10.0.0.1"}}]}}}, "cidr"),
           ({"rescheduler": {"webhook": {"caBundle": "-----BEGIN"}}}, "caBundle"),
           *(({part: {"args": [flag]}}, flag) for part in ("scheduler", "rescheduler") for flag in (
               "--leader-elect=false", "--kubeconfig=/x", "--config=/x", "--check-config", "--record=/x", "--record-limit=1", "--version",
               "--listen=0.0.0.0:1", "--lease-namespace=x", "--log-format=text", "--webhook-listen=0.0.0.0:1", "--mode=full",
               "--log-level", "--log-level=loud", "--dry-run=maybe", "--log-level=info --mode=full")),
           ({"scheduler": {"args": ["--log-level=info\n"]}}, "args"),
           *(({"agent": {"companion": {"args": [flag]}}}, flag) for flag in (
               "--mode=authority", "--kubeconfig=/x", "--config=/x", "--node-name=x", "--state-dir=/x", "--cgroup-root=/x",
               "--runtime-endpoint=unix:/x", "--critical-preemption=true", "--leader-elect=false")),
           ({"rescheduler": {"args": ["--yield-to=x"]}}, "--yield-to"), ({"scheduler": {"args": ["--sets-per-pod=0"]}}, "--sets-per-pod"),
           ({"rescheduler": {"webhook": {"enabled": True}}}, "caBundle"),
           ({"rescheduler": {"webhook": {"enabled": True, "failurePolicy": "Fail"}}}, "caBundle"),
           ({"rescheduler": {"webhook": {"enabled": True, "annotations": {"team": "x"}}}}, "caBundle"),
           ({"agent": {"enabled": False, "companion": {"enabled": True}}}, "agent/enabled"),
           ({"rescheduler": {"config": {"intervall": "5m"}}}, "intervall"), ({"rescheduler": {"config": {"interval": "5 m"}}}, "interval"),
           ({"rescheduler": {"config": {"a: b\nkind": 1}}}, "kind"), ({"rescheduler": {"config": {"kind": "X"}}}, "kind"),
           ({"rescheduler": {"config": {"policies": {"moves": {}}}}}, "moves"),
           ({"rescheduler": {"config": {"policies": {"underutilizedNode": {"treshold": 1}}}}}, "treshold"),
           ({"rescheduler": {"config": {"policies": {"affinityPreference": {"minGain": 101}}}}}, "minGain"),
           ({"rescheduler": {"config": {"maxMovesPerHour": 1001}}}, "maxMovesPerHour"),
           ({"rescheduler": {"config": {"namespaces": {"only": []}}}}, "only"),
           ({"rescheduler": {"config": {"webhook": {"whenUnsure": "maybe"}}}}, "whenUnsure"),
           ({"rescheduler": {"config": {"webhook": {"deletesBy": {"people": []}}}}}, "people"), ({"imagePullSecrets": ["x"]}, "imagePullSecrets"),
           ({"metrics": {"namespace": "a b"}}, "namespace"), ({"crds": {"install": True}}, "install"), ({"agent": True}, "agent"), ({"listen": "127.0.0.1"}, "listen"),
           ({"agent": {"companion": {"priorityClassName": "A b"}}}, "priorityClassName")]
# Flags that each program gets as they are.
TAKEN = {"scheduler": ["--log-level=debug", "--dry-run=true", "--rules=upstream", "--yield-to=default-scheduler,other.example", "--yield-to=",
                       "--sets-per-pod=1", "--sets-per-pod=1000", "--pods-per-node=42"],
         "rescheduler": ["--log-level=error", "--dry-run=false"],
         "agent": ["--log-level=warn", "--dry-run=true", "--cpu-manager-policy=static", "--memory-manager-policy=Static"]}
# Its keys are not the chart's.
OPEN = {"global"}


def written(folder, umask="022", zone="UTC", more=()):
    """The archive; None where none is made."""
    done = subprocess.run(["sh", "-c", f'umask {umask}; exec python3 -B "$@"', "sh", ROOT / "packaging/chart/write_chart.py", VERSION,
                           folder, *more], cwd=folder.parent, env={**os.environ, "TZ": zone}, stderr=subprocess.DEVNULL, check=False)
    return None if done.returncode else (folder / f"elbowroom-{VERSION}.tgz").read_bytes()


def digest_faults(work, values):
    """Where images were made the default values name them by digest, and nothing else changes."""
    image = {"name": "localhost/elbowroom-agent", "newTag": VERSION, "digest": DIGEST}
    (work / "images.json").write_text(json.dumps([image]))
    made = read_values(files_of(written(work / "digests", more=[work / "images.json"]), [])["values.yaml"])
    wrong = [] if made == merged(values, {"agent": {"companion": {"image": {"digest": DIGEST}}}}) else [f"with a digest, values are {made}"]
    for odd in ({"newTag": "0.0.0"}, {"name": "localhost/elbowroom-none"}):
        (work / "images.json").write_text(json.dumps([{**image, **odd}]))
        if written(work / "odd", more=[work / "images.json"]):
            wrong.append(f"an image with {odd} is taken")
    return wrong


def files_of(archive, wrong):
    """{path in the chart: its text}"""
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(archive))) as opened:
        members = opened.getmembers()
        if any((each.mode, each.uid, each.mtime) != (0o644, 0, 0) or not each.isfile() for each in members):
            wrong.append("the archive: a member has a mode, an owner or a time of this machine")
        return {each.name.removeprefix("elbowroom/"): opened.extractfile(each).read().decode() for each in members}


def read_values(text):
    """values.yaml is `key:` and `key: JSON`, two blanks deeper inside."""
    top = {}
    inside = [top]
    for line in text.splitlines():
        indent, key, value = re.fullmatch(r"((?:  )*)(?:#.*|(\w+):(?: (.+))?)", line).groups()
        if not key:
            continue
        del inside[len(indent) // 2 + 1:]
        inside[-1][key] = json.loads(value) if value else {}
        if not value:
            inside.append(inside[-1][key])
    return top


def merged(values, over):
    """As Helm does it: maps are merged, all else is replaced."""
    if not isinstance(values, dict) or not isinstance(over, dict):
        return over
    return {**values, **{key: merged(values.get(key), each) for key, each in over.items()}}


def objects(folder):
    done = subprocess.run(["kubectl", "kustomize", folder], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{folder}: {done.stderr.strip()}")
    return sorted(each.strip() for each in done.stdout.split("\n---\n"))


def by_kustomize(folder, overlay, files):
    base = pathlib.Path(os.path.relpath(ROOT / "packaging/kustomize", folder.resolve()))
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    below = {key: [str(base / each) for each in overlay[key]] for key in ("resources", "transformers") if key in overlay}
    (folder / "kustomization.yaml").write_text(json.dumps({**overlay, **below}))
    return objects(folder)


def by_chart(folder, files, namespace, values):
    """Kustomize writes what it is given in one way: keys in order, without comments."""
    top = {"Values": values, "Release": {"Namespace": namespace, "Name": "elbowroom"}, "Chart": {"AppVersion": VERSION}}
    folder.mkdir()
    made = [rendered(text, top) for name, text in files.items() if name.startswith("templates/") and name.endswith(".yaml")]
    (folder / "all.yaml").write_text("\n---\n".join(made))
    (folder / "kustomization.yaml").write_text('resources: ["all.yaml"]\n')
    return objects(folder)


def named(documents):
    """{"KIND NAMESPACE/NAME": its lines}"""
    found = {}
    for text in documents:
        kind = re.search(r"(?m)^kind: (\S+)$", text)[1]
        text = re.sub(r"(?m)^  namespace: .*\n", "", text, count=1) if kind in OF_NO_NAMESPACE else text
        about = re.search(r"(?m)^metadata:\n((?:  .*\n)+)", text)[1]
        place = re.search(r"(?m)^  namespace: (\S+)$", about)
        found[f"{kind} {place[1] if place else ''}/{re.search(r'(?m)^  name: (.+)$', about)[1]}"] = text.splitlines()
    return found


def differences(name, ours, theirs):
    kept = [each for each in ours if KEPT in each]
    if len(kept) != sum("kind: CustomResourceDefinition" in each for each in ours):
        return [f"{name}: an uninstall takes the kind away"]
    ours, theirs = named(each.replace(KEPT, "") for each in ours), named(theirs)
    return [line for each in sorted(ours.keys() | theirs.keys()) if ours.get(each) != theirs.get(each)
            for line in difflib.unified_diff(theirs.get(each, []), ours.get(each, []), f"{name}: {each} by kustomize", "by the chart",
                                             n=1, lineterm="")]


def open_objects(schema, name):
    """Names of objects that let any key through."""
    found = [name] if schema.get("type") == "object" and schema.get("additionalProperties") is None else []
    inner = [*schema.get("properties", {}).items(), *schema.get("definitions", {}).items()]
    return found + [each for key, one in inner for each in open_objects(one, key)]


def with_args(part, args):
    return {"agent": {"companion": {"args": args}}} if part == "agent" else {part: {"args": args}}


def keys_faults(schema):
    """The keys of rescheduler.config are those of the program, and one set of values has every one, for the program to judge."""
    page = (ROOT / "docs/configuration.md").read_text().partition("\n# ReschedulerConfiguration\n")[2]
    documented = set(re.findall(r"(?m)^\| `(\w+)` \| in a file alone ", page))
    known = schema["definitions"]["reschedulerConfig"]
    wrong = [] if documented == set(known["properties"]) else [f"rescheduler.config has other keys than docs/configuration.md: {documented}"]
    return wrong + [f"chart_sets.py: MOVES lacks {each}" for each in lacking(known, MOVES, "config")]


def lacking(known, value, path):
    """Keys of the schema that the value has not."""
    return [each for key, inner in known.get("properties", {}).items()
            for each in (lacking(inner, value[key], f"{path}.{key}") if key in value else [f"{path}.{key}"])]


def notes_faults(files, values):
    """NOTES.txt names what was made, and nothing else."""
    names = {"get pods": {"scheduler": {"enabled": True}}, "rescheduler-webhook": {"rescheduler": {"webhook": {"enabled": True}}},
             "daemonset elbowroom-agent": {"agent": {"companion": {"enabled": True}}}}
    off = {"scheduler": {"enabled": False}, "rescheduler": {"enabled": False}}
    wrong = []
    for over, meant in (({}, ["get pods"]), (off, []), (merged(off, names["rescheduler-webhook"]), []),
                        *((over, [name, "get pods"]) for name, over in names.items()),
                        (merged(names["daemonset elbowroom-agent"], off), ["daemonset elbowroom-agent"])):
        text = rendered(files["templates/NOTES.txt"], {"Values": merged(values, over), "Release": {"Namespace": "kube-system"}})
        wrong += [f"NOTES.txt for {over}: {name} is {'' if name in text else 'not '}named" for name in names
                  if (name in text) != (name in meant)]
    return wrong


def schema_faults(schema, values):
    wrong = [f"values.schema.json: {each} is a word that the test does not know" for each in unknown_words(schema)]
    wrong += [f"values.schema.json: {each} lets any key through" for each in open_objects(schema, "values") if each not in OPEN]
    wrong += [f"the values of {name}: {each}" for name, (_, over, _, _) in SETS.items() for each in objections(schema, merged(values, over))]
    wrong += [f"args of {part}: {each}" for part, args in TAKEN.items() for each in objections(schema, merged(values, with_args(part, args)))]
    for over, name in REFUSED:
        said = objections(schema, merged(values, over))
        if not any(name in each.replace(".", "/") or name in each for each in said):
            wrong.append(f"values.schema.json: {over} is not refused for {name}, but {said}")
    return wrong


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        archive = written(work / "first")
        if archive != written(work / "second", "077", "Pacific/Kiritimati"):
            wrong.append("two charts of the same sources differ")
        files = files_of(archive, wrong)
        if f"version: {VERSION}\n" not in files["Chart.yaml"] or "@" in files["Chart.yaml"]:
            wrong.append("Chart.yaml: not of this version")
        values = read_values(files["values.yaml"])
        schema = json.loads(files["values.schema.json"])
        wrong += schema_faults(schema, values) + keys_faults(schema)
        wrong += digest_faults(work, values) + notes_faults(files, values)
        can_compare = shutil.which("kubectl") is not None
        for number, (name, (namespace, over, overlay, beside)) in enumerate(SETS.items() if can_compare else ()):
            wrong += differences(name, by_chart(work / f"chart-{number}", files, namespace, merged(values, over)),
                                 by_kustomize(work / f"overlay-{number}", overlay, beside))
    if not wrong and not can_compare:
        print("skipped: there is no kubectl to build packaging/kustomize with; archive and schema are as they should be")
        return SKIPPED
    print("\n".join(wrong) or f"chart: the same objects as kustomize for {len(SETS)} sets of values; {len(REFUSED)} are refused")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
