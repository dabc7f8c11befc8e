"""pod_network: a bridge of the suite's own, so that pods reach the API server as in a cluster, at the address of the Service
`kubernetes`, and the kubelet reaches their probes. Nothing outside of this machine is reached, and no manifest is changed for it."""
import glob
import os
import shutil
import socket
import subprocess
import tempfile
import threading

NETWORKS = [f"198.18.{third}" for third in range(256)]  # for measurements: nobody routes it (RFC 2544)
PLUGIN = """#!/bin/sh
# CNI: a pod gets the next address of the bridge's network. Which namespace has it is written down, to take it away at the end.
set -e
exec 2>>"{folder}/log"
cat >/dev/null
case "$CNI_COMMAND" in
  VERSION) echo '{{"cniVersion":"0.4.0","supportedVersions":["0.3.1","0.4.0"]}}' ;;
  ADD)
    last=10
    until mkdir "{folder}/$last" 2>/dev/null; do last=$((last + 1)); [ $last -lt 255 ]; done
    echo "$CNI_NETNS" >"{folder}/$last/of"
    ip link add "{bridge}p$last" mtu 1400 type veth peer name eth0 netns "$CNI_NETNS"
    ip link set "{bridge}p$last" master "{bridge}" up
    within() {{ nsenter --net="$CNI_NETNS" ip "$@"; }}
    within link set lo up
    within addr add "{network}.$last/24" dev eth0
    within link set eth0 up
    within route add default via "{network}.1"
    printf '{{"cniVersion":"0.4.0","interfaces":[{{"name":"eth0","sandbox":"%s"}}],"ips":[{{"version":"4","address":"%s/24","interface":0}}]}}\\n' \\
      "$CNI_NETNS" "{network}.$last"
    ;;
esac
"""


def _ip(*words):
    return subprocess.run(["ip", *words], capture_output=True, text=True, check=False)


def why_not():
    """What this machine lacks, "" where nothing."""
    for tool in ("ip", "nsenter"):
        if not shutil.which(tool):
            return f"{tool} is not installed (iproute2, util-linux)"
    probe = f"elb{os.getpid()}x"
    made = _ip("link", "add", probe, "type", "bridge")
    _ip("link", "del", probe)
    return f"no bridge can be made: {made.stderr.strip()}" if made.returncode else ""


class PodNetwork:
    def __init__(self):
        taken = _ip("route", "show", "table", "all").stdout
        first = os.getpid() % len(NETWORKS)
        self.network = next(one for one in NETWORKS[first:] + NETWORKS[:first] if f"{one}." not in taken)
        self.services, self.address = f"{self.network}.0/24", f"{self.network}.1"
        self._bridge = f"elb{os.getpid()}"
        self._server = None
        self._folder = tempfile.mkdtemp(prefix="elbowroom-network-", dir="/tmp")

    def open(self, folder, port):
        """Puts its plugin in the place of that of containerd.sh's DIR, and leads the Service's address to 127.0.0.1:port."""
        for words in (("link", "add", self._bridge, "type", "bridge"), ("addr", "add", f"{self.address}/24", "dev", self._bridge),
                      ("link", "set", self._bridge, "up")):
            done = _ip(*words)
            if done.returncode:
                raise RuntimeError(f"ip {' '.join(words)}: {done.stderr}")
        with open(f"{folder}/cnibin/fakecni", "w", encoding="ascii") as file:
            file.write(PLUGIN.format(folder=self._folder, bridge=self._bridge, network=self.network))
        self._server = socket.create_server((self.address, 443))
        threading.Thread(target=self._accept, args=(port,), daemon=True).start()

    def close(self):
        """After the pods have ended. A containerd that ends before its pods leaves their namespaces, mounted."""
        if self._server:
            self._server.shutdown(socket.SHUT_RDWR)  # wakes the thread in accept, which would hold the address
            self._server.close()
        for pod in glob.glob(f"{self._folder}/*/of"):
            with open(pod, encoding="ascii") as file:
                _end_namespace(file.read().strip())
            _ip("link", "del", f"{self._bridge}p{os.path.basename(os.path.dirname(pod))}")
        _ip("link", "del", self._bridge)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _accept(self, port):
        while True:
            try:
                came, _ = self._server.accept()
            except OSError:
                return
            try:
                goes = socket.create_connection(("127.0.0.1", port))
            except OSError:
                came.close()
                continue
            for source, target in ((came, goes), (goes, came)):
                threading.Thread(target=_copy, args=(source, target), daemon=True).start()


def _end_namespace(path):
    subprocess.run(["umount", path], check=False, capture_output=True)
    try:
        os.unlink(path)
    except OSError:
        pass


def _copy(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass
    for one in (source, target):
        try:
            one.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
