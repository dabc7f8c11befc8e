"""kubelet: the real kubelet on this machine, beside a containerd of the suite's own. Its
root, certificates, cgroups and ports are the suite's; it is stopped before its containers are."""
import glob
import json
import os
import subprocess

from process import Program, free_port

CORES = 2  # that the suites fill with their pods; of a larger machine the rest is reserved
CONFIG = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration"}
HOME, LOGS = "/var/lib/kubelet", "/var/log/containers"  # a kubelet makes these wherever its root is


def why_not():
    """Why no kubelet of a suite may run here; "" where it may."""
    return f"{HOME} is there, so a kubelet of this machine's own may be too" if os.path.exists(HOME) else ""


class Kubelet(Program):
    def __init__(self, folder, binaries, plane, node, endpoint, gates=None, more=None):
        self.healthz = free_port()
        self.cgroup = "elbowroom-e2e-" + os.path.basename(folder).rsplit("-", 1)[-1]
        self._root, self._made_logs = f"{folder}/kubelet", not os.path.exists(LOGS)
        self.make_cgroup()
        spare = max((os.cpu_count() or CORES) - CORES, 0)
        settings = {
            **CONFIG, "failCgroupV1": False, "failSwapOn": False, "cgroupDriver": "cgroupfs",
            "cgroupRoot": "/" + self.cgroup, "oomScoreAdj": 0, "localStorageCapacityIsolation": False,
            "resolvConf": "", "enforceNodeAllocatable": ["pods"], "containerRuntimeEndpoint": endpoint,
            "authentication": {"x509": {"clientCAFile": plane.authority.certificate},
                               "anonymous": {"enabled": False}, "webhook": {"enabled": False}},
            "authorization": {"mode": "AlwaysAllow"}, "address": "127.0.0.1", "port": free_port(),
            "readOnlyPort": 0, "healthzBindAddress": "127.0.0.1", "healthzPort": self.healthz,
            "evictionHard": {"memory.available": "50Mi"}, "makeIPTablesUtilChains": False,
            "podLogsDir": f"{folder}/pod-logs", "volumePluginDir": f"{folder}/plugins",
            "shutdownGracePeriod": "0s", **({"systemReserved": {"cpu": str(spare)}} if spare else {}),
            **({"featureGates": gates} if gates else {}), **(more or {})}
        path = f"{folder}/kubelet.yaml"
        with open(path, "w", encoding="ascii") as file:
            json.dump(settings, file)
        os.makedirs(self._root, exist_ok=True)
        super().__init__("kubelet", [
            f"{binaries}/kubelet", "--config", path, "--kubeconfig", plane.node_user(node), "--hostname-override", node,
            "--root-dir", self._root, "--cert-dir", f"{folder}/kubelet-pki"],
            f"{folder}/kubelet.log")

    def _groups(self):
        v1 = [one for one in glob.glob("/sys/fs/cgroup/*") if os.path.exists(f"{one}/cgroup.procs")
              or os.path.exists(f"{one}/tasks")]
        return v1 if v1 and not os.path.exists("/sys/fs/cgroup/cgroup.controllers") else ["/sys/fs/cgroup"]

    def make_cgroup(self):
        for root in self._groups():
            try:
                os.makedirs(f"{root}/{self.cgroup}", exist_ok=True)
            except OSError:
                pass
        for inherited in ("cpuset.cpus", "cpuset.mems"):  # cgroup v1: a new group has none
            try:
                with open(f"/sys/fs/cgroup/cpuset/{inherited}", encoding="ascii") as file:
                    value = file.read()
                with open(f"/sys/fs/cgroup/cpuset/{self.cgroup}/{inherited}", "w", encoding="ascii") as file:
                    file.write(value)
            except OSError:
                pass

    def remove_traces(self):
        """After it and its containers were stopped: its cgroups, its mounts, and what it made outside of its root."""
        for root in self._groups():
            _remove_empty(f"{root}/{self.cgroup}")
        with open("/proc/mounts", encoding="utf-8") as file:
            mounts = [line.split()[1] for line in file]
        for mount in sorted((one for one in mounts if (one + "/").startswith(self._root + "/")), reverse=True):
            subprocess.run(["umount", mount], check=False, capture_output=True)
        try:
            os.unlink(f"{HOME}/device-plugins/kubelet.sock")
        except OSError:
            pass
        _remove_empty(HOME)
        if self._made_logs:
            _remove_empty(LOGS)


def _remove_empty(tree):
    for folder, _, _ in os.walk(tree, topdown=False):
        try:
            os.rmdir(folder)
        except OSError:
            pass
