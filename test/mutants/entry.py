"""A test as ctest lists it, and what came of it."""

import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import time


FILTER = "--gtest_filter="


@dataclasses.dataclass(frozen=True)
class Entry:
    name: str
    command: tuple
    folder: str
    skips_by: int | None  # the exit code that says "skipped"
    timeout: float  # seconds
    label: str

    @property
    def case(self):
        """What GoogleTest calls the test, "" where it is none of its."""
        return next((word.removeprefix(FILTER) for word in self.command if word.startswith(FILTER)), "")

    def run(self, variables, timeout):
        """Returns the outcome ("ok", "failed", "crashed", "too slow") and the seconds it took."""
        code, _, took = finished(self.command, self.folder, variables, timeout)
        return outcome_of(code, self.skips_by), took


def outcome_of(code, skips_by):
    if code is None:
        return "too slow"
    return "ok" if code in (0, skips_by) else "crashed" if code < 0 else "failed"


def finished(command, folder, variables, timeout, output=subprocess.DEVNULL):
    """Runs a command to its end, or `timeout` seconds: its exit code or None, its output, and the seconds it took."""
    began = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, env={**os.environ, **variables}, start_new_session=True,
                               stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.DEVNULL)
    try:
        told = process.communicate(timeout=timeout)[0]
        code = process.returncode
    except subprocess.TimeoutExpired:
        code = None
    try:  # and what it started
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    if code is None:
        told = process.communicate()[0]
    return code, told or b"", time.monotonic() - began


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
