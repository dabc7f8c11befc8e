#!/usr/bin/env python3
"""Writes elbowroom's completions for bash, zsh, fish and kubectl from what the program says of itself.

usage: write_completions.py BIN_FOLDER OUT_FOLDER
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "manual"))
from command_tree import command_tree  # noqa: E402  (its folder is known only now)

BASH = """\
# bash completion for elbowroom, written from its --help
_elbowroom() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}} at=elbowroom word
  if [ "$cur" = = ]; then
    cur=
  elif [ "$prev" = = ]; then
    prev=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$at $word" in
      {paths}) at="$at $word" ;;
    esac
  done
  COMPREPLY=()
  case "$at:$prev" in
{values}
  esac
  case $at in
{words}
  esac
}}
complete -F _elbowroom elbowroom kubectl-elbowroom
"""

KUBECTL = """\
#!/bin/sh
# What `kubectl elbowroom` completes to, written from elbowroom's --help. kubectl runs it with the words after
# "elbowroom", the last of which is to be completed, and reads one candidate a line and then how to go on:
# :4 these and no others, :0 files too.
at=elbowroom prev= cur=
for word in "$@"; do
  prev=$cur cur=$word
done
for word in "$@"; do
  case "$at $word" in
    {paths}) at="$at $word" ;;
  esac
done
offer() {{
  for word in $1; do
    case $word in "$cur"*) echo "$word" ;; esac
  done
  echo :4
  exit 0
}}
case "$at:$prev" in
{values}
esac
case $at in
{words}
esac
echo :0
"""

ZSH = """\
#compdef elbowroom kubectl-elbowroom
# zsh completion for elbowroom, written from its --help
{functions}
_elbowroom "$@"
"""

FISH = """\
# fish completion for elbowroom, written from its --help
function __elbowroom_is_at
    set -l at elbowroom
    for word in (commandline -opc)[2..-1]
        switch "$at $word"
            case {paths}
                set at "$at $word"
        end
    end
    test "$at" = "$argv"
end
complete -c elbowroom -f
{lines}
"""


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def flags_of(command):
    return [flag for option in command.options for flag in option.flags]


def takes_value(option):
    return bool(option.value or option.choices)


def cases(tree, offer, files, indent):
    """The lines of both case statements of a POSIX shell: values of options, and what may come next."""
    values, words = [], []
    for command in tree.all():
        at = " ".join(command.path)
        for option in filter(takes_value, command.options):
            pattern = "|".join(f'"{at}:{flag}"' for flag in option.flags)
            what = files if option.is_file else offer.format(" ".join(option.choices))
            values.append(f"{indent}{pattern}) {what} ;;")
        offered = [each.path[-1] for each in command.commands] + flags_of(command)
        what = offer.format(" ".join(offered))
        if any(each.is_file for each in command.positionals):
            what = f'case $cur in -*) {what} ;; esac; {files}'
        words.append(f'{indent}"{at}") {what} ;;')
    return "\n".join(values), "\n".join(words)


def paths(tree, join):
    return join.join(f'"{" ".join(command.path)}"' for command in tree.all()[1:])


def bash(tree):
    values, words = cases(tree, 'COMPREPLY=($(compgen -W "{}" -- "$cur")); return',
                          'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur")); return', "    ")
    return BASH.format(paths=paths(tree, " | "), values=values, words=words)


def kubectl(tree):
    values, words = cases(tree, 'offer "{}"', "echo :0; exit 0", "  ")
    return KUBECTL.format(paths=paths(tree, " | "), values=values, words=words)


def zsh_told(text):
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


def zsh_option(option):
    action = ""
    if takes_value(option):
        what = "_files" if option.is_file else f"({' '.join(option.choices)})" if option.choices else " "
        action = f":{zsh_told(option.value or 'value')}:{what}"
    told = f"[{zsh_told(option.help)}]{action}"
    together = f"({' '.join(option.flags)})" if len(option.flags) > 1 else ""
    return [quoted(f"{together}{'*' if 'repeatable' in option.help else ''}{flag}{told}") for flag in option.flags]


def zsh_function(command):
    specs = [spec for option in command.options for spec in zsh_option(option)]
    name = "_" + "_".join(command.path)
    lines = [f"{name}() {{", "  local state line"]
    if command.commands:
        lines.append("  _arguments -C \\")
        lines += [f"    {spec} \\" for spec in specs]
        lines += ["    '1: :->verb' '*:: :->rest'", "  case $state in", "    verb)", "      local -a verbs=("]
        lines += ["        " + quoted(f"{zsh_told(below.path[-1])}:{below.about}") for below in command.commands]
        lines += ["      )", "      _describe verb verbs ;;", "    rest)", "      case $line[1] in"]
        lines += [f"        {below.path[-1]}) _{'_'.join(below.path)} ;;" for below in command.commands]
        lines += ["      esac ;;", "  esac"]
    else:
        specs += [quoted(f"*:{zsh_told(each.value or each.flags[0])}:{'_files' if each.is_file else ' '}")
                  for each in command.positionals]
        lines.append("  _arguments \\\n    " + " \\\n    ".join(specs))
    return "\n".join(lines + ["}"])


def zsh(tree):
    return ZSH.format(functions="\n".join(zsh_function(command) for command in tree.all()))


def fish(tree):
    lines = []
    for command in tree.all():
        here = f"complete -c elbowroom -n {quoted('__elbowroom_is_at ' + ' '.join(command.path))}"
        lines += [f"{here} -a {below.path[-1]} -d {quoted(below.about)}" for below in command.commands]
        if any(each.is_file for each in command.positionals):
            lines.append(f"{here} -F")
        for option in command.options:
            names = " ".join(f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in option.flags)
            if option.is_file and takes_value(option):
                names += " -r -F"
            elif takes_value(option):
                names += " -x" + (f" -a {quoted(' '.join(option.choices))}" if option.choices else "")
            lines.append(f"{here} {names} -d {quoted(option.help)}")
    return FISH.format(paths=paths(tree, " "), lines="\n".join(lines))


def main():
    programs, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    tree = command_tree(programs / "elbowroom", "elbowroom")
    (out / "elbowroom").write_text(bash(tree))
    (out / "_elbowroom").write_text(zsh(tree))
    (out / "elbowroom.fish").write_text(fish(tree))
    (out / "kubectl_complete-elbowroom").write_text(kubectl(tree))
    (out / "kubectl_complete-elbowroom").chmod(0o755)


if __name__ == "__main__":
    main()
