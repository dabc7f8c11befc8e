"""Writes lab/schema/schema_*.cpp, the schema table of the lab's API, from Kubernetes' own OpenAPI documents.

usage: python3 -B test/upstream/schema.py FOLDER, with api/openapi-spec/v3 of a kubernetes checkout.
Of each description only the first sentence is kept.
"""
import json
import pathlib
import re
import sys
import textwrap

DOCUMENTS = ["api__v1", "apis__events.k8s.io__v1", "apis__coordination.k8s.io__v1",
             "apis__policy__v1", "apis__scheduling.k8s.io__v1", "apis__scheduling.k8s.io__v1beta1",
             "apis__scheduling.k8s.io__v1alpha3", "apis__storage.k8s.io__v1"]
# Each file: its noun, and the types whose closure it holds as far as no file before has it.
FILES = [
    ("meta", "what all objects have", ["meta.v1.ObjectMeta", "meta.v1.LabelSelector",
                                       "meta.v1.Condition", "meta.v1.DeleteOptions"]),
    ("volumes", "the volumes of pods", ["core.v1.Volume"]),
    ("containers", "containers", ["core.v1.Container", "core.v1.EphemeralContainer"]),
    ("pod", "pods", ["core.v1.Pod"]),
    ("node", "nodes", ["core.v1.Node"]),
    ("others", "the other kinds",
     ["core.v1.Namespace", "core.v1.Event", "core.v1.ConfigMap", "core.v1.Service",
      "core.v1.ReplicationController",
      "events.v1.Event", "coordination.v1.Lease", "policy.v1.PodDisruptionBudget",
      "policy.v1.Eviction", "core.v1.Binding", "scheduling.v1.PriorityClass"]),
    ("groups", "pod groups and workloads",
     ["scheduling.v1beta1.PodGroup", "scheduling.v1beta1.Workload",
      "scheduling.v1alpha3.PodGroup", "scheduling.v1alpha3.Workload"]),
    ("storage", "claims, volumes, storage classes and CSI drivers",
     ["core.v1.PersistentVolumeClaim", "core.v1.PersistentVolume", "storage.v1.StorageClass",
      "storage.v1.CSINode", "storage.v1.CSIDriver", "storage.v1.CSIStorageCapacity"]),
]
SCALARS = {"Quantity": "Quantity", "IntOrString": "IntOrString", "Time": "Time",
           "MicroTime": "MicroTime", "FieldsV1": "any", "RawExtension": "any"}


def short(name):
    return re.sub(r"^io\.k8s\.(api|apimachinery\.pkg\.(apis|api))\.", "", name)


def reference(value):
    if "$ref" in value:
        return value["$ref"]
    return value["allOf"][0]["$ref"] if "allOf" in value else None


def type_of(value):
    ref = reference(value)
    if ref:
        name = short(ref.rsplit("/", 1)[1])
        return SCALARS.get(name.rsplit(".", 1)[1], name)
    kind = value.get("type")
    if kind == "array":
        return "[" + type_of(value["items"]) + "]"
    if kind == "object":
        return "{" + type_of(value["additionalProperties"]) + "}" if "additionalProperties" in value else "any"
    if kind == "integer":
        return value.get("format", "int64")
    if kind == "string":
        return "bytes" if value.get("format") == "byte" else "string"
    return {"boolean": "bool", "number": "number"}[kind]


def sentence(text):
    text = " ".join(text.split())
    first = re.split(r"(?<=[a-z)`\"'\]])\. |(?<=[a-z)])\.$| More info:| https?:", text)[0].rstrip(".")
    if len(first) > 150:
        first = first[:150].rsplit(" ", 1)[0] + " ..."
    return first.replace(")schema", ")")


def line_of(name, value, required):
    words = [name, type_of(value) + ("!" if required else "")]
    kind = value.get("x-kubernetes-list-type")
    if kind == "map":
        words.append("map=" + ",".join(value["x-kubernetes-list-map-keys"]))
    elif kind == "set":
        words.append("set")
    if value.get("x-kubernetes-map-type") == "atomic":
        words.append("atomic")
    strategy = value.get("x-kubernetes-patch-strategy", "")
    if "merge" in strategy:
        words.append("merge=" + value.get("x-kubernetes-patch-merge-key", ""))
    if "retainKeys" in strategy:
        words.append("retain")
    if isinstance(value.get("default"), str) and value["default"]:
        words.append("default=" + value["default"])
    return " " + " ".join(words) + " | " + sentence(value.get("description", ""))


def closure(schemas, root):
    seen, stack = [], [root]
    while stack:
        name = stack.pop()
        if name in seen or name.rsplit(".", 1)[1] in SCALARS or name not in schemas:
            continue
        seen.append(name)
        stack += [short(n) for n in re.findall(r'#/components/schemas/([^"]+)"', json.dumps(schemas[name]))]
    return sorted(seen)


def main():
    spec, schemas = pathlib.Path(sys.argv[1]), {}
    for document in DOCUMENTS:
        found = json.loads((spec / (document + "_openapi.json")).read_text())["components"]["schemas"]
        schemas.update({short(name): value for name, value in found.items()})
    done = {"core.v1.PodTemplateSpec"}  # schema_apps.cpp has it
    for noun, what, roots in FILES:
        lines = []
        for name in sorted({n for root in roots for n in closure(schemas, root)} - done):
            schema = schemas[name]
            done.add(name)
            atomic = " atomic" if schema.get("x-kubernetes-map-type") == "atomic" else ""
            lines.append(name + atomic + " | " + sentence(schema.get("description", "")))
            for field, value in sorted(schema.get("properties", {}).items()):
                lines.append(line_of(field, value, field in schema.get("required", [])))
        text = "\n".join(lines)
        head = textwrap.dedent(f"""\
            // The schema of {what}, as data: read lab/schema/schema.h for its form. It is
            // written by test/upstream/schema.py from Kubernetes 1.37's OpenAPI documents (Apache-2.0),
            // not by hand.
            #include "lab/schema/schema_table.h"

            namespace elbowroom::lab {{

            const std::string_view k{noun.capitalize()}Schema = R"schema(
            """)
        tail = "\n)schema\";\n\n}  // namespace elbowroom::lab\n"
        pathlib.Path(f"lab/schema/schema_{noun}.cpp").write_text(head + text + tail)


main()
