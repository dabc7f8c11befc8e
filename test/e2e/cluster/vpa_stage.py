"""vpa_stage: the Vertical Pod Autoscaler's recommender, updater and admission controller, unmodified, with the rights of its own
manifests, beside a node and elbowroom-scheduler; Deployments of one pod, and recommendations that are set by hand.

No metrics are served here, so the recommender recommends nothing by itself. A VPA whose recommendation is set by hand names
another recommender (spec.recommenders), which is how VPA leaves room for others: its own passes over it."""
import json
import os

import kubelet
from checks import check, note, sees
from control_plane import RESIZE_GATE
from objects import OBEDIENT, pod
from ours import ask
from process import Program, free_port
from stage import NODE, Stage

APPS = "/apis/apps/v1/namespaces/default"
VPAS = "/apis/autoscaling.k8s.io/v1/namespaces/default/verticalpodautoscalers"
BY_HAND = "set-by-hand"
EVERY = 5  # seconds between two looks of the updater; a minute, where nobody says otherwise
IN_PLACE = "--feature-gates=InPlace=true"  # alpha in 1.8: updater and admission controller both need it


def deployment(name, cpu, priority, grace=5):
    one = pod(name, cpu=cpu, priority=priority, grace=grace, command=OBEDIENT, labels={"app": name})
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
            "spec": {"replicas": 1, "selector": {"matchLabels": {"app": name}},
                     "template": {"metadata": {"labels": {"app": name}}, "spec": one["spec"]}}}


def autoscaler(name, mode, recommender=BY_HAND):
    """Of the Deployment of that name. With the default of two replicas VPA would leave a single pod alone."""
    return {"apiVersion": "autoscaling.k8s.io/v1", "kind": "VerticalPodAutoscaler", "metadata": {"name": name},
            "spec": {"targetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": name},
                     "recommenders": [{"name": recommender}] if recommender else [],
                     "updatePolicy": {"updateMode": mode, "minReplicas": 1},
                     "resourcePolicy": {"containerPolicies": [{"containerName": "app",
                                                               "controlledResources": ["cpu"]}]}}}


def recommendation(milli):
    """What a recommender writes: the target, and bounds a tenth away from it."""
    bounds = {"target": milli, "lowerBound": milli * 9 // 10, "upperBound": milli * 11 // 10, "uncappedTarget": milli}
    return {"status": {"recommendation": {"containerRecommendations": [
        {"containerName": "app", **{which: {"cpu": f"{one}m"} for which, one in bounds.items()}}]},
                       "conditions": [{"type": "RecommendationProvided", "status": "True",
                                       "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}


class VpaStage(Stage):
    def __init__(self, build, binaries, kubectl, vpa):
        super().__init__(build, binaries, kubectl)
        self.vpa_folder, self.parts = vpa, {}

    def begin(self):
        return (self.install() and self._start_some_kubelet() and self.start_scheduler() and
                self._place_pods() and self._install_vpa() and self._start_vpa())

    def _start_some_kubelet(self):
        why = kubelet.why_not()
        if not why:
            return self.start_kubelet()
        note(f"{why}: the lab's pod runner and elbowroomd in authority mode judge resizes in its place")
        return self.start_node("2", "4Gi") and self.start_agent()

    def _place_pods(self):
        """kube-scheduler, its gate off, places; only ours makes room for resizes."""
        assert not any(RESIZE_GATE in one for one in self.plane.gates)
        return self.plane.start_scheduler() is not None

    # ---- VPA ----

    def _install_vpa(self):
        for name in ("vpa-v1-crd-gen.yaml", "vpa-rbac.yaml"):
            status, said = self.kubectl("apply", "--server-side", "-f", f"{self.vpa_folder}/{name}")
            if not check(status == 0, f"kubectl applies VPA's {name}", said):
                return False
        return sees("the API server serves VerticalPodAutoscalers", lambda: self.admin.get(VPAS))

    def _start_vpa(self):
        certificate, key = self.plane.authority.issue("vpa-webhook", "vpa-webhook", server=True)
        hook = free_port()
        self._start_part("admission-controller", [
            f"--port={hook}", "--register-by-url", "--webhook-address=https://127.0.0.1", f"--webhook-port={hook}",
            f"--client-ca-file={self.plane.authority.certificate}", f"--tls-cert-file={certificate}",
            f"--tls-private-key={key}", IN_PLACE])
        self._start_part("recommender", [f"--recommender-interval={EVERY}s"])
        self._start_part("updater", [f"--updater-interval={EVERY}s", IN_PLACE])
        sees("VPA's webhook is registered, and its Lease is kept", lambda: self.admin.get(
            "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/vpa-admission-controller"))
        return all([sees(f"VPA's {name} is healthy", lambda one=one, port=port: one.is_running() and
                         ask(port, "/health-check")[0] == 200, more=one.last_lines)
                    for name, (one, port) in self.parts.items()])

    def _start_part(self, name, more):
        port = free_port()
        one = Program(f"vpa-{name}", [
            f"{self.vpa_folder}/vpa-{name}", f"--kubeconfig={self.plane.account('vpa-' + name)}",
            f"--address=127.0.0.1:{port}", *more], f"{self.folder}/vpa-{name}.log", {"NAMESPACE": "kube-system"})
        self.parts[name] = (self.programs.start(one), port)

    def metric(self, part, name, **labels):
        """The sum of one metric of a part of VPA over all series with these labels."""
        total = 0.0
        for line in ask(self.parts[part][1], "/metrics")[1].splitlines():
            if line.split("{")[0].split(" ")[0] == name and all(f'{key}="{one}"' in line for key, one in labels.items()):
                total += float(line.rsplit(" ", 1)[1])
        return total

    # ---- workloads ----

    def deploy(self, name, milli, mode, recommender=BY_HAND, vpa=None, **more):
        """A Deployment of one pod with a VPA that recommends what it has, or the manifest's; the name of its pod."""
        if vpa:
            check(self.kubectl("apply", "-f", "-", stdin=vpa)[0] == 0, "kubectl applies the page's VPA")
            self.admin.patch(f"{VPAS}/{name}", {"spec": {"recommenders": [{"name": recommender}]}})
        else:
            self.admin.make(VPAS, autoscaler(name, mode, recommender))
        self.recommend(name, milli)
        self.admin.make(f"{APPS}/deployments", deployment(name, f"{milli}m", "high", **more))
        sees(f"the pod of {name} runs, on {NODE}", lambda: any(self._is_running(one) for one in self.pods_of(name)),
             more=lambda: json.dumps([one.get("status") for one in self.pods_of(name)]))
        return self.pods_of(name)[0]["metadata"]["name"]

    def _is_running(self, one):
        return one.get("status", {}).get("phase") == "Running"

    def pods_of(self, name):
        return self.admin.get(f"/api/v1/namespaces/default/pods?labelSelector=app%3D{name}")["items"]

    def clear_workloads(self):
        for kind in (f"{APPS}/deployments", VPAS):
            for one in self.admin.get(kind)["items"]:
                self.admin.delete(f"{kind}/{one['metadata']['name']}", {"propagationPolicy": "Background"})
        return self.clear()

    def recommend(self, name, milli):
        self.admin.patch(f"{VPAS}/{name}/status", recommendation(milli))

    def vpa(self, name):
        return self.admin.get(f"{VPAS}/{name}") or {}

    def recommended(self, name):
        """The target's cpu, as the VPA says it now."""
        found = self.vpa(name).get("status", {}).get("recommendation", {})
        return [one["target"]["cpu"] for one in found.get("containerRecommendations", [])]

    def show_logs(self):
        super().show_logs()
        for one, _ in self.parts.values():
            print(f"--- {one.name} wrote last:", *one.last_lines(), sep="\n", flush=True)


def wants_fallback():
    return os.environ.get("ELBOWROOM_VPA_FALLBACK", "yes") != "no"
