"""What is mutated, and which tests judge it."""

import re

# The decisions and what the reactors are made of: no threads, no wire, no files, no programs, no words for people.
FOLDERS = ("policy", "cluster", "agent", "scheduler", "rescheduler")
LEFT_OUT = re.compile(r"^(?:agent|scheduler|rescheduler)/(?:recording/|program/|worker/|webhook/(?!review)|"
                      r"checkpoint/(?!later_allocation)|breaker/circuit_breaker_store|"
                      r"(?:main|config|wire|explain|status|log_lines|metric_families|\w+_metrics)\.cpp)")

# Labels of ctest. What compiles bugs of its own is not among them, nor what needs real parts.
LABELS = ("policy_test", "table_test", "property_test", "cluster_test", "agent_test", "scheduler_test", "rescheduler_test",
          "scenario", "recording", "simulation_test", "moves_test")
# What judges none: growth is measured by a clock, and of histories that differ by their seed the first is enough.
NO_JUDGES = re.compile(r"ManyPods\.|ManyTaints\.|^Seeds/.*/[1-9]\d*$")
TARGETS = tuple(label for label in LABELS if label.endswith("_test")) + ("elbowroom", "elbowroomd")


def sources(root):
    """The paths of the sources that are mutated."""
    found = sorted(str(path.relative_to(root)) for folder in FOLDERS for path in (root / folder).glob("**/*.cpp"))
    return [path for path in found if not LEFT_OUT.match(path)]
