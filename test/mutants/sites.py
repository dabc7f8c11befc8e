"""Where a source can change: parses it with libclang and lists its mutants."""

import hashlib
import pathlib
import pickle
import re
import sys

from mutant import Mutant

sys.path.append("/usr/lib/python3/dist-packages")  # Debian's, where python3 is another one
from clang import cindex  # noqa: E402
from clang.cindex import CursorKind as Kind  # noqa: E402

# With the function bodies of headers left out, and with the places of macros.
OPTIONS = 0x800 | cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD

NEGATED = {b"<": ">=", b"<=": ">", b">": "<=", b">=": "<", b"==": "!=", b"!=": "=="}
NEXT_BOUND = {b"<": "<=", b"<=": "<", b">": ">=", b">=": ">"}
OTHER_SIGN = {b"+": "-", b"-": "+", b"+=": "-=", b"-=": "+="}
TERMS = (b"&&", b"||")

FUNCTIONS = (Kind.FUNCTION_DECL, Kind.CXX_METHOD, Kind.CONSTRUCTOR, Kind.DESTRUCTOR, Kind.CONVERSION_FUNCTION,
             Kind.FUNCTION_TEMPLATE)
# Inside these the compiler computes, or the text is a name: nothing can change at run time.
CONSTANT = (Kind.STATIC_ASSERT, Kind.ENUM_DECL, Kind.TYPE_ALIAS_DECL, Kind.TYPEDEF_DECL, Kind.FIELD_DECL, Kind.TYPE_REF,
            Kind.TEMPLATE_REF)
BODIES = (Kind.COMPOUND_STMT, Kind.IF_STMT, Kind.FOR_STMT, Kind.CXX_FOR_RANGE_STMT, Kind.WHILE_STMT, Kind.CASE_STMT,
          Kind.DEFAULT_STMT)
# Calls that change nothing but speed.
NO_EFFECT = re.compile(rb"(?:^|\.|->)(?:reserve|shrink_to_fit)\(")
INTEGER = re.compile(rb"\d[\d']*(?:[uU]|[lL]|[zZ]){0,3}\Z|0[xX][\da-fA-F']+[uUlL]*\Z")


def mutants_of(root, path, arguments):
    """The mutants of the source `path` below `root`; `arguments` are the compiler's."""
    source = Source(root, path, arguments)
    source.visit(source.unit.cursor, None, "", False)
    return source.mutants


def kept_mutants_of(root, path, arguments, kept):
    """The same, remembered in the folder `kept` by the source's text: most of the time goes to its headers."""
    digest = hashlib.sha256(path.encode() + (root / path).read_bytes() + pathlib.Path(__file__).read_bytes()).hexdigest()
    known = kept / digest
    if not known.exists():
        known.write_bytes(pickle.dumps(mutants_of(root, path, arguments)))
    return pickle.loads(known.read_bytes())


class Source:
    def __init__(self, root, path, arguments):
        self.path = path
        self.name = str(root / path)
        self.text = (root / path).read_bytes()
        self.lines = self.text.split(b"\n")
        self.unit = cindex.Index.create().parse(self.name, args=arguments, options=OPTIONS)
        errors = [each for each in self.unit.diagnostics if each.severity >= cindex.Diagnostic.Error]
        if errors:
            raise ValueError(f"{path} cannot be read: {errors[0].format()}")
        self.macros = []
        self.mutants = []

    def visit(self, cursor, parent, function, in_body):
        for child in cursor.get_children():
            if parent is None and not self.is_here(child):
                continue
            if child.kind == Kind.MACRO_INSTANTIATION:
                self.macros.append(span(child))
                continue
            if child.kind in CONSTANT or self.is_constant(child):
                continue
            if child.kind in FUNCTIONS:
                self.visit(child, cursor, child.spelling, False)
                continue
            body = in_body or (function != "" and child.kind == Kind.COMPOUND_STMT)
            if body:
                self.look_at(child, cursor, function)
            self.visit(child, cursor, function, body)

    def is_here(self, cursor):
        return cursor.location.file is not None and cursor.location.file.name == self.name

    def is_constant(self, cursor):
        if cursor.kind != Kind.VAR_DECL:
            return False
        declared = self.text[cursor.extent.start.offset:cursor.location.offset]
        value = self.text[cursor.location.offset + len(cursor.spelling.encode()):cursor.extent.end.offset].strip(b" ={}()")
        return b"constexpr" in declared or (b"const " in declared and INTEGER.match(value) is not None)

    def look_at(self, cursor, parent, function):
        start, end = span(cursor)
        text = self.text[start:end]
        if start >= end or b"//" in text or any(start < last and first < end for first, last in self.macros):
            return
        found = []
        if cursor.kind in (Kind.BINARY_OPERATOR, Kind.COMPOUND_ASSIGNMENT_OPERATOR, Kind.CALL_EXPR, Kind.UNEXPOSED_EXPR):
            found += self.of_operator(cursor, start, end)
        if cursor.kind == Kind.UNARY_OPERATOR and re.match(rb"!(?!=)|-(?![-=])", text):
            rest = one_line(text[1:].strip())
            found.append(("term", rest, f"static_cast<bool>({rest})") if text[:1] == b"!" else ("sign", rest, rest))
        if cursor.kind == Kind.CXX_BOOL_LITERAL_EXPR:
            other = "false" if text == b"true" else "true"
            found.append(("constant", other, other))
        if cursor.kind == Kind.INTEGER_LITERAL and self.is_value(cursor, parent, text):
            found.append(("bound", f"{text.decode()} + 1", f"{text.decode()} + 1"))
        if self.is_call(cursor, parent, text, end):
            found.append(("call", "nothing", ""))
        line, last_line = cursor.extent.start.line, cursor.extent.end.line
        for kind, changed, instead in found:
            mutant = Mutant(self.path, start, end, line, last_line, function, kind, one_line(text), changed, instead,
                            self.lines[line - 1].strip().decode())
            if mutant not in self.mutants[-20:]:  # an expression and its conversion are one place
                self.mutants.append(mutant)

    def of_operator(self, cursor, start, end):
        sides = list(cursor.get_children())
        if len(sides) < 2:
            return
        (first, first_end), (last, last_end) = span(sides[0]), span(sides[-1])
        sign = self.text[first_end:last].strip()
        if first != start or last_end != end or first_end >= last:
            return
        left, right = one_line(self.text[first:first_end]), one_line(self.text[last:last_end])
        if sign in NEGATED:
            yield "comparison", f"{left} {NEGATED[sign]} {right}", f"{left} {NEGATED[sign]} {right}"
        if sign in NEXT_BOUND:
            yield "bound", f"{left} {NEXT_BOUND[sign]} {right}", f"{left} {NEXT_BOUND[sign]} {right}"
        if sign in TERMS:
            yield "term", left, f"static_cast<bool>({left})"
            yield "term", right, f"static_cast<bool>({right})"
        if sign in OTHER_SIGN and is_number(cursor.type) and not is_difference_of_times(cursor, sides[0]):
            if "Text" not in name_of(cursor.type):  # texts are joined, and have no other sign
                yield "sign", f"{left} {OTHER_SIGN[sign]} {right}", f"{left} {OTHER_SIGN[sign]} {right}"
            if len(sign) == 1:
                yield "term", left, left

    def is_value(self, cursor, parent, text):
        """Whether an integer is one at run time, and not part of a type or of the comparison of an ordering."""
        if INTEGER.match(text) is None or parent.kind in (Kind.DECL_REF_EXPR, Kind.MEMBER_REF_EXPR, Kind.CASE_STMT):
            return False
        if parent.kind == Kind.VAR_DECL and cursor.extent.start.offset < parent.location.offset:
            return False
        around = self.text[cursor.extent.start.offset - 40:cursor.extent.start.offset]
        return not (text == b"0" and re.search(rb"(?:<=>|compare).*\s*[<>=!]=? $", around, re.S))

    def is_call(self, cursor, parent, text, end):
        if parent.kind not in BODIES or cursor.kind not in (Kind.CALL_EXPR, Kind.UNEXPOSED_EXPR):
            return False
        called = cursor
        while called.kind == Kind.UNEXPOSED_EXPR:  # what destroys temporaries
            called = next(called.get_children(), None)
            if called is None or called.kind not in (Kind.CALL_EXPR, Kind.UNEXPOSED_EXPR):
                return False
        if self.text[end:end + 1] != b";" or not text.endswith(b")") or text.startswith(b"("):
            return False
        return NO_EFFECT.search(text) is None and not called.spelling.startswith("operator")


def span(cursor):
    return cursor.extent.start.offset, cursor.extent.end.offset


def one_line(text):
    return b" ".join(text.split()).decode() if b"\n" in text else text.decode()


def is_difference_of_times(cursor, side):
    """Two times have no sum, and one of them is no duration."""
    return "chrono::duration" in name_of(cursor.type) and "chrono::time_point" in name_of(side.type)


def name_of(kind):
    return kind.get_canonical().spelling


def is_number(kind):
    """Whether a sum of this type is one of numbers or times, and no text that is joined."""
    name = name_of(kind)
    return (cindex.TypeKind.BOOL.value <= kind.get_canonical().kind.value <= cindex.TypeKind.LONGDOUBLE.value or
            "chrono::" in name or name.startswith("elbowroom::") or name == "__int128")
