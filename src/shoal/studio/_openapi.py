"""The routes as an OpenAPI document, made of the screens themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import shoal
from shoal.studio._start import STARTS
from shoal.studio.screens._registry import SCREENS
from shoal.studio.screens._screen import Field

_ANSWER = {
    "200": {"description": "Plain values, which the page of the same name renders.",
            "content": {"application/json": {"schema": {"type": "object"}}}},
    "422": {"description": "What was wrong, in `error`.",
            "content": {"application/json": {"schema": {"type": "object"}}}},
    "403": {"description": "No cookie of this run, or another page asked."},
}  # fmt: skip
_PROJECT = {"name": "project", "in": "path", "required": True, "schema": {"type": "string"}}


_FRAME = "What stands around the screen: steps, who is exposed now, the same as commands."


def describe_routes() -> dict[str, Any]:
    """The OpenAPI document."""
    folder = _query({"folder": "Folder to look into; the first allowed one unless given."})
    paths: dict[str, Any] = {
        "/api": {"get": {"summary": "This document.", "responses": _ANSWER}},
        "/api/start": {
            "get": {"summary": "What can be opened.", "parameters": folder, "responses": _ANSWER}
        },
    }
    for name, (summary, _, fields) in STARTS.items():
        paths[f"/api/{name}"] = {"post": _post(summary, fields)}
    for screen in SCREENS.values():
        path = f"/api/p/{{project}}/{screen.name}"
        asked = [_PROJECT, *_query(screen.query)]
        paths[path] = {
            "get": {"summary": screen.summary, "parameters": asked, "responses": _ANSWER}
        }
        paths[f"/api/p/{{project}}/frame/{screen.name}"] = {
            "get": {"summary": _FRAME, "parameters": asked, "responses": _ANSWER}
        }
        for name, action in screen.actions.items():
            post = _post(action.summary, action.fields) | {"parameters": [_PROJECT]}
            paths[f"{path}/{name}"] = {"post": post}
    cancel = {"number": Field("integer", "Number of the job.")}
    paths["/api/p/{project}/jobs/cancel"] = {
        "post": _post("Cancel work.", cancel) | {"parameters": [_PROJECT]}
    }
    paths["/api/p/{project}/jobs/again"] = {
        "post": _post("Ask anew for what was cancelled, or lost with its worker.", {})
        | {"parameters": [_PROJECT]}
    }
    events = {
        "summary": "What happens, as server-sent events.", "parameters": [_PROJECT],
        "responses": {"200": {"description": "Events.", "content": {"text/event-stream": {}}}},
    }  # fmt: skip
    paths["/p/{project}/events"] = {"get": events}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Shoal Studio", "version": shoal.__version__},
        "paths": paths,
        "components": {
            "securitySchemes": {
                "cookie": {"type": "apiKey", "in": "cookie", "name": "shoal-studio"}
            }
        },
        "security": [{"cookie": []}],
    }


def _query(names: Mapping[str, str]) -> list[dict[str, Any]]:
    """What may stand behind the question mark."""
    return [
        {"name": name, "in": "query", "description": what, "schema": {"type": "string"}}
        for name, what in names.items()
    ]


def _post(summary: str, fields: Mapping[str, Field]) -> dict[str, Any]:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {name: field.schema() for name, field in fields.items()},
        "required": [name for name, field in fields.items() if field.is_needed],
    }
    return {
        "summary": summary,
        "requestBody": {"content": {"application/json": {"schema": schema}}},
        "responses": _ANSWER,
    }
