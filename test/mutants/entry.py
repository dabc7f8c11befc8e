"""A test as ctest lists it, and what came of it."""

import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import time


@dataclasses.dataclass(frozen=True)
class Entry:
    name: str
    command: tuple
    folder: str
    skips_by: int | None  # the exit code that says "skipped"
    timeout: float  # seconds
    label: str

    def run(self, variables, timeout):
        """Returns the outcome ("ok", "failed", "crashed", "too slow") and the seconds it took."""
        began = time.monotonic()
        process = subprocess.Popen(self.command, cwd=self.folder, env={**os.environ, **variables}, start_new_session=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            code = None
        try:  # and what it started
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        took = time.monotonic() - began
        if code is None:
            return "too slow", took
        if code in (0, self.skips_by):
            return "ok", took
        return ("crashed" if code < 0 else "failed"), took


def listed(build, labels, left_out):
    """The entries of the build folder that bear one of the labels, without those whose names the pattern `left_out` has."""
    told = json.loads(subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True,
                                     capture_output=True).stdout)
    entries = []
    for test in told["tests"]:
        properties = {each["name"]: each["value"] for each in test.get("properties", ())}
        label = next(iter(properties.get("LABELS", [])), "")
        if "command" not in test or label not in labels or left_out.search(test["name"]):
            continue
        if not pathlib.Path(test["command"][0]).exists() and "/" in test["command"][0]:
            raise SystemExit(f"mutants: {test['name']} is not built: {test['command'][0]}")
        entries.append(Entry(test["name"], tuple(test["command"]), properties.get("WORKING_DIRECTORY", str(build)),
                             properties.get("SKIP_RETURN_CODE"), properties.get("TIMEOUT", 300.0), label))
    return entries
