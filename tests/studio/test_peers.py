"""Who is at the other end: oneself is found, and one who let go is nobody."""

import os
import socket
import time

import pytest

from shoal.studio import _peers
from shoal.studio._peers import Peers


@pytest.fixture
def line():
    with socket.create_server(("127.0.0.1", 0)) as line:
        yield line


def test_oneself_is_welcome_and_a_port_that_nobody_holds_is_not(line):
    peers = Peers(line)
    if not peers.can_tell:
        pytest.skip("this system does not tell who holds a connection: nobody was refused")
    with socket.create_connection(("127.0.0.1", peers.port)) as own:
        port = own.getsockname()[1]
        assert peers.is_welcome(port)
    for _ in range(100):  # it let go, and the system takes a moment to forget
        if not peers.is_welcome(port):
            break
        time.sleep(0.05)
    assert not peers.is_welcome(port)


LISTED = """  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:{near:04X} 0100007F:{port:04X} 01 00000000:00000000 00:00000000 00000000  {user}  0 {inode}
   1: garbage
"""  # noqa: E501


@pytest.mark.parametrize(
    ("user", "inode", "welcome"), [("own", 77, True), (0, 77, True), (1234567, 77, False),
                                   ("own", 0, False)],
)  # fmt: skip
def test_the_owner_decides(line, tmp_path, monkeypatch, user, inode, welcome):
    peers = Peers(line)
    peers.can_tell = True
    user = os.getuid() if user == "own" else user
    listed = LISTED.format(near=4321, port=peers.port, user=user, inode=inode)
    (tmp_path / "tcp").write_text(listed)
    monkeypatch.setattr(_peers, "_LISTS", (tmp_path / "tcp", tmp_path / "gone"))
    assert peers.is_welcome(4321) is welcome
    assert not peers.is_welcome(4322)


def test_where_the_system_tells_nothing_the_cookie_decides(line, tmp_path, monkeypatch):
    monkeypatch.setattr(_peers, "_LISTS", (tmp_path / "gone",))
    peers = Peers(line)
    assert not peers.can_tell
    assert peers.is_welcome(1)
