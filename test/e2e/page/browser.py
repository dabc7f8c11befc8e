"""A headless Chromium, driven over a pipe by the DevTools protocol. Nothing beside Python's own library is needed."""
import base64
import json
import os
import select
import subprocess
import tempfile
import time


class Browser:
    """One page of a Chromium. What it asks the network for, logs and throws is kept in `requests`, `complaints`, `dialogs`."""

    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory(prefix="elbowroom-page-", ignore_cleanup_errors=True)
        ours, theirs_out = os.pipe()
        theirs_in, self.to = os.pipe()
        self.from_ = ours
        # The protocol's pipe is descriptors 3 and 4.
        command = ["sh", "-c", f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}', "sh", program, "--headless=new", "--no-sandbox",
                   "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
                   "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={self.folder.name}", "about:blank"]
        self.log = open(os.path.join(self.folder.name, "log"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(command, pass_fds=(theirs_in, theirs_out), stdin=subprocess.DEVNULL,
                                        stdout=self.log, stderr=self.log)
        os.close(theirs_in)
        os.close(theirs_out)
        self.number, self.read, self.answers = 0, b"", {}
        self.requests, self.complaints, self.dialogs, self.loaded, self.session = [], [], [], 0, None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime", "DOM"):
            self.ask(domain + ".enable")

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        self.folder.cleanup()

    def ask(self, method, within=60, **parameters):
        self.number += 1
        asked = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            asked["sessionId"] = self.session
        try:
            os.write(self.to, json.dumps(asked).encode() + b"\0")
        except BrokenPipeError:
            raise self.ended() from None
        number, until = self.number, time.monotonic() + within
        while number not in self.answers:
            self.hear(until)
        answer = self.answers.pop(number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def ended(self):
        self.process.wait(10)
        self.log.seek(0)
        words = self.log.read().strip() or "it says nothing"
        return RuntimeError(f"it ended with status {self.process.returncode}: {words.splitlines()[-1][:300]}")

    def hear(self, until):
        left = until - time.monotonic()
        if left <= 0 or not select.select([self.from_], [], [], left)[0]:
            raise RuntimeError("Chromium does not answer")
        got = os.read(self.from_, 1 << 20)
        if not got:
            raise self.ended()
        *whole, self.read = (self.read + got).split(b"\0")
        for each in whole:
            self.take(json.loads(each))

    def take(self, message):
        if "id" in message:
            self.answers[message["id"]] = message
            return
        what, about = message["method"], message.get("params", {})
        if what == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])
        elif what == "Log.entryAdded":
            self.complaints.append(about["entry"]["text"])
        elif what == "Runtime.exceptionThrown":
            self.complaints.append(about["exceptionDetails"]["text"])
        elif what == "Page.javascriptDialogOpening":
            self.dialogs.append(about["message"])
        elif what == "Page.loadEventFired":
            self.loaded += 1

    def open(self, url, width, dark=False, scripts=True):
        self.requests, self.complaints, self.dialogs = [], [], []
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.ask("Emulation.setScriptExecutionDisabled", value=not scripts)
        before, until = self.loaded, time.monotonic() + 60
        failed = self.ask("Page.navigate", url=url).get("errorText")
        if failed:
            raise RuntimeError(f"{url}: {failed}")
        while self.loaded == before:
            self.hear(until)

    def value(self, expression):
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']['text']}")
        return answer["result"].get("value")

    def count(self, selector):
        """Without a script of the page's world, so also where scripts are off."""
        root = self.ask("DOM.getDocument", depth=0)["root"]["nodeId"]
        return len(self.ask("DOM.querySelectorAll", nodeId=root, selector=selector)["nodeIds"])

    def picture(self, file, whole=False):
        data = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(file, "wb") as to:
            to.write(base64.b64decode(data))
