"""suite_bench.py BUILD BINARIES KUBECTL [NODES [RUNS]]: Deferred resizes on kube-scheduler and on elbowroom-scheduler,
in turn, on the same API server. The one thing to know: raw rows go to BUILD/bench-cluster.json, and the table that
is printed is their medians; other work on the machine is in all of them."""
import json
import os
import platform
import shutil
import statistics
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import bench_needless
import ours
from bench_load import HANDS, Load
from checks import note, title, wait
from control_plane import RESIZE_GATE, ControlPlane
from objects import make_classes
from process import now

NAMES = ("kube-scheduler", "elbowroom-scheduler")


class Bench:
    def __init__(self, build, binaries, folder):
        self.build, self.folder = build, folder
        self.plane = ControlPlane(f"{folder}/plane", binaries, [f"{RESIZE_GATE}=true"], is_durable=False)
        self.rows, self.needless = [], []

    def start(self, name):
        if name == "kube-scheduler":
            return self.plane.start_scheduler(qps=5000)
        return ours.scheduler(self.build, self.folder, self.account,
                              ["--yield-to=", "--leader-elect=false"]).start()

    def prepare(self):
        self.plane.start()
        make_classes(self.plane.admin)
        done = ours.install(ours.Kubectl(self.kubectl, self.plane.user("person", "person", ["system:masters"]),
                                         self.folder))
        if done[0]:
            raise RuntimeError(done[1])
        self.account = self.plane.account("elbowroom-scheduler")

    def backlog(self, name, count, run):
        """All resizes are Deferred already when the scheduler starts."""
        load = Load(self.plane.admin, count, f"backlog-{run}-{name}")
        load.build()
        load.listen()
        server, etcd = self.plane.apiserver.cpu_seconds(), self.plane.etcd.cpu_seconds()
        began = now()
        program = self.start(name)
        is_done = wait(load.is_done, 300)
        ended = max(load.removed.values(), default=now())
        cpu, peak = program.cpu_seconds(), program.peak_bytes()
        wait(lambda: False, 3)  # whoever goes now goes needlessly
        row = self._row("backlog", name, count, run, load, began, ended, cpu, peak, is_done)
        row["apiserver_ms_per_pod"] = round((self.plane.apiserver.cpu_seconds() - server) * 1000 / count, 2)
        row["etcd_ms_per_pod"] = round((self.plane.etcd.cpu_seconds() - etcd) * 1000 / count, 2)
        program.stop()
        load.clear()

    def live(self, name, count, run):
        """The scheduler is there and idle; one resize becomes Deferred, then all others, as fast as can be written."""
        load = Load(self.plane.admin, count, f"live-{run}-{name}")
        load.build(deferred=False)
        load.listen()
        program = self.start(name)
        wait(lambda: False, 5)  # it has read everything
        cpu = program.cpu_seconds()
        began = now()
        load.defer(0)
        wait(lambda: load.removed, 60)
        first = min(load.removed.values(), default=now()) - began
        with ThreadPoolExecutor(HANDS) as pool:
            list(pool.map(load.defer, range(1, count)))
        is_done = wait(load.is_done, 300)
        ended = max(load.removed.values(), default=now())
        row = self._row("live", name, count, run, load, began, ended, program.cpu_seconds() - cpu, program.peak_bytes(),
                        is_done)
        row["first_victim_ms"] = round(first * 1000, 1)
        program.stop()
        load.clear()

    def _row(self, mode, name, count, run, load, began, ended, cpu, peak, is_done):
        first = min(load.removed.values(), default=ended) - began
        row = {"mode": mode, "scheduler": name, "nodes": count, "resizes": count, "run": run,
               "all_had_room": bool(is_done), "seconds": round(ended - began, 3),
               "resizes_per_second": round(count / (ended - began), 1) if ended > began else None,
               "cpu_ms_per_resize": round(cpu * 1000 / count, 3), "peak_mib": round(peak / (1 << 20), 1),
               "first_victim_ms": round(first * 1000, 1), "victims": len(load.removed)}
        self.rows.append(row)
        note(" ".join(f"{key}={value}" for key, value in row.items()))
        return row

    def needless_cases(self):
        for name in NAMES:
            program = self.start(name)
            wait(lambda: False, 3)
            for build_case, needed in bench_needless.CASES:
                case = build_case(self.plane.admin, name.split("-")[0])
                removed = case.settle()
                self.needless.append({"case": build_case.__name__, "scheduler": name, "needed": needed,
                                      "removed": removed})
                note(f"{build_case.__name__:<18} {name:<20} needed {needed}, removed {len(removed)}: "
                     + ", ".join(removed))
                case.end()
            program.stop()


def table(rows):
    """Medians, least and greatest of each mode and scheduler, and ours as a part of upstream's."""
    keys = ("seconds", "resizes_per_second", "cpu_ms_per_resize", "peak_mib", "first_victim_ms", "victims")
    print("| load | scheduler | " + " | ".join(keys) + " |")
    print("|---|---|" + "---|" * len(keys))
    for mode in ("backlog", "live"):
        medians = {}
        for name in NAMES:
            mine = [row for row in rows if row["mode"] == mode and row["scheduler"] == name]
            if not mine:
                continue
            values = {key: [row[key] for row in mine if row[key] is not None] for key in keys}
            medians[name] = {key: statistics.median(values[key]) for key in keys}
            cells = [f"{statistics.median(values[key]):g} ({min(values[key]):g}-{max(values[key]):g})" for key in keys]
            print(f"| {mode}, {mine[0]['nodes']} nodes | {name} | " + " | ".join(cells) + " |")
        if len(medians) == 2:
            cells = [f"{medians[NAMES[1]][key] / medians[NAMES[0]][key]:.2f}" if medians[NAMES[0]][key] else "-"
                     for key in keys]
            print(f"| {mode} | ours / upstream's | " + " | ".join(cells) + " |")
    sys.stdout.flush()


def main(build, binaries, kubectl, nodes="500", runs="3"):
    folder = tempfile.mkdtemp(prefix="elbowroom-bench-", dir="/tmp")
    bench = Bench(build, binaries, folder)
    bench.kubectl = kubectl
    title(f"bench: {nodes} Deferred resizes, {runs} runs of each scheduler in turn")
    try:
        bench.prepare()
        for run in range(1, int(runs) + 1):
            for name in NAMES:
                bench.backlog(name, int(nodes), run)
                bench.live(name, int(nodes), run)
        title("bench: who is removed needlessly")
        bench.needless_cases()
    finally:
        bench.plane.stop()
        out = f"{build}/bench-cluster.json"
        with open(out, "w", encoding="ascii") as file:
            json.dump({"host": {"cores": os.cpu_count(), "kernel": platform.release()}, "rows": bench.rows,
                       "needless": bench.needless}, file, indent=1)
        if not os.environ.get("ELBOWROOM_KEEP"):
            shutil.rmtree(folder, ignore_errors=True)
    table(bench.rows)
    note(f"raw rows: {out}")


if __name__ == "__main__":
    main(*sys.argv[1:])
