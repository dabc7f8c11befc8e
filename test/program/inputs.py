#!/usr/bin/env python3
"""What `elbowroom` reads by -f is a file, a folder or standard input: a named pipe, a socket or a device is refused by name,
and never waited for. SIGINT ends `lab up` and `simulate` at any moment: while they read, start and play.

usage: inputs.py ELBOWROOM
"""
import array
import contextlib
import fcntl
import os
import pathlib
import pty
import re
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import time
import unittest

POD = """apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default, uid: u-web}
spec: {nodeName: node-1, containers: [{name: app, image: x, resources: {requests: {cpu: 500m, memory: 64Mi}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: next, namespace: default}
spec: {schedulerName: elbowroom, containers: [{name: app, image: x, resources: {requests: {cpu: 500m, memory: 64Mi}}}]}
---
apiVersion: v1
kind: Node
metadata: {name: node-1}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}
"""
SCENARIO = """apiVersion: elbowroom.dev/v1alpha1
kind: Scenario
metadata: {name: long}
spec:
  agents: authority
  objects:
  - apiVersion: v1
    kind: Node
    metadata: {name: node-1}
    status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
  - apiVersion: v1
    kind: Pod
    metadata: {name: web, namespace: default}
    spec:
      nodeName: node-1
      containers: [{name: app, resources: {requests: {cpu: "1", memory: 1Gi}}}]
  steps:
"""
STEP = "  - {at: %ds, resize: {pod: default/web, containers: {app: {requests: {cpu: \"%d\"}}}}}\n"
program = ""


def until(holds, child):
    """Waits for what the child does, which has no other way to tell, for as long as it lives: a busy machine may take its time, and
    ctest bounds the whole file's."""
    while not holds():
        if child.poll() is not None:
            raise AssertionError(f"it ended with {child.returncode}: {child.communicate()}")
        time.sleep(0.005)


class Inputs(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.pods = self.folder / "pods.yaml"
        self.pods.write_text(POD)
        self.scenario = self.folder / "scenario.yaml"
        self.scenario.write_text(SCENARIO + STEP % (5, 2))

    def start(self, *words, **more):
        child = subprocess.Popen([program, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 env={**os.environ, "TMPDIR": str(self.temporary)}, cwd=self.folder,
                                 preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **more)
        self.addCleanup(self.end, child)
        return child

    @staticmethod
    def end(child):
        child.kill()
        child.wait()
        for pipe in (child.stdin, child.stdout, child.stderr):
            with contextlib.suppress(OSError, AttributeError):
                pipe.close()

    def ended(self, child):
        said = child.communicate()
        return child.returncode, said[0], said[1]

    def run_verb(self, *words, **more):
        return self.ended(self.start(*words, stdin=subprocess.DEVNULL, **more))

    def verbs_with(self, path):
        """Every command line that reads `path`."""
        return [
            ["lab", "up", "-f", path],
            ["simulate", "run", path],
            ["simulate", "run", self.scenario, "-f", path],
            ["simulate", "resize", "default/web", "-f", path],
            ["simulate", "schedule", "default/next", "-f", path],
        ]

    def assert_refused(self, named, kind, path):
        for words in self.verbs_with(path):
            code, _, said = self.run_verb(*words)
            with self.subTest(words=words):
                self.assertGreater(code, 0, said)
                self.assertIn(f"{named}: is {kind}, no regular file", said)
                self.assertIn("-f -", said)

    def test_a_named_pipe_is_refused(self):
        os.mkfifo(self.folder / "pipe")
        self.assert_refused("pipe", "a named pipe", "pipe")

    def test_a_socket_is_refused(self):
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(str(self.folder / "socket"))
            self.assert_refused("socket", "a socket", "socket")

    def test_a_device_is_refused(self):
        self.assert_refused("/dev/zero", "a device", "/dev/zero")

    def test_a_folder_that_holds_one_is_refused_by_its_name(self):
        (self.folder / "some").mkdir()
        (self.folder / "some" / "a.yaml").write_text(POD)
        os.mkfifo(self.folder / "some" / "b.yaml")
        code, _, said = self.run_verb("simulate", "schedule", "default/next", "-f", "some")
        self.assertGreater(code, 0)
        self.assertIn("some/b.yaml: is a named pipe", said)
        (self.folder / "some" / "b.yaml").unlink()
        (self.folder / "some" / "c.json").symlink_to("/dev/zero")
        code, _, said = self.run_verb("lab", "up", "-f", "some")
        self.assertGreater(code, 0)
        self.assertIn("some/c.json: is a device", said)

    def test_standard_input_is_read_by_each_of_its_names(self):
        for name in ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
            child = self.start("simulate", "schedule", "default/next", "-f", name, stdin=subprocess.PIPE)
            said = child.communicate(POD)
            self.assertEqual(child.returncode, 0, (name, said))

    def test_what_a_shell_substitutes_is_read(self):
        read, write = os.pipe()
        os.write(write, POD.encode())
        os.close(write)
        code, _, said = self.run_verb("simulate", "schedule", "default/next", "-f", f"/dev/fd/{read}", pass_fds=[read])
        os.close(read)
        self.assertEqual(code, 0, said)

    def test_sigint_ends_the_wait_for_standard_input(self):
        for words in (["lab", "up", "-f", "-"], ["simulate", "run", "-"], ["simulate", "run", self.scenario, "-f", "-"],
                      ["simulate", "schedule", "default/next", "-f", "-"]):
            read, write = os.pipe()
            child = self.start(*words, stdin=read)
            os.write(write, b"# more to come\n")
            left = array.array("i", [0])

            def is_taken():
                fcntl.ioctl(read, termios.FIONREAD, left)
                return left[0] == 0

            until(is_taken, child)
            child.send_signal(signal.SIGINT)
            with self.subTest(words=words):
                self.assertEqual(self.ended(child)[0], -signal.SIGINT)
                self.assertEqual(list(self.temporary.iterdir()), [])
            os.close(read)
            os.close(write)

    def test_sigint_ends_a_long_run(self):
        self.scenario.write_text(SCENARIO + "".join(STEP % (n, 1 + n % 3) for n in range(1, 50_000)))
        child = self.start("simulate", "run", self.scenario, stdin=subprocess.DEVNULL)

        def has_worked():
            fields = pathlib.Path(f"/proc/{child.pid}/stat").read_text().rsplit(")", 1)[1].split()
            return int(fields[11]) + int(fields[12]) >= os.sysconf("SC_CLK_TCK") // 5

        until(has_worked, child)
        child.send_signal(signal.SIGINT)
        self.assertEqual(self.ended(child)[0], -signal.SIGINT)

    def has_own_folder(self):
        return any(self.temporary.iterdir())

    def test_sigint_ends_a_lab_that_starts(self):
        # It starts for ever: its output is never read.
        os.mkfifo(self.folder / "kubeconfig")
        child = self.start("lab", "up", "--kubeconfig-out", "kubeconfig", stdin=subprocess.DEVNULL)
        until(self.has_own_folder, child)
        child.send_signal(signal.SIGINT)
        self.assertEqual(self.ended(child)[0], -signal.SIGINT)

    def test_sigint_ends_a_lab_whose_runtime_does_not_answer(self):
        kubeconfig = self.folder / "kubeconfig"
        with socket.socket(socket.AF_UNIX) as silent:  # takes connections, and never says a word
            silent.bind(str(self.folder / "silent.sock"))
            silent.listen()
            child = self.start("lab", "up", "--agents", "none", "--scheduler", "none", "--kubeconfig-out", kubeconfig,
                               "--runtime-endpoint", f"unix:{self.folder}/silent.sock", stdin=subprocess.DEVNULL)
            until(kubeconfig.exists, child)
            child.send_signal(signal.SIGINT)
            code, out, said = self.ended(child)
        # On a busy machine its node may be there before the signal is: then it serves already.
        self.assertEqual(code, 0 if out.startswith("ready: ") else -signal.SIGINT, said)

    def test_a_lab_that_serves_ends_in_order(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            child = self.start("lab", "up", "-f", self.pods, stdin=subprocess.DEVNULL)
            self.assertTrue(child.stdout.readline().startswith("ready: "))
            child.send_signal(number)
            self.assertEqual(self.ended(child)[0], 0)
            self.assertFalse(self.has_own_folder())

    def test_a_terminal_is_told_what_comes_next(self):
        try:
            ours, theirs = pty.openpty()
        except OSError as none:
            self.skipTest(f"no pseudo terminal: {none}")
        child = subprocess.Popen([program, "lab", "up"], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=theirs,
                                 stderr=subprocess.DEVNULL)
        os.close(theirs)
        self.addCleanup(self.end, child)
        said = ""
        while "Ctrl-C ends it." not in said:
            said += os.read(ours, 4096).decode()
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.wait(), 0)
        os.close(ours)
        kubeconfig = re.search(r"ready: KUBECONFIG=(\S+)", said)[1]
        self.assertIn(f"  export KUBECONFIG={kubeconfig}\r\n", said)


if __name__ == "__main__":
    program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
