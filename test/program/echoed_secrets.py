#!/usr/bin/env python3
"""An API server that says back the token that it is shown: in the reason phrase, in headers, in a redirect, in the Status of a
refusal, in plain text, in an object and in a watch's error. No log, recording, page or output of the programs holds it, nor the
one that was shown before it.

usage: echoed_secrets.py BIN     BIN: the folder with the programs
"""
import http.server
import json
import pathlib
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.error
import urllib.request

from patience import PATIENCE, until

TOKENS = ["first-0a1b2c3d4e5f.ABCDEFGHIJKLMNOP-_~+/=", "second-9z8y7x6w5v4u.QRSTUVWXYZabcdef-_~+/="]
programs = None


class Echo(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    lock = threading.Lock()
    first = ""
    latest = ""
    asked = {}

    def log_message(self, *_):
        pass

    def answer(self, code, kind, body):
        shown = self.headers.get("Authorization", "")
        self.send_response(code, f"No {shown}")
        self.send_header("Content-Type", kind)
        self.send_header("Warning", f'299 - "{shown}"')
        self.send_header("Location", f"https://127.0.0.1/{shown}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):  # noqa: N802  (http.server calls it so)
        if "Content-Length" in self.headers:
            self.rfile.read(int(self.headers["Content-Length"]))
        with Echo.lock:
            shown = self.headers.get("Authorization", "nothing")
            Echo.first = Echo.first or shown
            Echo.latest = shown
            path = self.path.split("?")[0]
            turn = Echo.asked[path] = Echo.asked.get(path, -1) + 1
        said = f"you are {shown}, and were {Echo.first}"
        status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": said, "reason": said}
        if path == "/version":
            return self.answer(200, "application/json", json.dumps({"major": "1", "minor": "35", "gitVersion": "v1.35.0"}).encode())
        if "watch=" in self.path:
            event = {"type": "ERROR", "object": {**status, "code": 500}}
            return self.answer(200, "application/json", json.dumps(event).encode() + b"\n")
        kind = {"pods": "Pod", "nodes": "Node"}.get(path.rsplit("/", 1)[1])
        if kind and turn % 2:
            item = {"metadata": {"name": "a", "uid": "u", "annotations": {"said": said}, "resourceVersion": "1"},
                    "spec": {"nodeName": "node-1", "containers": [{"name": said, "resources": {"requests": {"cpu": said}}}]}}
            whole = {"kind": kind + "List", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": [item]}
            return self.answer(200, "application/json", json.dumps(whole).encode())
        forms = [(403, "application/json", json.dumps({**status, "code": 403})), (500, "text/plain", said),
                 (302, "text/html", said), (200, "application/json", said), (401, "application/json", json.dumps(status))]
        code, content, body = forms[turn // 2 % len(forms)]
        return self.answer(code, content, body.encode())

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET


class EchoedSecrets(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.kept.name)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-keyout", cls.folder / "key.pem", "-out", cls.folder / "ca.pem", "-days", "2", "-subj", "/CN=api",
                        "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cls.folder / "ca.pem", cls.folder / "key.pem")
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
        cls.server.socket = context.wrap_socket(cls.server.socket, server_side=True)
        cls.thread = threading.Thread(target=cls.server.serve_forever)
        cls.thread.start()
        cls.kubeconfig = cls.folder / "kubeconfig"
        cls.kubeconfig.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "echo",
            "clusters": [{"name": "echo", "cluster": {"server": f"https://127.0.0.1:{cls.server.server_port}",
                                                      "certificate-authority": str(cls.folder / "ca.pem")}}],
            "users": [{"name": "me", "user": {"tokenFile": str(cls.folder / "token")}}],
            "contexts": [{"name": "echo", "context": {"cluster": "echo", "user": "me"}}]}))
        for each in ("kubeconfig", "key.pem"):
            (cls.folder / each).chmod(0o600)

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.thread.join()
        cls.server.server_close()
        cls.kept.cleanup()

    def setUp(self):
        self.show(TOKENS[0])
        Echo.first = ""
        Echo.asked = {}

    def show(self, token):
        (self.folder / "token.tmp").write_text(token)
        (self.folder / "token.tmp").chmod(0o600)
        (self.folder / "token.tmp").rename(self.folder / "token")

    def assert_clean(self, text, where):
        for token in TOKENS:
            for part in (token, json.dumps(token)[1:-1], token[:20], token[-20:]):
                self.assertNotIn(part, text, f"{where} holds {part}")

    def daemon_is_silent(self, words, log_format):
        name = pathlib.Path(words[0]).name + "-" + log_format
        log, record = self.folder / f"{name}.log", self.folder / f"{name}.jsonl"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            listen = f"127.0.0.1:{free.getsockname()[1]}"
        with open(log, "w", encoding="utf-8") as out:
            child = subprocess.Popen([*words, f"--kubeconfig={self.kubeconfig}", f"--record={record}", f"--listen={listen}",
                                      f"--log-format={log_format}", "--log-level=debug"], stdout=out, stderr=out,
                                     cwd=self.folder)
        try:
            def said():
                return log.read_text(encoding="utf-8", errors="replace")

            until(lambda: child.poll() is not None or said().count("[redacted") >= 1, said)
            self.show(TOKENS[1])
            until(lambda: child.poll() is not None or f"Bearer {TOKENS[0]}" == Echo.first and self.is_rotated(), said)
            self.assertIsNone(child.poll(), said())
            for page in ("/metrics", "/configz", "/explain?pod=default/a", "/readyz?verbose", "/explain/default/a"):
                self.assert_clean(self.page(listen, page), page)
        finally:
            child.send_signal(signal.SIGTERM)
            child.wait(PATIENCE)
        self.assertIn("[redacted", said())
        self.assert_clean(said(), "the log")
        self.assert_clean(record.read_text(encoding="utf-8", errors="replace"), "the recording")

    @staticmethod
    def is_rotated():
        with Echo.lock:
            return Echo.latest == f"Bearer {TOKENS[1]}"

    @staticmethod
    def page(listen, path):
        try:
            with urllib.request.urlopen(f"http://{listen}{path}", timeout=PATIENCE) as answer:
                return answer.read().decode(errors="replace")
        except urllib.error.HTTPError as refused:
            return refused.read().decode(errors="replace")

    def test_the_scheduler(self):
        for log_format in ("text", "json"):
            with self.subTest(log_format=log_format):
                self.setUp()
                self.daemon_is_silent([programs / "elbowroom-scheduler", "--mode=full", "--yield-to="], log_format)

    def test_the_agent(self):
        state = self.folder / "state"
        state.mkdir(mode=0o700)
        for log_format in ("text", "json"):
            with self.subTest(log_format=log_format):
                self.setUp()
                self.daemon_is_silent([programs / "elbowroomd", "--mode=companion", "--node-name=node-1", f"--state-dir={state}",
                                       "--kubelet-healthz="], log_format)

    def test_the_command_line(self):
        told = ""
        for words in (["explain", "pod", "default/a"], ["doctor"], ["simulate", "schedule", "--from-cluster"]):
            for _ in range(6):
                done = subprocess.run([programs / "elbowroom", *words, "--kubeconfig", self.kubeconfig], capture_output=True,
                                      text=True, timeout=PATIENCE, check=False, stdin=subprocess.DEVNULL)
                told += done.stdout + done.stderr
        self.assertIn("[redacted", told)
        self.assert_clean(told, "an output")


if __name__ == "__main__":
    programs = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
