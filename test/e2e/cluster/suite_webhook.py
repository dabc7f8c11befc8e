"""suite_webhook.py BUILD BINARIES KUBECTL: evictions by any client through the webhook of elbowroom-rescheduler, asked by a
real API server, with the manifests of packaging/kustomize/rescheduler-webhook and their rights."""
import base64
import socket
import ssl
import subprocess
import sys

import ours
from checks import check, conclude, sees, title
from objects import fake_node, pod
from process import free_port
from stage import Stage

NODE = "node-1"
PODS = "/api/v1/namespaces/default/pods"
BUDGETS = "/apis/elbowroom.dev/v1alpha1/namespaces/default/disruptionbudgets"
HOOK = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/elbowroom-rescheduler"


class WebhookStage(Stage):
    def begin(self):
        for part in ("crd", "rescheduler-webhook"):
            status, said = self.install_part(part)
            if not check(status == 0, f"kubectl applies packaging/kustomize/{part}", said):
                return False
        self.admin.make("/api/v1/nodes", fake_node(NODE))
        self.port = free_port()
        self.certificate, self.key = f"{self.folder}/tls.crt", f"{self.folder}/tls.key"
        self.show("first")
        self.hook = self.programs.start(ours.rescheduler(
            self.build, self.folder, self.plane.account("elbowroom-rescheduler"),
            [f"--webhook-listen=127.0.0.1:{self.port}", f"--webhook-cert={self.certificate}",
             f"--webhook-key={self.key}"]))
        if not sees("the rescheduler is ready", self.hook.is_ready, more=self.hook.why_not_ready):
            return False
        with open(self.plane.authority.certificate, "rb") as file:
            authority = base64.b64encode(file.read()).decode()
        found = self.admin.get(HOOK)["webhooks"][0]
        # The program runs beside the cluster: everything else of the manifest stays.
        found["clientConfig"] = {"url": f"https://127.0.0.1:{self.port}/review", "caBundle": authority}
        self.admin.patch(HOOK, {"webhooks": [found]})
        return sees("the API server asks the webhook", self._is_asked)

    def _is_asked(self):
        self.evict("nobody", dry_run=True)
        return self.reviews() > 0

    def reviews(self, result=None):
        return self.hook.metric("elbowroom_rescheduler_reviews_total", **({"result": result} if result else {}))

    def show(self, name, lasts=None):
        certificate, key = self.plane.authority.issue(f"hook-{name}", "hook", server=True, lasts=lasts)
        for source, target in ((certificate, self.certificate), (key, self.key)):
            with open(source, "rb") as came, open(target, "wb") as goes:
                goes.write(came.read())

    def make_pods(self, app, count):
        for number in range(count):
            name = f"{app}-{number}"
            self.admin.make(PODS, pod(name, NODE, grace=0, labels={"app": app}))
            self.admin.patch(f"{PODS}/{name}/status", {"status": {"phase": "Running", "conditions": [
                {"type": "Ready", "status": "True"}]}})

    def budget(self, name, spec):
        self.admin.make(BUDGETS, {"apiVersion": "elbowroom.dev/v1alpha1", "kind": "DisruptionBudget",
                                  "metadata": {"name": name}, "spec": spec})

    def follows(self, name, pods, allowed):
        sees(f"budget {name} allows {allowed} of {pods}", lambda: (
            lambda status: (status.get("expectedPods"), status.get("disruptionsAllowed")) == (pods, allowed))(
                self.admin.get(f"{BUDGETS}/{name}").get("status", {})), more=lambda: self.admin.get(f"{BUDGETS}/{name}"))

    def ledger(self, name):
        return self.admin.get(f"{BUDGETS}/{name}").get("status", {}).get("recentDisruptions", [])

    def evict(self, name, dry_run=False, options=None):
        return self.admin.call("POST", f"{PODS}/{name}/eviction" + ("?dryRun=All" if dry_run else ""), {
            "apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": "default"},
            **({"deleteOptions": options} if options else {})})


def by_strength(stage):
    stage.make_pods("web", 3)
    stage.budget("web", {"selector": {"matchLabels": {"app": "web"}}, "minAvailable": 2})
    stage.follows("web", 3, 1)
    status, said = stage.evict("web-0", dry_run=True)
    check(status == 201 and not stage.ledger("web"), "a dry run is allowed, and debits nothing", (status, said))
    uid = stage.admin.get(f"{PODS}/web-0")["metadata"]["uid"]
    status, said = stage.evict("web-0")
    check(status == 201, "a bare eviction within the budget is allowed", (status, said))
    entries = stage.ledger("web")
    check([one["uid"] for one in entries] == [uid] and entries[0]["by"].startswith("elbowroom-webhook/"),
          "and is debited", entries)
    sees("the pod is gone", lambda: stage.admin.get(f"{PODS}/web-0") is None)
    status, said = stage.evict("web-1")
    check(status == 429 and "default/web" in said.get("message", ""), "the next one is refused with the budget's name",
          (status, said))
    check(stage.admin.get(f"{PODS}/web-1") is not None and len(stage.ledger("web")) == 1, "and nothing more is entered")
    status, said = stage.evict("nobody")
    check(status == 404, "a pod that is gone is the server's to refuse", (status, said))


def by_rate(stage):
    stage.make_pods("slow", 3)
    stage.budget("slow", {"selector": {"matchLabels": {"app": "slow"}}, "rate": {"disruptions": 1, "per": "1h"}})
    stage.follows("slow", 3, 1)
    status, said = stage.evict("slow-0")
    check(status == 201, "a rate allows the first one", (status, said))
    status, said = stage.evict("slow-1")
    check(status == 429 and said.get("details", {}).get("retryAfterSeconds") == 10 and "it allows the next at 20" in
          said.get("message", ""), "the second one is told when to come again", (status, said))
    status, said = stage.admin.delete(f"{PODS}/slow-2")
    check(status == 200 and len(stage.ledger("slow")) == 1, "a delete is no eviction", (status, said))


def drains(stage):
    """kubectl drain repeats what is refused by itself."""
    words = [*stage.kubectl._words, "drain", NODE, "--force", "--timeout=120s",
             "--pod-selector=app=web"]
    child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    before = stage.reviews("refused")
    sees("a drain is refused what the budget does not allow", lambda: stage.reviews("refused") >= before + 2)
    check(child.poll() is None, "and tries again by itself")
    stage.admin.patch(f"{BUDGETS}/web", {"spec": {"minAvailable": 0}})
    out = child.communicate(timeout=150)[0]
    check(child.returncode == 0 and "default/web" in out and "drained" in out, "until the budget lets it go on", out)
    check(len({one["uid"] for one in stage.ledger("web")}) == len(stage.ledger("web")) == 3, "each pod is debited once",
          stage.ledger("web"))


def shown(stage):
    """The certificate that a new connection is shown, as the file has it."""
    return ssl.get_server_certificate(("127.0.0.1", stage.port)).strip()


def kept(path):
    with open(path, encoding="ascii") as file:
        return file.read().strip()


def rotates(stage):
    stage.make_pods("free", 2)
    first = shown(stage)
    stage.show("second")
    sees("a rotated certificate is shown without a restart",
         lambda: shown(stage) == kept(stage.certificate) != first)
    status, said = stage.evict("free-0")
    check(status == 201, "a pod without a budget passes", (status, said))
    second = shown(stage)
    with open(stage.certificate, "wb") as file:
        file.write(b"broken\n")
    sees("a bad certificate is told of by its file", lambda: "tls.crt: it holds no certificate" in kept(stage.hook.log))
    check(shown(stage) == second and stage.hook.is_ready(), "the one before is shown, and the replica stays ready",
          stage.hook.why_not_ready())
    status, said = stage.evict("slow-1")
    check(status == 429, "and answers go on", (status, said))
    stage.show("third")
    sees("the next good one is shown", lambda: shown(stage) == kept(stage.certificate))
    with socket.create_connection(("127.0.0.1", stage.port)) as plain:
        plain.sendall(b"GET / HTTP/1.1\r\n\r\n")
        sees("a client that speaks no TLS is told of", lambda: "no TLS session: http request" in kept(stage.hook.log))


def fails_as(stage, policy):
    found = stage.admin.get(HOOK)["webhooks"][0]
    found["failurePolicy"] = policy
    stage.admin.patch(HOOK, {"webhooks": [found]})


def is_down(stage):
    stage.hook.stop()
    status, said = stage.evict("slow-1", dry_run=True)
    check(status == 201, "with failurePolicy Ignore evictions go on without the webhook", (status, said))
    fails_as(stage, "Fail")
    sees("with Fail none does", lambda: stage.evict("free-1", dry_run=True)[0] == 500)
    stage.hook.start()
    sees("until it is up again", lambda: stage.evict("free-1", dry_run=True)[0] == 201)
    check(stage.evict("slow-1", dry_run=True)[0] == 429, "and the budget holds as before")


def expires(stage):
    """While it is shown, and then before a start."""
    fails_as(stage, "Fail")
    fresh = shown(stage)
    stage.show("expired", lasts=-3600)
    sees("a certificate that has expired is told of by its file", lambda: "tls.crt: it has expired" in kept(stage.hook.log))
    check(shown(stage) == fresh and stage.hook.is_ready(), "and is not taken", stage.hook.why_not_ready())
    stage.show("short", lasts=25)
    sees("one that is about to expire is", lambda: shown(stage) == kept(stage.certificate) != fresh)
    check(stage.evict("free-1", dry_run=True)[0] == 201, "and answers go on")
    sees("once it has expired the replica is not ready", lambda: not stage.hook.is_ready())
    check("expired" in stage.hook.why_not_ready(), "and says so", stage.hook.why_not_ready())
    # A connection that is up may outlive the certificate.
    stage.hook.stop()
    stage.hook.start()
    sees("a replica that has nothing else is up", lambda: stage.hook.why_not_ready().startswith("[") or "expired" in
         stage.hook.why_not_ready())
    check(not stage.hook.is_ready(), "and not ready", stage.hook.why_not_ready())
    sees("with Fail no eviction passes", lambda: stage.evict("free-1", dry_run=True)[0] == 500)
    fails_as(stage, "Ignore")
    sees("with Ignore they go on", lambda: stage.evict("slow-1", dry_run=True)[0] == 201)
    stage.show("fourth")
    sees("with a good one it is ready", stage.hook.is_ready, more=stage.hook.why_not_ready)
    sees("and the budget holds again", lambda: stage.evict("slow-1", dry_run=True)[0] == 429)


def main(build, binaries, kubectl):
    title("webhook: the cluster")
    with WebhookStage(build, binaries, kubectl, with_controllers=False) as stage:
        if stage.begin():
            for part in (by_strength, by_rate, drains, rotates, is_down, expires):
                title(f"webhook: {part.__name__.replace('_', ' ')}")
                part(stage)
    conclude()


if __name__ == "__main__":
    main(*sys.argv[1:])
