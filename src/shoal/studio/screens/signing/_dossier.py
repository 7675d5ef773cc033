"""The dossier of a release on the screen Sign: questions that only people answer, and the page."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal._atomic import write_text
from shoal.errors import ParameterError, ShoalError
from shoal.studio._desk import Desk
from shoal.studio.screens._promise import RECIPIENTS
from shoal.studio.screens._screen import Action, Field, Room
from shoal.studio.screens.signing._digests import digest_now

if TYPE_CHECKING:
    from shoal.report.dossier._form import Form

ASKED: dict[str, tuple[str, ...]] = {
    "data": ("subject", "collected"),
    "context": ("recipient", "purpose", "controls", "other_data", "incident", "review"),
    "signature": ("name", "role", "date"),
}
"""The questions of the form, which is not loaded before somebody looks at a release."""


def show_dossier(desk: Desk, release: Mapping[str, Any]) -> dict[str, Any]:
    """Answers as the form beside a release has them, and what the last dossier found."""
    table, wrong = Path(release["path"]), ""
    try:
        form = _form(desk, table)
    except ShoalError as error:
        form, wrong = _empty(desk), str(error)
    return {
        "answers": {key: answer for part in form.answers.values() for key, answer in part.items()},
        "threshold": form.threshold,
        "unanswered": form.unanswered,
        "error": wrong,
        "page": bool(release["dossier"]),
        "found": _found(desk, release["name"], digest_now(table)),
    }


def dossier_problem(desk: Desk, table: Path, digest: str) -> str:
    """What the dossier of a release says against it; empty where it says nothing."""
    sealed = _found(desk, table.name, digest)
    if sealed is None:
        return ""
    if sealed["problems"]:
        return "; ".join(sealed["problems"])
    if sealed["accepted"] is False:
        return (
            f"its dossier finds a risk of {sealed['highest_risk_after']:.3g}, above the threshold "
            f"of {sealed['threshold']:g}. Take a larger k, or say why another threshold is right."
        )
    return ""


def _found(desk: Desk, name: str, digest: str | None) -> dict[str, Any] | None:
    """What the last dossier on a release found; None where that was of other bytes."""
    done = desk.history.get("dossier", ())
    last = next((one["value"] for one in done if one["on"] == name), None)
    return None if last is None or last["digest"] != digest else last


def _empty(desk: Desk) -> Form:
    """No answers; the threshold is what is proposed for the recipient, if there is one."""
    from shoal.report.dossier._form import THRESHOLD, Form  # noqa: PLC0415  loads the engines

    share = RECIPIENTS.get(desk.project.settings.recipient)
    threshold = THRESHOLD if share is None else math.ceil(share * 1000 - 1e-9) / 1000
    return Form({section: dict.fromkeys(keys, "") for section, keys in ASKED.items()}, threshold)


def _form(desk: Desk, table: Path) -> Form:
    from shoal.anonymize._release_files import file_beside  # noqa: PLC0415  loads the engines
    from shoal.report.dossier._form import read_form  # noqa: PLC0415  likewise

    path = file_beside(table, "dossier form")
    return read_form(path) if path.exists() else _empty(desk)


def _write(room: Room, given: dict[str, Any]) -> None:
    """Keep the answers beside the release, and write the dossier in the background."""
    desk = room.desk
    if desk.running("dossier"):
        raise ParameterError("a dossier is being written already.")
    release = next((r for r in desk.project.releases() if r["name"] == given["release"]), None)
    if release is None:
        raise ParameterError("there is no release of that name in the project.")
    control = str(room.folders.resolve(given["control"])) if given["control"] else ""
    _answer(desk, Path(release["path"]), given)
    desk.results.pop("dossier", None)
    desk.project.note(f"asked for the dossier on {release['name']}")
    more = {"release": release["path"], "control": control, "on": release["name"]}
    desk.start("dossier", desk.table_args() | more, "dossier")


def _answer(desk: Desk, table: Path, given: Mapping[str, Any]) -> None:
    from shoal.anonymize._release_files import file_beside  # noqa: PLC0415  loads the engines
    from shoal.report.dossier._form import Form, write_form  # noqa: PLC0415  likewise

    before = _form(desk, table)
    threshold = before.threshold if given["threshold"] is None else given["threshold"]
    if not 0 < threshold <= 1:
        raise ParameterError("the threshold is a chance, above 0 and at most 1.")
    answers = {
        section: {key: before.answers[section][key] if given[key] is None else given[key]
                  for key in keys}
        for section, keys in ASKED.items()
    }  # fmt: skip
    write_text(file_beside(table, "dossier form"), write_form(Form(answers, threshold)))


DOSSIER = Action(
    "Keep the answers of people, and write the dossier on a release.",
    _write,
    {
        "release": Field("text", "Name of the release."),
        "threshold": Field("number", "Highest chance to find a person that is accepted.", None),
        "control": Field("text", "Rows of others, in a folder you allowed.", ""),
    }
    | {
        key: Field("text", f"Answer to {section}.{key} of the form; as before unless given.", None)
        for section, keys in ASKED.items()
        for key in keys
    },
)
