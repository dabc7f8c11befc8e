#!/usr/bin/env python3
"""Mutates the toy beside it: what its tests see dies, and what they do not see survives."""

import dataclasses
import pathlib
import re
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
TOY = HERE / "toy"
SKIPPED = 77

try:
    from sites import mutants_of
except ImportError:
    print("skipped: python3-clang-19 is not installed")
    sys.exit(SKIPPED)

import entry
import group
import reach
import reasons
import report
import sample
import verdict
from mutant import drawn, with_switches
from tree import Tree

SOURCE = "policy/toy.cpp"


def possible():
    return mutants_of(TOY, SOURCE, ["-std=c++23", f"-I{TOY}"])


def changes(mutants):
    return {(each.function, f"{each.original} -> {each.changed}") for each in mutants}


class Sites(unittest.TestCase):
    def test_each_kind_is_found(self):
        found = changes(possible())
        for one in [("capped", "value > cap -> value <= cap"), ("capped", "value > cap -> value >= cap"),
                    ("between", "low <= value && value < high -> low <= value"),
                    ("between", "low <= value && value < high -> value < high"), ("add", "values.push_back(value) -> nothing"),
                    ("unused", "-value -> value"), ("forever", "value -= 1 -> value += 1"), ("forever", "1 -> 1 + 1")]:
            self.assertIn(one, found)

    def test_what_cannot_change_at_run_time_is_left_alone(self):
        found = changes(possible())
        self.assertFalse([each for each in found if each[0] in ("four", "since") or "1 < 2" in each[1] or "reserve" in each[1]], found)

    def test_the_same_are_drawn_wherever_the_lines_are(self):
        first = [each.key for each in drawn(possible(), "1")]
        self.assertEqual(first, [each.key for each in drawn(reversed(possible()), "1")])
        self.assertNotEqual(first, [each.key for each in drawn(possible(), "2")])

    def test_lines_keep_their_numbers(self):
        text = (TOY / SOURCE).read_bytes()
        changed = with_switches(text, dict(enumerate(possible())))
        self.assertEqual(changed.count(b"\n"), text.count(b"\n") + 2)
        self.assertEqual(changed.count(b"mutants::on("), len(possible()))


class Entries(unittest.TestCase):
    def test_what_does_not_end_is_too_slow(self):
        for skips_by in (None, SKIPPED):
            endless = entry.Entry("endless", ("sleep", "60"), ".", skips_by, 300.0, "")
            self.assertEqual(endless.run({}, 0.1)[0], "too slow")


class Run(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        copy = pathlib.Path(cls.folder.name).resolve()
        tree = Tree(TOY, copy, 2)
        tree.take_sources()
        tree.configure()
        mutants = possible()
        cls.numbered, cls.refused = sample.built(tree, drawn(mutants, "1"), len(mutants), ["toy_test"],
                                                  copy / "refused.json")
        entries = entry.listed(tree.build, ("toy_test",), re.compile("^no such test$"))
        cls.names = [each.name for each in entries]
        cls.reaches = reach.recorded(entries, len(mutants), copy, 2)
        cls.told = []
        verdict.SHORTEST = 1
        cls.verdicts = verdict.judged(cls.numbered, cls.reaches, group.apart(cls.reaches), 60, 2, cls.told.append)
        cls.by_change = {f"{cls.numbered[each.number].function}: {cls.numbered[each.number].original} -> "
                         f"{cls.numbered[each.number].changed}": each for each in cls.verdicts}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_entries_are_chosen_by_label(self):
        self.assertEqual(sorted(self.names), ["add", "between", "capped", "forever", "skipped"])

    def test_what_a_test_sees_dies_by_it(self):
        for change, by in [("capped: value > cap -> value <= cap", "capped"),
                           ("between: value < high -> value <= high", "between"),
                           ("between: low <= value && value < high -> low <= value", "between"),
                           ("add: values.push_back(value) -> nothing", "add")]:
            self.assertEqual(self.by_change[change].killed_by, by, change)

    def test_what_no_test_sees_survives(self):
        self.assertEqual(self.by_change["capped: value > cap -> value >= cap"].outcome, "no test fails")
        self.assertEqual(self.by_change["unused: -value -> value"].outcome, "reached by no test")

    def test_what_does_not_end_dies(self):
        self.assertEqual(self.by_change["forever: value > 0 -> value >= 0"].killed_by, "forever")

    def test_every_mutant_gets_one_verdict(self):
        self.assertEqual(sorted(each.number for each in self.told), sorted(self.numbered))

    def test_quick_tests_of_a_program_run_in_one_process(self):
        groups, alone = group.grouped(self.reaches, ())
        self.assertEqual([[each.entry.case for each in one.reaches] for one in groups], [["capped", "between", "add", "forever"]])
        self.assertEqual([each.entry.name for each in alone], ["skipped"])
        program = groups[0].reaches[0].entry.command[0]
        self.assertEqual(group.grouped(self.reaches, {program})[0], [])
        self.assertEqual(group.apart(self.reaches), set())
        unknown = dataclasses.replace(self.reaches[0].entry, command=(program, "--gtest_filter=unknown"))
        broken = [*self.reaches, dataclasses.replace(self.reaches[0], entry=unknown)]
        self.assertEqual(group.apart(broken), {program})

    def test_a_test_that_fails_only_beside_others_kills_nothing(self):
        number = next(number for number, each in self.numbered.items() if each.changed == "value >= cap")
        broken = dataclasses.replace(self.reaches[0].entry, command=(self.reaches[0].entry.command[0], "--gtest_filter=unknown"))
        reaches = [dataclasses.replace(each, numbers=frozenset({number})) for each in self.reaches]
        trial = verdict.Trial(number, reaches, 60)
        trial.outcome = lambda reach: "ok"
        reaches.append(dataclasses.replace(reaches[0], entry=broken))
        self.assertEqual(trial.verdict(set()).killed_by, "")

    def test_what_does_not_compile_is_left_out(self):
        self.assertEqual(changes(possible()) - changes(self.numbered.values()),
                         {("both", "a + b -> a - b"), ("both", "a + b -> a")})  # the second shares its line with the first
        self.assertEqual(self.refused, 2)

    def test_a_survivor_needs_a_reason(self):
        survivors = [self.numbered[each.number] for each in self.verdicts if not each.killed_by]
        text = "# words\n\n" + "\n\n".join(reasons.record(each) + "\n  because: it is a toy" for each in survivors)
        path = pathlib.Path(self.folder.name) / "survivors.txt"
        path.write_text(text)
        known = reasons.read(path)
        self.assertEqual(reasons.stale(known, possible()), [])
        self.assertEqual(report.Report(self.numbered, self.verdicts, known, []).unexplained, [])
        del known[survivors[0].key]
        found = report.Report(self.numbered, self.verdicts, known, [])
        self.assertEqual([self.numbered[each.number].key for each in found.unexplained],
                         [each.key for each in survivors if each.key == survivors[0].key])
        self.assertFalse(found.is_good)
        self.assertEqual(reasons.stale({("gone.cpp", "f", "x", "a -> b"): "words"}, possible()), [("gone.cpp", "f", "x", "a -> b")])


if __name__ == "__main__":
    unittest.main()
