"""control_plane: etcd, kube-apiserver and, on request, kube-controller-manager and kube-scheduler of the
suite's own, unmodified, on loopback. The gates are the caller's, every identity is
a certificate of the suite's authority or a token of a service account, and RBAC decides for all of them."""
import base64
import http.client
import json
import os
import time

from api import Api
from certificates import Authority
from checks import wait
from process import Program, end_as_by_ctrl_c, free_port

RESIZE_GATE = "InPlacePodVerticalScalingSchedulerPreemption"
KUBECONFIG_KINDS = {"apiVersion": "v1", "kind": "Config"}


class NotUp(RuntimeError):
    """Something did not start; what it wrote is in the message."""


def _up(program, answers, what, patience=120.0):
    if wait(lambda: not program.is_running() or answers(), patience) and program.is_running():
        return
    raise NotUp(f"{what} did not come up:\n" + "\n".join(program.last_lines()))


class ControlPlane:
    def __init__(self, folder, binaries, gates=(), group_versions=(), is_durable=True):
        """`group_versions`: the versions of scheduling.k8s.io that pod groups are served in; a gate says whether they
        are known."""
        end_as_by_ctrl_c()
        self.folder, self.binaries = folder, binaries
        self.gates, self.is_durable = list(gates), is_durable
        os.makedirs(folder, exist_ok=True)
        self.authority = Authority(f"{folder}/pki")
        self.tokens = self.authority.signing_pair()
        self.serving = self.authority.issue("apiserver", "kube-apiserver", server=True)
        self.port, self.etcd_port = free_port(), free_port()
        self.etcd = self._etcd()
        self.apiserver = self._apiserver()
        self.serve_groups(group_versions)
        self.others = []
        self.boots = []  # (from, until): times since 1970 at which the API server was not ready yet
        self.admin = Api(self.port, self.authority.certificate,
                         *self.authority.issue("admin", "admin", ["system:masters"]))

    # ---- etcd and the API server ----

    def _etcd(self):
        address = f"http://127.0.0.1:{self.etcd_port}"
        peer = f"http://127.0.0.1:{free_port()}"
        return Program("etcd", [
            f"{self.binaries}/etcd", "--data-dir", f"{self.folder}/etcd", "--name", "e2e",
            "--listen-client-urls", address, "--advertise-client-urls", address,
            "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", f"e2e={peer}",
            *([] if self.is_durable else ["--unsafe-no-fsync"])], f"{self.folder}/etcd.log")

    def _apiserver(self):
        public, private = self.tokens
        argv = [
            f"{self.binaries}/kube-apiserver", "--etcd-servers", f"http://127.0.0.1:{self.etcd_port}",
            "--bind-address", "127.0.0.1", "--secure-port", str(self.port), "--endpoint-reconciler-type", "none",
            "--tls-cert-file", self.serving[0], "--tls-private-key-file", self.serving[1],
            "--client-ca-file", self.authority.certificate,
            "--service-account-issuer", "https://elbowroom.e2e", "--service-account-key-file", public,
            "--service-account-signing-key-file", private, "--api-audiences", "https://elbowroom.e2e",
            "--authorization-mode", "Node,RBAC", "--enable-admission-plugins", "NodeRestriction",
            "--disable-admission-plugins", "ServiceAccount,TaintNodesByCondition",
            "--service-cluster-ip-range", "10.96.0.0/16",
            "--max-requests-inflight", "3000", "--max-mutating-requests-inflight", "1000"]
        if self.gates:
            argv += ["--feature-gates", ",".join(self.gates)]
        return Program("kube-apiserver", argv, f"{self.folder}/apiserver.log")

    def serve_groups(self, versions):
        """Counts from the next start of the API server on."""
        argv = self.apiserver.argv
        if "--runtime-config" in argv:
            at = argv.index("--runtime-config")
            del argv[at:at + 2]
        if versions:
            argv += ["--runtime-config", ",".join(f"scheduling.k8s.io/{one}=true" for one in versions)]

    def start(self):
        self.etcd.start()
        _up(self.etcd, lambda: self._etcd_call("/health", None), "etcd")
        self.start_apiserver()
        return self

    def start_apiserver(self):
        began = time.time()
        self.apiserver.start()
        _up(self.apiserver, lambda: self.admin.call("GET", "/readyz")[0] == 200, "kube-apiserver")
        _up(self.apiserver, lambda: self.admin.get("/api/v1/namespaces/kube-system"), "namespace kube-system")
        self.boots.append((began, time.time()))

    def stop(self):
        for program in [*reversed(self.others), self.apiserver, self.etcd]:
            program.stop()

    def _etcd_call(self, path, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.etcd_port, timeout=10)
        try:
            connection.request("GET" if body is None else "POST", path, None if body is None else json.dumps(body))
            return json.load(connection.getresponse())
        finally:
            connection.close()

    def compact(self):
        """Compacts all history of etcd, as time does; returns the compacted revision."""
        key = base64.b64encode(b"/").decode()
        revision = self._etcd_call("/v3/kv/range", {"key": key, "limit": "1"})["header"]["revision"]
        self._etcd_call("/v3/kv/compaction", {"revision": revision, "physical": True})
        return int(revision)

    # ---- the cluster's own programs ----

    def start_controllers(self, without=(), more=()):
        argv = [f"{self.binaries}/kube-controller-manager", "--kubeconfig",
                self.user("controllers", "system:kube-controller-manager"), "--leader-elect=false",
                "--bind-address", "127.0.0.1", "--secure-port", "0", "--use-service-account-credentials",
                "--service-account-private-key-file", self.tokens[1],
                "--root-ca-file", self.authority.certificate,
                "--controllers", ",".join(["*", *(f"-{one}" for one in without)]), *more]
        if self.gates:
            argv += ["--feature-gates", ",".join(self.gates)]
        return self._start(Program("kube-controller-manager", argv, f"{self.folder}/controllers.log"))

    def start_scheduler(self, config=None, gates=None, qps=None):
        path = f"{self.folder}/scheduler.yaml"
        with open(path, "w", encoding="ascii") as file:
            client = {"kubeconfig": self.user("scheduler", "system:kube-scheduler")}
            if qps:
                client |= {"qps": qps, "burst": qps}
            json.dump({"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
                       "leaderElection": {"leaderElect": False}, "clientConnection": client, **(config or {})}, file)
        argv = [f"{self.binaries}/kube-scheduler", "--config", path, "--bind-address", "127.0.0.1",
                "--secure-port", str(free_port()), "--authentication-skip-lookup"]
        gates = self.gates if gates is None else gates
        if gates:
            argv += ["--feature-gates", ",".join(gates)]
        return self._start(Program("kube-scheduler", argv, f"{self.folder}/scheduler.log"))

    def _start(self, program):
        self.others.append(program)
        return program.start()

    # ---- permissions ----

    def _kubeconfig(self, name, user):
        path = f"{self.folder}/{name}.kubeconfig"
        with open(path, "w", encoding="ascii") as file:
            json.dump({**KUBECONFIG_KINDS, "current-context": "e2e",
                       "contexts": [{"name": "e2e", "context": {"cluster": "e2e", "user": name}}],
                       "clusters": [{"name": "e2e", "cluster": {"server": f"https://127.0.0.1:{self.port}",
                                                                "certificate-authority": self.authority.certificate}}],
                       "users": [{"name": name, "user": user}]}, file)
        os.chmod(path, 0o600)
        return path

    def user(self, name, common_name, groups=()):
        """The kubeconfig of a user with a certificate."""
        certificate, key = self.authority.issue(name, common_name, groups)
        return self._kubeconfig(name, {"client-certificate": certificate, "client-key": key})

    def node_user(self, node):
        return self.user(f"node-{node}", f"system:node:{node}", ["system:nodes"])

    def token(self, account, node=None):
        """A token of a service account in kube-system, bound to a Node where one is named."""
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
                   "spec": {"audiences": ["https://elbowroom.e2e"], "expirationSeconds": 7200}}
        if node:
            uid = self.admin.get(f"/api/v1/nodes/{node}")["metadata"]["uid"]
            request["spec"]["boundObjectRef"] = {"apiVersion": "v1", "kind": "Node", "name": node, "uid": uid}
        made = self.admin.make(f"/api/v1/namespaces/kube-system/serviceaccounts/{account}/token", request)
        return made["status"]["token"]

    def account(self, account, node=None):
        """The kubeconfig of such a service account."""
        name = account + (f"-{node}" if node else "")
        path = f"{self.folder}/{name}.token"
        with open(path, "w", encoding="ascii") as file:
            file.write(self.token(account, node))
        os.chmod(path, 0o600)
        return self._kubeconfig(name, {"tokenFile": path})

    def as_account(self, account, node=None):
        return Api(self.port, self.authority.certificate, token=self.token(account, node))
