"""Writes test/upstream/wire_numbers.txt: the numbers that fields have in Kubernetes' protobuf encoding.

usage: python3 -B test/upstream/wire_numbers.py API APIMACHINERY, with the folders of the modules
k8s.io/api and k8s.io/apimachinery (the output of `go mod download -json`, "Dir").
It reads generated.proto for the numbers and types.go for what is a pointer;
test/unit/lab/wire_numbers_test.cpp compares what we write and read with the copy.
"""
import pathlib
import re
import sys

PACKAGES = {"core.v1": "api/core/v1", "apps.v1": "api/apps/v1", "policy.v1": "api/policy/v1", "scheduling.v1": "api/scheduling/v1",
            "scheduling.v1beta1": "api/scheduling/v1beta1", "scheduling.v1alpha3": "api/scheduling/v1alpha3",
            "authorization.v1": "api/authorization/v1", "authentication.v1": "api/authentication/v1",
            "meta.v1": "apimachinery/pkg/apis/meta/v1", "runtime": "apimachinery/pkg/runtime",
            "intstr": "apimachinery/pkg/util/intstr", "resource": "apimachinery/pkg/api/resource"}
ROOTS = ["core.v1.Pod", "core.v1.Node", "core.v1.Service", "core.v1.ReplicationController",
         "apps.v1.ReplicaSet", "apps.v1.StatefulSet", "core.v1.ConfigMap", "core.v1.Namespace",
         "policy.v1.PodDisruptionBudget", "policy.v1.Eviction", "scheduling.v1.PriorityClass",
         "scheduling.v1beta1.PodGroup", "scheduling.v1beta1.Workload",
         "scheduling.v1alpha3.PodGroup", "scheduling.v1alpha3.Workload",
         "authorization.v1.SelfSubjectAccessReview", "authorization.v1.SelfSubjectRulesReview",
         "authentication.v1.SelfSubjectReview", "meta.v1.ListMeta", "meta.v1.Status", "meta.v1.DeleteOptions",
         "runtime.Unknown", "runtime.TypeMeta"]
SCALARS = {"string", "bool", "int32", "int64", "bytes"}


def messages_of(package, text):
    for name, body in re.findall(r"^message (\w+) \{\n(.*?)^\}", text, re.M | re.S):
        fields = []
        for label, kind, field, number in re.findall(
                r"^  (?:(optional|repeated) )?(map<[^>]*>|[\w.]+) (\w+) = (\d+);", body, re.M):
            entry = re.fullmatch(r"map<string, ([\w.]+)>", kind)
            fields.append((int(number), field, type_of(package, entry[1] if entry else kind),
                           "map" if entry else "list" if label == "repeated" else "one"))
        yield f"{package}.{name}", sorted(fields)


def type_of(package, kind):
    if kind in SCALARS:
        return kind
    name = kind.lstrip(".").rsplit(".", 1)
    if len(name) == 1:
        return f"{package}.{kind}"
    owner = next(key for key, path in PACKAGES.items() if ("k8s.io/" + path).replace("/", ".") == name[0]
                 or name[0].endswith("." + path.split("/", 1)[1].replace("/", ".")))
    return f"{owner}.{name[1]}"


def pointers_of(package, folder):
    found = set()
    for source in folder.glob("*.go"):
        for name, body in re.findall(r"^type (\w+) struct \{\n(.*?)^\}", source.read_text(), re.M | re.S):
            for number in re.findall(r"^\s*(?:\w+\s+)?\*[\w.]+\s+`.*protobuf:\"\w+,(\d+),", body, re.M):
                found.add((f"{package}.{name}", int(number)))
    return found


def main():
    folders = {"api": pathlib.Path(sys.argv[1]), "apimachinery": pathlib.Path(sys.argv[2])}
    messages, pointers = {}, set()
    for package, path in PACKAGES.items():
        module, rest = path.split("/", 1)
        folder = folders[module] / rest
        messages.update(messages_of(package, (folder / "generated.proto").read_text()))
        pointers |= pointers_of(package, folder)
    wanted, seen = list(ROOTS), set()
    while wanted:
        name = wanted.pop()
        if name in seen or name in SCALARS:
            continue
        seen.add(name)
        wanted += [kind for _, _, kind, _ in messages[name]]
    version = folders["api"].name.rpartition("@")[2]
    lines = [f"# k8s.io/api and k8s.io/apimachinery {version} (Apache-2.0), by test/upstream/wire_numbers.py.",
             "# A message, then its fields: number, name, [of a list] or {of a mapping from text} or one, and",
             "# * for what is a pointer in Go."]
    for name in sorted(seen):
        lines.append(name)
        for number, field, kind, shape in messages[name]:
            spelled = {"one": kind, "list": f"[{kind}]", "map": "{" + kind + "}"}[shape]
            lines.append(f" {number} {field} {spelled}" + (" *" if (name, number) in pointers else ""))
    target = pathlib.Path(__file__).with_name("wire_numbers.txt")
    target.write_text("\n".join(lines) + "\n")


main()
