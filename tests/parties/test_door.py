"""Whoever is not the other party is refused and counted; the wait goes on until it comes."""

import contextlib
import socket
import ssl
import threading
import time
from types import SimpleNamespace

import pytest

from shoal.errors import ProtocolError, TimeLimitError
from shoal.parties import _door, connect, listen
from shoal.parties._certificates import read_certificate
from tests.parties.keys import keys as keys, options


@pytest.fixture
def waiting(keys):
    """A listener on a thread: where it waits, and what came of it."""
    result = {}
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))

        def wait(timeout):
            try:
                with listen(server, timeout=timeout, **options(keys, "alice", "bob")) as line:
                    result["refused"] = line.refused
                    result["timeout"] = line.timeout
                    result["message"] = line.receive()
            except ProtocolError as error:
                result["error"] = error

        def start(timeout=120):
            thread = threading.Thread(target=wait, args=(timeout,), daemon=True)
            thread.start()
            return server.getsockname()[:2], thread, result

        yield start


def silent(address, keys):
    return socket.create_connection(address)


def gone(address, keys):
    socket.create_connection(address).close()


def noise(address, keys):
    plain = socket.create_connection(address)
    plain.sendall(b"GET / HTTP/1.0\r\n\r\n")
    return plain


def dripping(address, keys):
    plain = socket.create_connection(address)
    plain.sendall(bytes([22, 3, 1, 2, 0]))  # the head of a long handshake record, and no more
    return plain


def without_certificate(address, keys):
    context = ssl.create_default_context(cafile=keys["alice"][1])
    context.check_hostname = False
    return context.wrap_socket(socket.create_connection(address))


def another_certificate(address, keys):
    with pytest.raises(ProtocolError):
        connect(address, timeout=60, **options(keys, "mallory", "alice"))


def right_certificate_wrong_greeting(address, keys):
    context = ssl.create_default_context(cafile=keys["alice"][1])
    context.check_hostname = False
    context.load_cert_chain(keys["bob"][1], keys["bob"][0])
    line = context.wrap_socket(socket.create_connection(address))
    line.sendall(b"SHOL" + bytes(200))
    return line


STRAYS = [
    silent, gone, noise, dripping, without_certificate, another_certificate,
    right_certificate_wrong_greeting,
]  # fmt: skip


def test_strays_of_every_kind_do_not_keep_the_other_party_out(waiting, keys):
    address, thread, result = waiting()
    kept = [stray(address, keys) for stray in STRAYS for _ in range(3)]
    start = time.monotonic()
    with connect(address, timeout=60, **options(keys, "bob", "alice")) as line:
        line.send("it is me")
        thread.join(60)
    assert result["message"] == "it is me"
    assert time.monotonic() - start < _door.GREETING_TIME  # silent strays are not waited for
    assert result["timeout"] == 120  # the short limit is for the greeting only
    assert result["refused"] >= 9  # gone, noise, another certificate; others may still be there
    for line in kept:
        if line is not None:
            line.close()


def test_the_time_limit_holds_and_says_how_many_were_refused(waiting, keys, monkeypatch):
    doors = []

    class Seen(_door._Door):
        def __init__(self, *args):
            super().__init__(*args)
            doors.append(self)

    def clock():  # an hour passes when the third one is refused, however busy the machine is
        return time.monotonic() + 3_600 * any(door._refused >= 3 for door in doors)

    monkeypatch.setattr(_door, "_Door", Seen)
    monkeypatch.setattr(_door, "time", SimpleNamespace(monotonic=clock))
    address, thread, result = waiting(timeout=1_000)
    kept = [stray(address, keys) for stray in (noise, noise, another_certificate)]
    thread.join(60)
    assert isinstance(result["error"], TimeLimitError)
    assert "3 connections were refused" in str(result["error"])
    assert "compare fingerprints" in str(result["error"])
    assert "127.0.0.1" not in str(result["error"])
    for line in kept:
        if line is not None:
            line.close()


def test_the_number_of_refused_callers_is_bounded(waiting, keys, monkeypatch):
    monkeypatch.setattr(_door, "MOST_REFUSED", 5)
    address, thread, result = waiting()
    for _ in range(8):
        with contextlib.suppress(OSError):
            gone(address, keys)
    thread.join(60)
    assert "did not come" in str(result["error"])


def test_a_crowd_of_silent_callers_does_not_fill_the_door(waiting, keys, monkeypatch):
    monkeypatch.setattr(_door, "MOST_AT_ONCE", 4)
    address, thread, result = waiting()
    kept = [silent(address, keys) for _ in range(12)]
    with connect(address, timeout=60, **options(keys, "bob", "alice")) as line:
        line.send("it is me")
        thread.join(60)
    assert result["message"] == "it is me"
    for line in kept:
        line.close()


def test_of_two_calls_with_one_certificate_the_first_counts(keys):
    """Whoever is expected once cannot come twice, and does not take another one's place."""
    pins = {name: read_certificate(keys[name][1]) for name in ("bob", "mallory")}
    came = {}
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        settings = {"timeout": 60, "limit": 2**20, "record": False}

        def wait():
            came.update(_door.admit(server, *keys["alice"], pins, settings)[0])

        thread = threading.Thread(target=wait, daemon=True)
        thread.start()
        address = server.getsockname()[:2]
        lines = [
            stack.enter_context(connect(address, timeout=60, **options(keys, name, "alice")))
            for name in ("bob", "bob", "mallory")
        ]
        thread.join(60)
        assert set(came) == {"bob", "mallory"}
        came["bob"].send("you were first")
        assert lines[0].receive() == "you were first"
        with pytest.raises(ProtocolError):
            lines[1].receive()
        for line in came.values():
            line.close()
