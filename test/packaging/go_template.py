"""The part of Go's templates that the chart uses, so that it is rendered where no Helm can be had. What is not known here is an
error, and test/e2e/chart compares what this renders with what Helm does."""
import json
import re

PIECE = re.compile(r"\{\{(-?) *(.*?) *(-?)\}\}", re.S)
WORD = re.compile(r'"[^"]*"|[()]|[^\s()]+')


def to_json(value):
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


FUNCTIONS = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "gt": lambda a, b: a > b, "int": int, "toJson": to_json,
             "hasPrefix": lambda prefix, text: text.startswith(prefix), "ternary": lambda yes, no, which: yes if which else no,
             "and": lambda *each: next((one for one in each if not one), each[-1]),
             "or": lambda *each: next((one for one in each if one), each[-1])}


def pieces(text):
    """[("text", TEXT), ("if", EXPRESSION), ...]; a dash takes the white space beside it away."""
    found, at, trims = [], 0, False
    for hit in PIECE.finditer(text):
        before = text[at:hit.start()]
        before = before.lstrip() if trims else before
        found.append(("text", before.rstrip() if hit[1] else before))
        word, _, rest = hit[2].partition(" ")
        found.append((word, rest) if word in ("if", "range", "end", "else") else ("print", hit[2]))
        at, trims = hit.end(), bool(hit[3])
    return [*found, ("text", text[at:].lstrip() if trims else text[at:])]


def tree(found):
    """A list of (kind, words, inner tree), up to the `end`; takes what it reads from the front."""
    nodes = []
    while found:
        kind, words = found.pop(0)
        if kind == "end":
            break
        if kind == "else":
            raise ValueError("else is not known here")
        nodes.append((kind, words, tree(found) if kind in ("if", "range") else None))
    return nodes


def looked_up(path, scope):
    start, *keys = path.split(".")
    value = scope[start or "."]
    for key in [each for each in keys if each]:
        value = value[key]
    return value


def evaluated(words, scope):
    """Takes one value, or a call up to its bracket or end, from the front of words."""
    values = []
    while words and words[0] != ")":
        word = words.pop(0)
        if word == "(":
            values.append(evaluated(words, scope))
            words.pop(0)
        elif word[0] in ".$":
            values.append(looked_up(word, scope))
        elif word in FUNCTIONS:
            values.append(FUNCTIONS[word])
        else:
            values.append(json.loads(word))
    return values[0](*values[1:]) if callable(values[0]) else values[0]


def value_of(text, scope):
    return evaluated(WORD.findall(text), scope)


def loops(words, scope):
    """The scopes of each turn of a range, in Go's order of keys."""
    names, _, what = words.rpartition(":=")
    what = value_of(what, scope)
    each = sorted(what.items()) if isinstance(what, dict) else list(enumerate(what))
    names = [name.strip() for name in names.split(",") if name.strip()]
    return [{**scope, ".": value, **dict(zip(names, (key, value)))} for key, value in each]


def printed(value):
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


def run(nodes, scope):
    out = []
    for kind, words, inner in nodes:
        if kind == "text":
            out.append(words)
        elif kind == "print":
            out.append(printed(value_of(words, scope)))
        elif kind == "if":
            out.append(run(inner, scope) if value_of(words, scope) else "")
        else:
            out += [run(inner, each) for each in loops(words, scope)]
    return "".join(out)


def rendered(text, top):
    """top: {"Values": ..., "Release": ..., "Chart": ...}"""
    return run(tree(pieces(text)), {".": top, "$": top})
