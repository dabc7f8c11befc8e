#!/usr/bin/env python3
"""Plays scenarios against real programs, and compares the end with virtual time.

usage: live.py BIN [--jobs N] [--keep] [--longest SECONDS] [--sample | NAME...]

Each scenario of test/scenarios that takes at most 60 s of virtual time has a cluster of its own: `elbowroom lab up` with the
scenario's objects, elbowroomd for each node, elbowroom-scheduler and elbowroom-rescheduler as the scenario says. Its steps are
applied at their times (BIN: the folder with the programs). The end state (phase, node, nominated node, requests, conditions of each pod) and the victims of each
preemptor must be those of `elbowroom simulate run`, and what the scenario expects of pod groups and events at the end must hold.
exceptions.txt lists what may differ, each with its reason; an exception that is not needed is an error, too.
"""
import argparse
import collections
import concurrent.futures
import copy
import datetime
import json
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
import traceback

import compare
from cluster import Cluster, PodWatch, Refused, end_all

HERE = pathlib.Path(__file__).resolve().parent
SCENARIOS = HERE.parents[1] / "scenarios"
LONGEST = 60  # seconds of virtual time
SLACK = 15  # seconds within which real programs do what takes virtual time none (retries and backoff included)
STEADY = 3  # seconds that the end state stays what it should be, after all programs are ready
LOOK = 0.1
UNTIL_KILLED = "1h"
TERMINATES_AFTER = "lab.elbowroom.dev/terminates-after"
SOMETIMES = "sometimes: "
TIMES = {"creationTimestamp", "startTime", "lastTransitionTime", "startedAt", "finishedAt"}


def seconds(duration):
    units = {"h": 3600, "m": 60, "s": 1, "ms": 0.001}
    return sum(float(figure) * units[unit] for figure, unit in re.findall(r"([0-9.]+)(ms|h|m|s)", str(duration)))


def instant(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def walk(tree, visit):
    """Calls visit(map, key, value) for each member of each map."""
    if isinstance(tree, list):
        for item in tree:
            walk(item, visit)
    elif isinstance(tree, dict):
        for key, value in list(tree.items()):
            visit(tree, key, value)
            walk(value, visit)


def name_of(item, is_namespaced=True):
    metadata = item["metadata"]
    return f"{metadata.get('namespace', 'default')}/{metadata['name']}" if is_namespaced else metadata["name"]


class Scenario:
    """A scenario file, and what virtual time makes of it."""

    def __init__(self, binaries, path):
        self.path, self.name = path, path.stem
        told = subprocess.run([binaries / "scenario_as_json_e2e", path], check=True, capture_output=True, text=True)
        self.spec = {"agents": "authority", "scheduler": "none", "rescheduler": "none", "controllers": "none", "yieldTo": [],
                     "objects": [], "steps": [], "expect": [], **json.loads(told.stdout)["spec"]}
        played = subprocess.run([binaries / "elbowroom", "simulate", "run", path, "-o", "json"], capture_output=True, text=True,
                                check=False)
        if not played.stdout:
            raise AssertionError(f"simulate run: exit status {played.returncode}: {played.stderr}")
        self.timeline = json.loads(played.stdout)
        self.unmet = [f"in virtual time at {each['at']}: {each['pod']}: {each['why']}" for each in self.timeline["expectations"]["failed"]]
        self.ends = seconds(self.timeline["final"]["at"])
        self.steps = sorted(self.spec["steps"], key=lambda step: seconds(step["at"]))
        self.make_real()

    def make_real(self):
        """Times near the present, uids that may name a cgroup, and what a scenario leaves out and an API server does not."""
        given = self.spec["objects"] + [step["apply"] for step in self.steps if "apply" in step]
        self.shift_times()
        uids = {name_of(item) for item in given if "uid" not in item["metadata"]}
        for item in self.spec["objects"]:
            item["metadata"].setdefault("uid", name_of(item) if item["kind"] not in ("Node", "Namespace") else item["metadata"]["name"])
        text = json.dumps({"objects": self.spec["objects"], "steps": self.steps})
        for uid in uids:
            own = uid.replace("/", ".")
            text = text.replace(f'"uid": "{uid}"', f'"uid": "{own}"').replace(f"(for uid {uid},", f"(for uid {own},")
        real = json.loads(text)
        self.classes = {}
        self.objects, self.steps = real["objects"], real["steps"]
        for item in self.objects + [step["apply"] for step in self.steps if "apply" in step]:
            if item["kind"] == "Pod":
                self.complete_pod(item["metadata"], item.get("spec", {}))
            elif item["kind"] == "PodGroup" and "priority" in item["spec"]:
                self.add_class(item["spec"])
            elif "template" in item.get("spec", {}):
                template = item["spec"]["template"]
                self.complete_pod(template.setdefault("metadata", {}), template["spec"])
        self.objects += [{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
                         for name, value in self.classes.items()]
        self.named = {name_of(item) for item in self.objects} | {name_of(step["apply"]) for step in self.steps if "apply" in step}

    def add_class(self, spec):
        """An API server takes the priority of a group from a class."""
        if not spec.get("priorityClassName"):
            spec["priorityClassName"] = f"priority-{spec['priority']}"
            self.classes[spec["priorityClassName"]] = spec["priority"]

    def complete_pod(self, metadata, spec):
        """The whole grace period, as in a scenario; and the scheduler that places pods which name none."""
        metadata.setdefault("annotations", {}).setdefault(TERMINATES_AFTER, UNTIL_KILLED)
        if self.spec["scheduler"] == "full":
            spec.setdefault("schedulerName", "elbowroom")

    def shift_times(self):
        """0s of the scenario is the newest time in its objects: that becomes now."""
        newest = []

        def note(tree, key, value):
            if key in TIMES and isinstance(value, str):
                newest.append(instant(value))
            elif key == "deletionTimestamp":
                newest.append(instant(value) - datetime.timedelta(seconds=tree.get("deletionGracePeriodSeconds", 0)))

        walk(self.spec["objects"], note)
        if not newest:
            return
        later = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0) - max(newest)

        def shift(tree, key, value):
            if isinstance(value, str) and re.fullmatch(r"20[0-9-]{8}T[0-9:.]+Z", value):
                tree[key] = (instant(value) + later).strftime("%Y-%m-%dT%H:%M:%SZ")

        walk(self.spec["objects"], shift)
        walk(self.steps, shift)

    def nodes(self):
        found = {}
        for item in self.objects + [step["apply"] for step in self.steps if "apply" in step]:
            node = item["metadata"]["name"] if item["kind"] == "Node" else item.get("spec", {}).get("nodeName")
            if node and item["kind"] in ("Node", "Pod"):
                found[node] = True
        return list(found)

    def loaded(self):
        """Its objects in an order in which each finds what it refers to; a class of priority stays where it counts."""
        rank = {"Namespace": 0, "PriorityClass": 1, "Node": 2, "Pod": 9}
        classes = {item["metadata"]["name"] for item in self.objects if item["kind"] == "PriorityClass"}
        for item in self.objects:
            spec = item.get("spec", {})
            is_known = spec.get("priorityClassName") in classes | {"system-node-critical", "system-cluster-critical"}
            if item["kind"] == "Pod" and ("priority" in spec or not is_known):
                spec.pop("priorityClassName", None)
        has_effect = self.spec["controllers"] == "active"
        return [item for item in sorted(self.objects, key=lambda item: rank.get(item["kind"], 5))
                if has_effect or not item["apiVersion"].startswith("apps/")]


class Play:
    """One scenario on real programs."""

    def __init__(self, binaries, scenario):
        self.scenario = scenario
        self.lock = threading.Lock()
        self.victims, self.names, self.charged = {}, {}, set()
        self.cluster = Cluster(binaries, scenario.loaded(), scenario.nodes(), scenario.spec)
        self.api = self.cluster.api

    # ---- what happens ----

    def see(self, pod, _is_gone):
        metadata = pod["metadata"]
        with self.lock:
            self.names[metadata["uid"]] = name_of(pod)
            preemptor = compare.preemptor_uid(pod)
            if preemptor is not None:
                self.victims[metadata["uid"]] = preemptor
        if metadata.get("deletionTimestamp") and metadata["uid"] not in self.charged:
            self.charged.add(metadata["uid"])
            if self.scenario.spec["controllers"] != "active" and self.is_playing:
                self.charge_budgets(pod)

    def charge_budgets(self, pod):
        """As in a scenario: a PodDisruptionBudget allows one less at once, where no controller counts."""
        for budget in self.api.list("PodDisruptionBudget")["items"]:
            labels = budget["spec"].get("selector", {}).get("matchLabels", {})
            status = budget.get("status", {})
            covers = budget["metadata"]["namespace"] == pod["metadata"]["namespace"] and all(
                pod["metadata"].get("labels", {}).get(key) == value for key, value in labels.items())
            if covers and status.get("disruptionsAllowed", 0) > 0 and pod["metadata"]["name"] not in status.get("disruptedPods", {}):
                self.api.patch("PodDisruptionBudget", name_of(budget),
                               {"status": {"disruptionsAllowed": status["disruptionsAllowed"] - 1}}, "/status")

    is_playing = False

    # ---- steps ----

    def take(self, step):
        step = copy.deepcopy(step)
        for kind in ("apply", "resize", "delete", "exit", "patch", "restart", "evict"):
            if kind in step:
                getattr(self, kind)(step[kind])
                return
        raise AssertionError(f"a step of an unknown kind: {step}")

    def apply(self, item):
        kind = item["kind"]
        name = name_of(item, self.api.paths[kind][2])
        if self.api.find(kind, name) is not None:
            item["metadata"].pop("uid", None)
            self.patch({"kind": kind, "name": name, "merge": item})
            return
        status = item.get("status")
        self.api.create(item)
        if status is not None and kind != "Node":
            self.api.patch(kind, name, {"status": status}, "/status")

    def resize(self, step):
        pod = self.api.find("Pod", step["pod"])
        wanted = step["containers"]
        lists = {}
        for field in ("containers", "initContainers"):
            for container in pod["spec"].get(field, []):
                if container["name"] in wanted:
                    changed = container.setdefault("resources", {})
                    for part, figures in wanted[container["name"]].items():
                        changed[part] = {**changed.get(part, {}), **figures}
                lists.setdefault(field, []).append(container)
        try:
            self.api.patch("Pod", step["pod"], {"spec": lists}, "/resize")
        except Refused as refused:
            if refused.code not in (403, 422):
                raise

    def delete(self, step):
        self.api.request("DELETE", self.api.path_of(step["kind"], step["name"]))

    def exit(self, step):
        self.api.patch("Pod", step["pod"], {"metadata": {"annotations": {"lab.elbowroom.dev/has-exited": "true"}}})

    def patch(self, step):
        kind, name, merge = step["kind"], step["name"], step["merge"]
        status = merge.pop("status", None)
        node = merge.get("spec", {}).pop("nodeName", None) if kind == "Pod" else None
        if node is not None:
            self.api.request("POST", self.api.path_of("Pod", name) + "/binding", {
                "apiVersion": "v1", "kind": "Binding", "metadata": {"name": name.rpartition("/")[2]},
                "target": {"apiVersion": "v1", "kind": "Node", "name": node}})
        if any(value != {} for key, value in merge.items() if key not in ("apiVersion", "kind")):
            self.api.patch(kind, name, merge)
        if status is not None:
            self.api.patch(kind, name, {"status": status}, "/status")

    def restart(self, what):
        self.cluster.programs[what].restart()

    def evict(self, step):
        self.cluster.evict(step["pod"], step.get("avoidNode", False))

    # ---- the end ----

    def state(self):
        victims = collections.defaultdict(set)
        with self.lock:
            for group in self.api.list("PodGroup")["items"]:
                self.names[group["metadata"]["uid"]] = name_of(group)
            for uid, preemptor in self.victims.items():
                victims[self.names.get(preemptor, preemptor)].add(self.names[uid])
        return {"pods": {name_of(pod): compare.live_pod(pod) for pod in self.watch.all()}, "victims": dict(victims)}

    def unmet(self):
        """What the scenario expects at the end of pod groups and events, and does not hold."""
        found = []
        for each in self.scenario.spec["expect"]:
            if each["at"] == "end" and "group" in each:
                found += self.unmet_of_group(each)
            if each["at"] == "end" and "event" in each:
                found += self.unmet_event(each["pod"], each["event"])
        return found

    def unmet_of_group(self, expected):
        name = expected["group"]
        group = self.api.find("PodGroup", name)
        if "exists" in expected and expected["exists"] != (group is not None):
            return [f"{name}: {'exists' if group else 'does not exist'}"]
        wanted = expected.get("condition")
        if wanted is None:
            return []
        there = next((each for each in (group or {}).get("status", {}).get("conditions", []) if each["type"] == wanted["type"]), None)
        if wanted.get("absent"):
            return [f"{name}: condition {wanted['type']} exists"] if there else []
        holds = there is not None and all(there.get(key, "") == wanted[key] for key in ("status", "reason") if key in wanted)
        return [] if holds else [f"{name}: condition {wanted['type']} is {there}"]

    def unmet_event(self, pod, wanted):
        there = [event for event in self.api.list("Event")["items"]
                 if f"{event['involvedObject'].get('namespace')}/{event['involvedObject'].get('name')}" == pod
                 and event["reason"] == wanted["reason"] and wanted.get("note", "") in event["message"]]
        is_wanted = wanted.get("count") != 0
        return [] if bool(there) == is_wanted else [f"{pod}: {'no ' if is_wanted else ''}event {wanted['reason']}"]

    def differences(self, virtual):
        found = [f"{name} has ended" for name in self.cluster.ended()]
        found += compare.differences(self.state(), virtual, self.scenario.named)
        return found + self.unmet()

    def unready(self):
        """The programs that do not decide yet; the agent of a Node that a later step creates waits for it."""
        nodes = {node["metadata"]["name"] for node in self.api.list("Node")["items"]}
        return [name for name in self.cluster.unready() if not name.startswith("agent/") or name.removeprefix("agent/") in nodes]

    def pods_run(self):
        return all(pod.get("status", {}).get("phase", "Pending") != "Pending" or not pod["spec"].get("nodeName")
                   or pod["metadata"].get("deletionTimestamp") for pod in self.watch.all())

    def play(self, virtual, excused):
        """The differences that stay."""
        scenario = self.scenario
        self.watch = PodWatch(self.api, self.see)
        began = time.monotonic()
        while not self.pods_run():
            if time.monotonic() > began + SLACK:
                raise AssertionError("the pods with a node do not run")
            time.sleep(LOOK)
        self.is_playing = True
        zero = time.monotonic()
        self.cluster.start_programs()
        while unready := self.unready():
            if time.monotonic() > zero + SLACK:
                raise AssertionError(f"not ready: {unready}")
            time.sleep(LOOK)
        for step in scenario.steps:
            time.sleep(max(0, zero + seconds(step["at"]) - time.monotonic()))
            self.take(step)
        time.sleep(max(0, zero + scenario.ends - time.monotonic()))
        return self.settled(virtual, excused, time.monotonic() + SLACK)

    def settled(self, virtual, excused, deadline):
        """Waits until the state is what it should be, and stays so."""
        steady_since = None
        while True:
            found = self.differences(virtual)
            now = time.monotonic()
            if excused(found):
                steady_since = steady_since or now
                if now >= steady_since + STEADY:
                    return found
            else:
                steady_since = None
                if now > deadline:
                    return found
            time.sleep(LOOK)

    def end(self, keep):
        if hasattr(self, "watch"):
            self.watch.stopping = True
        self.cluster.end(keep)


class Exceptions:
    """exceptions.txt: SCENARIO | DIFFERENCE | REASON. "not played" in the place of a difference: it is left out. "sometimes: ..."
    depends on which of two things that happen at one time is the first."""

    def __init__(self, text):
        self.of = collections.defaultdict(dict)
        for line in text.splitlines():
            if line.strip() and not line.startswith("#"):
                name, difference, reason = (part.strip() for part in line.split("|", 2))
                if not reason:
                    raise AssertionError(f"exceptions.txt: no reason: {line}")
                self.of[name][difference] = reason

    def is_played(self, name):
        return "not played" not in self.of.get(name, {})

    def left(self, name, found):
        """What is not excused, and which exceptions are not needed."""
        listed = self.of.get(name, {})
        excused = {each.removeprefix(SOMETIMES) for each in listed}
        return ([each for each in found if each not in excused] +
                [f"exceptions.txt: not needed: {each}" for each in listed if each not in found and not each.startswith(SOMETIMES)])


def play_one(binaries, path, exceptions, asked):
    """The lines of one scenario: none where all is well; None: it takes too long, or is not played."""
    scenario = Scenario(binaries, path)
    if int(scenario.ends) > asked.longest or not exceptions.is_played(scenario.name):
        return None
    if scenario.unmet:
        return scenario.unmet
    play = Play(binaries, scenario)
    lines = ["not played to its end"]
    try:
        virtual = compare.virtual_state(scenario.timeline)
        found = play.play(virtual, lambda found: not exceptions.left(scenario.name, found))
        lines = exceptions.left(scenario.name, found)
        return lines + [f"what its programs say is in {play.cluster.folder}"] if lines and asked.keep else lines
    finally:
        play.end(asked.keep and bool(lines))


def play_guarded(binaries, path, exceptions, asked):
    began = time.monotonic()
    try:
        lines = play_one(binaries, path, exceptions, asked)
    except Exception:  # pylint: disable=broad-except  # of one scenario: the others are played
        lines = traceback.format_exc().splitlines()
    return path.stem, lines, time.monotonic() - began


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("bin", type=pathlib.Path)
    words.add_argument("names", nargs="*")
    words.add_argument("--sample", action="store_true", help="those of sample.txt")
    words.add_argument("--jobs", type=int, default=7, help="how many at a time: most of it is waiting [7]")
    words.add_argument("--longest", type=int, default=LONGEST, help="play those of at most so many seconds [60]")
    words.add_argument("--keep", action="store_true", help="keep the folders of those that differ, with all logs")
    asked = words.parse_intermixed_args()
    signal.signal(signal.SIGTERM, end_all)
    signal.signal(signal.SIGINT, end_all)
    binaries = asked.bin.resolve()
    exceptions = Exceptions((HERE / "exceptions.txt").read_text(encoding="utf-8"))
    names = asked.names or ((HERE / "sample.txt").read_text(encoding="utf-8").split() if asked.sample else
                            sorted(path.stem for path in SCENARIOS.glob("*.yaml")))
    counts = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        for done in concurrent.futures.as_completed(
                [pool.submit(play_guarded, binaries, SCENARIOS / f"{name}.yaml", exceptions, asked) for name in names]):
            name, lines, took = done.result()
            if lines is None:
                counts["left out"] += 1
                continue
            counts["differ" if lines else "as in virtual time"] += 1
            print(f"{'DIFFERS' if lines else 'ok'} {name} {took:.0f}s", *lines, sep="\n  ", flush=True)
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    return 1 if counts["differ"] or not counts["as in virtual time"] else 0


if __name__ == "__main__":
    sys.exit(main())
