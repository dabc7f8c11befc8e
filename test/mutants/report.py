"""What a run found, as a table and as JSON."""

import collections
import json

import reasons as reasons_of

GOAL = 0.9  # of the mutants die


class Report:
    def __init__(self, numbered, verdicts, reasons, stale):
        self.numbered = numbered
        self.verdicts = verdicts
        self.reasons = reasons
        self.stale = stale
        self.survivors = [each for each in verdicts if not each.killed_by]
        self.unexplained = [each for each in self.survivors if numbered[each.number].key not in reasons]
        self.killed = len(verdicts) - len(self.survivors)

    @property
    def is_good(self):
        return self.killed >= GOAL * len(self.verdicts) and not self.unexplained and not self.stale

    def lines(self):
        yield from self.table()
        for verdict in self.survivors:
            mutant = self.numbered[verdict.number]
            yield f"\nsurvivor {mutant.path}:{mutant.line}: {verdict.outcome} ({verdict.ran} of {verdict.reached_by} tests ran)"
            yield reasons_of.record(mutant)
            yield f"  because: {self.reasons.get(mutant.key, '')}"
        for key in self.stale:
            yield f"\nno mutant any more, take its reason out: {' | '.join(key)}"
        share = 100 * self.killed / max(1, len(self.verdicts))
        yield (f"\nmutants: {self.killed} of {len(self.verdicts)} die ({share:.1f} %, goal {100 * GOAL:.0f}); "
               f"{len(self.survivors)} survive, {len(self.unexplained)} of them without a reason")

    def table(self):
        yield f"{'folder':<24}{'kind':<12}{'mutants':>8}{'die':>6}"
        counts = collections.Counter()
        for verdict in self.verdicts:
            mutant = self.numbered[verdict.number]
            for row in ((mutant.path.split("/")[0], "all"), ("all", mutant.kind)):
                counts[row, "all"] += 1
                counts[row, "die"] += verdict.killed_by != ""
        for row in sorted({row for row, _ in counts}, key=lambda each: (each[0] == "all", each)):
            yield f"{row[0]:<24}{row[1]:<12}{counts[row, 'all']:>8}{counts[row, 'die']:>6}"

    def json(self, **more):
        def told(verdict):
            mutant = self.numbered[verdict.number]
            return {"file": mutant.path, "line": mutant.line, "function": mutant.function, "kind": mutant.kind,
                    "original": mutant.original, "changed": mutant.changed, "killed_by": verdict.killed_by,
                    "outcome": verdict.outcome, "tests_reach": verdict.reached_by, "tests_ran": verdict.ran,
                    "seconds": round(verdict.seconds, 2), "because": self.reasons.get(mutant.key, "")}
        return json.dumps({**more, "mutants": len(self.verdicts), "killed": self.killed,
                           "survivors": [told(each) for each in self.survivors],
                           "dead": [told(each) for each in self.verdicts if each.killed_by]}, indent=1)
