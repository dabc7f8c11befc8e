#!/usr/bin/env python3
"""How fast `elbowroom-scheduler --mode full` places pending pods and makes room for them, against a lab in a process of its
own: `pending.py BUILD`. The time runs from the first binding (removal) that its metrics show to the last one; the cpu is the
whole of the process, from its first list to its last event."""

import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

PODS = 4000
NODES = 100
PREEMPTORS = 1000
LIMIT = 240  # seconds
BOUND = re.compile(r'^elbowroom_scheduler_bindings_total\{[^}]*result="bound"[^}]*\} (\S+)', re.M)
TOLD = re.compile(r'^elbowroom_apiserver_requests_total\{code="201",resource="events",verb="POST"\} (\S+)', re.M)
REMOVED = re.compile(r"^elbowroom_disruptions_total\{[^}]*\} (\S+)", re.M)


def node(name, cpu):
    ready = [{"type": "Ready", "status": "True"}]
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
            "status": {"allocatable": {"cpu": str(cpu), "memory": "64Gi", "pods": "1000"}, "conditions": ready}}


def pod(name, cpu, priority, on=None):
    spec = {"schedulerName": "elbowroom", "priority": priority, "terminationGracePeriodSeconds": 0,
            "containers": [{"name": "app", "image": "pause", "resources": {"requests": {"cpu": cpu, "memory": "1Mi"}}}]}
    made = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default", "uid": "u-" + name},
            "spec": spec}
    if on:
        spec["nodeName"] = on
        made["status"] = {"phase": "Running"}
    return made


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def cores_of(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def total(port, pattern):
    """0 as long as the scheduler does not answer yet."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
            return sum(float(each) for each in pattern.findall(answer.read().decode()))
    except OSError:
        return 0


def measure(programs, objects, pattern, wanted):
    """(a second, seconds of cpu for each: until the last one, and until the last event of them)"""
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        (at / "objects.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        lab = subprocess.Popen([programs / "elbowroom", "lab", "up", "--nodes", "1", "--cpu", "1m", "--agents", "none",
                                "--scheduler", "none", "-f", at / "objects.json", "--kubeconfig-out", at / "kubeconfig"],
                               stdout=subprocess.PIPE, text=True)
        scheduler = None
        try:
            if not lab.stdout.readline().startswith("ready:"):
                sys.exit("the lab does not start")
            port = free_port()
            scheduler = subprocess.Popen([programs / "elbowroom-scheduler", "--kubeconfig", at / "kubeconfig", "--mode", "full",
                                          "--leader-elect=false", f"--listen=127.0.0.1:{port}", "--log-level=error"])
            begun, first = time.monotonic(), None
            while time.monotonic() - begun < LIMIT:
                now, done = time.monotonic(), total(port, pattern)
                if first is None and done > 0:
                    first = now, done
                if done >= wanted:
                    rate = (done - first[1]) / max(now - first[0], 0.001)
                    before_events = cores_of(scheduler.pid) / done
                    while total(port, TOLD) < wanted and time.monotonic() - begun < LIMIT:
                        time.sleep(0.2)
                    if total(port, TOLD) < wanted:
                        sys.exit(f"only {total(port, TOLD):.0f} events of {wanted} after {LIMIT} s")
                    return rate, before_events, cores_of(scheduler.pid) / done
                time.sleep(0.02)  # between two looks, so that looking costs little
            sys.exit(f"only {total(port, pattern):.0f} of {wanted} after {LIMIT} s")
        finally:
            for program in (scheduler, lab):
                if program:
                    program.terminate()
                    program.wait()


def main(build):
    programs = pathlib.Path(build).resolve() / "bin"
    nodes = [node(f"n-{i}", 64) for i in range(NODES)]
    pods = [pod(f"p-{i}", "100m", 0) for i in range(PODS)]
    rate, until_bound, cpu = measure(programs, nodes + pods, BOUND, PODS)
    print(json.dumps({"name": f"scheduler/bindings/{PODS}", "value": rate, "unit": "bindings/s"}))
    print(json.dumps({"name": f"scheduler/cpu_until_bound/{PODS}", "value": 1000 * until_bound, "unit": "ms"}))
    print(json.dumps({"name": f"scheduler/cpu_per_binding/{PODS}", "value": 1000 * cpu, "unit": "ms"}))
    full = [each for i in range(PREEMPTORS) for each in (node(f"f-{i}", 1), pod(f"low-{i}", "1", 0, f"f-{i}"))]
    high = [pod(f"high-{i}", "1", 100) for i in range(PREEMPTORS)]
    rate, *_ = measure(programs, full + high, REMOVED, PREEMPTORS)
    print(json.dumps({"name": f"scheduler/removals_for_pending/{PREEMPTORS}", "value": rate, "unit": "removals/s"}))


if __name__ == "__main__":
    main(sys.argv[1])
