#!/usr/bin/env python3
"""Which sources of one program or library may be compiled as one.

    unity_groups.py AT_MOST SOURCE...

prints "GROUP SOURCE" for each. Two sources share a group only where no name that one of them keeps to
itself (in an unnamed namespace) is a word of the other, other than a member's: then each means what it meant
alone. A name that both take from elsewhere (using policy::Pod) is one name where both take the same. Names of
headers that one includes and the other does not are left to the compiler.
"""
import functools
import re
import sys
from pathlib import Path

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
TEXT = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"', re.S)
UNNAMED = re.compile(r"^namespace \{$(.*?)^\}@unnamed@$", re.S | re.M)
# What a line at the margin declares: the name before its first bracket, equals sign or semicolon.
DECLARED = re.compile(r"^(?![\s#}])(?:[^(={;\n]*?)\b(\w+)\s*(?:\[[^]]*\])?\s*(?=[(={;]|:(?!:)|$)", re.M)
TYPE = re.compile(r"^(?:struct|class|enum class|enum|using|union) (\w+)\b(?!::)", re.M)
USED = re.compile(r"(?<![.>:\w])([A-Za-z_]\w*)\b")
# A name from elsewhere: using policy::Pod, or using Json = nlohmann::json.
BORROWED = re.compile(r"^using ((?:\w+::)+(\w+));|^using (\w+) = ([^;]+);", re.M)
OPENED = re.compile(r"^namespace ((?:\w+(?:::)?)+) \{", re.M)
NO_NAMES = {"const", "enum", "namespace", "noexcept", "override", "std", "chrono_literals", "string_literals",
            "TEST", "TEST_F", "TEST_P"}


def borrowed(code):
    """What each name stands for."""
    return {plain or name: path or " ".join(what.split()) for path, plain, name, what in BORROWED.findall(code)}


@functools.cache
def types_of_headers():
    """By name, what it stands for in each header that declares it."""
    types = {}
    root = Path(__file__).parent.parent
    for header in root.glob("[a-z]*/**/*.h"):
        if header.relative_to(root).parts[0].startswith("build"):
            continue
        code = COMMENT.sub("", header.read_text())
        opened = OPENED.search(code)
        known = borrowed(code)
        for name in TYPE.findall(code):
            types.setdefault(name, set()).add(known.get(name, f"{opened.group(1)}::{name}" if opened else name))
    return types


def is_only(name, meaning):
    """Whether no header means another thing by the name."""
    known = types_of_headers().get(name, set())
    if len(known) == 1 and meaning.endswith("::" + name):
        return True  # of that name there is one
    return all(each == meaning for each in known)


class Source:
    def __init__(self, path):
        self.path = path
        text = Path(path).read_text()
        marked = text.replace("}  // namespace\n", "}@unnamed@\n")
        code = TEXT.sub('""', COMMENT.sub("", marked))
        self.meant = set(USED.findall(code))
        self.own = set()
        self.borrowed = {}
        for part in UNNAMED.findall(code):
            self.own |= set(DECLARED.findall(part)) | set(TYPE.findall(part))
            self.borrowed |= borrowed(part)
        self.own -= NO_NAMES
        own_types = self.own - set(self.borrowed)
        for name, meaning in list(self.borrowed.items()):
            if not is_only(name, meaning) or own_types & set(re.findall(r"\w+", meaning)):
                del self.borrowed[name]
        self.own -= set(self.borrowed)
        # What api/ and base/ have to write a tree as text bears one name, and inside api/ both would be meant.
        self.writes_documents = "/api/" in path and '"base/document_text.h"' in text
        # GCC minds a type of the program that holds one of an unnamed namespace, unless it stands in the main source.
        holds_own = re.search(r"^(?:struct|class) (?:\w+::)+\w+ (?:final )?\{", code, re.M) is not None
        opens = re.search(r"^\s*#\s*define\b|^using namespace (?!std::\w+_literals;)", text, re.M) is not None
        self.alone = holds_own or opens or bool(self.own & set(types_of_headers()))

    def fits(self, other):
        if self.writes_documents != other.writes_documents:
            return False
        if self.own & (other.own | other.meant) or other.own & self.meant:
            return False
        return self.means_the_same(other) and other.means_the_same(self)

    def means_the_same(self, other):
        """Whether the other one borrows the same by each name borrowed here, or does without the name."""
        return all(other.borrowed.get(name) == meaning or (name not in other.borrowed and name not in other.meant)
                   for name, meaning in self.borrowed.items())


def main():
    at_most = int(sys.argv[1])
    groups = []
    for source in map(Source, sorted(sys.argv[2:])):
        for group in groups:
            has_room = len(group) < at_most and not group[0].alone
            if has_room and not source.alone and all(map(source.fits, group)):
                group.append(source)
                break
        else:
            groups.append([source])
    for number, group in enumerate(groups):
        for source in group if len(group) > 1 else ():  # one alone is compiled as it is
            print(number, source.path)


main()
