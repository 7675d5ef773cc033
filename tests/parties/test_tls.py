import contextlib
import socket
import ssl
import threading
import time

import numpy as np
import pytest

from shoal.errors import ConnectionCutError, ParameterError, ProtocolError, TimeLimitError
from shoal.parties import _door, _tls, connect, fingerprint, listen, make_keys
from shoal.parties._channel import _HEADER, MAGIC, VERSION
from tests.parties.keys import keys as keys, options


def _both(keys, first, second, *, server=("alice", "bob"), client=("bob", "alice"), timeout=60):
    """Run a listener and a caller; what each returned or raised."""
    results = [None, None]
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def half(index, opened, function):
            try:
                with opened() as channel:
                    results[index] = function(channel)
            except BaseException as error:
                results[index] = error

        ends = (
            lambda: listen(listener, timeout=timeout, **options(keys, *server)),
            lambda: connect(listener.getsockname()[:2], timeout=timeout, **options(keys, *client)),
        )
        threads = [
            threading.Thread(target=half, args=(i, ends[i], f), daemon=True)
            for i, f in enumerate((first, second))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
            assert not thread.is_alive()
    return results


def _until(event, timeout=60):
    """Receive within a limit, and let the other end know when that is over."""

    def receive(channel):
        channel.timeout = timeout
        try:
            return channel.receive()
        finally:
            event.set()

    return receive


def _wait_for_one(monkeypatch):
    """Listeners give up with the first one who is refused, not when the time is up."""
    monkeypatch.setattr(_door, "MOST_REFUSED", 1)


def test_messages_of_many_megabytes_pass(keys):
    big = bytes(range(256)) * 20_000
    got = _both(keys, lambda c: c.receive(), lambda c: c.send(big))
    assert got == [big, None]


def test_only_tls_1_3_with_a_certificate_is_spoken(keys):
    got = _both(keys, lambda c: c._line.version(), lambda c: c._line.version())
    assert got == ["TLSv1.3", "TLSv1.3"]


@pytest.mark.parametrize(
    ("server", "client"),
    [
        (("alice", "bob"), ("mallory", "alice")),
        (("mallory", "bob"), ("bob", "alice")),
        (("alice", "mallory"), ("bob", "alice")),
    ],
)
def test_a_wrong_certificate_is_refused_at_both_ends(keys, server, client, monkeypatch):
    _wait_for_one(monkeypatch)
    got = _both(keys, lambda c: c.receive(), lambda c: c.receive(), server=server, client=client)
    assert all(isinstance(result, ProtocolError) for result in got)
    assert any("certificate" in str(result) for result in got)


def test_a_caller_without_a_certificate_is_refused(keys, monkeypatch):
    _wait_for_one(monkeypatch)
    context = ssl.create_default_context(cafile=keys["alice"][1])
    context.check_hostname = False
    raised = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def server():
            try:
                listen(listener, timeout=60, **options(keys, "alice", "bob"))
            except ProtocolError as error:
                raised.append(error)

        thread = threading.Thread(target=server)
        thread.start()
        with (
            socket.create_connection(listener.getsockname()) as plain,
            context.wrap_socket(plain) as line,
            contextlib.suppress(OSError),  # reset or alert, as the system likes
        ):
            assert line.recv(10) == b""
        thread.join(120)
    assert len(raised) == 1


def test_noise_in_place_of_a_handshake_is_an_error(keys, monkeypatch):
    _wait_for_one(monkeypatch)
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.create_connection(listener.getsockname()) as plain,
    ):
        plain.sendall(b"GET / HTTP/1.0\r\n\r\n")
        with pytest.raises(ProtocolError):
            listen(listener, timeout=60, **options(keys, "alice", "bob"))


def test_a_silent_caller_costs_no_more_than_the_time_limit(keys):
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.create_connection(listener.getsockname()),
    ):
        start = time.monotonic()
        with pytest.raises(TimeLimitError):
            listen(listener, timeout=0.3, **options(keys, "alice", "bob"))
        assert time.monotonic() - start < _door.GREETING_TIME


def test_nobody_there_is_a_time_limit_error(keys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = taken.getsockname()[:2]
    with pytest.raises(TimeLimitError, match="nobody listened"):
        connect(address, timeout=0.2, **options(keys, "bob", "alice"))
    with pytest.raises(TimeLimitError):
        listen(address, timeout=0.2, **options(keys, "bob", "alice"))


def test_a_peer_that_hangs_costs_no_more_than_the_time_limit(keys):
    given_up = threading.Event()
    got = _both(keys, _until(given_up, 0.4), lambda c: given_up.wait(60))
    assert isinstance(got[0], TimeLimitError)


def test_a_peer_that_drips_bytes_does_not_extend_the_limit(keys):
    given_up = threading.Event()

    def drip(channel):
        for _ in range(_HEADER.size - 1):  # never a whole header
            channel._line.send(b"S")
            if given_up.wait(0.1):
                return
        given_up.wait(60)

    got = _both(keys, _until(given_up, 0.4), drip)
    assert isinstance(got[0], TimeLimitError)


def test_a_cut_connection_is_noticed(keys):
    got = _both(keys, lambda c: c.receive(), lambda c: c._line.close())
    assert isinstance(got[0], ConnectionCutError)


@pytest.mark.parametrize("use", [lambda c: c.send("more"), lambda c: c.receive()])
def test_a_line_that_this_end_closed_is_cut(keys, use):
    def closed(channel):
        channel.close()
        use(channel)

    got = _both(keys, closed, lambda _: None)
    assert isinstance(got[0], ConnectionCutError)


def test_a_peer_that_announces_too_much_is_refused(keys):
    refused = threading.Event()

    def boast(channel):
        channel._line.send(_HEADER.pack(MAGIC, VERSION, 1, 2**50, bytes(16)))
        refused.wait(60)

    got = _both(keys, _until(refused), boast)
    assert "the limit is" in str(got[0])


def test_traffic_holds_no_plaintext(keys):
    """A relay between the two sees ciphertext only."""
    secret = b"SECRET-MARKER-0123456789"
    captured = bytearray()
    with (
        socket.create_server(("127.0.0.1", 0)) as outer,
        socket.create_server(("127.0.0.1", 0)) as inner,
    ):

        def pump(source, sink):
            while data := source.recv(65536):
                captured.extend(data)
                sink.sendall(data)

        def relay():
            left, _ = outer.accept()
            right = socket.create_connection(inner.getsockname())
            with left, right:
                back = threading.Thread(target=pump, args=(right, left), daemon=True)
                back.start()
                with contextlib.suppress(OSError):
                    pump(left, right)
                right.shutdown(socket.SHUT_WR)
                back.join(60)

        threading.Thread(target=relay, daemon=True).start()
        received = []

        def server():
            with listen(inner, timeout=60, **options(keys, "alice", "bob")) as channel:
                received.append(channel.receive())

        thread = threading.Thread(target=server)
        thread.start()
        with connect(outer.getsockname()[:2], timeout=60, **options(keys, "bob", "alice")) as line:
            line.send(secret)
            thread.join(60)
    assert received == [secret]
    assert len(captured) > len(secret)
    assert secret not in captured
    assert b"SHOL" not in captured


def test_keys_are_private_and_never_overwritten(tmp_path):
    key, certificate, print_ = make_keys("carol", tmp_path)
    assert key.stat().st_mode & 0o077 == 0
    assert fingerprint(certificate) == print_
    assert len(print_.replace(" ", "")) == 64
    with pytest.raises(ParameterError, match="exists"):
        make_keys("carol", tmp_path)
    with pytest.raises(ParameterError, match="name"):
        make_keys("../carol", tmp_path)


def test_unusable_files_are_named(tmp_path, keys):
    broken = tmp_path / "broken.crt"
    broken.write_text("no certificate")
    with pytest.raises(ParameterError, match="not a PEM certificate"):
        fingerprint(broken)
    key, certificate = keys["alice"]
    with pytest.raises(ParameterError, match="cannot be used"):
        connect(("127.0.0.1", 1), key=key, certificate=certificate, peer=broken)
    with pytest.raises(ParameterError, match="no such key"):
        connect(("127.0.0.1", 1), key=tmp_path / "none", certificate=certificate, peer=certificate)


def test_two_who_send_at_once_do_not_block_each_other(keys):
    big = np.arange(2**20, dtype=np.uint64)  # far more than the system's buffers hold

    def both_ways(channel):
        for _ in range(3):
            channel.send(big)
        return all((channel.receive() == big).all() for _ in range(3))

    assert _both(keys, both_ways, both_ways, timeout=60) == [True, True]


def test_what_is_kept_while_sending_is_bounded(keys, monkeypatch):
    monkeypatch.setattr(_tls, "EARLY_BYTES", 2**20)
    big = bytes(2**25)
    got = _both(keys, lambda c: c.send(big), lambda c: c.send(big), timeout=2)
    assert all(isinstance(result, ProtocolError) for result in got)


def test_a_message_is_read_after_what_came_while_sending(keys):
    def first(channel):
        channel.send(bytes(2**24))  # blocks until the other end has sent its own and reads
        return [channel.receive() for _ in range(2)]

    def second(channel):
        channel.send(bytes(2**24))
        channel.send("after")
        return len(channel.receive())

    got = _both(keys, first, second, timeout=60)
    assert got == [[bytes(2**24), "after"], 2**24]


@pytest.mark.parametrize("open_", [listen, connect])
def test_names_that_no_computer_can_have_and_ones_own_certificate_are_refused(keys, open_):
    with pytest.raises(ProtocolError, match="cannot"):
        open_(("a" * 300, 5), timeout=3, **options(keys, "alice", "bob"))
    with pytest.raises(ParameterError, match="this party's own"):
        open_(("127.0.0.1", 5), timeout=3, **options(keys, "alice", "alice"))


def test_addresses_of_the_longer_kind_can_be_listened_at(keys):
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6")
    with pytest.raises(TimeLimitError):  # nobody calls
        listen(("::1", 0), timeout=0.2, **options(keys, "alice", "bob"))


@pytest.mark.parametrize("code", [9, 10])
def test_a_peer_whose_clock_differs_is_told_so(code):
    error = ssl.SSLCertVerificationError()
    error.verify_code = code
    with pytest.raises(ProtocolError, match="out of date"), _tls._translated("now", 1):
        raise error
