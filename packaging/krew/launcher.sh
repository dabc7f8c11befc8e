#!/bin/sh
# Starts the program with the libraries that it was built with, wherever this folder is.
here=$(dirname "$(readlink -f "$0")")
exec "$here/lib/@LOADER@" --argv0 "$0" --library-path "$here/lib" "$here/libexec/@PROGRAM@" "$@"
