#!/usr/bin/env python3
"""Writes the manual pages and the completions and uses them as people do: pages without a complaint of man and mandoc,
completions in bash, zsh, fish and through kubectl's protocol. A tool that is not there is named, the rest is checked.

usage: manuals.py BIN_FOLDER
"""
import os
import pathlib
import pty
import select
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "packaging" / "manual"))
from command_tree import command_tree  # noqa: E402  (its folder is known only now)

PAGES = ["elbowroom-agent-config.5", "elbowroom-rescheduler-config.5", "elbowroom-rescheduler.8",
         "elbowroom-scheduler-config.5", "elbowroom-scheduler.8", "elbowroom.1", "elbowroomd.8"]

# What is typed, and what must (+) and must not (-) be offered.
TYPED = [
    ("elbowroom ", "+simulate +explain +doctor +lab +--version -resize"),
    ("elbowroom sim", "+simulate -lab"),
    ("elbowroom simulate ", "+resize +schedule +run -lab"),
    ("elbowroom simulate resize --ru", "+--rules -upstream"),
    ("elbowroom simulate resize --rules ", "+elbowroom +upstream -run"),
    ("elbowroom explain ", "+pod +group -resize"),
    ("elbowroom explain pod -o ", "+json +yaml +table -pod"),
    ("elbowroom doctor --program ", "+agent +scheduler +rescheduler -simulate"),
    ("elbowroom lab up --agent-mode c", "+companion -authority"),
    ("elbowroom replay recording.1 --s", "+--show"),
    ("elbowroom completion ", "+bash +zsh +fish -simulate"),
    ("elbowroom __comp", "-__complete"),
    ("elbowroom simulate resize -f manifests/po", "+manifests/pod.yaml -resize"),
]


def run(words, **more):
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=30, **more)


def in_bash(folder, typed):
    words = typed.split(" ")
    script = (f"source {folder}/elbowroom; COMP_WORDS=({' '.join(repr(word) for word in words)}); "
              f"COMP_CWORD={len(words) - 1}; _elbowroom; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
    return run(["bash", "--norc", "-c", script], cwd=folder)


# Bash makes words of their own of colons, which names of contexts have, and completes what follows the last one.
def wrong_colons(folder):
    wrong = []
    for breaks, words, offered in ((":=", "elbowroom status --context arn : aws : e", "eks"),
                                   (":=", "elbowroom status --context = arn : aws :", "eks"),
                                   ("=", "elbowroom status --context arn:aws:e", "arn:aws:eks")):
        script = (f"source {folder}/elbowroom; elbowroom() {{ [[ ${{@: -1}} = arn:aws:* ]] && printf '%s\\n' arn:aws:eks :4; }}; "
                  f"COMP_WORDBREAKS='{breaks}'; COMP_WORDS=({words}); "
                  "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _elbowroom; printf '%s\\n' \"${COMPREPLY[@]}\"")
        done = run(["bash", "--norc", "-c", script], cwd=folder)
        if done.stdout.strip() != offered:
            wrong.append(f"bash: {words!r} with {breaks!r}: offers {done.stdout.strip()!r}, not {offered!r}")
    return wrong


def in_fish(folder, typed):
    done = run(["fish", "--no-config", "-c", f"source {folder}/elbowroom.fish; complete -C '{typed}'"], cwd=folder)
    done.stdout = "\n".join(line.split("\t")[0] for line in done.stdout.splitlines())
    if typed.endswith(" "):  # fish offers options only after a dash
        done.stdout += "\n" + "\n".join(line.split("\t")[0] for line in run(
            ["fish", "--no-config", "-c", f"source {folder}/elbowroom.fish; complete -C '{typed}-'"],
            cwd=folder).stdout.splitlines())
    return done


# zsh completes only where it edits a line, so it gets a terminal; what it would add is written to OUT in place of being added.
ZSH = """\
fpath=($FOLDER $fpath)
autoload -Uz compinit && compinit -D -u
compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return; fi
  local -a hits
  builtin compadd -A hits "$@"
  (( $#hits )) && print -rl -- $hits >>$OUT
}
bindkey '^I' complete-word
comppostfuncs=(exit)
"""


def typed_in_zsh(folder, typed):
    """What zsh offers after a tab."""
    with tempfile.NamedTemporaryFile("r") as offered:
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(folder)
            os.execvpe("zsh", ["zsh", "-f", "-i"], {"PATH": os.environ["PATH"], "TERM": "xterm", "HOME": str(folder),
                                                    "FOLDER": str(folder), "OUT": offered.name, "LC_ALL": "C.UTF-8"})
        os.write(terminal, b"source ./zsh.setup; stty -echo; print -r -- is''ready\n")
        said, wrote = b"", False
        while select.select([terminal], [], [], 30)[0]:
            try:
                said += os.read(terminal, 4096)
            except OSError:  # it has ended
                break
            if not wrote and b"isready" in said:
                os.write(terminal, typed.encode() + b"\t")
                wrote = True
        else:
            os.kill(child, 9)
        os.close(terminal)
        os.waitpid(child, 0)
        return offered.read()


def in_zsh(folder, typed):
    (folder / "zsh.setup").write_text(ZSH)
    before, _, last = typed.rpartition(" ")
    offered = typed_in_zsh(folder, typed)
    if not last:  # zsh offers options only after a dash
        offered += typed_in_zsh(folder, typed + "-")
    if "/" in last:  # of a path only the last part is offered
        offered = "\n".join(f"{last.rpartition('/')[0]}/{line}" for line in offered.splitlines())
    return subprocess.CompletedProcess(before, 0, offered, "")


def has_terminals():
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError:
        return False
    return True


def in_kubectl(folder, typed):
    done = run([folder / "kubectl_complete-elbowroom", *typed.split(" ")[1:]], cwd=folder)
    *offered, way = done.stdout.splitlines()
    if way == ":0":  # kubectl's own shell completes files
        offered += ["manifests/pod.yaml"]
    done.stdout = "\n".join(line.split("\t")[0] for line in offered)  # what it is stands behind a tab
    return done


def wrong_offers(shell, ask, folder):
    wrong = []
    for typed, expected in TYPED:
        done = ask(folder, typed)
        offered = set(done.stdout.split())
        if done.returncode != 0 or done.stderr:
            wrong.append(f"{shell}: {typed!r}: {done.stderr.strip()} (exit status {done.returncode})")
        for each in expected.split():
            if (each[1:] in offered) != (each[0] == "+"):
                wrong.append(f"{shell}: {typed!r}: {'misses' if each[0] == '+' else 'offers'} {each[1:]}: {sorted(offered)}")
    return wrong


def wrong_pages(folder, tree):
    wrong = [] if sorted(each.name for each in folder.iterdir()) == PAGES else [f"pages: {sorted(folder.iterdir())}"]
    shown = (folder / "elbowroom.1").read_text().replace("\\-", "-")
    wrong += [f"elbowroom.1: no {flag} of {' '.join(command.path)}" for command in tree.all() if not command.commands
              for option in command.options for flag in option.flags if flag not in shown]
    if shutil.which("mandoc"):
        wrong += run(["mandoc", "-T", "lint", "-W", "warning", *sorted(folder.iterdir())]).stdout.splitlines()
    else:
        print("manuals: mandoc is not there to check them")
    return wrong


def main():
    programs = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as made:
        pages, folder = pathlib.Path(made) / "man", pathlib.Path(made) / "completion"
        for words in ([sys.executable, "-B", ROOT / "packaging/manual/write_pages.py", programs, pages],
                      ["sh", ROOT / "packaging/completion/write.sh", programs, folder]):
            done = run(words,
                       env={"SOURCE_DATE_EPOCH": "0", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})
            if done.returncode != 0:
                sys.exit(f"{words}: {done.stderr}")
        # the completions run the program by its name
        os.environ["PATH"] = f"{programs.resolve()}:{os.environ['PATH']}"
        (folder / "manifests").mkdir()
        (folder / "manifests" / "pod.yaml").write_text("")
        wrong = wrong_pages(pages, command_tree(programs / "elbowroom", "elbowroom"))
        wrong += wrong_colons(folder) + wrong_offers("bash", in_bash, folder) + wrong_offers("kubectl", in_kubectl, folder)
        if shutil.which("fish"):
            wrong += wrong_offers("fish", in_fish, folder)
        else:
            print("manuals: fish is not there to complete in")
        if not has_terminals():
            print("manuals: no pseudo terminal can be opened, so zsh completes nothing")
        elif shutil.which("zsh"):
            wrong += wrong_offers("zsh", in_zsh, folder)
        else:
            print("manuals: zsh is not there to complete in")
    print("\n".join(wrong) or f"manuals: {len(PAGES)} pages, {len(TYPED)} completions")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
