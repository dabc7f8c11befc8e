#!/bin/sh
# Writes elbowroom's completions for bash, zsh, fish and kubectl, which the program prints itself.
#
# usage: write.sh BIN_FOLDER OUT_FOLDER
set -eu
mkdir -p "$2"
"$1/elbowroom" completion bash >"$2/elbowroom"
"$1/elbowroom" completion zsh >"$2/_elbowroom"
"$1/elbowroom" completion fish >"$2/elbowroom.fish"
"$1/elbowroom" completion kubectl >"$2/kubectl_complete-elbowroom"
chmod 755 "$2/kubectl_complete-elbowroom"
