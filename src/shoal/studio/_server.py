"""Start the studio on this machine alone, and open it in the user's browser."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from html import escape
from pathlib import Path
from types import FrameType

from shoal.errors import MissingExtraError, TableError
from shoal.typing import PathText

try:
    import uvicorn

    from shoal.studio._app import home_of, make_app
    from shoal.studio._guard import Keys
    from shoal.studio._peers import Peers
    from shoal.studio._studio import Studio
except ModuleNotFoundError as _lacking:
    if (_lacking.name or "").partition(".")[0] not in ("starlette", "uvicorn"):
        raise
    raise MissingExtraError(str(_lacking.name), "studio", "the studio") from None

_GONE_AFTER = 60.0
"""Seconds after which the file that leads to the studio is removed."""


def serve_studio(
    table: PathText | None = None,
    *,
    port: int = 0,
    allow: Sequence[PathText] = (),
    browser: bool = True,
    tell: Callable[[str], None] = lambda text: None,
) -> None:
    """Serve the studio until it is interrupted.

    Parameters
    ----------
    table : path, optional
        A table or a project to open at once; its folder is allowed.
    port : int
        Where to listen; a free one unless given.
    allow : sequence of path
        Folders that may be looked into; the working one unless something else is given.
    browser : bool
        Whether to open the user's browser.
    tell : callable
        Is told the address once the studio listens.

    Notes
    -----
    **Guarantee.**  It listens on 127.0.0.1 alone and answers only to whoever has the address that
    is told, once, and to that browser afterwards.  Nothing is loaded from elsewhere.
    """
    given = None if table is None else Path(table)
    folders = [Path(folder) for folder in allow]
    if given is not None:
        folders.append(given if given.is_dir() else given.resolve().parent)
    studio = Studio(folders or [Path.cwd()])
    home = "/" if given is None else home_of(studio.open(given.resolve()))
    line = _listen(port)
    keys = Keys(line.getsockname()[1], home=home)
    app = make_app(studio, keys, Peers(line))
    config = uvicorn.Config(
        app, log_config=None, access_log=False, server_header=False, http="h11", ws="none",
        timeout_graceful_shutdown=1, log_level="critical",
    )  # fmt: skip
    server = _Server(config, studio)
    with _obeying(server):
        tell(keys.address)
        if sys.stdin is not None and sys.stdin.isatty():
            threading.Thread(target=_renew, args=(keys, tell), daemon=True).start()
        if browser:
            threading.Thread(target=_open, args=(keys.address,), daemon=True).start()
        server.run(sockets=[line])


class _Server(uvicorn.Server):
    """A server that tells open pages to let go before it ends."""

    def __init__(self, config: uvicorn.Config, studio: Studio) -> None:
        super().__init__(config)
        self._studio = studio
        self.is_interrupted = False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Remember that it was Ctrl-C, and end in order."""
        self.is_interrupted |= sig == signal.SIGINT
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams of events, then everything else."""
        for desk in self._studio.desks.values():
            desk.tell({"closed": True})
        await super().shutdown(sockets)


@contextmanager
def _obeying(server: _Server) -> Iterator[None]:
    """Let Ctrl-C end the server from its first word on, in order.

    The loop of the server puts handlers of its own in place only when it runs; a Ctrl-C before that
    would end it half begun, with a traceback.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, server.handle_exit)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if server.is_interrupted:
        raise KeyboardInterrupt


def _renew(keys: Keys, tell: Callable[[str], None]) -> None:
    """A new address whenever the user presses Enter: for another browser, or one that forgot."""
    for _ in sys.stdin:
        keys.token = secrets.token_urlsafe(32)
        tell(keys.address)


def _listen(port: int) -> socket.socket:
    try:
        return socket.create_server(("127.0.0.1", port))
    except (OSError, OverflowError):
        raise TableError(f"port {port} is in use or not allowed. Choose another one.") from None


def _open(address: str) -> None:
    """Open the browser through a file that only the user can read.

    Commands of all users are seen by all, so that the address must not be in one.
    """
    folder = Path(tempfile.mkdtemp(prefix="shoal-studio-"))  # for its owner only
    page = folder / f"{secrets.token_hex(4)}.html"
    target = escape(address, quote=True)
    handle = os.open(page, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(f'<!doctype html><meta http-equiv="refresh" content="0;url={target}">')
    webbrowser.open(page.as_uri())
    gone = threading.Timer(_GONE_AFTER, _remove, (page,))
    gone.daemon = True
    gone.start()


def _remove(page: Path) -> None:
    with suppress(OSError):  # somebody has tidied up before
        page.unlink(missing_ok=True)
        page.parent.rmdir()
