"""Run as a program by root: becomes another user, reads and asks what that user can, and tells it.

`stranger.py PORT FOLDER ...`, with a stolen cookie on the standard input.  Nothing is loaded after
the change, since that user may not read it.
"""

import encodings.idna  # noqa: F401  loaded before it cannot be any more
import http.client
import itertools
import os
import sys
from contextlib import suppress

NOBODY = 65534
ASKED = (("GET", "/"), ("GET", "/api/start"), ("POST", "/api/demo"), ("GET", "/?token=guess"))


def read(path):
    """What is in a file; nothing where it is not for this user."""
    with suppress(OSError), open(path, errors="replace") as file:
        yield file.read()


def look_into(places):
    """Names of all folders that can be seen, and all files that can be read."""
    for place in places:
        for folder, folders, files in os.walk(place):
            yield from (os.path.join(folder, name) for name in folders)
            for name in files:
                yield from read(os.path.join(folder, name))


def look_at_processes():
    """Commands, environments and maps, of whoever they are."""
    for number in filter(str.isdigit, os.listdir("/proc")):
        for name in ("cmdline", "environ", "maps"):
            yield from read(f"/proc/{number}/{name}")


def ask(port, cookie):
    """The studio's answers to somebody without its cookie, and with it."""
    for (way, path), headers in itertools.product(ASKED, ({}, {"Cookie": cookie})):
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        line.request(way, path, headers=headers)
        answer = line.getresponse()
        yield f"status {answer.status} {answer.read().decode()} {answer.getheaders()}"
        line.close()


if __name__ == "__main__":
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    stolen = sys.stdin.readline().strip()
    heard = [*look_into(sys.argv[2:]), *look_at_processes(), *ask(int(sys.argv[1]), stolen)]
    sys.stdout.write("\n".join(heard))
