#!/usr/bin/env python3
"""Shows the comparison with the record what it must tell, and what it must leave alone."""

import json
import pathlib
import unittest

import comparison

MACHINE = {"cores": 2, "cpu": "some"}


def result(name, value, unit="ms", goal=None, at_least=False):
    ok = goal is None or (value >= goal if at_least else value <= goal)
    return {"name": name, "value": value, "unit": unit, "goal": goal, "at_least": at_least, "ok": ok}


def record(**figures):
    return {"machine": MACHINE, "figures": {name: {"value": value, "unit": "ms"} for name, value in figures.items()}}


class Comparison(unittest.TestCase):
    def test_worse_is_more_than_a_quarter(self):
        for before, now, at_least, is_worse in [
            (100, 125, False, False), (100, 125.1, False, True), (100, 10, False, False),
            (125, 100, True, False), (125.1, 100, True, True), (100, 1000, True, False),
            (0, 0, False, False), (0, 1, False, True), (0, 0, True, False), (1, 0, True, True),
        ]:
            with self.subTest(before=before, now=now, at_least=at_least):
                found = comparison.worse(record(a=before), [result("a", now, at_least=at_least)])
                self.assertEqual(found, [("a", before, now, "ms")] if is_worse else [])

    def test_another_unit_is_not_compared(self):
        self.assertEqual(comparison.worse(record(a=1), [result("a", 1000, "us")]), [])
        self.assertEqual(comparison.unknown(record(a=1), [result("a", 1000, "us")]), (["a"], []))

    def test_what_is_on_one_side_only_is_told(self):
        lines = comparison.summary(record(a=1, gone=2), MACHINE, [result("a", 1), result("fresh", 1)])
        self.assertEqual(lines, ["no goal missed", "nothing is worse than on record by more than a quarter",
                                 "not on record: fresh", "on record and not measured: gone"])

    def test_a_run_ends_with_what_was_missed_and_what_got_worse(self):
        lines = comparison.summary(record(explain=30, rate=200), {"cores": 8},
                                   [result("explain", 1030, goal=50), result("rate", 117, goal=200, at_least=True)])
        self.assertEqual(lines, ["goals missed:", "  explain: 1030 ms, goal 50", "  rate: 117 ms, goal at least 200",
                                 "the record is of another machine (cores 2, cpu some): compared all the same",
                                 "worse than on record by more than a quarter:", "  explain: 1030 ms, was 30",
                                 "  rate: 117 ms, was 200"])

    def test_without_a_record_it_says_how_to_make_one(self):
        self.assertIn("./dev bench record", comparison.summary(None, MACHINE, [])[-1])

    def test_a_record_is_sorted_and_compares_with_itself(self):
        results = [result("b", 2), result("a", 1)]
        kept = json.loads(json.dumps(comparison.record_of(MACHINE, results)))
        self.assertEqual(list(kept["figures"]), ["a", "b"])
        self.assertEqual(comparison.worse(kept, results), [])
        self.assertEqual(comparison.unknown(kept, results), ([], []))

    def test_the_record_in_the_repository_names_every_figure_that_has_a_goal(self):
        here = pathlib.Path(__file__).parent
        kept = json.loads((here / "last.json").read_text())
        goals = json.loads((here.parent / "goals.json").read_text())
        self.assertEqual(list(kept["figures"]), sorted(kept["figures"]))
        self.assertLessEqual(set(goals), set(kept["figures"]))


if __name__ == "__main__":
    unittest.main()
