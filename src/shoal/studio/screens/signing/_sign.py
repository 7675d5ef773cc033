"""Sign: a checklist with names, the release written as the command line writes it, the report."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from shoal._atomic import write_text
from shoal.errors import ParameterError
from shoal.studio._desk import Desk
from shoal.studio.project._project import RELEASES
from shoal.studio.screens._attack import past_attacks
from shoal.studio.screens._coverage import coverage, look_at
from shoal.studio.screens._explore import proposed_method
from shoal.studio.screens._promise import proposed_k
from shoal.studio.screens._screen import Action, Field, Room, Screen
from shoal.studio.screens.signing._digests import digest_now
from shoal.studio.screens.signing._dossier import ASKED, DOSSIER, dossier_problem, show_dossier
from shoal.studio.screens.signing._judged import JUDGE, against, judged, problem
from shoal.studio.screens.signing._pseudonyms import MAKE_KEY, key_args, show_key

PEOPLE = ("roles", "promise", "approval")
"""What a person puts a name under."""


def checklist(desk: Desk) -> list[dict[str, Any]]:
    """What has to be done before a release is written; each says whether it is."""
    settings, schema = desk.project.settings, desk.project.schema
    columns = list(schema or ())
    open_columns = [name for name in columns if name not in settings.accepted]
    wanted = proposed_k(settings.recipient) if settings.recipient else None
    looked_at = coverage(desk, schema.quasi_identifiers) if schema else []
    bad = [tree for tree in looked_at if (tree or {}).get("uncovered")]
    return [
        {"name": "roles", "done": bool(columns) and not open_columns, "count": len(open_columns)},
        {"name": "quasi", "done": bool(schema and schema.quasi_identifiers), "count": 0},
        {"name": "covered", "done": all(looked_at) and not bad, "count": len(bad)},
        {"name": "recipient", "done": bool(settings.recipient), "count": 0},
        {
            "name": "threshold",
            "done": wanted is not None and settings.k >= wanted,
            "count": wanted or 0,
        },
        {"name": "method", "done": bool(settings.method), "count": 0},
        {"name": "attacked", "done": is_attacked(desk), "count": 0},
    ]


def _show(room: Room, query: Mapping[str, str]) -> dict[str, Any]:
    desk = room.desk
    settings = desk.project.settings
    outcome, job = desk.results.get("sign"), desk.running("sign")
    written = _still_there((outcome or {}).get("value"))
    dossier, judging = desk.running("dossier"), desk.running("judge")
    for name in desk.schema.quasi_identifiers:  # nobody signs what nobody looked at
        look_at(desk, name)
    return {
        "checklist": checklist(desk),
        "helped": [one for one in past_attacks(desk) if one["helped"] and not one["stale"]],
        **show_key(desk),
        "method": settings.method or proposed_method(desk),
        "k": settings.k,
        "conditions": list(settings.conditions),
        "name": _free_name(desk),
        "job": job.to_dict() if job else None,
        "outcome": outcome and {"state": outcome["state"], "error": outcome.get("error", "")},
        "written": written and written | {"against": against(written)},
        "releases": [
            release
            | {"papers": show_dossier(desk, release), "judged": judged(desk, release["path"])}
            for release in _with_others(map(_signed, desk.project.releases()))
        ],
        "people": list(PEOPLE),
        "questions": [key for keys in ASKED.values() for key in keys],
        "judging": judging.args["on"] if judging else "",
        "judge_failed": (desk.results.get("judge") or {}).get("error", ""),
        "dossier_on": dossier.args["on"] if dossier else "",
        "dossier_failed": (desk.results.get("dossier") or {}).get("error", ""),
    }


def _still_there(written: dict[str, Any] | None) -> dict[str, Any] | None:
    """What was written last, as long as no other file took its place."""
    if written is None or digest_now(Path(written["files"]["table"])) != written["digest"]:
        return None
    return written


def is_attacked(desk: Desk) -> bool:
    """Whether an attack was tried on what the settings ask for now."""
    return any(not one["stale"] for one in past_attacks(desk))


def _free_name(desk: Desk) -> str:
    day = dt.date.today().isoformat()
    base = re.sub(r"[^A-Za-z0-9_-]+", "-", desk.project.name) or "release"
    taken = {release["name"] for release in desk.project.releases()}
    names = [f"{base}-{day}.csv", *(f"{base}-{day}-{n}.csv" for n in range(2, 1000))]
    return next(name for name in names if name not in taken)


def _signature_file(table: Path) -> Path:
    return table.with_name(f"{table.stem}.signed.json")


def _signed(release: dict[str, Any]) -> dict[str, Any]:
    table = Path(release["path"])
    path = _signature_file(table)
    try:
        signature = json.loads(path.read_text("utf-8"))
        is_one = isinstance(signature, dict) and isinstance(signature.get("names"), dict)
        changed = is_one and digest_now(table) != signature.get("digest")
    except (OSError, ValueError):
        signature, is_one, changed = None, False, False
    shown = signature if is_one and not changed else None
    return release | {"signature": shown, "changed": changed}


def _with_others(releases: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each release with the names of those with other rows that were signed: no promise covers two.

    A copy of a signed release is no second one.
    """
    listed = list(releases)
    signed = {one["name"]: one["signature"]["digest"] for one in listed if one["signature"]}
    digests = [digest_now(Path(one["path"])) if signed else None for one in listed]
    return [
        one | {"others_signed": [name for name, of in signed.items() if of != digest]}
        for one, digest in zip(listed, digests, strict=True)
    ]


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
    args = (
        desk.promise_args(method)
        | {
            "schema_path": str(desk.project.schema_path),
            "out": str(desk.project.folder / RELEASES / name),
            "order_seed": given["order_seed"],
        }
        | key_args(room, given)
    )
    desk.results.pop("sign", None)
    desk.project.note(f"asked for the release {name} by {method} at k = {args['k']}")
    desk.start("sign", args, "sign")


def _sign(room: Room, given: dict[str, Any]) -> None:
    """Put names under a release: who answers for roles and promise, who lets it go."""
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
    table_digest = digest_now(table)
    if table_digest is None:
        raise ParameterError("do not publish: the release cannot be read.")
    if problems := problem(desk, table, table_digest) or dossier_problem(desk, table, table_digest):
        raise ParameterError(f"do not publish: {problems}")
    signature = {
        "release": table.name,
        "digest": table_digest,
        "signed": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "names": names,
        "remark": given["why"],
    }
    write_text(_signature_file(table), json.dumps(signature, indent=2, ensure_ascii=False) + "\n")
    desk.project.note(f"signed {table.name}", given["why"], names["approval"])
    desk.tell({"changed": "sign"})


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
                "key": Field("text", "Key for pseudonyms and shifted dates.", ""),
                "passphrase": Field("secret", "It opens the key, and is not kept.", ""),
            },
        ),
        "key": MAKE_KEY,
        "judge": JUDGE,
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
    live=("sign", "key", "judge", "dossier", "schema", "promise", "attack", "column"),
)
