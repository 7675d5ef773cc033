"""Whose process is at the other end of a connection, where the system tells it.

Browsers send a cookie of this machine to every port of it, so that another user who serves a page
here could be sent ours.  Linux lists the owner of each connection: strangers are refused whatever
they hold.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_LISTS = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_LOOPBACK = "0100007F"
"""127.0.0.1 as these lists write it; in the second one behind a prefix."""


class Peers:
    """Decides by the owner of a connection who may ask; where nothing is told, everybody may.

    Parameters
    ----------
    line : socket
        Where the studio listens.
    """

    def __init__(self, line: socket.socket) -> None:
        self.port = int(line.getsockname()[1])
        self.can_tell = self._finds_itself()

    def is_welcome(self, port: int) -> bool:
        """Whether the connection from this port is held by the user's own process, or by root's."""
        return not self.can_tell or self._owner(port) in (os.getuid(), 0)

    def _finds_itself(self) -> bool:
        """Whether the system tells who holds a connection: tried with one of our own."""
        if not hasattr(os, "getuid"):
            return False
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 5) as own:
            return self._owner(own.getsockname()[1]) == os.getuid()
        return False

    def _owner(self, port: int) -> int | None:
        """The user who holds the other end; None where nobody does any more."""
        return next((user for near, far, user in _held() if (near, far) == (port, self.port)), None)


def _held() -> Iterator[tuple[int, int, int]]:
    """Both ports and the owner of each connection over the loopback that a process holds."""
    for path in _LISTS:
        try:
            lines = path.read_text("ascii").splitlines()[1:]
        except (OSError, ValueError):
            continue
        for line in lines:
            parts = line.split()
            if len(parts) < 10 or parts[9] == "0":  # left behind by its process
                continue
            (near, near_port), (far, far_port) = (part.split(":") for part in parts[1:3])
            if near.endswith(_LOOPBACK) and far.endswith(_LOOPBACK):
                yield int(near_port, 16), int(far_port, 16), int(parts[7])
