"""image_pods: what a pod of ours is on the node, by the kernel's own words, and what it is not."""
import glob

from checks import check

ACCOUNT = "65532"


def _processes(uid):
    """Of the pod's containers, the one that keeps the pod's namespaces left out."""
    found = set()
    for file in glob.glob(f"/sys/fs/cgroup/**/pod{uid}/*/cgroup.procs", recursive=True):
        with open(file, encoding="ascii") as text:
            found |= set(text.read().split())
    return {pid for pid in found if _read(pid, "comm").strip() != "sleep"}


def _read(pid, name):
    try:
        with open(f"/proc/{pid}/{name}", encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def _writable(pid):
    """Where it could write: mounts that are not read-only, but for what every container has."""
    usual = ("/proc", "/dev", "/sys/fs/cgroup")
    mounts = [line.split() for line in _read(pid, "mountinfo").splitlines()]
    return [words[4] for words in mounts if "rw" in words[5].split(",") and not words[4].startswith(usual)]


def confined(pod):
    """Whether each of its processes is confined as the manifest says."""
    name, uid = pod["metadata"]["name"], pod["metadata"]["uid"]
    pids = _processes(uid)
    wrong = [] if pids else ["no process"]
    for pid in pids:
        status = dict(line.split(":\t", 1) for line in _read(pid, "status").splitlines() if ":\t" in line)
        wrong += [f"{key}: {status.get(key)}" for key, value in
                  (("CapEff", "0" * 16), ("CapBnd", "0" * 16), ("NoNewPrivs", "1"), ("Seccomp", "2")) if status.get(key) != value]
        wrong += [f"{key}: {status.get(key)}" for key in ("Uid", "Gid") if set(status.get(key, "").split()) != {ACCOUNT}]
        wrong += [f"{each} may be written" for each in _writable(pid) if not each.startswith(("/etc/", "/run/secrets", "/var/run/secrets"))]
    return check(not wrong, f"{name}: user {ACCOUNT}, no capability, seccomp, nothing to write to", wrong)
