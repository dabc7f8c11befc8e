"""How tests wait for what other processes do."""
import time

PATIENCE = 60  # seconds that anything may take


def until(holds, what):
    """Waits for what another process does, which has no other way to tell."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"not in the test's time: {what()}")
        time.sleep(0.01)
