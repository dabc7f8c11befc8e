"""process: a program that a suite runs beside itself. It is ended by the pid that
was started and by no name, and what it wrote stays in a file that is shown when something goes wrong."""
import os
import signal
import socket
import subprocess
import sys
import time

_TICKS = os.sysconf("SC_CLK_TCK")


def free_port():
    """A port of 127.0.0.1 that is free at this moment."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Program:
    def __init__(self, name, argv, log, env=None):
        self.name, self.argv, self.log = name, [str(word) for word in argv], log
        self.env = {**os.environ, **(env or {})}
        self.child = None

    def start(self):
        with open(self.log, "ab") as out:
            self.child = subprocess.Popen(self.argv, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=self.env,
                                          start_new_session=True)
        return self

    @property
    def pid(self):
        return self.child.pid

    def is_running(self):
        return self.child is not None and self.child.poll() is None

    def stop(self, patience=20.0):
        """Its exit status; None where it was not running. One that does not end on SIGTERM is killed."""
        if not self.is_running():
            return None
        self.child.send_signal(signal.SIGTERM)
        try:
            return self.child.wait(patience)
        except subprocess.TimeoutExpired:
            self.kill()
            return None

    def kill(self):
        if self.is_running():
            self.child.kill()
            self.child.wait()

    def cpu_seconds(self):
        with open(f"/proc/{self.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def peak_bytes(self):
        with open(f"/proc/{self.pid}/status", encoding="ascii") as file:
            for line in file:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
        return 0

    def last_lines(self, count=15):
        try:
            with open(self.log, encoding="utf-8", errors="replace") as file:
                return [line.rstrip("\n")[:400] for line in file.readlines()[-count:]]
        except OSError:
            return []


def end_as_by_ctrl_c():
    """From now on SIGTERM, too, unwinds the suite, so that what it started is stopped."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


class Programs:
    """All that one suite started, ended in the reverse order."""

    def __init__(self):
        self._all = []

    def start(self, program):
        self._all.append(program)
        return program.start()

    def stop(self):
        for program in reversed(self._all):
            program.stop()
        self._all.clear()


def now():
    return time.monotonic()
