"""One change in one place of a source."""

import dataclasses
import hashlib


@dataclasses.dataclass(frozen=True)
class Mutant:
    path: str  # from the root
    start: int  # the expression that changes: bytes of the file
    end: int
    line: int
    last_line: int
    function: str
    kind: str  # comparison, bound, sign, term, call or constant
    original: str  # on one line
    changed: str
    instead: str  # C++: the expression that takes the place of the original, or "" for a statement that is left out
    where: str  # the source line

    @property
    def key(self):
        """What names it without the number of its line."""
        return (self.path, self.function, self.where, f"{self.original} -> {self.changed}")

    def rank(self, seed, nth):
        """Its place in the order in which mutants are drawn; `nth` is its number among those of the same key."""
        return hashlib.sha256("\0".join((str(seed), *self.key, str(nth))).encode()).hexdigest()

    def switched(self, number, inner):
        """The expression `inner` with this change behind the switch `number`."""
        if self.kind == "call":
            return f"(mutants::on({number}) ? (void)0 : (void)({inner}))"
        return f"(mutants::on({number}) ? ({self.instead}) : ({inner}))"


def drawn(mutants, seed):
    """All of them, in the order in which they are drawn."""
    seen = {}
    ranked = []
    for mutant in sorted(mutants, key=lambda each: (each.path, each.start, each.end, each.changed)):
        nth = seen[mutant.key] = seen.get(mutant.key, -1) + 1
        ranked.append((mutant.rank(seed, nth), mutant))
    return [mutant for _, mutant in sorted(ranked, key=lambda each: each[0])]


def with_switches(text, numbered):
    """The source `text` (bytes) with every mutant of `numbered` (number: mutant) in it. Its lines keep their numbers."""
    return (b'#include "switch.h"\n#line 1\n' +
            _rendered(text, 0, len(text), sorted(numbered.items(), key=lambda each: (each[1].start, -each[1].end, each[0]))))


def _rendered(text, at, end, numbered):
    pieces = []
    while numbered:
        number, mutant = numbered[0]
        inside = [each for each in numbered[1:] if each[1].end <= mutant.end]
        inner = _rendered(text, mutant.start, mutant.end, inside)
        pieces += [text[at:mutant.start], mutant.switched(number, inner.decode()).encode()]
        at = mutant.end
        numbered = numbered[1 + len(inside):]
    return b"".join(pieces) + text[at:end]
