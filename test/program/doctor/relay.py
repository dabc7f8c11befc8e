#!/usr/bin/env python3
"""A container runtime's service: a socket where runtimes have theirs, which passes everything to the lab's runtime.

usage: relay.py SOCKET TO
"""
import os
import pathlib
import socket
import sys
import threading


def pump(source, sink):
    try:
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def main(path, to):
    pathlib.Path(path).parent.mkdir(mode=0o711, exist_ok=True)
    pathlib.Path(path).unlink(missing_ok=True)
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    os.chmod(path, 0o660)
    server.listen()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
        told.sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])
    while True:
        here, _ = server.accept()
        there = socket.socket(socket.AF_UNIX)
        there.connect(to)
        threading.Thread(target=pump, args=(here, there), daemon=True).start()
        threading.Thread(target=pump, args=(there, here), daemon=True).start()


if __name__ == "__main__":
    main(*sys.argv[1:])
