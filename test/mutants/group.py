"""Quick tests of one program, which run in one process: most of a quick test's time is the start of its program."""

import dataclasses
import re
import subprocess

import entry

QUICK = 0.5  # seconds
BEGUN = re.compile(rb"^\[ RUN      \] (\S+)", re.M)


@dataclasses.dataclass(frozen=True)
class Group:
    reaches: tuple  # of reach.Reach
    seconds: float

    def fails(self, variables, timeout):
        """The first test that fails, or None; and the seconds it took."""
        command = self.reaches[0].entry.command
        cases = ":".join(each.entry.case for each in self.reaches)
        words = [word for word in command if not word.startswith(entry.FILTER)]
        code, told, took = entry.finished([*words, entry.FILTER + cases, "--gtest_fail_fast"], self.reaches[0].entry.folder,
                                          variables, timeout, subprocess.PIPE)
        if code == 0:
            return None, took
        # With --gtest_fail_fast, and where the process ends or hangs, the last that began.
        last = [name.decode() for name in BEGUN.findall(told)][-1:]
        failed = [each for each in self.reaches if [each.entry.case] == last]
        return (failed or self.reaches)[0], took


def grouped(reaches, apart):
    """The groups of the quick tests, and the rest, of which each test is alone. Programs in `apart` have no groups."""
    by_program, alone = {}, []
    for reach in reaches:
        program = reach.entry.command[0]
        if reach.entry.case and reach.seconds < QUICK and program not in apart:
            by_program.setdefault(program, []).append(reach)
        else:
            alone.append(reach)
    groups = [Group(tuple(some), sum(each.seconds for each in some)) for some in by_program.values()]
    return sorted(groups, key=lambda each: each.seconds), sorted(alone, key=lambda each: each.seconds)


def apart(reaches):
    """The programs whose quick tests fail in one process without any mutant."""
    groups, _ = grouped(reaches, ())
    return {each.reaches[0].entry.command[0] for each in groups if each.fails({}, 300)[0]}
