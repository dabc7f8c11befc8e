"""held_evictions: an admission webhook of the suite's own that holds evictions where the API server has them in its hands: whoever
asked has done all that comes before, and has no answer yet. Dry runs pass. What is held is refused in the end, if anybody still waits."""
import base64
import contextlib
import json
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"


class HeldEvictions:
    def __init__(self, api, authority):
        self._api, self._release = api, threading.Event()
        self.held = []  # (user, pod), in their order
        certificate, key = authority.issue("held-evictions", "held-evictions", server=True)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._answerer())
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate, key)
        self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        with open(authority.certificate, "rb") as file:
            bundle = base64.b64encode(file.read()).decode()
        api.make(HOOKS, {
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": "held-evictions"},
            "webhooks": [{"name": "held.elbowroom.dev", "sideEffects": "None", "admissionReviewVersions": ["v1"],
                          "timeoutSeconds": 30, "failurePolicy": "Fail",
                          "clientConfig": {"url": f"https://127.0.0.1:{self._server.server_port}/", "caBundle": bundle},
                          "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"],
                                     "resources": ["pods/eviction"]}]}]})

    def _answerer(self):
        outer = self

        class Answerer(BaseHTTPRequestHandler):
            def do_POST(self):  # the name is http.server's
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["request"]
                if not asked.get("dryRun"):
                    outer.held.append((asked["userInfo"]["username"].rsplit(":", 1)[-1], asked["name"]))
                    outer._release.wait(25)
                answer = json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": {
                    "uid": asked["uid"], "allowed": bool(asked.get("dryRun")), "status": {"code": 503, "message": "held"}}})
                with contextlib.suppress(OSError):  # nobody waits any more
                    self.send_response(200)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(answer)))
                    self.end_headers()
                    self.wfile.write(answer.encode())

            def log_message(self, *_):
                pass

        return Answerer

    def end(self):
        """From now on evictions pass by."""
        self._api.delete(f"{HOOKS}/held-evictions")
        self._release.set()
        self._server.shutdown()
        self._server.server_close()
