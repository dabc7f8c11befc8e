#!/usr/bin/env python3
"""Renders the manifests as `kubectl apply -k` does, and checks what must hold of the whole: nothing is left out,
nobody but the two programs gets rights, no secret and no wildcard is among them. Without kubectl: one line, and skipped.

usage: kustomize.py [ROOT]
"""
import pathlib
import re
import shutil
import subprocess
import sys

SKIPPED = 77
FORBIDDEN = [
    (r"(?m)^\s*- ['\"]?\*['\"]?$|(?:verbs|resources|apiGroups): \[[^]]*['\"]?\*", "a wildcard in a rule"),
    (r"(?m)^  - (?:secrets|pods/exec|nodes/proxy|pods/eviction|pods/resize)$", "a resource that no program needs"),
    (r"(?m)^kind: (?:Secret|Namespace)$", "an object that is not ours to make"),
]


def rendered(folder):
    done = subprocess.run(["kubectl", "kustomize", str(folder)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{folder}: {done.stderr.strip()}")
    return done.stdout.split("\n---\n")


def names(documents):
    kind = re.compile(r"(?m)^kind: (\S+)$")
    name = re.compile(r"(?m)^metadata:\n(?:  .*\n)*?  name: (\S+)$")
    return sorted(f"{kind.search(each)[1]}/{name.search(each)[1]}" for each in documents)


def main(root):
    if shutil.which("kubectl") is None:
        print("skipped: there is no kubectl to render packaging/kustomize with")
        return SKIPPED
    base = root / "packaging" / "kustomize"
    whole = rendered(base)
    parts = [document for part in ("scheduler", "agent") for document in rendered(base / part)]
    wrong = []
    if names(whole) != names(parts):
        wrong.append(f"the whole and its parts differ: {set(names(whole)) ^ set(names(parts))}")
    in_files = sum(len(re.findall(r"(?m)^kind: ", path.read_text())) for path in base.glob("*/*.yaml")
                   if path.name != "kustomization.yaml")
    if in_files != len(whole):
        wrong.append(f"the files hold {in_files} objects, {len(whole)} are rendered")
    for document in whole:
        if "admissionregistration" in document:  # apiVersions: ["*"] is what it guards, not what it allows
            continue
        wrong += [f"{names([document])[0]}: {what}" for pattern, what in FORBIDDEN if re.search(pattern, document)]
    print("\n".join(wrong) or f"manifests: {len(whole)} objects rendered")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()))
