#!/usr/bin/env python3
"""Looks at the built programs as they are: position independent, relocations read-only and bound at the start, no
executable stack, stack protector, stack clash protection and fortified calls; that they load exactly what docs/libraries.md
lists; and, given the compile commands, that all of the programs' sources are compiled with _FORTIFY_SOURCE (of which few have
a call that shows it).

usage: hardening.py BIN_FOLDER [COMPILE_COMMANDS]
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "packaging"))
from inventory import inventory, loaded_by, readelf, without_version  # noqa: E402  (its folder is known only now)

PROGRAMS = ["elbowroomd", "elbowroom-scheduler", "elbowroom-rescheduler", "elbowroom"]
# A page of stack is touched before the next is taken: what GCC and clang write for it on amd64 and arm64.
STACK_CLASH = re.compile(r"\bsub +\$0x1000,%rsp|\bsub\s+sp, sp, #0x10, lsl #12|\bsub +\$0x1000,%r11")


def touches_its_stack(program):
    """Reads the code no further than to the first place that does."""
    with subprocess.Popen(["objdump", "-d", "--no-show-raw-insn", program], stdout=subprocess.PIPE, text=True) as code:
        found = any(STACK_CLASH.search(line) for line in code.stdout)
        code.kill()
    return found


def soft(program):
    """What the program lacks."""
    header, segments, dynamic = (readelf(option, program) for option in ("-h", "-l", "-d"))
    symbols = readelf("--dyn-syms", program)
    facts = {
        "position independent": "DYN" in re.search(r"Type:.*", header)[0] and re.search(r"Flags:.*\bPIE\b", dynamic),
        "relocations read-only (RELRO)": "GNU_RELRO" in segments,
        "all bound at the start (NOW)": re.search(r"BIND_NOW|Flags:.*\bNOW\b", dynamic),
        "no executable stack": re.search(r"GNU_STACK\s.*\sRW\s", segments),
        "no segment that is written and run": not re.search(r"LOAD\s.*\sRWE\s", segments),
        "stack protector": "__stack_chk_fail" in symbols,
        "fortified": re.search(r"\b__(?!stack_)\w+_chk\b", symbols),
        "stack clash protection": touches_its_stack(program),
        "no folder to search for libraries": not re.search(r"R(?:UN)?PATH", dynamic)}
    return [what for what, holds in facts.items() if not holds]


def unfortified(commands):
    """The programs' sources that are compiled without; generated ones are the library's matter."""
    others = re.compile(r"/(generated|test|with_bugs|\w+_test\.dir|fault_history\.dir)/")
    own = [each for each in json.loads(commands.read_text()) if not others.search(each["file"].removeprefix(str(ROOT)))]
    return [each["file"] for each in own if "-D_FORTIFY_SOURCE=3" not in each["command"]] if own else ["no source at all"]


def main():
    folder = pathlib.Path(sys.argv[1])
    wrong, loaded = [], set()
    for name in PROGRAMS:
        wrong += [f"{name}: not {what}" for what in soft(folder / name)]
        needed = {without_version(each) for each in loaded_by(folder / name)}
        wrong += [f"{name}: loads {each}: say in docs/libraries.md what for" for each in needed - set(inventory()["loaded"])]
        loaded |= needed
    optional = {"libssl.so", "libz.so", "libm.so", "ld-linux-x86-64.so", "ld-linux-aarch64.so"}  # as the linker finds it
    wrong += [f"docs/libraries.md: nothing loads {each}" for each in set(inventory()["loaded"]) - loaded - optional]
    if len(sys.argv) > 2:
        wrong += [f"{each}: without _FORTIFY_SOURCE" for each in unfortified(pathlib.Path(sys.argv[2]))][:5]
    print("\n".join(wrong) or f"hardening: {len(PROGRAMS)} programs, {len(loaded)} libraries")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
