"""api: the API server in the hands of a suite, with a certificate or a token. An
answer is (status, object) whatever the status; only a server that does not answer is an error (OSError)."""
import http.client
import json
import ssl
import threading

MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"
JSON_PATCH = "application/json-patch+json"


class Api:
    def __init__(self, port, authority, certificate=None, key=None, token=None):
        self.port, self.token = port, token
        self._tls = ssl.create_default_context(cafile=authority)
        if certificate:
            self._tls.load_cert_chain(certificate, key)
        self._own = threading.local()

    def _connection(self, timeout):
        return http.client.HTTPSConnection("127.0.0.1", self.port, context=self._tls, timeout=timeout)

    def _headers(self, media, accept="application/json"):
        headers = {"Content-Type": media, "Accept": accept, "User-Agent": "elbowroom-e2e"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        return headers

    def call(self, method, path, body=None, media="application/json"):
        data = None if body is None else json.dumps(body).encode()
        for is_last in (False, True):
            connection = getattr(self._own, "connection", None) or self._connection(30)
            self._own.connection = connection
            try:
                connection.request(method, path, data, self._headers(media))
                reply = connection.getresponse()
                text = reply.read()
                break
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                self._own.connection = None
                if is_last or not isinstance(error, (http.client.RemoteDisconnected, ConnectionError, ssl.SSLError)):
                    raise OSError(str(error)) from error
        try:
            return reply.status, json.loads(text)
        except ValueError:
            return reply.status, {"message": text.decode(errors="replace")}

    def get(self, path):
        """The object, or None where there is none."""
        status, found = self.call("GET", path)
        return found if status == 200 else None

    def make(self, path, thing):
        """The object as made; raises where it was refused: a suite's own set-up must not fail unseen."""
        status, made = self.call("POST", path, thing)
        if status not in (200, 201):
            raise RuntimeError(f"POST {path}: {status} {made.get('message')}")
        return made

    def patch(self, path, change, media=MERGE):
        status, made = self.call("PATCH", path, change, media)
        if status not in (200, 201):
            raise RuntimeError(f"PATCH {path}: {status} {made.get('message')}")
        return made

    def delete(self, path, options=None):
        return self.call("DELETE", path, options)

    def watch(self, path, hear, timeout=600, accept="application/json"):
        """Calls hear(event) for each line until the server ends it or `hear` answers False."""
        connection = self._connection(timeout)
        try:
            connection.request("GET", path, None, self._headers("application/json", accept))
            reply = connection.getresponse()
            if reply.status != 200:
                raise OSError(f"watch {path}: {reply.status} {reply.read(500)!r}")
            while line := reply.readline():
                if hear(json.loads(line)) is False:
                    return
        except http.client.HTTPException as error:
            raise OSError(str(error)) from error
        finally:
            connection.close()


def conditions(thing):
    return {one["type"]: one for one in thing.get("status", {}).get("conditions", [])} if thing else {}
