"""Python imports this before a program runs, if its folder is in PYTHONPATH: notes what it does.

Every attempt to use the network, and every file or folder made or changed, becomes a line in the
file that the environment variable GUARD_LOG names. Children of the program are watched too.
"""

import json
import os
import sys

NETWORK = {
    "socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr",
    "socket.sendto", "socket.sendmsg", "socket.bind", "urllib.Request", "http.client.connect",
}  # fmt: skip
CHANGES = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate"}
TWO_PATHS = {"os.rename", "os.link", "os.symlink"}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC
_log = os.open(os.environ["GUARD_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)


def _note(kind, what):
    os.write(_log, (json.dumps([kind, what]) + "\n").encode())


def _watch(event, arguments):
    if event in NETWORK:
        address = arguments[-1] if event.startswith("socket.s") else arguments
        if event in ("socket.connect", "socket.bind"):
            address = arguments[1]
            if isinstance(address, str | bytes):  # a socket of this machine, which has a file name
                return
        _note("network", f"{event} {address!r}")
    elif event == "open":
        path, _, flags = arguments
        if isinstance(path, str | bytes | os.PathLike) and (flags or 0) & WRITING:
            _note("file", os.path.abspath(os.fsdecode(path)))
    elif event in CHANGES:
        for path in arguments[: 2 if event in TWO_PATHS else 1]:
            _note("file", os.path.abspath(os.fsdecode(path)))


sys.addaudithook(_watch)
