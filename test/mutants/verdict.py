"""Whether the tests see a mutant."""

import dataclasses
import threading
from concurrent.futures import ThreadPoolExecutor

SHORTEST = 10.0  # seconds until a test is too slow


@dataclasses.dataclass(frozen=True)
class Verdict:
    number: int
    killed_by: str  # the test, or "" for a survivor
    outcome: str  # of that test; for a survivor why it is one
    reached_by: int  # tests
    ran: int  # tests
    seconds: float


def judged(numbered, reaches, budget, jobs, tell):
    """A verdict on each mutant of `numbered`; at most `budget` seconds of tests for one. `tell` gets each as it falls."""
    lock = threading.Lock()

    def judge(number):
        verdict = verdict_on(number, [reach for reach in reaches if number in reach.numbers], budget)
        with lock:
            tell(verdict)
        return verdict

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(judge, numbered))


def verdict_on(number, reaches, budget):
    ran, spent = 0, 0.0
    for reach in sorted(reaches, key=lambda each: each.seconds):
        if ran > 0 and spent + reach.seconds > budget:
            return Verdict(number, "", f"the budget of {budget:.0f} s is spent", len(reaches), ran, spent)
        outcome, took = run_twice(reach, {"ELBOWROOM_MUTANT": str(number)})
        ran, spent = ran + 1, spent + took
        if outcome != "ok":
            return Verdict(number, reach.entry.name, outcome, len(reaches), ran, spent)
    return Verdict(number, "", "no test fails" if reaches else "reached by no test", len(reaches), ran, spent)


def run_twice(reach, variables):
    """The outcome, and the seconds. What fails has to fail once more: on a busy machine a test may fail by itself."""
    limit = max(SHORTEST, 5 * reach.seconds)
    outcome, took = reach.entry.run(variables, limit)
    if outcome in ("ok", "too slow"):
        return outcome, took
    again, more = reach.entry.run(variables, limit)
    return again, took + more
