"""timeline: what happened to pods, in the order of the API server's watch. It is a watch,
so it sees what polling misses; a watch that breaks is opened again and may miss what was between."""
import threading

from api import conditions
from process import now


class Timeline:
    def __init__(self, api, path="/api/v1/pods"):
        self._api, self._path = api, path
        self.events = []  # (seconds, ADDED | MODIFIED | DELETED, the pod)
        self._is_over = False
        self._pause = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not self._is_over:
            try:
                self._api.watch(f"{self._path}?watch=1&timeoutSeconds=600", self._hear)
            except (OSError, ValueError):
                self._pause.wait(0.2)

    def _hear(self, event):
        if event["type"] in ("ADDED", "MODIFIED", "DELETED"):
            self.events.append((now(), event["type"], event["object"]))
        return not self._is_over

    def end(self):
        self._is_over = True

    def first(self, name, holds, since=0.0):
        """Seconds (of the clock of process.now) at which `holds(kind, pod)` was first so, or None."""
        return next((at for at, kind, pod in list(self.events)
                     if at >= since and pod["metadata"]["name"] == name and holds(kind, pod)), None)

    def removed(self, since=0.0):
        """Names of pods whose deletion was first requested since then, in that order."""
        seen, names = set(), []
        for at, kind, pod in list(self.events):
            uid = pod["metadata"]["uid"]
            if (kind == "DELETED" or "deletionTimestamp" in pod["metadata"]) and uid not in seen:
                seen.add(uid)
                if at >= since:
                    names.append(pod["metadata"]["name"])
        return names


def is_deferred(kind, pod):
    return conditions(pod).get("PodResizePending", {}).get("reason") == "Deferred"


def is_leaving(kind, pod):
    return "deletionTimestamp" in pod["metadata"]


def is_marked(kind, pod):
    return conditions(pod).get("DisruptionTarget", {}).get("status") == "True"


def has_ended(kind, pod):
    return kind == "DELETED" or pod.get("status", {}).get("phase") in ("Succeeded", "Failed")


def is_gone(kind, pod):
    return kind == "DELETED"


def container(pod):
    return pod.get("status", {}).get("containerStatuses", [{}])[0]


def allocated(cpu):
    return lambda kind, pod: container(pod).get("allocatedResources", {}).get("cpu") == cpu


def actual(cpu):
    return lambda kind, pod: container(pod).get("resources", {}).get("requests", {}).get("cpu") == cpu
