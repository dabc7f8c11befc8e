"""N mutants that compile, each behind its switch in one build."""

import json
import time

ROUNDS = 8  # of compiling; each loses the mutants that the compiler refuses


def built(tree, order, count, targets, kept):
    """Draws from `order` until `count` mutants compile; returns them by number, and how many were refused. What the compiler
    refused is remembered in the file `kept`, so that the next run does not ask again."""
    refused = set(map(tuple, json.loads(kept.read_text()))) if kept.exists() else set()
    waiting = list(enumerate(order))
    numbered, lost_now = {}, 0
    aim = count + max(2, count // 25)  # so that one round more than the first is the rule
    for _ in range(ROUNDS):
        while waiting and len(numbered) < aim:
            number, mutant = waiting.pop(0)
            if mutant.key in refused:
                lost_now += 1
            else:
                numbered[number] = mutant
        tree.place(numbered)
        began = time.monotonic()
        lost = tree.compile(targets, numbered)
        print(f"mutants: compiled in {time.monotonic() - began:.0f} s, {len(lost)} refused", flush=True)
        refused |= {numbered[number].key for number in lost}
        kept.write_text(json.dumps(sorted(refused)))
        lost_now += len(lost)
        numbered = {number: mutant for number, mutant in numbered.items() if number not in lost}
        aim = count
        if not lost:
            return dict(list(numbered.items())[:count]), lost_now
    raise SystemExit(f"mutants: after {ROUNDS} rounds the compiler still refuses some")
