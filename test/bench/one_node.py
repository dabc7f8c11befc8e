#!/usr/bin/env python3
"""What 20,000 pods on one node cost the scheduler, in mode full as a multiple of mode resize: cpu and memory until it is
ready, and cpu for 20,000 events. JSON lines, as `run` reads them.

usage: one_node.py BUILD
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "program"))
import big_pods  # noqa: E402

PODS = 20_000
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_of(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def peak_of(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0


def settled(pid):
    """Its cpu once it uses no more of it."""
    before, quiet = cpu_of(pid), 0
    while quiet < 6:
        time.sleep(0.25)
        now = cpu_of(pid)
        quiet, before = (quiet + 1 if now - before <= 0.01 else 0), now
    return before


def metrics_of(log):
    for line in log.read_text(errors="replace").splitlines():
        if "listening on 127.0.0.1:" in line:
            return line.split("listening on ")[1].strip('"').split()[0].strip('"')
    return None


def measured(program, mode):
    pod, other = big_pods.TINY, big_pods.Pod("Running", [{"cpu": "2m", "memory": "1Ki"}], [big_pods.SMALL])
    world = big_pods.World([(PODS, pod)])
    world.events = [(f"p{index}", other) for index in range(1, PODS + 1)]
    server = big_pods.Server(world)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="one-node-"))
    (folder / "kubeconfig").write_text(big_pods.kubeconfig(server.server_port))
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([program, f"--kubeconfig={folder / 'kubeconfig'}", "--listen=127.0.0.1:0", "--dry-run",
                                    f"--mode={mode}", "--leader-elect=false"], stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:
            where = metrics_of(folder / "log")
            try:
                if where and urllib.request.urlopen(f"http://{where}/readyz", timeout=5).status == 200:
                    break
            except OSError:
                time.sleep(0.1)
        first = settled(process.pid)
        memory = peak_of(process.pid)
        world.tells.set()
        time.sleep(1)
        return {"list": first, "memory": memory, "events": settled(process.pid) - first}
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        server.shutdown()


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: one_node.py BUILD")
    program = str(pathlib.Path(sys.argv[1]).resolve() / "bin" / "elbowroom-scheduler")
    resize, full = measured(program, "resize"), measured(program, "full")
    for what, unit in (("list", "s of cpu"), ("memory", "MiB"), ("events", "s of cpu")):
        for mode, figures in (("resize", resize), ("full", full)):
            print(json.dumps({"name": f"scheduler/one_node_of_{PODS}/{what}/{mode}", "value": round(figures[what], 3),
                              "unit": unit, "goal": None}))
        print(json.dumps({"name": f"scheduler/one_node_of_{PODS}/{what}/full_to_resize",
                          "value": round(full[what] / max(resize[what], 0.01), 2), "unit": "times", "goal": 2}))


if __name__ == "__main__":
    main()
