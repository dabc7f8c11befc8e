#!/usr/bin/env python3
"""What `elbowroom top` costs while it follows 5,000 nodes with 20,000 pods on a terminal of 120 columns: `top.py BUILD`. In each
second 60 pods and 17 nodes are written, as kubelets do it that write the status of their Node every five minutes; some pods
start and end to wait for a resize. Measured from outside, by the accounts of the kernel.
"""
import fcntl
import http.client
import json
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

NODES, PODS_PER_NODE = 5_000, 4
PODS_A_SECOND, NODES_A_SECOND = 60, 17
SETTLE, MEASURE = 5, 20  # seconds


def node(number):
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"node-{number}", "uid": f"n-{number}"},
            "status": {"allocatable": {"cpu": "16", "memory": "64Gi", "pods": "110"},
                       "conditions": [{"type": "Ready", "status": "True"}]}}


def pod(number):
    sizes = {"cpu": "3500m", "memory": "1Gi"}
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": f"web-{number}", "namespace": f"team-{number % 20}", "uid": f"p-{number}", "generation": 1,
                         "labels": {"app": "web"}},
            "spec": {"nodeName": f"node-{number % NODES}", "priority": number % 7 * 10,
                     "containers": [{"name": "app", "image": "x", "resources": {"requests": sizes}}]},
            "status": {"phase": "Running", "startTime": "2026-01-01T00:00:00Z",
                       "containerStatuses": [{"name": "app", "allocatedResources": sizes, "resources": {"requests": sizes},
                                              "state": {"running": {}}}]}}


def patch(connection, path, body):
    connection.request("PATCH", path, json.dumps(body), {"Content-Type": "application/merge-patch+json"})
    answer = connection.getresponse()
    answer.read()
    if answer.status >= 300:
        sys.exit(f"PATCH {path}: {answer.status}")


def changes(server, stop, done):
    """Writes at the rate, until it is stopped."""
    connection = http.client.HTTPConnection(server, timeout=60)
    began, turn = time.monotonic(), 0
    while not stop.is_set():
        number = turn * 37 % (NODES * PODS_PER_NODE)
        name = f"/api/v1/namespaces/team-{number % 20}/pods/web-{number}/status"
        waits = [{"type": "PodResizePending", "status": "True", "reason": "Deferred"}] if turn % 10 == 0 else []
        patch(connection, name, {"status": {"conditions": [{"type": "Ready", "status": str(turn % 3 != 0)}, *waits]}})
        if turn * NODES_A_SECOND // PODS_A_SECOND != (turn + 1) * NODES_A_SECOND // PODS_A_SECOND:
            beat = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            patch(connection, f"/api/v1/nodes/node-{turn * 91 % NODES}/status",
                  {"status": {"conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": beat}]}})
        turn += 1
        done[0] = turn
        time.sleep(max(0.0, began + turn / PODS_A_SECOND - time.monotonic()))


def cpu_seconds(pid):
    return sum(int((task / "schedstat").read_text().split()[0]) for task in pathlib.Path(f"/proc/{pid}/task").iterdir()) / 1e9


def memory(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) / 1024


def follow(program, kubeconfig, shown):
    """The pid of top on a terminal, whose output is read on."""
    pid, screen = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm"
        os.execv(program, [program, "top", "--kubeconfig", kubeconfig])
    fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))

    def read_on():
        try:
            while part := os.read(screen, 65536):
                shown[0] += len(part)
                shown[1] = (shown[1] + part)[-100_000:]
        except OSError:
            pass
    threading.Thread(target=read_on, daemon=True).start()
    return pid, screen


def report(name, value, unit, goal=None):
    print(json.dumps({"name": name, "value": value, "unit": unit, "goal": goal}), flush=True)


def main():
    program = str(pathlib.Path(sys.argv[1]) / "bin" / "elbowroom")
    with tempfile.TemporaryDirectory() as folder:
        objects, kubeconfig = pathlib.Path(folder) / "objects.yaml", str(pathlib.Path(folder) / "kubeconfig")
        every = [node(i) for i in range(NODES)] + [pod(i) for i in range(NODES * PODS_PER_NODE)]
        objects.write_text("---\n".join(json.dumps(each) + "\n" for each in every))
        lab = subprocess.Popen([program, "lab", "up", "--agents", "none", "--scheduler", "none", "--controllers", "none",
                                "--kubeconfig-out", kubeconfig, "-f", objects], stdout=subprocess.PIPE, text=True)
        stop, done, shown = threading.Event(), [0], [0, b""]
        try:
            if not lab.stdout.readline().startswith("ready:"):
                sys.exit("the lab does not start")
            began = time.monotonic()
            pid, screen = follow(program, kubeconfig, shown)
            while b"node-30" not in shown[1] or b"5000" not in shown[1]:
                if time.monotonic() - began > 120:
                    sys.exit("the screen does not show 5,000 nodes: " + shown[1][-2000:].decode(errors="replace"))
                time.sleep(0.05)
            report("top/first_screen/5000", 1000 * (time.monotonic() - began), "ms")
            server = re.search(r"server: *\"?http://([^\s\"]+)", pathlib.Path(kubeconfig).read_text())[1]
            writer = threading.Thread(target=changes, args=(server, stop, done))
            writer.start()
            time.sleep(SETTLE)
            cpu, turns, sent, at = cpu_seconds(pid), done[0], shown[0], time.monotonic()
            time.sleep(MEASURE)
            took = time.monotonic() - at
            report("top/cpu/5000", 100 * (cpu_seconds(pid) - cpu) / took, "% of a core", 10)
            report("top/changes_followed/5000", (done[0] - turns) * (1 + NODES_A_SECOND / PODS_A_SECOND) / took, "per second")
            report("top/bytes_to_terminal/5000", (shown[0] - sent) / took, "per second")
            report("top/rss/5000", memory(pid), "MiB")
            stop.set()
            writer.join()
            os.write(screen, b"q")
            os.waitpid(pid, 0)
        finally:
            stop.set()
            lab.terminate()
            lab.wait()


if __name__ == "__main__":
    main()
