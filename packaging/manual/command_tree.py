"""A program's commands, options and values as its own --help tells them. Manual pages are written from this, so they cannot
know an option that the program does not have, or lack one that it has."""
import dataclasses
import re
import subprocess

# "  -o,--output FORMAT             json or yaml": the help begins here, or on a line of its own where the rest is too long.
HELP_COLUMN = 30


@dataclasses.dataclass
class Option:
    flags: list  # ["-o", "--output"]; a positional's only name
    value: str = ""  # "FORMAT"; "" for a switch, and for a daemon's options, which all take one
    choices: list = dataclasses.field(default_factory=list)
    help: str = ""

    @property
    def is_file(self):
        names_files = {"-f", "--kubeconfig", "--kubeconfig-out", "--runtime-dir", "--config", "--record"}
        return bool(names_files & set(self.flags)) or bool(re.search(r"FILE|DIR|SCENARIO", self.value))


@dataclasses.dataclass
class Command:
    path: list  # ["elbowroom", "simulate", "resize"]
    about: str = ""
    positionals: list = dataclasses.field(default_factory=list)
    options: list = dataclasses.field(default_factory=list)
    footer: str = ""
    commands: list = dataclasses.field(default_factory=list)

    def all(self):
        """This command and those below it, in the order of the help."""
        return [self] + [each for below in self.commands for each in below.all()]


def split_option(left, is_positional):
    words = left.split()
    flags = words[0].split(",") if not is_positional else [words[0]]
    rest = " ".join(word for word in words[1:] if word not in ("REQUIRED", "..."))
    choices = re.search(r":\{([^}]*)\}", rest)
    value = re.sub(r":(?:\{.*\}|INT in .*)$", "", rest)
    return Option(flags, value, choices[1].split(",") if choices else [])


def entries(lines):
    """(left, help) of a section."""
    margin = " " * HELP_COLUMN
    found = []
    for line, following in zip(lines, lines[1:] + [""]):
        if line.startswith(margin):
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}".strip())
        elif following.startswith(margin):
            found.append((line.strip(), ""))
        else:
            found.append((line[:HELP_COLUMN].strip(), line[HELP_COLUMN:].strip()))
    return found


def parse(path, text):
    """(the command, the names of the commands below it)"""
    command, below, section, footer = Command(path), [], "about", []
    sections = {"Positionals:": "positionals", "Options:": "options", "Subcommands:": "commands"}
    lines = {name: [] for name in ("positionals", "options", "commands")}
    for line in text.splitlines():
        if line in sections:
            section = sections[line]
        elif section == "about":
            if not line.startswith("Usage:") and line.strip():
                command.about = line.strip()
        elif section in lines and line.strip() == "":
            section = "between"
        elif section in lines:
            lines[section].append(line)
        else:
            footer.append(line)
    command.footer = "\n".join(footer).strip("\n")
    for part, is_positional in (("positionals", True), ("options", False)):
        for left, told in entries(lines[part]):
            option = split_option(left, is_positional)
            option.help = told
            getattr(command, part).append(option)
    below = [left for left, _ in entries(lines["commands"])]
    return command, below


def told(program, words):
    done = subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True, timeout=30)
    return done.stdout


def command_tree(program, name, words=()):
    """The command `name words...` of the program, and all below it."""
    command, below = parse([name, *words], told(program, words))
    command.commands = [command_tree(program, name, (*words, word)) for word in below]
    return command
