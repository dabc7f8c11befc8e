#!/usr/bin/env python3
"""Which sources of one program or library may be compiled as one.

    unity_groups.py AT_MOST SOURCE...

prints "GROUP SOURCE" for each. Two sources share a group only where no name that one of them keeps to
itself (in an unnamed namespace) is a word of the other, other than a member's: then each means what it meant
alone. Names of headers that one includes and the other does not are left to the compiler.
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
TYPE = re.compile(r"^(?:struct|class|enum class|enum|using|union) (\w+)", re.M)
USED = re.compile(r"(?<![.>:\w])([A-Za-z_]\w*)\b")
NO_NAMES = {"const", "override", "noexcept", "TEST", "TEST_F", "TEST_P"}


@functools.cache
def types_of_headers():
    headers = Path(__file__).parent.parent.glob("[a-z]*/**/*.h")
    return {name for header in headers for name in TYPE.findall(header.read_text())}


class Source:
    def __init__(self, path):
        self.path = path
        text = Path(path).read_text()
        marked = text.replace("}  // namespace\n", "}@unnamed@\n")
        code = TEXT.sub('""', COMMENT.sub("", marked))
        self.meant = set(USED.findall(code))
        self.own = set()
        for part in UNNAMED.findall(code):
            self.own |= set(DECLARED.findall(part)) | set(TYPE.findall(part))
        self.own -= NO_NAMES
        # What api/ and base/ have to write a tree as text bears one name, and inside api/ both would be meant.
        self.writes_documents = "/api/" in path and '"base/document_text.h"' in text
        # GCC minds a type of the program that holds one of an unnamed namespace, unless it stands in the main source.
        holds_own = re.search(r"^(?:struct|class) (?:\w+::)+\w+ (?:final )?\{", code, re.M) is not None
        defines = holds_own or re.search(r"^\s*#\s*define\b|^using namespace ", text, re.M) is not None
        self.alone = defines or bool(self.own & types_of_headers())

    def fits(self, other):
        if self.writes_documents != other.writes_documents:
            return False
        return not (self.own & (other.own | other.meant) or other.own & self.meant)


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
