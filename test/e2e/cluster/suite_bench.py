"""suite_bench.py BUILD BINARIES KUBECTL [SCALE [RUNS [LOAD...]]]: Deferred resizes, placements and preemptions by
pending pods, of pods by themselves and of pods in groups, on kube-scheduler and on elbowroom-scheduler, in turn, on the
same API server. Raw rows go to BUILD/bench-cluster.json, and the table that is printed is their medians; other work on
the machine is in all of them. SCALE 100 is the whole load, RUNS is 3, and without a LOAD it is all of resizes,
placements, replacing, preemptions, groups, needless. Replacing: placements of pods that name no scheduler, with ours in
kube-scheduler's place."""
import json
import os
import platform
import shutil
import statistics
import sys
import tempfile

import bench_needless
import ours
from bench_floor import CALLS, floor_row
from bench_ground import make_nodes, remove_nodes
from bench_load import Groups, Placements, Preemptions, Replacing, Resizes
from bench_table import table
from checks import note, title, wait
from control_plane import RESIZE_GATE, ControlPlane
from objects import make_classes
from process import Programs, now

NAMES = ("kube-scheduler", "elbowroom-scheduler")
POD_NAMES = {"kube-scheduler": "default-scheduler", "elbowroom-scheduler": "elbowroom"}
# load: what it is made of, its modes, how many nodes and how many results
LOADS = {"resizes": (Resizes, ("backlog", "live"), 500, 500),
         "placements": (Placements, ("backlog", "live"), 1000, 2000),
         "replacing": (Replacing, ("backlog", "live"), 1000, 2000),
         "preemptions": (Preemptions, ("backlog",), 500, 500),
         "groups": (Groups, ("none", "single", "all"), 100, 100)}
GROUP_GATES = ["GenericWorkload=true", "PodGroupPreemptionPolicy=true"]
BREAKER = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/elbowroom-scheduler-breaker"
ALONE = 10  # resizes that are Deferred one after the other, before all others
IDLE = 3.0  # seconds in which a scheduler has read everything, or removes pods that it should not
QUIET = 5  # seconds without an event, and there is none to come


class Bench:
    def __init__(self, build, binaries, kubectl, folder, has_groups=False):
        self.build, self.kubectl, self.folder, self.has_groups = build, kubectl, folder, has_groups
        gates = GROUP_GATES if has_groups else [f"{RESIZE_GATE}=true"]
        self.plane = ControlPlane(f"{folder}/plane", binaries, gates, ("v1beta1",) if has_groups else (),
                                  is_durable=False)
        self.programs = Programs()  # ours: whatever happens, they end with the bench
        self.rows, self.needless = [], []

    def prepare(self):
        self.plane.start()
        make_classes(self.plane.admin)
        hand = ours.Kubectl(self.kubectl, self.plane.user("person", "person", ["system:masters"]), self.folder)
        for part in ("", "scheduler-full"):
            status, said = ours.install(hand, part)
            if status:
                raise RuntimeError(said)
        self.account = self.plane.account("elbowroom-scheduler")

    def start(self, name, is_full, is_replacing=False):
        if name == "kube-scheduler":
            return self.plane.start_scheduler(qps=5000)
        more = ["--mode=full"] if is_full else ["--yield-to="]
        if is_replacing:
            more += ["--scheduler-name=default-scheduler"]
        # What the runs before have removed is no cause to hold this one up.
        self.plane.admin.delete(BREAKER)
        if self.has_groups:  # the same nodes lose ten pods in each run, and the circuit breaker outlives them
            more += ["--pods-per-node=1000", "--sets-per-pod=1000"]
        return self.programs.start(ours.scheduler(self.build, self.folder, self.account,
                                                  [*more, "--leader-elect=false"]))

    def play(self, load, scale, runs):
        """All runs of one load, the schedulers in turn."""
        kind, modes, nodes, count = LOADS[load]
        nodes, count = max(1, nodes * scale // 100), max(1, count * scale // 100)
        title(f"bench: {count} {load} on {nodes} nodes, {runs} runs of each scheduler in turn")
        make_nodes(self.plane.admin, nodes)
        for run in range(1, runs + 1):
            for name in NAMES:
                for mode in modes:
                    ground = kind(self.plane.admin, f"{load}-{mode}-{run}-{name}", count, POD_NAMES[name], mode)
                    self._one({"load": load, "mode": mode, "scheduler": name, "nodes": nodes, "count": count,
                               "run": run}, ground)
            for calls in CALLS.get(load, ()):
                self._floor({"load": load, "mode": "backlog", "nodes": nodes, "count": count, "run": run}, kind, calls)
        remove_nodes(self.plane.admin)

    def _one(self, row, ground):
        ground.build()
        is_live, alone = row["mode"] == "live", []
        if not is_live:
            ground.begin()  # all of it lies ready when the scheduler starts
        ground.listen()
        used = {one: one.cpu_seconds() for one in (self.plane.apiserver, self.plane.etcd)}
        began = now()
        ground.program = self.start(row["scheduler"], row["load"] != "resizes", row["load"] == "replacing")
        if is_live:
            wait(lambda: False, IDLE)
            began, used_by_then = now(), ground.program.cpu_seconds()
            if row["load"] == "resizes":
                alone = [ground.defer_alone(number) for number in range(min(ALONE, ground.count))]
            at_once = now()
            ground.begin()
        else:
            at_once, used_by_then = began, 0.0
        wait(ground.is_done, 60 if row["load"] == "groups" else 300)  # kube-scheduler may leave a pod for 5 minutes
        told = self._last_event(ground)
        peak = ground.program.peak_bytes()
        wait(lambda: False, IDLE)  # a removal now is needless
        self._write_down(row, ground, began, at_once, used_by_then, peak, alone)
        row |= {"events_seconds": round(told[0] - at_once, 3),
                "cpu_ms_with_events": round((told[1] - used_by_then) * 1000 / ground.count, 3)}
        for one, key in ((self.plane.apiserver, "apiserver"), (self.plane.etcd, "etcd")):
            row[f"{key}_cpu_ms"] = round((one.cpu_seconds() - used[one]) * 1000 / ground.count, 2)
        note(" ".join(f"{key}={value}" for key, value in row.items()))
        ground.program.stop()
        ground.clear()

    def _floor(self, row, kind, calls):
        """The same calls, by a program that does nothing else."""
        program = f"{self.build}/bin/floor_calls"
        if not os.path.exists(program):
            return note("no floor: bin/floor_calls is not built")
        name = f"{row['load']}-floor-{row['run']}-{calls.replace(',', '-')}"
        ground = kind(self.plane.admin, name, row["count"], "nobody", "backlog")
        ground.build()
        ground.begin()
        ground.listen()
        token = f"{self.plane.folder}/elbowroom-scheduler.token"
        row |= floor_row(program, self.plane, token, ground, row["nodes"], calls)
        wait(ground.is_done, 60)
        row |= {"bound": len(ground.bound), "victims": len(ground.removed), "events": ground.events()}
        self.rows.append(row)
        note(" ".join(f"{key}={value}" for key, value in row.items()))
        return ground.clear()

    def _last_event(self, ground):
        """(when, the program's cpu by then): after that none came for QUIET seconds."""
        begun, count, last = now(), -1, (now(), ground.program.cpu_seconds())
        while now() - last[0] < QUIET and now() - begun < 600:
            if (more := ground.events()) > count:
                count, last = more, (now(), ground.program.cpu_seconds())
            wait(lambda: False, 0.5)
        return last

    def _write_down(self, row, ground, began, at_once, used_by_then, peak, alone):
        """The figures of one run; what never came has none."""
        count, first = ground.count, ground.first or (now(), ground.program.cpu_seconds())
        last = ground.last or (now(), ground.program.cpu_seconds())
        row |= {"is_done": ground.is_done(), "seconds": round(last[0] - at_once, 3),
                "per_second": round(count / (last[0] - at_once), 1),
                "cpu_ms": round((last[1] - used_by_then) * 1000 / count, 3),
                "cpu_ms_after_the_first": round((last[1] - first[1]) * 1000 / count, 3),
                "peak_mib": round(peak / (1 << 20), 1), "first_ms": round((first[0] - began) * 1000, 1),
                "alone_ms": round(statistics.median(alone) * 1000, 1) if alone else None,
                "bound": len(ground.bound), "victims": len(ground.removed), "events": ground.events()}
        self.rows.append(row)

    def needless_cases(self):
        title("bench: who is removed needlessly")
        for name in NAMES:
            program = self.start(name, is_full=False)
            wait(lambda: False, IDLE)
            for build_case, needed in bench_needless.CASES:
                case = build_case(self.plane.admin, name.split("-", maxsplit=1)[0])
                removed = case.settle()
                self.needless.append({"case": build_case.__name__, "scheduler": name, "needed": needed,
                                      "removed": removed})
                note(f"{build_case.__name__:<18} {name:<20} needed {needed}, removed {len(removed)}: "
                     + ", ".join(removed))
                case.end()
            program.stop()


def played(bench, loads, scale, runs):
    """Plays them on a server of their own, which ends with them."""
    try:
        bench.prepare()
        for load in loads:
            if load == "needless":
                bench.needless_cases()
            else:
                bench.play(load, scale, runs)
    finally:
        bench.programs.stop()
        bench.plane.stop()


def main(build, binaries, kubectl, scale="100", runs="3", *loads):
    folder, began = tempfile.mkdtemp(prefix="elbowroom-bench-", dir="/tmp"), now()
    loads = loads or (*LOADS, "needless")
    benches = [(Bench(build, binaries, kubectl, f"{folder}/{has_groups}", has_groups), wanted) for has_groups, wanted in (
        (False, [one for one in loads if one != "groups"]), (True, [one for one in loads if one == "groups"])) if wanted]
    try:
        for bench, wanted in benches:
            played(bench, wanted, int(scale), int(runs))
    finally:
        rows = [row for bench, _ in benches for row in bench.rows]
        out = f"{build}/bench-cluster.json"
        with open(out, "w", encoding="ascii") as file:
            json.dump({"host": {"cores": os.cpu_count(), "kernel": platform.release()}, "rows": rows,
                       "needless": [row for bench, _ in benches for row in bench.needless]}, file, indent=1)
        if not os.environ.get("ELBOWROOM_KEEP"):
            shutil.rmtree(folder, ignore_errors=True)
    table(rows, NAMES)
    note(f"{(now() - began) / 60:.0f} minutes; raw rows: {out}")


if __name__ == "__main__":
    main(*sys.argv[1:])
