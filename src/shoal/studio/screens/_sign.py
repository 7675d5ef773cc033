"""Sign: a checklist with names, the release written as the command line writes it, the report."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal._atomic import write_text
from shoal.errors import ParameterError
from shoal.studio._desk import Desk
from shoal.studio.project._project import RELEASES
from shoal.studio.screens._dossier import ASKED, DOSSIER, dossier_problem, show_dossier
from shoal.studio.screens._explore import proposed_method
from shoal.studio.screens._promise import proposed_k
from shoal.studio.screens._screen import Action, Field, Room, Screen

PEOPLE = ("roles", "promise", "approval")
"""What a person puts a name under."""


def checklist(desk: Desk) -> list[dict[str, Any]]:
    """What has to be done before a release is written; each says whether it is."""
    settings, schema = desk.project.settings, desk.project.schema
    columns = list(schema or ())
    open_columns = [name for name in columns if name not in settings.accepted]
    wanted = proposed_k(settings.recipient) if settings.recipient else None
    bad = [
        name
        for name in (schema.quasi_identifiers if schema else ())
        if ((desk.known(f"column:{name}") or {}).get("tree") or {}).get("uncovered")
    ]
    return [
        {"name": "roles", "done": bool(columns) and not open_columns, "count": len(open_columns)},
        {"name": "quasi", "done": bool(schema and schema.quasi_identifiers), "count": 0},
        {"name": "covered", "done": not bad, "count": len(bad)},
        {"name": "recipient", "done": bool(settings.recipient), "count": 0},
        {
            "name": "threshold",
            "done": wanted is not None and settings.k >= wanted,
            "count": wanted or 0,
        },
        {"name": "method", "done": bool(settings.method), "count": 0},
        {"name": "attacked", "done": bool(desk.history.get("attack")), "count": 0},
    ]


def _show(room: Room, query: Mapping[str, str]) -> dict[str, Any]:
    desk = room.desk
    settings = desk.project.settings
    outcome, job = desk.results.get("sign"), desk.running("sign")
    dossier = desk.running("dossier")
    return {
        "checklist": checklist(desk),
        "method": settings.method or proposed_method(desk),
        "k": settings.k,
        "conditions": list(settings.conditions),
        "name": _free_name(desk),
        "job": job.to_dict() if job else None,
        "outcome": outcome and {"state": outcome["state"], "error": outcome.get("error", "")},
        "written": (outcome or {}).get("value"),
        "releases": [
            _signed(release) | {"papers": show_dossier(desk, release)}
            for release in desk.project.releases()
        ],
        "people": list(PEOPLE),
        "questions": [key for keys in ASKED.values() for key in keys],
        "dossier_on": dossier.args["on"] if dossier else "",
        "dossier_failed": (desk.results.get("dossier") or {}).get("error", ""),
    }


def _free_name(desk: Desk) -> str:
    day = dt.date.today().isoformat()
    base = re.sub(r"[^A-Za-z0-9_-]+", "-", desk.project.name) or "release"
    taken = {release["name"] for release in desk.project.releases()}
    names = [f"{base}-{day}.csv", *(f"{base}-{day}-{n}.csv" for n in range(2, 1000))]
    return next(name for name in names if name not in taken)


def _signature_file(table: Path) -> Path:
    return table.with_name(f"{table.stem}.signed.json")


def _signed(release: dict[str, Any]) -> dict[str, Any]:
    path = _signature_file(Path(release["path"]))
    try:
        signature = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        signature = None
    return release | {"signature": signature}


def _write(room: Room, given: dict[str, Any]) -> None:
    """Write the release and its report in the background."""
    desk = room.desk
    if desk.running("sign"):
        raise ParameterError("a release is being written already.")
    from shoal.anonymize._release_files import FORMATS  # noqa: PLC0415  loads the engines

    name = given["name"]
    if not re.fullmatch(r"[\w][\w.-]{0,100}", name) or Path(name).suffix.lower() not in FORMATS:
        raise ParameterError(
            f"a release is called by letters, digits, dots and dashes, and ends in "
            f"{', '.join(FORMATS[:4])} or another ending of a table."
        )
    method = desk.project.settings.method or proposed_method(desk)
    if not desk.project.settings.method:
        desk.project.set(method=method)
    args = desk.promise_args(method) | {
        "schema_path": str(desk.project.schema_path),
        "out": str(desk.project.folder / RELEASES / name),
        "order_seed": given["order_seed"],
    }
    desk.results.pop("sign", None)
    desk.project.note(f"asked for the release {name} by {method} at k = {args['k']}")
    desk.start("sign", args, "sign")


def _sign(room: Room, given: dict[str, Any]) -> None:
    """Put names under a release: who answers for roles and promise, who lets it go."""
    from shoal.anonymize._release_files import digest  # noqa: PLC0415  loads the engines

    desk = room.desk
    release = next((r for r in desk.project.releases() if r["name"] == given["release"]), None)
    if release is None:
        raise ParameterError("there is no release of that name in the project.")
    table = Path(release["path"])
    names = {what: given[what] for what in PEOPLE}
    if not all(names.values()):
        raise ParameterError("put a name under each of the three.")
    if missing := [item["name"] for item in checklist(desk) if not item["done"]]:
        raise ParameterError(f"do not publish: {len(missing)} points of the checklist are open.")
    found = digest(table)
    if problems := _problems(desk, table) or dossier_problem(desk, table, found):
        raise ParameterError(f"do not publish: {problems}")
    signature = {
        "release": table.name,
        "digest": found,
        "signed": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "names": names,
        "remark": given["why"],
    }
    write_text(_signature_file(table), json.dumps(signature, indent=2, ensure_ascii=False) + "\n")
    desk.project.note(f"signed {table.name}", given["why"], names["approval"])
    desk.tell({"changed": "sign"})


def _problems(desk: Desk, table: Path) -> str:
    """Why a written release must not go; empty when nothing speaks against it."""
    from shoal.anonymize._release_files import file_beside  # noqa: PLC0415  loads the engines

    written = (desk.results.get("sign") or {}).get("value") or {}
    if written.get("files", {}).get("table") == str(table):
        if written["problems"]:
            return "; ".join(written["problems"])
        if written["promise"] != "holds":
            return "the promise could not be evaluated again."
        return ""
    if not file_beside(table, "report").exists():
        return "there is no report beside it. Write one with `shoal report`."
    return ""


SIGN = Screen(
    "sign",
    "The checklist, the release as the command line writes it, report, dossier, names under it.",
    _show,
    {
        "write": Action(
            "Write the release and its report.",
            _write,
            {
                "name": Field("text", "Name of the file in `releases`."),
                "order_seed": Field("integer", "Order that can be made again; else secret.", None),
            },
        ),
        "sign": Action(
            "Put names under a release.",
            _sign,
            {
                "release": Field("text", "Name of the release."),
                "roles": Field("text", "Who answers for the roles of the columns."),
                "promise": Field("text", "Who answers for the promise."),
                "approval": Field("text", "Who lets the release go."),
                "why": Field("text", "A remark.", ""),
            },
        ),
        "dossier": DOSSIER,
    },
    live=("sign", "dossier", "schema", "promise", "attack", "column"),
)
