"""groups_gate: an admission webhook that holds what our scheduler asks for at the API server until it is told to go on,
so that a leader is killed for certain between two of its requests."""
import base64
import json
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from checks import sees

NAME = "e2e-gate"
PLACE = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
WHO = "request.userInfo.username == 'system:serviceaccount:kube-system:elbowroom-scheduler'"
PATIENCE = 25  # seconds after which a held request is refused, whatever happens


class Gate:
    """Lets `free` requests pass, and holds all others until `refuse_held`; what comes after that passes."""

    def __init__(self, plane, operation, resource, free=0):
        self._api, self._left, self._is_open = plane.admin, free, False
        self.held, self.passed = [], []  # names, in the order they came
        self._lock, self._told = threading.Lock(), threading.Event()
        certificate, key = plane.authority.issue("gate", "gate", server=True)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self._register(plane, operation, resource)

    def _register(self, plane, operation, resource):
        with open(plane.authority.certificate, "rb") as file:
            bundle = base64.b64encode(file.read()).decode()
        self._api.make(PLACE, {
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": NAME}, "webhooks": [{
                "name": "gate.e2e.example.com", "admissionReviewVersions": ["v1"], "sideEffects": "None",
                "timeoutSeconds": 30, "failurePolicy": "Fail",
                "clientConfig": {"url": f"https://127.0.0.1:{self._server.server_port}/", "caBundle": bundle},
                "matchConditions": [{"name": "is-ours", "expression": WHO}],
                "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": [operation],
                           "resources": [resource]}]}]})

    def is_in_force(self, ask):
        """The API server learns of a webhook a moment after it is made: `ask` makes a request of ours that passes."""
        def asked():
            before = len(self.passed) + len(self.held)
            ask()
            return len(self.passed) + len(self.held) > before
        return sees("the gate is in force", asked)

    def _handler(self):
        gate = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):  # the name is http.server's
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["request"]
                is_allowed = gate.decides(request["name"], request.get("dryRun", False))
                answer = {"uid": request["uid"], "allowed": is_allowed}
                if not is_allowed:
                    answer["status"] = {"code": 503, "message": "held by the suite's gate"}
                body = json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
                                   "response": answer}).encode()
                try:
                    self.send_response(200)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:
                    self.close_connection = True  # who asked is dead, as the suite wants it

            def log_message(self, *words):
                """Nothing: the suite prints what it sees itself."""
        return Handler

    def decides(self, name, is_dry_run):
        with self._lock:
            if is_dry_run or self._is_open or self._left > 0:
                self._left -= 0 if is_dry_run or self._is_open else 1
                self.passed.append(name)
                return True
            self.held.append(name)
        self._told.wait(PATIENCE)
        return False

    def refuse_held(self):
        with self._lock:
            self._is_open = True
        self._told.set()

    def close(self):
        self.refuse_held()
        self._api.delete(f"{PLACE}/{NAME}")
        self._server.shutdown()
        self._server.server_close()
