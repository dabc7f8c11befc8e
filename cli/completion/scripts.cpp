#include "cli/completion/scripts.h"

namespace elbowroom::cli {

// Bash splits words at '=', which the program joins again, and at ':', which contexts contain: what
// stands before the last one is no part of the word that bash completes. The candidates are
// compared as text: names of a cluster are never expanded.
const std::string_view kBashCompletion = R"(# bash completion for elbowroom
_elbowroom() {
  local line word way=:4 words=() before= joins=no i
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ ($word = :* || $joins = yes) && ${#words[@]} -gt 0 ]]; then words[-1]+=$word; else words+=("$word"); fi
    if [[ $word = *: ]]; then joins=yes; else joins=no; fi
  done
  word=${words[-1]}
  [[ $COMP_WORDBREAKS = *:* ]] && before=${word%"${word##*:}"}
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :[0-9]) way=$line ;;
      *) line=${line%%$'\t'*}; COMPREPLY+=("${line#"$before"}") ;;
    esac
  done < <(elbowroom __complete -- "${words[@]}" 2>/dev/null)
  if [ "$way" = :0 ]; then
    compopt -o filenames 2>/dev/null
    word=${COMP_WORDS[COMP_CWORD]}
    [ "$word" = = ] && word=
    while IFS= read -r line; do
      COMPREPLY+=("$line")
    done < <(compgen -f -- "$word")
  fi
}
complete -F _elbowroom elbowroom kubectl-elbowroom
)";

const std::string_view kZshCompletion = R"(#compdef elbowroom kubectl-elbowroom
# zsh completion for elbowroom
_elbowroom() {
  local line way=:4
  local -a candidates
  while IFS= read -r line; do
    case $line in
      :[0-9]) way=$line ;;
      *$'\t'*) candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
      *) candidates+=("${line//:/\\:}") ;;
    esac
  done < <(elbowroom __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#candidates )) && _describe elbowroom candidates
  if [[ $way == :0 ]]; then
    [[ $PREFIX == -*=* ]] && compset -P '*='
    _files
  fi
}
if [ "$funcstack[1]" = _elbowroom ]; then
  _elbowroom "$@"
else
  compdef _elbowroom elbowroom kubectl-elbowroom
fi
)";

const std::string_view kFishCompletion = R"(# fish completion for elbowroom
function __elbowroom_candidates
    set -l words (commandline -opc)[2..-1]
    set -l current (commandline -ct)
    for line in (elbowroom __complete -- $words "$current" 2>/dev/null)
        switch $line
            case ':0'
                __fish_complete_path "$current"
            case ':4'
            case '*'
                echo $line
        end
    end
end
complete -c elbowroom -f -a '(__elbowroom_candidates)'
complete -c kubectl-elbowroom -f -a '(__elbowroom_candidates)'
)";

// kubectl reads one candidate a line, and then how to go on: :4 these and no others, :0 files too.
const std::string_view kKubectlCompletion = R"(#!/bin/sh
# What `kubectl elbowroom` completes to.
exec elbowroom __complete -- "$@"
)";

}  // namespace elbowroom::cli
