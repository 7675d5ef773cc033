"""The door of the studio: who may ask, from which page, and what answers may do in a browser.

Whoever asks needs the cookie of this run, which is had once, for the token in the address that
the studio opens.  The name in `Host` has to be ours, so that no other name leads here (DNS
rebinding); a page that asks has to be ours too (`Origin`, `Sec-Fetch-Site`), and a process of
another user is refused where the system tells whose it is.  Every answer says
that the browser may load nothing from elsewhere, run no script in the page, and show it in no
frame but ours.
"""

from __future__ import annotations

import hmac
import os
import secrets
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shoal.studio._peers import Peers

LARGEST_BODY = 2_000_000
"""Bytes of a request; forms and trees are far smaller, and files are never sent here."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",  # with "no-referrer", forms would not say that they are ours
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}
_REFUSED = (
    "This browser may not come in: an address works once, for one browser. Press Enter in the "
    "terminal where `shoal studio` runs, and open the new address that it shows."
)


@dataclass
class Keys:
    """The secrets of one run.

    Parameters
    ----------
    port : int
        Where the studio listens.
    token : str
        Lets in once, in the address; empty when it was used.
    cookie : str
        Lets in afterwards.
    home : str
        Where the token leads.
    """

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    home: str = "/"

    @property
    def cookie_name(self) -> str:
        """Cookies do not tell ports apart, so that the name has to."""
        return f"shoal-studio-{self.port}"

    @property
    def address(self) -> str:
        """What is opened in a browser, once."""
        return f"http://127.0.0.1:{self.port}/?token={self.token}"

    @property
    def hosts(self) -> tuple[str, ...]:
        """Names under which the studio answers."""
        return (f"127.0.0.1:{self.port}", f"localhost:{self.port}")

    def take_token(self, given: str) -> bool:
        """Whether the token is right; it is good for once."""
        right = bool(self.token) and hmac.compare_digest(given.encode(), self.token.encode())
        if right:
            self.token = ""
        return right

    def knows(self, given: str) -> bool:
        """Whether the cookie is right."""
        return hmac.compare_digest(given.encode(), self.cookie.encode())


class Guard:
    """Refuses what is not from the user's own browser, before anything else looks at it."""

    def __init__(self, app: ASGIApp, keys: Keys, peers: Peers | None = None) -> None:
        self.app, self.keys, self.peers = app, keys, peers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let in, or refuse."""
        if scope["type"] != "http":  # no other protocol is spoken; `lifespan` concerns nobody else
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        refused = self._refuse(scope)
        if refused is not None:
            await refused(scope, receive, _dressed(send))
            return
        try:
            await self.app(scope, _limited(receive), _dressed(send))
        except Exception:
            # It was answered already, without its text; a log must not have it either.
            if os.environ.get("SHOAL_DEBUG") == "1":
                raise

    def _refuse(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if headers.getlist("host") not in [[host] for host in self.keys.hosts]:
            return PlainTextResponse(_REFUSED, 421)
        if self.peers is not None and not self.peers.is_welcome(_port(scope)):
            return PlainTextResponse(_REFUSED, 403)
        if not self._is_own_page(headers, scope["method"]):
            return PlainTextResponse(_REFUSED, 403)
        if _announced(headers) > LARGEST_BODY:
            return PlainTextResponse("Too large.", 413)
        if self.keys.knows(_cookie(headers, self.keys.cookie_name)):
            return None
        return self._let_in(scope)

    def _is_own_page(self, headers: Headers, method: str) -> bool:
        """Whether the request is not made by another page."""
        own = [f"http://{headers['host']}"]
        origins = headers.getlist("origin")
        if origins and origins != own:
            return False
        site = headers.get("sec-fetch-site", "none")
        if site in ("none", "same-origin"):
            return True
        # a link in a mail or a file may lead to the first page, and to nothing else
        return method == "GET" and headers.get("sec-fetch-mode") == "navigate"

    def _let_in(self, scope: Scope) -> Response:
        if scope["path"] == "/" and scope["method"] == "GET":
            query = parse_qs(scope["query_string"].decode("latin-1"))
            if self.keys.take_token(query.get("token", [""])[0]):
                answer = RedirectResponse(self.keys.home, 303)
                answer.set_cookie(
                    self.keys.cookie_name, self.keys.cookie, httponly=True, samesite="strict",
                    path="/",
                )  # fmt: skip
                return answer
        return PlainTextResponse(_REFUSED, 403)


def _port(scope: Scope) -> int:
    """The port at the other end; 0, which nobody holds, where it is not known."""
    client = scope.get("client")
    return int(client[1]) if client else 0


def _cookie(headers: Headers, name: str) -> str:
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return morsel.value if morsel is not None else ""


def _announced(headers: Headers) -> int:
    length = headers.get("content-length", "0")
    return int(length) if length.isascii() and length.isdigit() else LARGEST_BODY + 1


def _limited(receive: Receive) -> Receive:
    """What comes in, up to the largest body, whatever was announced."""
    seen = 0

    async def limited() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > LARGEST_BODY:
            return {"type": "http.disconnect"}
        return message

    return limited


def _dressed(send: Send) -> Send:
    """Answers with the headers that keep a browser from harm; those that are set stay."""

    async def dressed(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers: Any = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return dressed
