"""checks: what a suite with real parts saw and did not see. A line is printed
for each thing when it is settled, and a suite that misses one thing continues and fails at the end."""
import sys
import time

PATIENCE = 60.0  # for what must come; nothing that is right waits so long
EVERY = 0.03

_missed = []
_seen = [0]


def check(holds, what, more=""):
    """One thing that is so now, or is not."""
    if holds:
        _seen[0] += 1
    else:
        _missed.append(what)
    print(f"{'ok    ' if holds else 'FAIL  '} {what}" + (f": {more}" if more and not holds else ""), flush=True)
    return bool(holds)


def note(text):
    print("       " + text, flush=True)


def title(text):
    print(f"e2e cluster: {text}", flush=True)


def wait(holds, patience=PATIENCE):
    """What `holds` answered when it was true, else its last answer. An answer that cannot be had counts as no."""
    end = time.monotonic() + patience
    while True:
        try:
            answer = holds()
        except OSError:
            answer = None
        if answer or time.monotonic() >= end:
            return answer
        time.sleep(EVERY)


def sees(what, holds, patience=PATIENCE, more=lambda: ""):
    """One thing that comes true within `patience`."""
    answer = wait(holds, patience)
    check(answer, what, "" if answer else str(more()))
    return answer


def stays(what, holds, seconds):
    """One thing that is so all the time for so long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not holds():
            return check(False, what)
        time.sleep(EVERY)
    return check(True, what)


def missed():
    """What was not seen so far."""
    return list(_missed)


def conclude():
    """The suite's last line and exit status."""
    if _missed:
        print(f"{len(_missed)} of {_seen[0] + len(_missed)} things were not seen", flush=True)
        sys.exit(1)
    print(f"all {_seen[0]} things were seen", flush=True)
    sys.exit(0)
