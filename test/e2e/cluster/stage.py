"""stage: a cluster with one real node that our programs run, put up once for a whole suite.
All that was started is stopped by `close`, whatever happened, and nothing else is touched."""
import calendar
import json
import os
import shutil
import subprocess
import tempfile
import time

import ours
import runtime
from api import conditions
from checks import check, note, sees, wait
from control_plane import ControlPlane
from kubelet import Kubelet
from objects import NAMESPACE, make_classes, path
from process import Programs
from timeline import Timeline

NODE = "node-1"
LATER = 10  # how often one request may be answered "later" in a whole suite
AUDIT = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
         "rules": [{"level": "Metadata",
                    "users": [f"system:serviceaccount:kube-system:{name}" for name in
                              ("elbowroom-agent", "elbowroom-agent-authority", "elbowroom-scheduler",
                               "elbowroom-rescheduler")]},
                   {"level": "None"}]}


class Stage:
    controllers_left_out = ()

    def __init__(self, build, binaries, kubectl, gates=(), with_controllers=True, group_versions=()):
        self.build, self.binaries = build, binaries
        self.folder = tempfile.mkdtemp(prefix="elbowroom-cluster-", dir="/tmp")
        self.programs = Programs()
        self.runtime = None
        self.agent = self.scheduler = self.runner = self.timeline = None
        self.scheduler_flags = ()
        self.plane = ControlPlane(f"{self.folder}/plane", binaries, gates, group_versions)
        self._audit()
        self.admin = self.plane.admin
        self.kubectl = ours.Kubectl(kubectl, self.plane.user("person", "person", ["system:masters"]), self.folder)
        self.person = {**os.environ, "KUBECONFIG": f"{self.plane.folder}/person.kubeconfig"}
        self._with_controllers = with_controllers

    def _audit(self):
        policy = f"{self.folder}/audit.json"
        with open(policy, "w", encoding="ascii") as file:
            json.dump(AUDIT, file)
        self.audit_log = f"{self.folder}/audit.log"
        self.plane.apiserver.argv += ["--audit-policy-file", policy, "--audit-log-path", self.audit_log]

    def __enter__(self):
        try:
            self.plane.start()
            if self._with_controllers:
                self.plane.start_controllers(self.controllers_left_out)
            make_classes(self.admin)
            sees("the server has a default service account",
                 lambda: not self._with_controllers or self.admin.get(f"{NAMESPACE}/serviceaccounts/default"))
            self.timeline = Timeline(self.admin)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, kind, error, trace):
        if error is not None:
            self.show_logs()
        self.close()

    def close(self):
        if self.timeline:
            self.timeline.end()
        self.programs.stop()
        if self.runtime:
            self.runtime.stop()
        if isinstance(self.runner, Kubelet):
            self.runner.remove_traces()
        self.plane.stop()
        if not os.environ.get("ELBOWROOM_KEEP"):
            shutil.rmtree(self.folder, ignore_errors=True)
        else:
            note(f"kept: {self.folder}")

    def show_logs(self):
        for one in (self.agent, self.scheduler, self.runner, *self.plane.others, self.plane.apiserver):
            if one:
                print(f"--- {one.name} wrote last:", *one.last_lines(), sep="\n", flush=True)

    # ---- our programs, with exactly the rights of the manifests ----

    def install(self):
        """The manifests; the pods of the Deployment are not wanted, as its program runs beside the cluster."""
        status, said = self.install_part()
        return check(status == 0, "kubectl applies packaging/kustomize", said)

    def install_part(self, part=""):
        answer = ours.install(self.kubectl, part)
        for name in ("elbowroom-scheduler", "elbowroom-rescheduler"):
            self.kubectl("-n", "kube-system", "scale", f"deployment/{name}", "--replicas=0")
        wait(lambda: not self.admin.get("/api/v1/namespaces/kube-system/pods")["items"])
        return answer

    def start_node(self, cpu="4", memory="8Gi"):
        """containerd and the pod runner, which has a node's identity."""
        self.runtime = runtime.Runtime(f"{self.folder}/cri", self.binaries).start()
        self.runner = self.programs.start(ours.pod_runner(
            self.build, self.folder, NODE, self.plane.node_user(NODE), self.runtime.endpoint, cpu, memory))
        return sees("the pod runner registers its node as a node", lambda: self.admin.get(f"/api/v1/nodes/{NODE}"),
                    more=lambda: self.runner.last_lines(3))

    def start_kubelet(self, gates=None):
        """containerd and the real kubelet."""
        self.runtime = runtime.Runtime(f"{self.folder}/cri", self.binaries).start()
        self.runner = Kubelet(self.folder, self.binaries, self.plane, NODE, self.runtime.endpoint, gates)
        self.programs.start(self.runner)
        return sees("the kubelet's node is Ready", lambda: conditions(self.admin.get(f"/api/v1/nodes/{NODE}")).get(
            "Ready", {}).get("status") == "True", more=lambda: self.runner.last_lines(5))

    def start_companion(self):
        account = self.plane.account("elbowroom-agent", NODE)
        self.agent = self.programs.start(ours.agent(self.build, self.folder, NODE, account, self.runtime.endpoint,
                                                    mode="companion"))
        return sees("elbowroomd is ready, in companion mode, with a token bound to its Node", self.agent.is_ready,
                    more=self.agent.why_not_ready)

    def start_agent(self, more=()):
        account = self.plane.account("elbowroom-agent-authority", NODE)
        self.agent = self.programs.start(ours.agent(self.build, self.folder, NODE, account, self.runtime.endpoint,
                                                    more=more))
        return sees("elbowroomd is ready, in authority mode, with a token bound to its Node", self.agent.is_ready,
                    more=self.agent.why_not_ready)

    def start_scheduler(self, more=()):
        self.scheduler_flags = more
        self.scheduler = self.programs.start(ours.scheduler(
            self.build, self.folder, self.plane.account("elbowroom-scheduler"), more))
        return sees("elbowroom-scheduler is ready, and leads", self.scheduler.is_ready,
                    more=self.scheduler.why_not_ready)

    def start_rescheduler(self, more=(), name="elbowroom-rescheduler"):
        """One replica; whether it leads is for the Lease to say."""
        one = self.programs.start(ours.rescheduler(
            self.build, self.folder, self.plane.account("elbowroom-rescheduler"), more, name))
        sees(f"{name} is ready", one.is_ready, more=one.why_not_ready)
        return one

    def elbowroom(self, *words):
        """What `elbowroom` says with the identity that kubectl uses: (exit status, standard output or error)."""
        done = subprocess.run([f"{self.build}/bin/elbowroom", *words], env=self.person, capture_output=True, text=True,
                              check=False)
        return done.returncode, (done.stdout or done.stderr).strip()

    # ---- pods ----

    def pod(self, name):
        return self.admin.get(path(name))

    def uid(self, name):
        return self.pod(name)["metadata"]["uid"]

    def run(self, *pods):
        """Makes pods, one after the other, and waits until each runs; no two start in the same second."""
        for one in pods:
            name = one["metadata"]["name"]
            self.admin.make(f"{NAMESPACE}/pods", one)
            if not wait(lambda name=name: (self.pod(name) or {}).get("status", {}).get("phase") == "Running"):
                check(False, f"pod {name} runs", json.dumps(self.pod(name).get("status")) + str(
                    self.runner.last_lines(4) if self.runner else ""))
                return False
            started = calendar.timegm(time.strptime(self.pod(name)["status"]["startTime"], "%Y-%m-%dT%H:%M:%SZ"))
            wait(lambda started=started: time.time() >= started + 1, 5)
        return check(True, "pods run: " + ", ".join(one["metadata"]["name"] for one in pods))

    def has(self, name, kind, **fields):
        """Whether the pod has such a condition now."""
        one = conditions(self.pod(name)).get(kind)
        return bool(one) and all(one.get(key) == value for key, value in fields.items())

    def clear(self):
        """Removes all pods at once, and waits until the node has ended them."""
        for one in self.admin.get(f"{NAMESPACE}/pods")["items"]:
            self.admin.delete(path(one["metadata"]["name"]), {"gracePeriodSeconds": 1})
        return sees("all pods are deleted, and gone", lambda: not self.admin.get(f"{NAMESPACE}/pods")["items"])

    def events(self, name, reason=None):
        found = self.admin.get("/apis/events.k8s.io/v1/namespaces/default/events")["items"]
        return [one for one in found if one.get("regarding", {}).get("name") == name
                and (reason is None or one.get("reason") == reason)]

    # ---- what our identities asked for ----

    def asked(self):
        """{(account, verb, resource, status): times} from the server's audit log. A server that is starting knows no
        rights yet: what it refused before it said that it was ready counts as -403."""
        counts = {}
        with open(self.audit_log, encoding="utf-8") as file:
            for line in file:
                one = json.loads(line)
                thing = one.get("objectRef", {})
                resource = "/".join(filter(None, [thing.get("resource", one.get("requestURI", "").split("?")[0]),
                                                  thing.get("subresource")]))
                status = one.get("responseStatus", {}).get("code", 0)
                at = calendar.timegm(time.strptime(one["requestReceivedTimestamp"][:19], "%Y-%m-%dT%H:%M:%S"))
                if status == 403 and any(began - 1 <= at <= ended for began, ended in self.plane.boots):
                    status = -403
                key = (one["user"]["username"].rsplit(":", 1)[1], one["verb"], resource, status)
                counts[key] = counts.get(key, 0) + 1
        return counts

    def _refusals(self):
        """What our programs asked for and did not get; all that they asked for is written down."""
        counts = self.asked()
        for (account, verb, resource, status), times in sorted(counts.items()):
            note(f"{account:<28} {verb:<8} {resource:<40} {status if status > 0 else 'booting'} {times:>5}")
        # Gone, newer, or forgotten is an answer, not a refusal; so is "later" from a server that has just learned of a
        # kind, if we respect it and do not ask again and again.
        return {key: times for key, times in counts.items() if key[3] >= 400 and key[3] not in (404, 409, 410)
                and not (key[3] == 429 and times <= LATER)}

    def end_programs(self):
        """After everything: our programs end, and the server's audit log says what they had asked for."""
        check(self.scheduler.stop() == 0, "elbowroom-scheduler ends cleanly")
        check(self.agent.stop() == 0, "elbowroomd ends cleanly")
        bad = self._refusals()
        check(not bad, "nothing that our programs asked for was refused", bad)
