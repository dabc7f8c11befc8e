#!/usr/bin/env python3
"""Holds all threads of a process but its first, as if its loops hung: hold.py PID. Prints "held" when they stand still, and
ends with the process. A debugger's way to stop a thread stops that one only, a signal's all of them."""
import ctypes
import os
import sys

SEIZE, INTERRUPT, WALL = 0x4206, 0x4207, 0x40000000
LIBC = ctypes.CDLL(None, use_errno=True)


def ptrace(request, thread):
    if LIBC.ptrace(request, thread, None, None) == -1:
        sys.exit(f"ptrace of {thread}: {os.strerror(ctypes.get_errno())}")


def main(pid):
    for thread in sorted(map(int, os.listdir(f"/proc/{pid}/task"))):
        if thread != pid:
            ptrace(SEIZE, thread)
            ptrace(INTERRUPT, thread)
            os.waitpid(thread, WALL)  # until it stands
    print("held", flush=True)
    while True:  # no other process learns that they have ended
        try:
            os.waitpid(-1, WALL)
        except ChildProcessError:
            return


if __name__ == "__main__":
    main(int(sys.argv[1]))
