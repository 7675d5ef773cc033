"""The routes: JSON of every screen, pages that render the same, events, and nothing computed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from shoal.errors import ParameterError, ShoalError
from shoal.studio._desk import Desk
from shoal.studio._guard import Guard, Keys
from shoal.studio._openapi import describe_routes
from shoal.studio._page import frame_of, page_of, start_page
from shoal.studio._peers import Peers
from shoal.studio._start import STARTS, show_start, typed_again
from shoal.studio._studio import Studio
from shoal.studio._texts import load_texts
from shoal.studio.screens._registry import SCREENS
from shoal.studio.screens._screen import Action, Field, Room, Screen

_STATIC = Path(__file__).parent / "static"
_QUIET = 15.0
"""Seconds after which a line is sent although nothing happened, to learn whether a page is open."""
_REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; " \
    "frame-ancestors 'self'"  # fmt: skip


class Views:
    """Answers to requests; whatever is wrong becomes a sentence, never a traceback."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio

    # -- the first page ---------------------------------------------------------------------

    async def start(self, request: Request) -> Response:
        """What can be opened."""
        shown = show_start(self.studio, request.query_params)
        if request.url.path.startswith("/api"):
            return JSONResponse(shown)
        return HTMLResponse(start_page(shown))

    async def begin(self, request: Request) -> Response:
        """Open something."""
        name = request.path_params["start"]
        if name not in STARTS:
            raise HTTPException(404)
        _, run, fields = STARTS[name]
        is_api = request.url.path.startswith("/api")
        given: dict[str, Any] = {}
        try:
            given = Action("", lambda room, values: None, fields).read(await _body(request))
            number = run(self.studio, given)
        except ShoalError as error:
            if is_api:
                return JSONResponse({"error": str(error)}, 422)
            shown = show_start(self.studio, {}) | {"error": str(error)}
            return HTMLResponse(start_page(shown, typed_again(name, given)), 422)
        if is_api:
            return JSONResponse({"project": number})
        return RedirectResponse(home_of(self.studio.desk(number)) if number else "/", 303)

    # -- screens ----------------------------------------------------------------------------

    async def show(self, request: Request) -> Response:
        """A screen, as JSON or as a page."""
        desk, screen = self._desk(request), self._screen(request)
        room = Room(desk, self.studio.folders)
        if request.url.path.startswith("/api"):
            try:
                return JSONResponse(screen.show(room, request.query_params))
            except ShoalError as error:
                return JSONResponse({"error": str(error)}, 422)
        desk.be_at(screen.name)
        return _page(room, screen, request.query_params)

    async def frame(self, request: Request) -> Response:
        """What stands around a screen, as JSON: steps, who is exposed, the same as commands."""
        room, screen = Room(self._desk(request), self.studio.folders), self._screen(request)
        try:
            shown = screen.show(room, request.query_params)
        except ShoalError:
            shown = None  # the page tells why
        return JSONResponse(frame_of(room, screen, shown, request.query_params))

    async def act(self, request: Request) -> Response:
        """Something done on a screen; a page is shown anew afterwards."""
        desk, screen = self._desk(request), self._screen(request)
        action = screen.actions.get(request.path_params["action"])
        if action is None:
            raise HTTPException(404)
        room = Room(desk, self.studio.folders)
        is_api = request.url.path.startswith("/api")
        try:
            action.run(room, action.read(await _body(request)))
        except ShoalError as error:
            if is_api:
                return JSONResponse({"error": str(error)}, 422)
            return _page(room, screen, request.query_params, str(error), 422)
        if is_api:
            return JSONResponse({"done": True})
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"/p/{desk.number}/{screen.name}{query}", 303)

    async def cancel(self, request: Request) -> Response:
        """End a job."""
        desk = self._desk(request)
        wanted = Action("", lambda room, values: None, {"number": Field("integer", "")})
        try:
            desk.cancel(wanted.read(await _body(request))["number"])
        except ShoalError as error:
            return JSONResponse({"error": str(error)}, 422)
        return JSONResponse({"done": True})

    async def try_again(self, request: Request) -> Response:
        """Ask anew for what was lost with a worker, or cancelled."""
        desk = self._desk(request)
        desk.try_again()
        if request.url.path.startswith("/api"):
            return JSONResponse({"done": True})
        screen = request.query_params.get("screen", "")
        return RedirectResponse(f"/p/{desk.number}/{screen if screen in SCREENS else 'table'}", 303)

    async def events(self, request: Request) -> Response:
        """What happens, line by line, for as long as the page is open."""
        return StreamingResponse(_events(self._desk(request)), media_type="text/event-stream")

    async def paper(self, request: Request) -> Response:
        """The report or the dossier on a release, which may run nothing and load nothing."""
        desk, name = self._desk(request), request.path_params["release"]
        kind = request.url.path.split("/")[3]
        for release in desk.project.releases():
            if release["name"] == name and release[kind]:
                text = self._inside(release[kind]).read_text("utf-8")
                headers = {"Content-Security-Policy": _REPORT_POLICY,
                           "X-Frame-Options": "SAMEORIGIN"}  # fmt: skip
                return HTMLResponse(text, headers=headers)
        raise HTTPException(404)

    async def describe(self, request: Request) -> Response:
        """The routes."""
        return JSONResponse(describe_routes())

    def _inside(self, path: str) -> Path:
        try:
            return self.studio.folders.resolve(path)
        except ParameterError:  # a link that leads out of what is allowed
            raise HTTPException(404) from None

    def _desk(self, request: Request) -> Desk:
        try:
            return self.studio.desk(request.path_params["project"])
        except ParameterError:
            raise HTTPException(404) from None

    def _screen(self, request: Request) -> Screen:
        screen = SCREENS.get(request.path_params["screen"])
        if screen is None:
            raise HTTPException(404)
        return screen


def home_of(desk: Desk) -> str:
    """Where a project opens: on the screen where it was left."""
    return f"/p/{desk.number}/{desk.place if desk.place in SCREENS else 'table'}"


def make_app(studio: Studio, keys: Keys, peers: Peers | None = None) -> Guard:
    """The application behind its guard."""
    views = Views(studio)

    @asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        yield
        await studio.close()

    project = "/p/{project:str}"
    routes = [
        Route("/", views.start),
        Route("/api", views.describe),
        Route("/api/start", views.start),
        Route("/api/{start:str}", views.begin, methods=["POST"]),
        Route("/start/{start:str}", views.begin, methods=["POST"]),
        Route(f"{project}/events", views.events),
        Route(f"{project}/jobs/cancel", views.cancel, methods=["POST"]),
        Route(f"/api{project}/jobs/cancel", views.cancel, methods=["POST"]),
        Route(f"{project}/jobs/again", views.try_again, methods=["POST"]),
        Route(f"/api{project}/jobs/again", views.try_again, methods=["POST"]),
        Route(f"/api{project}/frame/{{screen:str}}", views.frame),
        Route(f"{project}/report/{{release:str}}", views.paper),
        Route(f"{project}/dossier/{{release:str}}", views.paper),
        Route(f"{project}/{{screen:str}}", views.show),
        Route(f"/api{project}/{{screen:str}}", views.show),
        Route(f"{project}/{{screen:str}}/{{action:str}}", views.act, methods=["POST"]),
        Route(f"/api{project}/{{screen:str}}/{{action:str}}", views.act, methods=["POST"]),
        Mount("/static", StaticFiles(directory=_STATIC)),
    ]
    app = Starlette(routes=routes, lifespan=life,
                    exception_handlers={HTTPException: _refused, Exception: _broken})  # fmt: skip
    return Guard(app, keys, peers)


def _page(
    room: Room, screen: Screen, query: Mapping[str, str], error: str = "", status: int = 200
) -> Response:
    try:
        shown = screen.show(room, query)
    except ShoalError as refused:
        shown, error = None, error or str(refused)
        status = 422
    return HTMLResponse(page_of(room, screen, shown, query, error), status)


async def _body(request: Request) -> dict[str, Any]:
    """Fields of a form or of a JSON object; anything else has none."""
    raw = await request.body()
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        if kind == "application/json":
            data = json.loads(raw)
            return data if isinstance(data, dict) else {}
        if kind == "application/x-www-form-urlencoded":
            fields: dict[str, Any] = parse_qs(raw.decode(), keep_blank_values=True,
                                              max_num_fields=5_000)  # fmt: skip
            return fields
    except (ValueError, RecursionError):
        raise ParameterError("the request cannot be read.") from None
    return {}


async def _events(desk: Desk) -> AsyncIterator[str]:
    queue, titles = desk.watch(), load_texts().jobs
    try:
        yield _event({"jobs": desk.jobs()}, titles)
        while True:
            try:
                message = await asyncio.wait_for(queue.get(), _QUIET)
            except TimeoutError:
                yield ": still here\n\n"
                continue
            yield _event(message, titles)
            if message.get("closed"):
                return
    finally:
        desk.unwatch(queue)


def _event(message: Mapping[str, Any], titles: Any) -> str:
    if "jobs" in message:
        jobs = [job | {"title": titles.get(job["task"], job["task"])} for job in message["jobs"]]
        message = {"jobs": jobs}
    return f"data: {json.dumps(message)}\n\n"


async def _refused(request: Request, error: Exception) -> Response:
    code = error.status_code if isinstance(error, HTTPException) else 404
    return PlainTextResponse(f"{code}: nothing is here.", code)


async def _broken(request: Request, error: Exception) -> Response:
    """A defect: its text may hold somebody's data, so that only its kind is told."""
    kind = type(error).__name__
    return PlainTextResponse(f"Something went wrong inside Shoal ({kind}). Please report it.", 500)
