"""lab_up.py CONTAINERD_SOCKET BIN: `elbowroom lab up --runtime-endpoint` runs node-1's pods in a real
containerd, and a resize through its API reaches the container's cgroup."""
import glob
import json
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

PATIENCE = 60.0


def call(url, method="GET", body=None, media="application/json"):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method, headers={"Content-Type": media})
    with urllib.request.urlopen(request, timeout=10) as reply:
        return json.load(reply)


def comes_true(what, holds):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if holds():
            print(f"  ok    {what}")
            return True
        time.sleep(0.05)
    print(f"  FAIL  {what}")
    return False


def pod(name, cpu):
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {
            "nodeName": "node-1",
            "terminationGracePeriodSeconds": 0,
            "containers": [
                {"name": "app", "image": "localhost/busybox:test", "command": ["/bin/sleep", "600"],
                 "resources": {"requests": {"cpu": cpu}}}
            ],
        },
    }


WEIGHTS = {20: 512, 39: 1024}  # cgroup version 2's, of the shares that are asked for here


def shares(uid):
    """What the pod's containers have in cpu.shares (v1), or the same by cpu.weight (v2)."""
    found = set()
    for name in ("cpu.shares", "cpu.weight"):
        for path in glob.glob(f"/sys/fs/cgroup/**/pod{uid}/*/{name}", recursive=True):
            try:
                with open(path, encoding="ascii") as file:
                    value = int(file.read())
            except OSError:
                continue  # it ends at this moment
            found.add(WEIGHTS.get(value, value) if name == "cpu.weight" else value)
    return found


def check(base):
    pods = base + "/api/v1/namespaces/default/pods"
    made = call(pods, "POST", pod("web", "500m"))
    uid = made["metadata"]["uid"]
    one = pods + "/web"
    ok = comes_true("a pod runs in containerd",
                    lambda: call(one).get("status", {}).get("phase") == "Running" and 512 in shares(uid))
    patch = {"spec": {"containers": [{"name": "app", "resources": {"requests": {"cpu": "1"}}}]}}
    call(one + "/resize", "PATCH", patch, "application/strategic-merge-patch+json")
    ok = comes_true("its resize is in the container's cgroup", lambda: 1024 in shares(uid)) and ok
    actual = lambda: call(one)["status"]["containerStatuses"][0].get("resources", {}).get("requests", {})
    ok = comes_true("and in its status", lambda: actual().get("cpu") == "1") and ok
    call(one, "DELETE")
    return comes_true("and it goes", lambda: not call(pods)["items"] and not shares(uid)) and ok


def main(socket, binaries):
    with tempfile.TemporaryDirectory() as folder:
        lab = subprocess.Popen(
            [f"{binaries}/elbowroom", "lab", "up", "--runtime-endpoint", f"unix://{socket}",
             "--kubeconfig-out", f"{folder}/kubeconfig"],
            stdout=subprocess.PIPE, text=True)
        try:
            if not lab.stdout.readline().startswith("ready: "):
                print("  FAIL  the lab gets ready")
                return 1
            with open(f"{folder}/kubeconfig", encoding="utf-8") as file:
                base = next(line.split("server: ")[1].strip() for line in file if "server: " in line)
            return 0 if check(base) else 1
        finally:
            lab.send_signal(signal.SIGTERM)
            lab.wait(timeout=30)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
