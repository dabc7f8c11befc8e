#!/usr/bin/env python3
"""Makes the recordings of this folder again: a lab, a separate elbowroomd that records, and what users do.

Usage: test/recordings/make.py BIN_FOLDER [NAME...]   (BIN_FOLDER holds elbowroom and elbowroomd)
"""
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
PODS = "/api/v1/namespaces/default/pods"
PATIENCE = 30
CRITICAL = 2000001000


def wait_for(what, holds):
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            sys.exit(f"waited {PATIENCE} s in vain: {what}")
        time.sleep(0.05)


class Door:
    """A Unix socket in front of another one, which can be shut."""

    def __init__(self, path, target):
        self.path, self.target, self.open, self.pairs = path, target, True, []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            if not self.open:
                client.close()
                continue
            server = socket.socket(socket.AF_UNIX)
            server.connect(self.target)
            self.pairs.append((client, server))
            threading.Thread(target=self.pump, args=(client, server), daemon=True).start()

    @staticmethod
    def pump(client, server):
        other = {client: server, server: client}
        try:
            while True:
                for ready in select.select([client, server], [], [])[0]:
                    got = ready.recv(65536)
                    if not got:
                        return
                    other[ready].sendall(got)
        except OSError:
            pass
        finally:
            for end in (client, server):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def shut(self):
        self.open = False
        for pair in self.pairs:
            for end in pair:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass


class Lab:
    def __init__(self, programs, folder):
        self.programs, self.folder = programs, folder
        kubeconfig = f"{folder}/kubeconfig"
        self.lab = subprocess.Popen(
            [f"{programs}/elbowroom", "lab", "up", "--agents", "none", "--scheduler", "none", "--runtime-dir", folder,
             "--kubeconfig-out", kubeconfig],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if "ready" not in self.lab.stdout.readline():
            sys.exit("the lab did not start")
        self.server = re.search(r"server: \"?(http://[^\s\"]+)", open(kubeconfig).read()).group(1)
        self.door = Door(f"{folder}/door.sock", f"{folder}/node-1.sock")
        self.agent = None

    def call(self, method, path, body=None, kind="application/json"):
        text = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.server + path, text, {"Content-Type": kind}, method=method)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def start_agent(self, record=None):
        flags = [f"--kubeconfig={self.folder}/kubeconfig", "--node-name=node-1", "--mode=authority",
                 f"--runtime-endpoint=unix://{self.folder}/door.sock", f"--cgroup-root={self.folder}/node-1.cgroup",
                 "--cgroup-driver=cgroupfs", f"--state-dir={self.folder}/state", "--critical-preemption=true",
                 "--listen=127.0.0.1:0", "--kubelet-healthz="]
        if record:
            flags.append(f"--record={record}")
        os.makedirs(f"{self.folder}/state", exist_ok=True)
        self.agent = subprocess.Popen([f"{self.programs}/elbowroomd", *flags], stderr=open(f"{self.folder}/log", "w"))

    def end_agent(self, how=signal.SIGTERM):
        self.agent.send_signal(how)
        self.agent.wait(PATIENCE)

    def end(self):
        for process in (self.agent, self.lab):
            if process and process.poll() is None:
                process.terminate()
                process.wait(PATIENCE)

    def create(self, name, cpu, priority=0):
        container = {"name": "app", "image": "lab/app", "resources": {"requests": {"cpu": cpu, "memory": "64Mi"}}}
        spec = {"nodeName": "node-1", "containers": [container], "priority": priority,
                "terminationGracePeriodSeconds": 1}
        self.call("POST", PODS, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec})
        wait_for(f"{name} runs", lambda: self.pod(name)["status"].get("phase") == "Running")

    def resize(self, name, cpu):
        body = {"spec": {"containers": [{"name": "app", "resources": {"requests": {"cpu": cpu}}}]}}
        self.call("PATCH", f"{PODS}/{name}/resize", body, "application/strategic-merge-patch+json")

    def delete(self, name):
        self.call("DELETE", f"{PODS}/{name}")

    def pod(self, name):
        return self.call("GET", f"{PODS}/{name}")

    def condition(self, name, kind):
        for each in self.pod(name)["status"].get("conditions", []):
            if each["type"] == kind:
                return each.get("reason", "") or "set"
        return ""

    def settles(self, name, cpu):
        def settled():
            pod = self.pod(name)
            statuses = pod["status"].get("containerStatuses") or [{}]
            resources = statuses[0].get("resources") or {}
            return (resources.get("requests", {}).get("cpu") == cpu and not self.condition(name, "PodResizePending")
                    and not self.condition(name, "PodResizeInProgress"))
        wait_for(f"{name} has {cpu}", settled)

    def waits(self, name):
        wait_for(f"{name} is Deferred", lambda: self.condition(name, "PodResizePending") == "Deferred")


def up_and_down(lab, record):
    lab.create("web", "1")
    lab.start_agent(record)
    wait_for("the agent knows its node", lambda: os.path.exists(record) and "\"done\"" in open(record).read())
    lab.resize("web", "2")
    lab.settles("web", "2")
    lab.resize("web", "500m")
    lab.settles("web", "500m")


def deferred_then_allocated(lab, record):
    lab.create("web", "1")
    lab.create("batch", "2500m")
    lab.start_agent(record)
    lab.resize("web", "2")
    lab.waits("web")
    lab.delete("batch")
    lab.settles("web", "2")


def critical_preemption(lab, record):
    lab.create("low-1", "1", 10)
    lab.create("low-2", "1", 20)
    lab.create("vital", "1500m", CRITICAL)
    lab.start_agent(record)
    lab.resize("vital", "3500m")
    lab.settles("vital", "3500m")


def runtime_lost_and_back(lab, record):
    lab.create("web", "1")
    lab.start_agent(record)
    lab.resize("web", "2")
    lab.settles("web", "2")
    lab.door.shut()
    wait_for("the loss is recorded", lambda: "runtimeLost" in open(record).read())
    lab.resize("web", "3")
    lab.door.open = True
    lab.settles("web", "3")


def restart_with_checkpoint(lab, record):
    lab.create("web", "1")
    lab.start_agent()
    lab.resize("web", "2")
    lab.settles("web", "2")
    lab.end_agent(signal.SIGKILL)
    lab.resize("web", "3")
    lab.start_agent(record)
    lab.settles("web", "3")


SCENARIOS = [up_and_down, deferred_then_allocated, critical_preemption, runtime_lost_and_back,
             restart_with_checkpoint]


def main():
    programs = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else sys.exit(__doc__)
    for scenario in SCENARIOS:
        name = scenario.__name__.replace("_", "-")
        if len(sys.argv) > 2 and name not in sys.argv[2:]:
            continue
        with tempfile.TemporaryDirectory() as folder:
            lab = Lab(programs, folder)
            try:
                scenario(lab, f"{folder}/recording")
                lab.end_agent()
                lines = open(f"{folder}/recording").read()
            except SystemExit:
                print(open(f"{folder}/log").read()[-3000:])
                raise
            finally:
                lab.end()
        path = f"{HERE}/{name}.jsonl"
        with open(path, "w") as out:
            out.write(lines)
        subprocess.run([f"{programs}/elbowroom", "replay", path], check=True)


main()
