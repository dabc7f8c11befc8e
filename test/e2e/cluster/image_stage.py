"""image_stage: a cluster whose one real node runs our programs as a user's does: in pods of the images of `./dev package image`,
by the manifests that name them by digest, unchanged, with the tokens of their accounts and a network."""
import http.client
import json
import os
import subprocess
import sys

import ours
import pod_network
from checks import check, sees, wait
from stage import Stage

SYSTEM = "/api/v1/namespaces/kube-system"


class ImageStage(Stage):
    def __init__(self, build, binaries, kubectl):
        super().__init__(build, binaries, kubectl)
        self.network = pod_network.PodNetwork()
        # The same files, which the API server's command line names already.
        self.plane.serving = self.plane.authority.issue("apiserver", "kube-apiserver", server=True, more=[self.network.address])
        argv = self.plane.apiserver.argv
        argv[argv.index("--service-cluster-ip-range") + 1] = self.network.services
        argv[argv.index("--disable-admission-plugins") + 1] = "TaintNodesByCondition"  # pods get the token of their account
        self.images = {}  # "localhost/NAME" -> NAME:TAG@DIGEST

    def close(self):
        super().close()
        self.network.close()

    def start(self):
        """The node, with the images; kube-scheduler; a network."""
        if not self.start_kubelet():
            return False
        self.network.open(f"{self.folder}/cri", self.plane.port)
        self.plane.start_scheduler()
        return self.import_images() and self.write_manifests()

    # ---- what was made ----

    def import_images(self):
        """As docs/install.md says it: an archive names version and digest, and the manifests both."""
        packages = f"{self.build}/packages"
        with open(f"{packages}/images.json", encoding="utf-8") as file:
            self.images = {one["name"]: f"{one['name']}:{one['newTag']}@{one['digest']}" for one in json.load(file)}
        folder = f"{self.folder}/bin"  # ctr, which asks this suite's containerd
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/ctr", "w", encoding="ascii") as file:
            file.write(f'#!/bin/sh\nexec "{self.binaries}/ctr" -a "{self.folder}/cri/containerd.sock" "$@"\n')
        os.chmod(f"{folder}/ctr", 0o755)
        done = subprocess.run(["sh", f"{packages}/import.sh"], capture_output=True, text=True, check=False,
                              env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
        return check(done.returncode == 0 and len(self.images) == 3, "import.sh makes three images known to containerd", done.stderr)

    def drop_images(self):
        """All names of each."""
        names = [name for key, name in self.images.items() for name in (name.partition("@")[0], f"{key}@{name.partition('@')[2]}")]
        done = subprocess.run([f"{self.folder}/bin/ctr", "-n", "k8s.io", "images", "rm", "--sync", *names], capture_output=True, text=True,
                              check=False)
        return check(done.returncode == 0, "the node has the images no more", done.stderr)

    def write_manifests(self):
        self.manifests = f"{self.folder}/kustomize"
        done = subprocess.run([sys.executable, "-B", f"{ours.ROOT}/packaging/image/write_manifests.py", f"{ours.ROOT}/packaging/kustomize",
                               f"{self.build}/packages/images.json", self.manifests], capture_output=True, text=True, check=False)
        return check(done.returncode == 0, "the manifests name them by version and digest", done.stderr)

    def apply(self, part=""):
        status, said = ours.install(self.kubectl, os.path.join(self.manifests, part))
        return check(status == 0, f"kubectl applies the manifests{' of ' + part if part else ''}", said)

    # ---- pods of ours ----

    def pods_of(self, name):
        """Those that are not being removed."""
        found = self.admin.get(f"{SYSTEM}/pods?labelSelector=app.kubernetes.io/name={name}") or {"items": []}
        return [one for one in found["items"] if "deletionTimestamp" not in one["metadata"]]

    def ready_of(self, name):
        return [one for one in self.pods_of(name) if any(each["type"] == "Ready" and each["status"] == "True"
                                                         for each in one["status"].get("conditions", []))]

    def last_words(self, name, count=4):
        """What its pods say: their state, and the end of their logs."""
        words = []
        for one in self.pods_of(name):
            states = [each.get("state") for each in one["status"].get("containerStatuses", [])]
            words.append(f"{one['metadata']['name']}: {one['status'].get('phase')} {json.dumps(states)}")
            words += self.log_of(one)[-count:]
        return " | ".join(words)

    def waits_of(self, name):
        """Why the containers of its pods do not run."""
        states = [each.get("state", {}) for one in self.pods_of(name) for each in one["status"].get("containerStatuses", [{}])]
        return {state.get("waiting", {}).get("reason", "") for state in states}

    def log_of(self, pod):
        """Lines of its container's log on the node."""
        folder = f"{self.folder}/pod-logs/kube-system_{pod['metadata']['name']}_{pod['metadata']['uid']}"
        lines = []
        for root, _, files in sorted(os.walk(folder)):
            for file in sorted(files):
                with open(os.path.join(root, file), encoding="utf-8", errors="replace") as text:
                    lines += [line.rstrip("\n")[:600] for line in text]
        return lines

    def ask_pod(self, pod, port, path):
        """(status, text) of the pod's own HTTP, at its own address."""
        connection = http.client.HTTPConnection(pod["status"].get("podIP", "127.0.0.1"), port, timeout=5)
        try:
            connection.request("GET", path)
            reply = connection.getresponse()
            return reply.status, reply.read().decode(errors="replace")
        except (OSError, http.client.HTTPException) as error:
            return 0, str(error)
        finally:
            connection.close()

    def sees_ready(self, name, count):
        return sees(f"{name}: {count} {'pods are' if count > 1 else 'pod is'} Ready", lambda: len(self.ready_of(name)) == count, 120,
                    more=lambda: self.last_words(name))

    def replace(self, name):
        """Deletes its pods, so that others are made."""
        old = [one["metadata"]["name"] for one in self.pods_of(name)]
        for one in old:
            self.admin.delete(f"{SYSTEM}/pods/{one}", {"gracePeriodSeconds": 1})
        return wait(lambda: self.pods_of(name) and not {one["metadata"]["name"] for one in self.pods_of(name)} & set(old))

    def without_right(self, role, resource, verbs):
        """Takes verbs of a resource away from a ClusterRole; the role as it was."""
        where = f"/apis/rbac.authorization.k8s.io/v1/clusterroles/{role}"
        before = self.admin.get(where)
        rules = [{**rule, "verbs": [verb for verb in rule["verbs"] if verb not in verbs or resource not in rule["resources"]]}
                 for rule in before["rules"]]
        self.admin.patch(where, {"rules": [rule for rule in rules if rule["verbs"]]})
        return lambda: self.admin.patch(where, {"rules": before["rules"]})

    def refused(self):
        """{(account, verb, resource, 403): times} so far; all that was asked for is written down."""
        return {key: times for key, times in self._refusals().items() if key[3] == 403}


def why_not(build):
    if pod_network.why_not():
        return pod_network.why_not()
    if not os.path.exists(f"{build}/packages/images.json"):
        return f"no images in {build}/packages (./dev package image)"
    return ""
