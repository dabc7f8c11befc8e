"""Whether the tests see a mutant."""

import dataclasses
import threading
from concurrent.futures import ThreadPoolExecutor

from group import grouped

SHORTEST = 10.0  # seconds until a test is too slow


@dataclasses.dataclass(frozen=True)
class Verdict:
    number: int
    killed_by: str  # the test, or "" for a survivor
    outcome: str  # of that test; for a survivor why it is one
    reached_by: int  # tests
    ran: int  # tests
    seconds: float


def judged(numbered, reaches, apart, budget, jobs, tell):
    """A verdict on each mutant of `numbered`; at most `budget` seconds of tests for one, and no groups of the programs in `apart`.
    `tell` gets each verdict as it falls."""
    lock = threading.Lock()

    def judge(number):
        reaching = [reach for reach in reaches if number in reach.numbers]
        verdict = Trial(number, reaching, budget).verdict(apart)
        with lock:
            tell(verdict)
        return verdict

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(judge, numbered))


class Trial:
    """The tests that reach one mutant, run until one fails."""

    def __init__(self, number, reaches, budget):
        self.number = number
        self.variables = {"ELBOWROOM_MUTANT": str(number)}
        self.reaches = reaches
        self.budget = budget
        self.ran, self.spent = 0, 0.0

    def verdict(self, apart):
        groups, alone = grouped(self.reaches, apart)
        for group in groups:
            failed, took = group.fails(self.variables, limit(group.seconds))
            if failed is None:
                self.ran, self.spent = self.ran + len(group.reaches), self.spent + took
            elif found := self.first_failure((failed, *group.reaches)):  # it has to fail alone too
                return found
        if found := self.first_failure(alone):
            return found
        return self.told("", "no test fails" if self.reaches else "reached by no test")

    def first_failure(self, reaches):
        for reach in reaches:
            if self.spent + reach.seconds > self.budget and self.ran > 0:
                return self.told("", f"the budget of {self.budget:.0f} s is spent")
            outcome = self.outcome(reach)
            if outcome != "ok":
                return self.told(reach.entry.name, outcome)
        return None

    def outcome(self, reach):
        """What fails has to fail once more: on a busy machine a test may fail by itself."""
        for _ in range(2):
            outcome, took = reach.entry.run(self.variables, limit(reach.seconds))
            self.ran, self.spent = self.ran + 1, self.spent + took
            if outcome in ("ok", "too slow"):
                break
        return outcome

    def told(self, killed_by, outcome):
        return Verdict(self.number, killed_by, outcome, len(self.reaches), self.ran, self.spent)


def limit(seconds):
    return max(SHORTEST, 5 * seconds)
