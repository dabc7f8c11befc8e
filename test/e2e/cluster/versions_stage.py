"""versions_stage: a cluster of another Kubernetes version, whose API server our programs reach through a relay."""
import os
import subprocess

import ours
from checks import sees
from stage import NODE, Stage
from versions_relay import Relay

PROGRAMS = ("kube-apiserver", "kube-controller-manager", "kubelet")


def linked(folder, binaries, of_version):
    """A folder with the programs of the version, and everything else of those that all suites use."""
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(binaries):
        if not name.startswith("."):
            source = of_version if name in PROGRAMS else binaries
            os.symlink(f"{source}/{name}", f"{folder}/{name}")
    return folder


def says_of_itself(program):
    """What it knows, by its own help: gates and flags."""
    return subprocess.run([program, "--help"], capture_output=True, text=True, check=False).stdout


class VersionStage(Stage):
    def __init__(self, *args, **more):
        super().__init__(*args, **more)
        self.relay = Relay(self.plane)

    def close(self):
        super().close()
        self.relay.stop()

    def relayed(self, kubeconfig):
        """A kubeconfig with the same identity that leads through the relay."""
        path = kubeconfig.replace(".kubeconfig", "-relayed.kubeconfig")
        with open(kubeconfig, encoding="ascii") as file:
            text = file.read()
        with open(path, "w", encoding="ascii", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(text.replace(f"127.0.0.1:{self.plane.port}", f"127.0.0.1:{self.relay.port}"))
        return path

    def start_companion(self):
        account = self.relayed(self.plane.account("elbowroom-agent", NODE))
        self.agent = self.programs.start(ours.agent(self.build, self.folder, NODE, account, self.runtime.endpoint,
                                                    mode="companion"))
        return sees("elbowroomd is ready, in companion mode", self.agent.is_ready, more=self.agent.why_not_ready)

    def start_scheduler(self, more=()):
        self.scheduler_flags = more
        self.scheduler = self.programs.start(ours.scheduler(
            self.build, self.folder, self.relayed(self.plane.account("elbowroom-scheduler")), more))
        return sees("elbowroom-scheduler is ready, and leads", self.scheduler.is_ready,
                    more=self.scheduler.why_not_ready)

    def restart_scheduler(self):
        self.scheduler.stop()
        return self.start_scheduler(self.scheduler_flags)
