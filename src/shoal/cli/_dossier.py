"""`shoal dossier`: the file on a release that a reviewer reads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli._failures import CHECK_FAILED
from shoal.cli._options import (
    Encoding,
    Force,
    Original,
    People,
    ReleaseOrManifest,
    Seed,
    Shadows,
)
from shoal.cli._output import output
from shoal.cli._reading import reads_tables

if TYPE_CHECKING:
    from shoal.report.dossier._dossier import Dossier

app = typer.Typer()


@app.command()
@reads_tables
def dossier(
    release: ReleaseOrManifest,
    original: Original = None,
    control: Annotated[
        Path | None,
        typer.Option("--control", help="Rows of others, drawn alike, which were not used."),
    ] = None,
    form: Annotated[
        Path | None,
        typer.Option("--form", help="Answers in TOML; NAME.dossier.toml, written where missing."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="File to write; NAME.dossier.html unless given."),
    ] = None,
    pdf: Annotated[
        bool, typer.Option("--pdf", help="Print it as PDF, too, by Chromium or Chrome.")
    ] = False,
    shadows: Shadows = 0,
    people: People = 5_000,
    seed: Seed = 0,
    encoding: Encoding = None,
    force: Force = False,
) -> None:
    """Write down context, variables, risk against a threshold, attacks, utility and limits.

    Recipient, purpose and controls are asked in a form, which is written where it is missing.
    Exit with 1 when the release breaks its promise or the risk is above the threshold.
    """
    from shoal._atomic import refuse_existing, write_text
    from shoal.report.dossier._dossier import dossier_file, make_dossier
    from shoal.report.dossier._form import read_form, write_form
    from shoal.report.dossier._pdf import print_pdf
    from shoal.report.release.pages._html import report_path

    page = dossier_file(release, ".html") if out is None else out
    report_path(release, page, force=force)
    printed = page.with_suffix(".pdf") if pdf else None
    refuse_existing([printed] if printed else [], force=force)
    form = dossier_file(release, ".toml") if form is None else form
    if not form.exists():
        write_text(form, write_form())
    written = make_dossier(
        release,
        read_form(form),
        original,
        control=control,
        n_shadows=shadows,
        n_people=people,
        random_state=seed,
        encoding=encoding,
    )
    write_text(page, written.html)
    if printed is not None:
        print_pdf(written.html, printed)
    files = {"form": form, "dossier": page} | ({"pdf": printed} if printed else {})
    facts = {name: str(path) for name, path in files.items()}
    output().emit(facts | written.to_dict(), lambda: _show(written, facts))
    if written.problems or written.residual.accepted is False:
        raise typer.Exit(CHECK_FAILED)


def _show(dossier: Dossier, files: dict[str, str]) -> None:
    for problem in dossier.problems:
        output().print(f"  {problem}")
    risk = dossier.residual
    if risk.after is not None:
        side = "within" if risk.accepted else "above"
        output().print(
            f"  risk      {risk.after:.4g} is the highest chance to find a person, {side} the "
            f"threshold of {risk.threshold:g}"
        )
    for attack in dossier.measured.attacks:
        output().print(f"  attack    {attack}")
    if dossier.unanswered:
        what = "question" if dossier.unanswered == 1 else "questions"
        output().print(
            f"  open      {dossier.unanswered} {what}: answer in the form, "
            "then run it again with --force"
        )
    for name, path in files.items():
        output().print(f"  {name:9} {path}")
