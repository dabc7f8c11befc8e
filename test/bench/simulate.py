#!/usr/bin/env python3
"""How long one `elbowroom simulate` takes on a small file, from start to exit, on a Deployment of 5,000 pods, and
of moves in a cluster of 5,000 nodes: `simulate.py BUILD`."""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

RUNS = 31


def measure(name, command):
    took = []
    for _ in range(RUNS):
        begin = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        took.append(1000 * (time.perf_counter() - begin))
    print(json.dumps({"name": name, "value": statistics.median(took), "unit": "ms", "goal": 40}))


def deployment():
    """A scenario of 500 nodes on which a Deployment of 5,000 pods comes up."""
    objects = [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"node-{i}"},
                "status": {"allocatable": {"cpu": "4", "memory": "16Gi", "pods": "110"}}} for i in range(500)]
    labels = {"app": "web"}
    container = {"name": "app", "image": "pause", "resources": {"requests": {"cpu": "100m"}}}
    objects.append({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "default"},
                    "spec": {"replicas": 5000, "selector": {"matchLabels": labels},
                             "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}}}})
    return {"apiVersion": "elbowroom.dev/v1alpha1", "kind": "Scenario", "metadata": {"name": "deployment"},
            "spec": {"agents": "none", "scheduler": "full", "controllers": "active", "objects": objects, "until": "10s"}}


def measure_deployment(simulate):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(deployment(), file)
        file.flush()
        begin = time.perf_counter()
        done = subprocess.run(simulate + ["run", "-o", "json", file.name], check=True, stdout=subprocess.PIPE)
        took = time.perf_counter() - begin
    running = sum(pod["phase"] == "Running" for pod in json.loads(done.stdout)["final"]["pods"])
    if running != 5000:
        raise SystemExit(f"{running} of 5000 pods came up")
    print(json.dumps({"name": "simulate/run/deployment_of_5000", "value": took, "unit": "s", "goal": 5}))


def large_cluster():
    """5,000 nodes and 50,000 pods of 1,000 Deployments; a hundred of the nodes are empty, and a tenth of the pods prefers a zone."""
    zone = "topology.kubernetes.io/zone"
    for i in range(5000):
        yield {"apiVersion": "v1", "kind": "Node",
               "metadata": {"name": f"node-{i:04}", "labels": {zone: f"zone-{i % 3}"}},
               "status": {"allocatable": {"cpu": "16", "memory": "64Gi", "pods": "110"}}}
    for i in range(50_000):
        owner, spec = i % 1000, {"nodeName": f"node-{i % 4900:04}", "containers": [
            {"name": "app", "image": "pause", "resources": {"requests": {"cpu": "1400m", "memory": "256Mi"}}}]}
        if owner % 10 == 0:
            spec["affinity"] = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": 100, "preference": {"matchExpressions": [
                    {"key": zone, "operator": "In", "values": [f"zone-{owner % 3}"]}]}}]}}
        yield {"apiVersion": "v1", "kind": "Pod",
               "metadata": {"name": f"web-{owner}-{i}", "namespace": f"team-{owner % 20}", "uid": f"pod-{i}",
                            "labels": {"app": f"web-{owner}"}, "ownerReferences": [
                                {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": f"web-{owner}",
                                 "uid": f"set-{owner}", "controller": True}]},
               "spec": spec, "status": {"phase": "Running", "startTime": "2026-01-01T00:00:00Z",
                                        "conditions": [{"type": "Ready", "status": "True"}]}}


def measure_reschedule(simulate):
    rules = ("apiVersion: elbowroom.dev/v1alpha1\nkind: ReschedulerConfiguration\npolicies:\n"
             "  underutilizedNode: {enabled: true}\n  affinityPreference: {enabled: true}\n")
    objects = [{"apiVersion": "v1", "kind": "ConfigMap", "data": {"config.yaml": rules},
                "metadata": {"name": "elbowroom-rescheduler", "namespace": "kube-system"}}, *large_cluster()]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"apiVersion": "v1", "kind": "List", "items": objects}, file)
        file.flush()
        begin = time.perf_counter()
        done = subprocess.run(simulate + ["reschedule", "-o", "json", "-f", file.name], check=True, stdout=subprocess.PIPE)
        took = time.perf_counter() - begin
    if not json.loads(done.stdout)["moves"]:
        raise SystemExit("nothing would be moved")
    print(json.dumps({"name": "simulate/reschedule/5000x50000", "value": took, "unit": "s", "goal": 10}))


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    simulate = [pathlib.Path(sys.argv[1]) / "bin" / "elbowroom", "simulate"]
    measure("simulate/resize/small_file",
            simulate + ["resize", "-o", "json", "-f", root / "docs" / "examples" / "held-charge.yaml", "default/web"])
    measure("cli/simulate_run/small_file",
            simulate + ["run", "-o", "json", root / "test" / "scenarios" / "critical-pod-preempts.yaml"])
    measure_deployment(simulate)
    measure_reschedule(simulate)


if __name__ == "__main__":
    main()
