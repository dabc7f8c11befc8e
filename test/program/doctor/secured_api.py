"""An API server over TLS in front of the lab's: it knows users by token and client certificate, gives them the rights of roles
and bindings, issues tokens and client certificates, and passes everything else on."""
import base64
import http.client
import http.server
import json
import pathlib
import secrets
import ssl
import subprocess
import tempfile
import threading
import time
import urllib.parse

ADMIN = "system:masters"
# group, resource, kind, whether it has a namespace: what is kept here and not in the lab
KEPT = [
    ("rbac.authorization.k8s.io", "clusterroles", "ClusterRole", False),
    ("rbac.authorization.k8s.io", "clusterrolebindings", "ClusterRoleBinding", False),
    ("rbac.authorization.k8s.io", "roles", "Role", True),
    ("rbac.authorization.k8s.io", "rolebindings", "RoleBinding", True),
    ("certificates.k8s.io", "certificatesigningrequests", "CertificateSigningRequest", False),
    ("admissionregistration.k8s.io", "validatingadmissionpolicies", "ValidatingAdmissionPolicy", False),
    ("admissionregistration.k8s.io", "validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding", False),
    ("admissionregistration.k8s.io", "validatingwebhookconfigurations", "ValidatingWebhookConfiguration", False),
    ("", "serviceaccounts", "ServiceAccount", True),
]


def openssl(*words, **more):
    return subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True, **more).stdout


class Authority:
    """A certificate authority in a folder."""

    def __init__(self, folder, name):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.certificate, self.key = self.folder / "ca.crt", self.folder / "ca.key"
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", self.key, "-out",
                self.certificate, "-days", "30", "-subj", f"/CN={name}")

    def issue(self, to, subject, names="", start=-3600, end=20 * 24 * 3600):
        """Certificate and key in TO.crt and TO.key; `start` and `end` in seconds from now."""
        openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{to}.key", "-out",
                f"{to}.csr", "-subj", subject)
        self.sign(f"{to}.csr", f"{to}.crt", names, start, end)

    def sign(self, request, certificate, names="", start=-3600, end=20 * 24 * 3600):
        with tempfile.TemporaryDirectory() as kept:
            folder = pathlib.Path(kept)
            (folder / "index").touch()
            extension = f"subjectAltName={names}\n" if names else "basicConstraints=CA:FALSE\n"
            (folder / "conf").write_text(
                f"[ca]\ndefault_ca=a\n[a]\nnew_certs_dir={folder}\ndatabase={folder}/index\nrand_serial=yes\n"
                f"default_md=sha256\nunique_subject=no\npolicy=p\n[p]\ncommonName=supplied\norganizationName=optional\n"
                f"[x]\n{extension}")

            def moment(seconds):
                return time.strftime("%Y%m%d%H%M%SZ", time.gmtime(time.time() + seconds))

            openssl("ca", "-batch", "-notext", "-config", folder / "conf", "-cert", self.certificate, "-keyfile", self.key,
                    "-extensions", "x", "-startdate", moment(start), "-enddate", moment(end), "-preserveDN", "-in", request,
                    "-out", certificate)


def token_with_end(end):
    def part(value):
        return base64.urlsafe_b64encode(value).decode().rstrip("=")

    return f'{part(b"{}")}.{part(json.dumps({"exp": int(end)}).encode())}.{part(secrets.token_bytes(12))}'


class SecuredApi:
    def __init__(self, folder, lab_port, port, names):
        self.folder, self.lab_port = pathlib.Path(folder), lab_port
        self.authority = Authority(self.folder / "pki", "cluster")
        # Its certificates are accepted, as any are by an API server, and make nobody known.
        self.other_authority = Authority(self.folder / "other-pki", "other-cluster")
        self.names = names
        self.lock = threading.Lock()
        self.reset()
        outer = self

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def get_request(self):
                socket, address = super().get_request()
                socket.settimeout(30)
                return outer.context().wrap_socket(socket, server_side=True, do_handshake_on_connect=False), address

            def handle_error(self, *_):  # a client that goes away
                pass

        self.server = Server(("127.0.0.1", port), type("Of", (Handler,), {"api": outer}))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def reset(self):
        with self.lock:
            self.objects = {}  # (resource, namespace, name): object
            self.tokens = {}   # token: user
        self.issue_server_certificate()

    def issue_server_certificate(self, **dates):
        self.authority.issue(self.folder / "server", "/CN=api", self.names, **dates)

    def context(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.folder / "server.crt", self.folder / "server.key")
        for authority in (self.authority, self.other_authority):
            context.load_verify_locations(authority.certificate)
        context.verify_mode = ssl.CERT_OPTIONAL
        return context

    def token_for(self, user):
        token = token_with_end(time.time() + 24 * 3600)
        with self.lock:
            self.tokens[token] = user
        return token

    # ---- rights ----

    def allows(self, user, groups, verb, group, resource, namespace, name):
        if ADMIN in groups:
            return True

        def has(words, word):
            return "*" in words or word in words

        def grants(role):
            return any(has(rule.get("verbs", []), verb) and has(rule.get("apiGroups", []), group)
                       and has(rule.get("resources", []), resource)
                       and (not rule.get("resourceNames") or name in rule["resourceNames"])
                       for rule in (role or {}).get("rules", []))

        def is_bound(binding):
            return any(each.get("name") == user if each["kind"] == "User" else
                       f'system:serviceaccount:{each.get("namespace")}:{each.get("name")}' == user
                       for each in binding.get("subjects", []) if each["kind"] in ("User", "ServiceAccount"))

        with self.lock:
            for (kind, ns, _), each in self.objects.items():
                if kind == "clusterrolebindings" or (kind == "rolebindings" and ns == namespace):
                    role = each["roleRef"]
                    where = "" if role["kind"] == "ClusterRole" else ns
                    kept = self.objects.get((role["kind"].lower() + "s", where, role["name"]))
                    if is_bound(each) and grants(kept):
                        return True
        return False


# ---- what kubectl sends in protobuf ----

RULE = {1: "verbs", 2: "apiGroups", 3: "resources", 4: "resourceNames"}
SUBJECT = {1: "kind", 2: "apiGroup", 3: "name", 4: "namespace"}


def fields(data):
    """Number and bytes of each field that has bytes."""
    def varint(at):
        value = shift = 0
        while True:
            value |= (data[at] & 0x7F) << shift
            shift, at = shift + 7, at + 1
            if not data[at - 1] & 0x80:
                return value, at

    at = 0
    while at < len(data):
        tag, at = varint(at)
        length, at = varint(at)
        if tag & 7 == 2:
            yield tag >> 3, data[at:at + length]
            at += length


def lists_in(data, names):
    value = {}
    for number, text in fields(data):
        value.setdefault(names.get(number), []).append(text.decode())
    return value


def decoded(body):
    """A role, a binding, or of another object its name alone, from JSON or protobuf."""
    if not body.startswith(b"k8s\0"):
        return json.loads(body) if body else {}
    whole = dict(fields(body[4:]))
    kind = dict(fields(whole[1]))[2].decode()
    value = {"metadata": {}}
    for number, data in fields(whole[2]):
        if number == 1:
            value["metadata"]["name"] = dict(fields(data)).get(1, b"").decode()
        elif kind in ("Role", "ClusterRole") and number == 2:
            value.setdefault("rules", []).append(lists_in(data, RULE))
        elif kind in ("RoleBinding", "ClusterRoleBinding") and number in (2, 3):
            names = SUBJECT if number == 2 else {1: "apiGroup", 2: "kind", 3: "name"}
            found = {key: texts[0] for key, texts in lists_in(data, names).items()}
            if number == 2:
                value.setdefault("subjects", []).append(found)
            else:
                value["roleRef"] = found
    return value


def status(code, message, reason="Forbidden"):
    return code, {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message, "reason": reason,
                  "code": code}


def parts_of(path):
    """group, version, namespace, resource, name, subresource; None: no object's path."""
    words = [urllib.parse.unquote(word) for word in path.split("/") if word]
    if not words or words[0] not in ("api", "apis"):
        return None
    group, words = ("", words[1:]) if words[0] == "api" else (words[1] if len(words) > 1 else "", words[2:])
    if len(words) < 2:
        return None
    version, words = words[0], words[1:]
    namespace = ""
    if words[0] == "namespaces" and len(words) > 2:
        namespace, words = words[1], words[2:]
    words += [""] * (3 - len(words))
    return group, version, namespace, words[0], words[1], words[2]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    api = None

    def log_message(self, *_):
        pass

    def answer(self, code, value):
        body = json.dumps(value).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def user(self):
        shown = self.headers.get("Authorization", "")
        if shown.startswith("Bearer "):
            with self.api.lock:
                return self.api.tokens.get(shown[7:]), []
        shown = self.connection.getpeercert() or {}
        subject, issuer = (dict(field[0] for field in shown.get(name, ())) for name in ("subject", "issuer"))
        if issuer.get("commonName") != "cluster":
            return None, []
        return subject.get("commonName"), [subject.get("organizationName", "")]

    def verb(self, name, query):
        if self.command == "GET":
            return "watch" if query.get("watch", ["0"])[0] in ("1", "true") else "get" if name else "list"
        return {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}[self.command]

    def do_GET(self):  # noqa: N802  (http.server calls it so)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        user, groups = self.user()
        if user is None:
            return self.answer(*status(401, "Unauthorized", "Unauthorized"))
        url = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(url.query, keep_blank_values=True)
        if url.path == "/apis/authentication.k8s.io/v1/selfsubjectreviews":
            return self.answer(201, {"status": {"userInfo": {"username": user, "groups": groups}}})
        if url.path == "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews":
            about = json.loads(body)["spec"]["resourceAttributes"]
            resource = about.get("resource", "") + ("/" + about["subresource"] if about.get("subresource") else "")
            allowed = self.api.allows(user, groups, about.get("verb", ""), about.get("group", ""), resource,
                                      about.get("namespace", ""), about.get("name", ""))
            return self.answer(201, {"status": {"allowed": allowed}})
        parts = parts_of(url.path)
        if parts:
            group, _, namespace, resource, name, part = parts
            # A selector of one name counts as that name.
            wanted = query.get("fieldSelector", [""])[0]
            named = name or (wanted[len("metadata.name="):] if wanted.startswith("metadata.name=") else "")
            verb = self.verb(name, query)
            if not self.api.allows(user, groups, verb, group, resource + ("/" + part if part else ""), namespace, named):
                return self.answer(*status(403, f'User "{user}" cannot {verb} resource "{resource}" in API group "{group}"'))
            for kept in KEPT:
                if kept[:2] == (group, resource):
                    return self.answer(*self.keep(kept, namespace, name, part, body, named))
        return self.pass_on(body, url.path)

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET

    # ---- objects that are kept here ----

    def keep(self, kind, namespace, name, part, body, named):
        group, resource, word, _ = kind
        header = {"apiVersion": (group + "/" if group else "") + "v1", "kind": word}
        if part == "token":
            end = time.time() + 24 * 3600
            token = self.api.token_for(f"system:serviceaccount:{namespace}:{name}")
            return 201, {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "metadata": {}, "spec": {},
                         "status": {"token": token,
                                    "expirationTimestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(end))}}
        value = decoded(body)
        with self.api.lock:
            objects = self.api.objects
            if self.command == "GET" and not name:
                items = [each for (kept, ns, its), each in objects.items()
                         if kept == resource and namespace in ("", ns) and named in ("", its)]
                return 200, {**header, "kind": word + "List", "metadata": {"resourceVersion": "1"}, "items": items}
            key = (resource, namespace, name or value.get("metadata", {}).get("name", ""))
            if self.command == "POST":
                if key in objects:
                    return status(409, f'{resource} "{key[2]}" already exists', "AlreadyExists")
                value["metadata"] = {**value["metadata"], "uid": secrets.token_hex(8), "resourceVersion": "1"}
                objects[key] = {**header, **value}
                return 201, objects[key]
            if key not in objects:
                return status(404, f'{resource} "{key[2]}" not found', "NotFound")
            if self.command == "DELETE":
                return 200, objects.pop(key)
            if self.command == "PUT" and part == "approval":
                self.issue(objects[key])
            return 200, objects[key]

    def issue(self, request):
        with tempfile.TemporaryDirectory() as folder:
            wanted, issued = pathlib.Path(folder) / "csr", pathlib.Path(folder) / "crt"
            wanted.write_bytes(base64.b64decode(request["spec"]["request"]))
            self.api.authority.sign(wanted, issued)
            request["status"] = {"conditions": [{"type": "Approved", "status": "True"}],
                                 "certificate": base64.b64encode(issued.read_bytes()).decode()}

    # ---- everything else is the lab's ----

    def pass_on(self, body, path):
        to = http.client.HTTPConnection("127.0.0.1", self.api.lab_port, timeout=600)
        dropped = ("authorization", "host", "connection", "content-length", "accept-encoding")
        headers = {name: value for name, value in self.headers.items() if name.lower() not in dropped}
        to.request(self.command, self.path, body or None, headers)
        got = to.getresponse()
        if path in ("/apis", "/api/v1") or (path.startswith("/apis/") and path.count("/") == 3):
            return self.discovered(path, got)
        self.send_response(got.status)
        self.send_header("Content-Type", got.headers.get("Content-Type", "application/json"))
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            while data := got.read1(65536):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")
        except OSError:
            self.close_connection = True
        finally:
            to.close()
        return None

    def discovered(self, path, got):
        text = got.read()
        value = json.loads(text) if got.status == 200 else {}
        if path == "/apis":
            known = {each["name"] for each in value["groups"]}
            for group in sorted({kept[0] for kept in KEPT} - known - {""}):
                version = {"groupVersion": f"{group}/v1", "version": "v1"}
                value["groups"].append({"name": group, "versions": [version], "preferredVersion": version})
            return self.answer(200, value)
        group = "" if path == "/api/v1" else path.split("/")[2]
        ours = [{"name": kept[1], "singularName": kept[2].lower(), "namespaced": kept[3], "kind": kept[2],
                 "shortNames": ["csr"] if kept[2] == "CertificateSigningRequest" else [],
                 "verbs": ["create", "delete", "get", "list", "patch", "update", "watch"]} for kept in KEPT if kept[0] == group]
        if ours:
            value = value if got.status == 200 else {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": f"{group}/v1"}
            value.setdefault("resources", []).extend(ours)
            return self.answer(200, value)
        return self.answer(got.status, value or json.loads(text or b"{}"))
