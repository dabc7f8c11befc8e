"""versions_relay: stands between one of our programs and the API server, and notes in which encoding each list and watch
was asked for and answered. It can hide that the server speaks protobuf, and lead to another server from one request on."""
import http.client
import http.server
import ssl
import threading

PROTOBUF = "application/vnd.kubernetes.protobuf"
COLLECTIONS = ("nodes", "pods", "poddisruptionbudgets", "podgroups")
HOP = ("connection", "transfer-encoding", "keep-alive", "host", "content-length")


class Relay:
    """A server on 127.0.0.1 with the API server's own certificate. `answered`: {(list | watch, collection): media types}."""

    def __init__(self, plane):
        self.upstream, self.hides_protobuf = plane.port, False
        self.answered, self._lock = {}, threading.Lock()
        self._authority = plane.authority.certificate
        relay = self

        class Handler(_Handler):
            owner = relay
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(*plane.serving)
        # The handshake is done on the connection's own thread, at its first read.
        self._server.socket = tls.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self):
        self._server.shutdown()
        self._server.server_close()

    def forget(self):
        with self._lock:
            self.answered.clear()

    def media(self, verb):
        """{collection: media types} of the lists, or watches, so far."""
        with self._lock:
            return {place: sorted(media) for (what, place), media in self.answered.items() if what == verb}

    def note(self, path, media):
        place, _, query = path.partition("?")
        verb, collection = "watch" if "watch=" in query else "list", place.rsplit("/", 1)[1]
        if collection not in COLLECTIONS:
            return  # one object is read
        with self._lock:
            self.answered.setdefault((verb, collection), set()).add(media)

    def connection(self):
        tls = ssl.create_default_context(cafile=self._authority)
        return http.client.HTTPSConnection("127.0.0.1", self.upstream, context=tls, timeout=700)


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner = None

    def log_message(self, *_):
        pass

    def _headers(self):
        headers = {name.lower(): value for name, value in self.headers.items() if name.lower() not in HOP}
        if self.owner.hides_protobuf and PROTOBUF in headers.get("accept", ""):
            headers["accept"] = "application/json"
        return headers

    def _pass_on(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        upstream = self.owner.connection()
        try:
            upstream.request(self.command, self.path, body or None, self._headers())
            reply = upstream.getresponse()
            if self.command == "GET" and PROTOBUF in self.headers.get("Accept", "") and reply.status == 200:
                self.owner.note(self.path, reply.getheader("Content-Type", "").split(";")[0])
            self._answer(reply)
        except (OSError, http.client.HTTPException):
            self.close_connection = True
        finally:
            upstream.close()

    def _answer(self, reply):
        self.send_response_only(reply.status, reply.reason)
        for name, value in reply.getheaders():
            if name.lower() not in HOP:
                self.send_header(name, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while piece := reply.read1(1 << 16):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _pass_on
