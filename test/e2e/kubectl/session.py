"""Plays a transcript of kubectl: session.py KUBECTL FOLDER SESSION [--update].

In the session a line "$ kubectl ..." is a command for the shell, "## ..." the name of the checks
that follow, and what is between is what must be printed, blanks counted as one; ages, uids, times
and the folder are masked. `> FILE` after a command line begins a file of the folder, up to the
next line that is ".". Every command is run, whatever failed before it.
"""
import os
import pathlib
import re
import subprocess
import sys

MASKS = [
    (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "UID"),
    (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\b", "TIME"),
    (r"\b\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}", "TIME"),
    (r"http://127\.0\.0\.1:\d+", "SERVER"),
    (r'(resourceVersion: )"\d+"', r'\1"N"'),
    (r"containerd://\w+", "CONTAINER"),
    (r"(?<=[ \t])\d+(?:s|m\d+s|m)(?=[ \t]|$)(?! \()", "AGE"),
    (r"v\d+\.\d+\.\d+-elbowroom-[\w.]+", "VERSION"),
]


def masked(text, folder):
    text = text.replace(folder, "FOLDER")
    for pattern, name in MASKS:
        text = re.sub(pattern, name, text, flags=re.M)
    lines = (re.sub(r"[ \t]+", " ", line).rstrip() for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def steps_of(text):
    """(kind, head, body) of every step: a title, a file or a command."""
    steps = []
    for line in text.splitlines():
        if line.startswith("$ ") or line.startswith("## ") or line.startswith("> "):
            steps.append([line[0], line[2:].strip() if line[0] != "#" else line[3:], []])
        elif steps:
            steps[-1][2].append(line)
    return [(kind, head, "\n".join(body)) for kind, head, body in steps]


def run(command, environment, folder):
    try:
        done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, timeout=30,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    except subprocess.TimeoutExpired:
        return "(still running after 30 s)\n"
    return done.stdout + ("" if done.returncode == 0 else f"(exit {done.returncode})\n")


def main():
    kubectl, folder, session = sys.argv[1:4]
    update = sys.argv[4:] == ["--update"]
    tools = pathlib.Path(folder, "bin")
    tools.mkdir(exist_ok=True)
    (tools / "kubectl").symlink_to(kubectl)
    environment = dict(os.environ, KUBECONFIG=folder + "/kubeconfig", HOME=folder,
                       PATH=f"{tools}:{os.environ['PATH']}", KUBECTL_EXTERNAL_DIFF="diff -u -N",
                       NO_PROXY="127.0.0.1", LC_ALL="C")
    written, passed, failed, title = [], 0, 0, ""
    for kind, head, body in steps_of(pathlib.Path(session).read_text()):
        if kind == "#":
            title = head
            written.append(f"## {head}\n")
            continue
        if kind == ">":
            text = body.split("\n.")[0] + "\n"
            pathlib.Path(folder, head).write_text(text)
            written.append(f"> {head}\n{text}.\n")
            continue
        got = masked(run(head, environment, folder), folder)
        written.append(f"$ {head}\n" + (got + "\n" if got else ""))
        if got == masked(body, folder):
            passed += 1
            print(f"e2e kubectl: ok: {title}: {head[:100]}")
        else:
            failed += 1
            print(f"e2e kubectl: DIFFERS: {title}: {head}\n-- expected\n{body.rstrip()}\n-- got\n{got}")
    if update:
        pathlib.Path(session).write_text("".join(written))
        print(f"e2e kubectl: {session} is rewritten: read the diff")
        return 0
    print(f"e2e kubectl: {passed} checks passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
