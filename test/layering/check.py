#!/usr/bin/env python3
"""Checks which folder includes which, and that policy/ stays pure. `check.py ROOT` prints one line per offence
and exits 1 if there is any. What is allowed is in the tables here: changing one is a design decision."""

import pathlib
import re
import sys

# Folder: the folders it may include besides itself. The same arrows are the links in CMakeLists.txt.
MAY_INCLUDE = {
    "base": "",
    "policy": "",
    "api": "policy base",
    "cri": "policy base",
    "page": "api policy base",
    "daemon": "base",
    "recording": "daemon api policy base",
    "control": "recording daemon page api policy base",
    "cluster": "control recording page api policy base",
    "agent": "control recording daemon page api cri policy base",
    "scheduler": "control recording cluster daemon page api policy base",
    "rescheduler": "control recording cluster daemon page api policy base",
    "lab": "scheduler cluster agent control recording daemon api cri policy base",
    "cli": "lab rescheduler scheduler cluster agent control recording daemon api cri policy base",
}

# Folder: its sub-folders, one level of them, and what each may include of its folder besides itself ("*": any).
SUBFOLDERS = {
    "policy": {"model": "", "resize": "model preemption", "preemption": "model resize", "placement": "model preemption",
               "ledger": "model preemption", "moves": "model preemption placement ledger",
               "overview": "model preemption resize ledger"},
    "api": {"codec": "", "transport": "codec", "watch": "codec transport", "write": "codec transport watch"},
    "daemon": {"http": "*", "https": "*", "log": "*", "metrics": "*", "config": "*", "program": "*"},
    "agent": {"checkpoint": "", "write": "checkpoint", "worker": "write", "recording": "worker",
              "program": "checkpoint write worker recording"},
    "scheduler": {
        "waiting": "*", "breaker": "waiting", "removal": "*", "placing": "*", "resizing": "*", "recording": "*",
    },
    "rescheduler": {"recording": "*", "moving": "*", "removal": "*", "webhook": "*"},
    "lab": {"world": "*", "schema": "*", "apiserver": "*", "node": "*", "virtual": "*", "controllers": "world"},
    "cli": {"completion": "*", "doctor": "*", "dump": "*", "evict": "*", "input": "*", "lab": "*", "output": "*", "preview": "*",
            "scenario": "*", "status": "*", "top": "*", "uninstall": "*"},
}

# Library: the folders that may include it. So the rest of the code sees our values, not the library's.
LIBRARIES = {
    "curl/": "api",
    "nghttp2/": "api",
    "openssl/": "api daemon lab",
    "yaml-cpp/": "base",
    "grpc": "cri lab",
    "google/protobuf/": "cri lab",
    "spdlog/": "daemon agent scheduler lab cli",
    "fmt/": "daemon agent scheduler lab cli",
    "prometheus/": "daemon agent scheduler lab",
    "httplib.h": "lab",
    "CLI/": "daemon agent cli",
    "systemd/": "base cri daemon",
    "curses.h": "cli",
}

# The only parts of the standard library that a decision needs.
POLICY_HEADERS = """algorithm array bit cassert charconv chrono climits compare concepts cstddef cstdint
cstring functional initializer_list iterator limits map numeric optional ranges set span string string_view
tuple type_traits utility variant vector""".split()

# Pattern in the code (not in comments or strings) of policy/: what it breaks.
POLICY_IMPURE = {
    r"\bnow\s*\(": "reads a clock: let the time arrive as an argument",
    r"\b(?:system|steady|high_resolution|utc)_clock\b": "names a clock: let the time arrive as a value",
    r"\b(?:std::)?(?:jthread|thread|mutex|atomic|condition_variable|future|thread_local)\b": "knows threads",
    r"\b(?:s?rand|random_device|mt19937(?:_64)?)\b": "is random",
    r"\bunordered_\w+": "an unordered container: its order differs from run to run",
    r"\b(?:float|double)\b": "floating point: use integers and name the rounding",
    r"\b(?:cout|cerr|clog|printf|fprintf|fopen|getenv|spdlog)\b": "does I/O",
    r"\b(?:Result|std::expected)\s*<": "a decision cannot fail: take validated values",
    r"\b(?:throw|try|catch)\b": "a decision cannot fail: take validated values",
    r"\bstd::(?:multi)?(?:map|set)\s*<\s*(?:const\s+)?[\w:]+(?:\s+const)?\s*\*": "ordered by pointer: order by name",
    r"\bstd::hash\b": "hashes differ between machines: order by name",
    r"\blocale\b": "depends on the locale",
    r"\b(?:shared_ptr|unique_ptr|new|delete)\b(?!\s*;)": "owns something: policy is values",
}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
NOT_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<d>[^\s()\\]{0,16})\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Za-z_])\'(?:\\.|[^\'\\\n])+\'', re.S)


def code_only(text):
    """The text with comments and literals blanked, line numbers kept."""
    return NOT_CODE.sub(lambda m: "\n" * m.group().count("\n") or " ", text)


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def include_offences(folder, text):
    allowed = set(MAY_INCLUDE[folder].split()) | {folder}
    for found in INCLUDE.finditer(text):
        bracket, name = found.groups()
        line = line_of(text, found.start(1))
        target = name.split("/")[0]
        if bracket == '"' or target in MAY_INCLUDE:
            if "/" not in name or ".." in name.split("/"):
                yield line, f'"{name}": write includes from the root, as "{folder}/noun.h"'
            elif target not in MAY_INCLUDE:
                yield line, f'"{name}": there is no folder {target}/'
            elif target not in allowed:
                yield line, f'"{name}": {folder}/ may include only {", ".join(sorted(allowed))}'
        else:
            for library, folders in LIBRARIES.items():
                if name.startswith(library) and folder not in folders.split():
                    yield line, f"<{name}>: only {folders} may include {library}; wrap it in a header of ours there"
            if folder == "policy" and name not in POLICY_HEADERS:
                yield line, f"<{name}>: not among the headers a decision needs (policy is pure)"


def place_offences(name, text):
    """What is wrong with where a source lies, and with what it includes of its own folder."""
    folder, *between, _ = name.split("/")
    known = SUBFOLDERS.get(folder, {})
    if len(between) > 1 or (between and between[0] not in known):
        yield 0, f"{folder}/ has one level of sub-folders: {', '.join(sorted(known)) or 'none'}"
    elif between and known[between[0]] != "*":
        allowed = set(known[between[0]].split()) | {between[0]}
        for found in INCLUDE.finditer(text):
            words = found.group(2).split("/")
            if words[0] == folder and len(words) == 3 and words[1] not in allowed:
                yield (line_of(text, found.start(1)),
                       f'"{found.group(2)}": {folder}/{between[0]}/ may include of {folder}/ only {", ".join(sorted(allowed))}')


def purity_offences(text):
    code = code_only(text)
    for pattern, why in POLICY_IMPURE.items():
        for found in re.finditer(pattern, code):
            if found.group() == "delete" and re.search(r"=\s*$", code[: found.start()]):
                continue  # a deleted function
            yield line_of(code, found.start()), f"{found.group().strip()}: {why}"


def offences(root):
    """Sorted "path:line: what and what to do" of all sources below the root's known folders."""
    found = []
    for folder in MAY_INCLUDE:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".cpp", ".h") or not path.is_file():
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
            name = path.relative_to(root).as_posix()
            found += [(name, line, what) for line, what in include_offences(folder, text)]
            found += [(name, line, what) for line, what in place_offences(name, text)]
            if folder == "policy":
                found += [(name, line, what) for line, what in purity_offences(text)]
    return [f"{name}:{line}: {what}" for name, line, what in sorted(found)]


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check.py ROOT")
    found = offences(pathlib.Path(sys.argv[1]).resolve())
    print("\n".join(found) if found else "layering: ok")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
