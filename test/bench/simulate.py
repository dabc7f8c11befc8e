#!/usr/bin/env python3
"""How long one `elbowroom simulate` takes on a small file, from start to exit, and on a Deployment of 5,000 pods:
`simulate.py BUILD`."""

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


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    simulate = [pathlib.Path(sys.argv[1]) / "bin" / "elbowroom", "simulate"]
    measure("simulate/resize/small_file",
            simulate + ["resize", "-o", "json", "-f", root / "docs" / "examples" / "held-charge.yaml", "default/web"])
    measure("cli/simulate_run/small_file",
            simulate + ["run", "-o", "json", root / "test" / "scenarios" / "critical-pod-preempts.yaml"])
    measure_deployment(simulate)


if __name__ == "__main__":
    main()
