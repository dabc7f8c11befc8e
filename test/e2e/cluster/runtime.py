"""runtime: a containerd of the suite's own, and what the cgroups of its pods say. The
script of the runtime suite does the work, with the containerd that was built from source first on its PATH."""
import glob
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "..", "runtime", "containerd.sh")


class Runtime:
    def __init__(self, folder, binaries):
        self.folder = folder
        self._env = {**os.environ, "PATH": f"{binaries}:{os.environ['PATH']}"}
        self.endpoint = f"unix://{folder}/containerd.sock"

    def _run(self, verb, *words):
        return subprocess.run([SCRIPT, verb, *words], env=self._env, capture_output=True, text=True, check=False)

    def why_not(self):
        """What this machine lacks, "" where nothing."""
        done = self._run("check")
        return "" if done.returncode == 0 else done.stderr.strip()

    def start(self):
        done = self._run("start", self.folder)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return self

    def stop(self):
        self._run("stop", self.folder)


def _read(uid, name, depth):
    pattern = f"/sys/fs/cgroup/**/pod{uid}" + ("/*" * depth) + f"/{name}"
    found = set()
    for file in glob.glob(pattern, recursive=True):
        try:
            with open(file, encoding="ascii") as text:
                found.add(text.read().strip())
        except OSError:
            pass
    return found


def cpu_shares(uid):
    """cpu.shares of the pod's containers (cgroup v1; of v2 its weight), the sandbox's 2 left out."""
    return {int(one) for one in _read(uid, "cpu.shares", 1) | _read(uid, "cpu.weight", 1)} - {2}


def cpu_quota(uid):
    """The containers' quotas per 100 ms in microseconds; 0 stands for none."""
    v1 = {max(int(one), 0) for one in _read(uid, "cpu.cfs_quota_us", 1)}
    v2 = {0 if one.startswith("max") else int(one.split()[0]) for one in _read(uid, "cpu.max", 1)}
    return (v1 | v2) - {0}


def pod_quota(uid):
    v1 = {max(int(one), 0) for one in _read(uid, "cpu.cfs_quota_us", 0)}
    v2 = {0 if one.startswith("max") else int(one.split()[0]) for one in _read(uid, "cpu.max", 0)}
    return (v1 | v2) - {0}


def memory_limit(uid):
    """The containers' memory limits in bytes, those without one left out."""
    v1 = {int(one) for one in _read(uid, "memory.limit_in_bytes", 1)}
    v2 = {int(one) for one in _read(uid, "memory.max", 1) if one != "max"}
    return {one for one in v1 | v2 if one < 1 << 60}
