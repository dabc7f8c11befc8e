#!/usr/bin/env python3
"""How long one `elbowroom explain pod` takes, from start to exit, against a lab with 110 pods on the node of a Deferred
pod: `explain.py BUILD`."""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

RUNS = 21
PODS = 110
NODE = """apiVersion: v1
kind: Node
metadata: {name: full, uid: n-1}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}
"""
POD = """---
apiVersion: v1
kind: Pod
metadata: {{name: pod-{i}, namespace: ns-{ns}, uid: u-{i}, generation: 2}}
spec:
  nodeName: full
  priority: {i}
  containers: [{{name: app, image: pause, resources: {{requests: {{cpu: {cpu}, memory: 64Mi}}}}}}]
status:
  phase: Running
  startTime: "2026-01-01T00:00:00Z"
  containerStatuses:
  - name: app
    allocatedResources: {{cpu: 30m, memory: 64Mi}}
    resources: {{requests: {{cpu: 30m, memory: 64Mi}}}}
    state: {{running: {{}}}}
"""


def main():
    program = pathlib.Path(sys.argv[1]) / "bin" / "elbowroom"
    with tempfile.TemporaryDirectory() as folder:
        objects = pathlib.Path(folder) / "objects.yaml"
        objects.write_text(NODE + "".join(
            POD.format(i=i, ns=i % 5, cpu="1200m" if i == 50 else "30m") for i in range(PODS)))
        kubeconfig = pathlib.Path(folder) / "kubeconfig"
        lab = subprocess.Popen([program, "lab", "up", "--agents", "none", "--kubeconfig-out", kubeconfig, "-f", objects],
                               stdout=subprocess.PIPE, text=True)
        try:
            if not lab.stdout.readline().startswith("ready:"):
                sys.exit("the lab does not start")
            took = []
            for _ in range(RUNS):
                begin = time.perf_counter()
                out = subprocess.run([program, "explain", "pod", "ns-0/pod-50", "--kubeconfig", kubeconfig],
                                     check=True, stdout=subprocess.PIPE, text=True).stdout
                took.append(1000 * (time.perf_counter() - begin))
                assert "Deferred" in out, out
        finally:
            lab.terminate()
            lab.wait()
    print(json.dumps({"name": "explain/pod/110", "value": statistics.median(took), "unit": "ms", "goal": 50}))


if __name__ == "__main__":
    main()
