#!/usr/bin/env python3
"""Writes the manual pages from the templates beside this file and what the programs say of themselves.

usage: write_pages.py BIN_FOLDER OUT_FOLDER
"""
import datetime
import os
import pathlib
import re
import subprocess
import sys

from command_tree import command_tree

HERE = pathlib.Path(__file__).resolve().parent
KEY = re.compile(r"^\| `(\w+)` \| (.*?) \| (.*?) \| (.*?) \| (.*?) \|$")


def roff(text):
    """The text as roff shows it, letter by letter."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("~", "\\(ti").replace("^", "\\(ha").replace("`", "\\(ga")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


def options(command, takes_values):
    shown = []
    for option in command.positionals + command.options:
        value = option.value
        if takes_values and option.flags[0] not in ("-h", "--version", "--check-config"):
            value = value or "VALUE"
        if option.choices:
            value = "|".join(option.choices)
        if option in command.positionals:
            left = "\\fI" + roff(option.value or option.flags[0]) + "\\fR"
        else:
            left = ", ".join("\\fB" + roff(flag) + "\\fR" for flag in option.flags)
            left += " \\fI" + roff(value) + "\\fR" if value and value != "TEXT" else " \\fIVALUE\\fR" if value else ""
        shown.append(f".TP\n{left}\n{roff(option.help)}")
    return "\n".join(shown)


def synopsis(command):
    words = " ".join(command.path)
    positionals = " ".join("\\fI" + roff(each.value or each.flags[0]) + "\\fR" for each in command.positionals)
    return f"\\fB{roff(words)}\\fR [\\fIoptions\\fR] {positionals}".strip()


def verbs(tree):
    """A subsection for each command that does something."""
    shown = []
    for command in tree.all()[1:]:
        if command.commands:
            continue
        part = [f".SS {roff(' '.join(command.path[1:]))}", roff(command.about[:1].upper() + command.about[1:]) + ".",
                ".PP", synopsis(command), options(command, False)]
        if command.footer:
            part += [".PP", ".nf", roff(command.footer), ".fi"]
        shown.append("\n".join(part))
    return "\n".join(shown)


def keys(reference, kind):
    """The rows of the table of that kind."""
    page = reference.split(f"# {kind}\n", 1)[1].split("\n# ", 1)[0]
    shown = []
    for name, holds, fallback, live, told in filter(None, (KEY.match(line) and KEY.match(line).groups()
                                                            for line in page.splitlines())):
        facts = [holds.replace("`", "")]
        if fallback:
            facts.append("default " + fallback.strip("`"))
        if live:
            facts.append("reloaded on SIGHUP")
        shown.append(f".TP\n\\fB{roff(name)}\\fR ({roff('; '.join(facts))})\n{roff(told[:1].upper() + told[1:])}.")
    return "\n".join(shown)


def filled(template, parts):
    for name, text in parts.items():
        template = template.replace(f"@{name}@\n", text + "\n").replace(f"@{name}@", text)
    left = re.findall(r"@[A-Z_]+@", template)
    if left:
        sys.exit(f"a template asks for {left[0]}, which nobody knows")
    return template


def date():
    """Of the sources, where the build says it; a page without one has none."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    return datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc).strftime("%Y-%m-%d") if epoch else ""


def main():
    programs, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    reference = subprocess.run([programs / "elbowroom", "reference", "configuration"], capture_output=True, text=True,
                               check=True, timeout=30).stdout
    tree = command_tree(programs / "elbowroom", "elbowroom")
    version = subprocess.run([programs / "elbowroom", "--version"], capture_output=True, text=True, check=True,
                             timeout=30).stdout.split()[-1]
    daemons = {name: command_tree(programs / name, name) for name in ("elbowroomd", "elbowroom-scheduler", "elbowroom-rescheduler")}
    parts = {
        "DATE": date(),
        "VERSION": version,
        "VERBS": verbs(tree),
        "AGENT_OPTIONS": options(daemons["elbowroomd"], True),
        "AGENT_VERBS": verbs(daemons["elbowroomd"]),
        "SCHEDULER_OPTIONS": options(daemons["elbowroom-scheduler"], True),
        "SCHEDULER_VERBS": verbs(daemons["elbowroom-scheduler"]),
        "RESCHEDULER_OPTIONS": options(daemons["elbowroom-rescheduler"], True),
        "RESCHEDULER_VERBS": verbs(daemons["elbowroom-rescheduler"]),
        "AGENT_KEYS": keys(reference, "AgentConfiguration"),
        "SCHEDULER_KEYS": keys(reference, "SchedulerConfiguration"),
        "RESCHEDULER_KEYS": keys(reference, "ReschedulerConfiguration")}
    for template in sorted(HERE.glob("*.in")):
        (out / template.stem).write_text(filled(template.read_text(), parts))


if __name__ == "__main__":
    main()
