#!/usr/bin/env python3
"""`elbowroom top` in a real terminal, tmux, against a lab: what the screen shows, what keys do, another size, 20 columns,
suspended and continued, colours and none, ended by a key and by a signal, an API server that goes away, a server that refuses
reads, and what a pipe gets.

usage: top.py BIN_FOLDER
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PATIENCE = 60  # seconds that anything may take
OBJECTS = """apiVersion: v1
kind: Node
metadata: {name: node-2, uid: n-2}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}
---
apiVersion: v1
kind: Node
metadata: {name: node-10, uid: n-10}
spec: {unschedulable: true}
status: {allocatable: {cpu: "2", memory: 4Gi, pods: "110"}, conditions: [{type: Ready, status: "False"}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: batch, namespace: default}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: batch}}}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default, uid: u-web, generation: 2}
spec:
  nodeName: node-2
  priority: 1000
  containers: [{name: app, image: x, resources: {requests: {cpu: "3", memory: 1Gi}}}]
status:
  phase: Running
  startTime: "2026-01-01T00:00:00Z"
  conditions: [{type: PodResizePending, status: "True", reason: Deferred, lastTransitionTime: "2026-01-01T00:05:00Z"}]
  containerStatuses:
  - {name: app, allocatedResources: {cpu: "1", memory: 1Gi}, resources: {requests: {cpu: "1", memory: 1Gi}}, state: {running: {}}}
---
apiVersion: v1
kind: Pod
metadata: {name: batch-1, namespace: default, uid: u-batch-1, generation: 1, labels: {app: batch}}
spec:
  nodeName: node-2
  priority: 10
  containers: [{name: app, image: x, resources: {requests: {cpu: 2500m, memory: 512Mi}}}]
status:
  phase: Running
  startTime: "2026-01-01T00:00:00Z"
  containerStatuses:
  - {name: app, allocatedResources: {cpu: 2500m, memory: 512Mi}, resources: {requests: {cpu: 2500m, memory: 512Mi}}, state: {running: {}}}
"""
BIN = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else pathlib.Path()
PROGRAM = BIN / "elbowroom"


def until(what, is_it):
    """The first value of `is_it` that holds."""
    end = time.monotonic() + PATIENCE
    while True:
        value = is_it()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"in {PATIENCE} s: {what() if callable(what) else what}")
        time.sleep(0.05)


class Terminal:
    """A tmux of its own with one window, in which a shell runs."""

    def __init__(self, folder, width, height, **environment):
        self.socket = str(pathlib.Path(folder) / "tmux")
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(width), "-y", str(height),
                  "env", "PS1=prompt$ ", *[f"{key}={value}" for key, value in environment.items()], "sh")

    def tmux(self, *words):
        environment = {**os.environ, "TERM": "screen-256color", "LC_ALL": "C.UTF-8"}
        done = subprocess.run(["tmux", "-S", self.socket, *words], capture_output=True, text=True, check=False, timeout=PATIENCE,
                              env=environment)
        if done.returncode != 0:
            raise AssertionError(f"tmux {' '.join(words)}: {done.stderr}")
        return done.stdout

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def run(self, *words):
        self.tmux("send-keys", "-l", " ".join(map(str, words)))
        self.keys("Enter")

    def screen(self, *options):
        return [line.rstrip() for line in self.tmux("capture-pane", "-p", *options).split("\n")[:-1]]

    def sees(self, part):
        """The screen, once a line has the part."""
        return until(lambda: f"no {part!r} on the screen:\n" + "\n".join(self.screen()),
                     lambda: next((s for s in [self.screen()] if any(part in line for line in s)), None))

    def end(self):
        self.tmux("kill-server")


@unittest.skipUnless(shutil.which("tmux"), "no tmux")
class Top(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.made.name)
        objects = cls.folder / "objects.yaml"
        objects.write_text(OBJECTS)
        cls.kubeconfig = cls.folder / "kubeconfig"
        cls.lab = cls.start_lab(objects, cls.kubeconfig)

    @classmethod
    def start_lab(cls, objects, kubeconfig):
        lab = subprocess.Popen([PROGRAM, "lab", "up", "--agents", "none", "--scheduler", "none", "--controllers", "none",
                                "--kubeconfig-out", kubeconfig, "-f", objects], stdout=subprocess.PIPE, text=True)
        if not lab.stdout.readline().startswith("ready:"):
            raise AssertionError("the lab does not start")
        return lab

    @classmethod
    def tearDownClass(cls):
        cls.end_lab(cls.lab)
        cls.made.cleanup()

    @staticmethod
    def end_lab(lab):
        lab.send_signal(signal.SIGINT)
        lab.wait(PATIENCE)
        lab.stdout.close()

    def open(self, width=80, height=14, kubeconfig=None, options=(), **environment):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        terminal = Terminal(folder.name, width, height, **environment)
        self.addCleanup(terminal.end)
        terminal.sees("prompt$")
        terminal.run("clear;", PROGRAM, "top", "--kubeconfig", kubeconfig or self.kubeconfig, *options, "; echo status $?")
        return terminal

    def test_the_screen(self):
        terminal = self.open()
        terminal.sees("node-10")
        shown = terminal.sees("1 Nodes 3  2 Resizes 1")
        self.assertRegex(shown[0], r"^elbowroom top  http\S+ +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertEqual(shown[1:7] + shown[-2:], [
            "1 Nodes 3  2 Resizes 1  3 Leaving 0  4 Budgets 1  5 Removals 0",
            "                             CPU, MILLICORES            MEMORY, MIB",
            "NODE    STATE    PODS   HELD PROMISED   FREE   HELD PROMISED   FREE POLICY",
            "node-1  Ready       0      0        0   4000      0        0   8192",
            "node-2  Ready       2   3500     2000    500   1536        0   6656",
            "node-10 NotReady    0      0        0   2000      0        0   4096",
            "3 of 3, by name",
            "q quit  Tab next  Enter explain  s sort  r reverse  / filter  ? keys"])
        terminal.keys("q")
        self.assertIn("status 0", terminal.sees("status"))

    def test_keys_sort_filter_and_explain(self):
        terminal = self.open(height=30)
        terminal.sees("node-10")
        terminal.keys("s", "r")
        rows = until("the order", lambda: next((s for s in [terminal.screen()] if "by cpu, reversed" in s[-2]), None))
        self.assertLess([i for i, l in enumerate(rows) if l.startswith("node-10")],
                        [i for i, l in enumerate(rows) if l.startswith("node-2 ")])
        terminal.keys("/")
        terminal.tmux("send-keys", "-l", "10")
        terminal.sees("filter: 10_")
        terminal.keys("Enter")
        self.assertFalse(any(line.startswith("node-2 ") for line in terminal.sees("1 of 3")))
        terminal.keys("Escape")
        terminal.sees("3 of 3")
        terminal.keys("2")
        self.assertTrue(any(re.match(r"default/web node-2 Deferred +\d+:\d\d:\d\d cpu 1500m", line)
                            for line in terminal.sees("default/web")), terminal.screen())
        terminal.keys("Enter")
        terminal.sees("pod default/web on node node-2: its resize is Deferred")
        terminal.keys("+", "+", "+")
        terminal.sees("WHO HOLDS THE ROOM")
        terminal.keys("Escape", "q")
        terminal.sees("status 0")

    def test_another_size_and_twenty_columns(self):
        terminal = self.open()
        terminal.sees("node-10")
        terminal.tmux("resize-window", "-x", "120", "-y", "20")
        wide = until("120 columns", lambda: next((s for s in [terminal.screen()] if len(s[0]) == 120), None))
        self.assertTrue(wide[-1].startswith("q quit"), wide)
        terminal.tmux("resize-window", "-x", "20", "-y", "8")
        narrow = until("20 columns", lambda: next((s for s in [terminal.screen()] if s[3:4] == ["NODE      FREE"]), None))
        self.assertTrue(all(len(line) <= 20 for line in narrow), narrow)
        self.assertTrue(any(line.startswith("node-2") for line in narrow), narrow)
        terminal.tmux("resize-window", "-x", "80", "-y", "14")
        terminal.sees("MEMORY, MIB")
        terminal.keys("q")
        terminal.sees("status 0")

    def test_suspended_and_continued(self):
        terminal = self.open()
        terminal.sees("node-10")
        terminal.keys("C-z")
        self.assertFalse(any("MEMORY, MIB" in line for line in terminal.sees("prompt$")))
        terminal.run("echo between; fg")
        terminal.sees("MEMORY, MIB")
        terminal.keys("2")
        terminal.sees("default/web")
        terminal.keys("q")
        terminal.sees("between")

    def test_a_signal_restores_the_terminal(self):
        terminal = self.open()
        terminal.sees("node-10")
        pid = int(subprocess.run(["pgrep", "-f", f"top --kubeconfig {self.kubeconfig}"], capture_output=True, text=True,
                                 check=True).stdout.split()[-1])
        os.kill(pid, signal.SIGTERM)
        shown = terminal.sees("status 143")
        self.assertFalse(any("MEMORY, MIB" in line for line in shown))
        terminal.run("echo typed")  # what is typed is seen again
        terminal.sees("typed")

    def test_control_c_ends_it(self):
        terminal = self.open()
        terminal.sees("node-10")
        terminal.keys("C-c")
        terminal.sees("prompt$")

    def test_colours_unless_refused(self):
        terminal = self.open()
        terminal.sees("node-10")
        self.assertTrue(any("\x1b[31m" in line for line in terminal.screen("-e")), terminal.screen("-e"))
        plain = self.open(NO_COLOR="1")
        plain.sees("node-10")
        self.assertFalse(any(re.search(r"\x1b\[(?:[0-9;]*;)?3[0-7]", line) for line in plain.screen("-e")), plain.screen("-e"))

    def test_a_server_that_goes_away_is_said(self):
        objects = self.folder / "objects.yaml"
        kubeconfig = self.folder / "other"
        lab = self.start_lab(objects, kubeconfig)
        terminal = self.open(kubeconfig=kubeconfig)
        terminal.sees("node-10")
        self.end_lab(lab)
        self.assertTrue(any(line.startswith("node-2 ") for line in terminal.sees("are as last seen")))
        terminal.keys("q")
        terminal.sees("status 0")

    def test_an_unknown_terminal_is_named(self):
        # ncurses keeps what it allocated for it, which a leak check would count.
        terminal = self.open(TERM="nothing-known", LSAN_OPTIONS="detect_leaks=0")
        terminal.sees("TERM=nothing-known names no terminal that is known here")
        terminal.sees("status 2")

    def test_a_pipe_gets_plain_tables(self):
        done = subprocess.run([PROGRAM, "top", "--kubeconfig", self.kubeconfig], capture_output=True, text=True, check=False,
                              timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        tables = done.stdout.split("\n\n")
        self.assertEqual(tables[0].split("\n"), [
            "NODE     STATE     PODS  CPU-HELD(m)  CPU-PROMISED(m)  CPU-FREE(m)  MEMORY-HELD(Mi)  MEMORY-PROMISED(Mi)  "
            "MEMORY-FREE(Mi)  POLICY",
            "node-1   Ready     0     0            0                4000         0                0                    "
            "8192             -",
            "node-2   Ready     2     3500         2000             500          1536             0                    "
            "6656             -",
            "node-10  NotReady  0     0            0                2000         0                0                    "
            "4096             -"])
        self.assertIn("default/web", tables[1])
        self.assertNotIn("\x1b", done.stdout)

    def test_nobody_answers(self):
        nobody = self.folder / "nobody"
        nobody.write_text(re.sub(r"(https?://127\.0\.0\.1):\d+", r"\1:1", self.kubeconfig.read_text()))
        done = subprocess.run([PROGRAM, "top", "--kubeconfig", nobody], capture_output=True, text=True, check=False,
                              timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stdout), (69, ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
