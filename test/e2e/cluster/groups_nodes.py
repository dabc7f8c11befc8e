"""groups_nodes: a stand-in for the kubelets of nodes that no machine is behind. What is bound runs, and what is
asked to go is gone a moment later."""
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone

from api import STRATEGIC
from checks import note
from objects import fake_node

LEAVES_AFTER = 0.3  # seconds from the request to the end of a pod
HANDS = 4


def _runs(one):
    """The status of a pod that has just started; it holds what it asks for."""
    now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    figures = one["spec"]["containers"][0]["resources"].get("requests", {})
    return {"phase": "Running", "startTime": now,
            "containerStatuses": [{"name": "app", "image": "i", "imageID": "i", "ready": True, "restartCount": 0,
                                   "started": True, "state": {"running": {"startedAt": now}},
                                   "allocatedResources": figures, "resources": {"requests": figures}}],
            "conditions": [{"type": "Ready", "status": "True"}]}


class FakeNodes:
    def __init__(self, api, names, cpu="4"):
        self._api, self._is_over = api, False
        self._hands = ThreadPoolExecutor(HANDS)
        self._pause = threading.Event()
        self._started, self._ended = set(), set()
        for name in names:
            api.make("/api/v1/nodes", fake_node(name, cpu))
        threading.Thread(target=self._run, daemon=True).start()

    def stop(self):
        self._is_over = True
        self._pause.set()
        self._hands.shutdown(cancel_futures=True)

    def _run(self):
        while not self._is_over:
            try:
                self._api.watch("/api/v1/pods?watch=1&timeoutSeconds=600&fieldSelector=spec.nodeName!=", self._hear)
            except (OSError, ValueError):
                self._pause.wait(0.2)

    def _hear(self, event):
        if self._is_over or event["type"] not in ("ADDED", "MODIFIED"):
            return not self._is_over
        one = event["object"]
        uid = one["metadata"]["uid"]
        if "deletionTimestamp" in one["metadata"]:
            if uid not in self._ended:
                self._ended.add(uid)
                threading.Timer(LEAVES_AFTER, self._do, (self._end, one)).start()
        elif uid not in self._started:
            self._started.add(uid)
            self._do(self._start, one)
        return True

    def _do(self, what, one):
        if not self._is_over:
            self._hands.submit(self._in_peace, what, one)

    def _in_peace(self, what, one):
        """A server that is away is asked again."""
        while not self._is_over:
            try:
                status, said = what(one)
            except OSError:
                self._pause.wait(0.5)
                continue
            if status >= 400 and status not in (404, 409):
                note(f"the nodes were refused {one['metadata']['name']}: {status} {said.get('message')}")
            return

    def _path(self, one):
        return f"/api/v1/namespaces/{one['metadata']['namespace']}/pods/{one['metadata']['name']}"

    def _start(self, one):
        return self._api.call("PATCH", self._path(one) + "/status", {"status": _runs(one)}, STRATEGIC)

    def _end(self, one):
        return self._api.call("DELETE", self._path(one), {
            "gracePeriodSeconds": 0, "preconditions": {"uid": one["metadata"]["uid"]}})
