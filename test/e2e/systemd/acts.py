#!/usr/bin/env python3
"""What a unit of ours must not be able to do, and what it must: acts.py UNIT, run by probe.py inside the unit. Ends with one
line of counts; before it a line for each act with another outcome."""
import ctypes
import errno
import mmap
import os
import re
import select
import socket
import stat
import sys
import tempfile
import threading
import time

UNIT = sys.argv[1]
IS_AUTHORITY = UNIT == "elbowroomd-authority"
IS_AGENT = UNIT != "elbowroom-scheduler"
LIBC = ctypes.CDLL(None, use_errno=True)
DENIED = (errno.EPERM, errno.EACCES, errno.EROFS, errno.ENOENT, errno.EAFNOSUPPORT)

# Numbers of amd64 and arm64.
CALLS = {
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "setns": (308, 268), "ptrace": (101, 117), "process_vm_readv": (310, 270), "kexec_load": (246, 104),
    "init_module": (175, 105), "delete_module": (176, 106), "unshare": (272, 97), "reboot": (169, 142), "swapon": (167, 224),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "sethostname": (170, 161), "add_key": (248, 217),
    "keyctl": (250, 219), "io_uring_setup": (425, 425), "io_setup": (206, 0), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "setuid": (105, 146), "setgid": (106, 144),
    "setgroups": (116, 159), "acct": (163, 89), "quotactl": (179, 60), "shmget": (29, 194), "msgget": (68, 186),
    "semget": (64, 190), "sched_setscheduler": (144, 119), "open_by_handle_at": (304, 265), "fanotify_init": (300, 262),
    "syslog": (103, 116)}


def call(name, first=0):
    number = CALLS[name][0 if os.uname().machine == "x86_64" else 1]
    ctypes.set_errno(0)
    if LIBC.syscall(number, ctypes.c_long(first), *[ctypes.c_long(0)] * 5) == -1:
        code = ctypes.get_errno()
        raise OSError(code if code in (errno.EPERM, errno.EACCES) else errno.EINVAL, os.strerror(code))


def read(path):
    with open(path, "rb") as file:
        if not file.read(64):  # what systemd puts in the place of what it hides, for a process that may open anything
            raise OSError(errno.EACCES, "empty")


def write(path, text=b"x"):
    with open(path, "wb") as file:
        file.write(text)


def write_and_execute():
    mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)


def execute(path):
    child = os.fork()
    if child == 0:
        try:
            os.execv(path, [path, "-c", "exit 0"])
        except OSError as refused:
            os._exit(refused.errno)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code != 0:
        raise OSError(code, os.strerror(code))


def run_what_it_wrote():
    """Wherever it can write; OSError where it can run it nowhere."""
    with open(sys.executable, "rb") as program:
        text = program.read()
    for folder in ("/tmp", "/var/tmp", "/run", "/dev/shm", "/var/lib/elbowroom"):
        try:
            write(f"{folder}/sh", text)
        except OSError:
            continue
        try:
            os.chmod(f"{folder}/sh", 0o755)
            execute(f"{folder}/sh")
            print(f"from {folder}")
            return
        except OSError:
            pass
        finally:
            os.unlink(f"{folder}/sh")
    raise OSError(errno.EACCES, "nowhere")


def a_socket(family, kind, protocol=0):
    socket.socket(family, kind, protocol).close()


def set_user_id_file():
    with tempfile.NamedTemporaryFile() as file:
        os.chmod(file.name, stat.S_ISUID | 0o755)


def connect(path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as one:
        one.connect(path)


FORBIDDEN = {name: (lambda name=name: call(name)) for name in CALLS if name != "unshare"}
FORBIDDEN |= {f"read {path}": (lambda path=path: read(path)) for path in (
    "/etc/shadow", "/etc/gshadow", "/etc/kubernetes/admin.conf", "/var/lib/kubelet/pki/kubelet-client-current.pem",
    "/proc/1/environ", "/proc/kmsg", "/dev/mem", "/dev/kmsg", "/sys/kernel/debug/sched/debug",
    "/sys/kernel/tracing/available_events")}
FORBIDDEN |= {f"write {path}": (lambda path=path: write(path)) for path in (
    "/etc/x", "/etc/elbowroom/config.yaml", "/usr/x", "/usr/sbin/elbowroomd", "/var/x", "/opt/x", "/run/x",
    "/proc/sys/kernel/core_pattern", "/sys/kernel/mm/transparent_hugepage/enabled")}
FORBIDDEN |= {
    "list the homes": lambda: [os.listdir("/root"), os.listdir("/home")] == [[], []] and call("mount"),
    "memory that is written and executed": write_and_execute,
    "run a shell": lambda: execute("/bin/sh" if os.path.exists("/bin/sh") else "/usr/bin/sh"),
    "run what it wrote": run_what_it_wrote,
    "a user namespace": lambda: call("unshare", 0x10000000),
    "a mount namespace": lambda: call("unshare", 0x00020000),
    "a set-user-id file": set_user_id_file,
    "a device": lambda: os.mknod("/tmp/device", stat.S_IFCHR | 0o600, os.makedev(1, 1)),
    "netlink": lambda: a_socket(socket.AF_NETLINK, socket.SOCK_RAW),
    "packets": lambda: a_socket(socket.AF_PACKET, socket.SOCK_RAW),
    "raw IP": lambda: a_socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
    "virtual sockets": lambda: a_socket(40, socket.SOCK_STREAM),
    "real-time priority": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
    "a better priority": lambda: os.setpriority(os.PRIO_PROCESS, 0, -5),
    "another personality": lambda: LIBC.personality(8) == -1 and raise_errno(),
    "a signal to systemd": lambda: os.kill(1, 0)}
if IS_AUTHORITY:
    FORBIDDEN["systemd's own socket"] = lambda: connect("/run/systemd/private")
    FORBIDDEN["a bus of its own making"] = lambda: write("/run/dbus/x")
if not IS_AUTHORITY:
    FORBIDDEN["the container runtime"] = lambda: connect("/run/containerd/node-1.sock")
    FORBIDDEN["the system bus"] = lambda: connect("/run/dbus/system_bus_socket")
    FORBIDDEN["a control group"] = lambda: os.mkdir("/sys/fs/cgroup/x")


def raise_errno():
    raise OSError(errno.EPERM, "denied")


def a_thread():
    one = threading.Thread(target=lambda: None)
    one.start()
    one.join()


def api_server():
    text = open("/etc/elbowroom/lab.kubeconfig", encoding="utf-8").read()
    host, port = re.search(r"http://([^:]+):(\d+)", text).groups()
    with socket.create_connection((host, int(port)), 3) as one:
        one.sendall(b"GET /version HTTP/1.0\r\n\r\n")
        if not one.recv(64).startswith(b"HTTP/1."):
            raise OSError(errno.EPROTO, "no answer")


def listen():
    with socket.create_server(("127.0.0.1", 0)):
        pass


def datagram(path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as one:
        one.sendto(b"MESSAGE=acts\nSTATUS=acts\n", path)


def state_file():
    """As the checkpoint is written: exclusive, synced, linked, renamed, its folder synced."""
    folder = "/var/lib/elbowroom"
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    for name in ("acts.tmp", "acts", "acts.prev"):
        if os.path.exists(f"{folder}/{name}"):
            os.unlink(f"{folder}/{name}")
    file = os.open(f"{folder}/acts.tmp", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    os.write(file, b"x")
    os.fsync(file)
    os.close(file)
    os.link(f"{folder}/acts.tmp", f"{folder}/acts.prev")
    os.rename(f"{folder}/acts.tmp", f"{folder}/acts")
    os.fsync(opened)
    os.close(opened)
    os.unlink(f"{folder}/acts")
    os.unlink(f"{folder}/acts.prev")


NEEDED = {
    "its configuration": lambda: read("/etc/elbowroom/config.yaml" if IS_AGENT else "/etc/elbowroom/scheduler.yaml"),
    "its kubeconfig": lambda: read("/etc/elbowroom/kubeconfig" if IS_AGENT else "/etc/elbowroom/scheduler.kubeconfig"),
    "names": lambda: socket.getaddrinfo("localhost", 80),
    "hosts": lambda: read("/etc/hosts"),
    "the API server": api_server,
    "a port to listen on": listen,
    "IPv6": lambda: a_socket(socket.AF_INET6, socket.SOCK_STREAM),
    "datagrams": lambda: a_socket(socket.AF_INET, socket.SOCK_DGRAM),
    "the service manager": lambda: datagram("/run/systemd/notify"),
    "the journal": lambda: datagram("/run/systemd/journal/socket"),
    "long lines to the journal": lambda: os.close(os.memfd_create("long")),
    "a thread": a_thread,
    "epoll": lambda: select.epoll().close(),
    "eventfd": lambda: os.close(os.eventfd(0)),
    "pipes": lambda: [os.close(end) for end in os.pipe()],
    "random bytes": lambda: os.getrandom(16),
    "the time since the boot": lambda: time.clock_gettime(time.CLOCK_BOOTTIME),
    "memory": lambda: mmap.mmap(-1, 1 << 20).close(),
    "its own figures": lambda: read("/proc/self/status"),
    "its own files": lambda: os.listdir("/proc/self/fd"),
    "a temporary file": lambda: write("/tmp/acts"),
    "libraries": lambda: os.stat("/usr/lib"),
    "certificates": lambda: os.stat("/etc") if not os.path.exists("/etc/ssl") else os.listdir("/etc/ssl"),
    "an end": lambda: os._exit(0) if os.fork() == 0 else os.wait()}
if IS_AGENT:
    NEEDED |= {"its state": state_file, "the boot's id": lambda: read("/proc/sys/kernel/random/boot_id"),
               "memory figures": lambda: read("/proc/meminfo")}
if IS_AUTHORITY:
    NEEDED |= {"the container runtime": lambda: connect("/run/containerd/node-1.sock"),
               "files of control groups": lambda: write("/run/containerd/node-1.cgroup/memory/acts"),
               "control groups": lambda: os.listdir("/sys/fs/cgroup"),
               "the system bus": lambda: connect("/run/dbus/system_bus_socket")}


def main():
    wrong = 0
    for what, act in FORBIDDEN.items():
        try:
            act()
            print(f"allowed: {what}")
            wrong += 1
        except OSError as refused:
            if refused.errno not in DENIED:
                print(f"not denied, but {refused}: {what}")
                wrong += 1
    for what, act in NEEDED.items():
        try:
            act()
        except OSError as refused:
            print(f"denied: {what}: {refused}")
            wrong += 1
    print(f"{len(FORBIDDEN)} acts denied, {len(NEEDED)} needed ones work, {wrong} went the other way")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
