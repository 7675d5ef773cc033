"""The dossier on a release: facts computed again, answers of people, and references."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shoal._atomic import refuse_existing, write_text
from shoal.anonymize._release_files import file_beside
from shoal.errors import TableError
from shoal.privacy._registry import left_open
from shoal.report.dossier._form import QUESTIONS, Form
from shoal.report.dossier._frameworks import FRAMEWORKS
from shoal.report.dossier._measured import Measured, measure_release
from shoal.report.dossier._pdf import print_pdf
from shoal.report.dossier._safe_harbor import check_safe_harbor
from shoal.report.release.facts._facts import Facts, find_facts, tells_few
from shoal.report.release.facts._members import attack_members
from shoal.report.release.facts._release_file import ReleaseFile
from shoal.report.release.pages._numbers import percent
from shoal.report.release.pages._template import render
from shoal.tables import open_table
from shoal.typing import PathText


@dataclass(frozen=True)
class Residual:
    """The risk of the released rows, counted again, against the threshold.

    `accepted` is None where the released rows were not there to be counted.  Where people have
    several rows, or share a household, a release does not show whose rows are whose: then figures
    are those that were counted when it was made, and `source` says so.
    """

    threshold: float
    before: float | None
    after: float | None
    share_above: float | None
    accepted: bool | None
    source: str = "counted again"


@dataclass(frozen=True)
class Dossier:
    """The page, what speaks against the release, and the risk against the threshold."""

    html: str
    problems: tuple[str, ...]
    residual: Residual
    unanswered: int
    measured: Measured

    def write(self, path: PathText, *, force: bool = False) -> Path:
        """Write the page to a file that ends in .html or, printed by Chromium, in .pdf."""
        path = Path(path)
        if path.suffix.lower() not in (".html", ".pdf"):
            raise TableError(f"cannot write a dossier to {path.name!r}. End it in .html or .pdf.")
        refuse_existing([path], force=force)
        if path.suffix.lower() == ".pdf":
            print_pdf(self.html, path)
        else:
            write_text(path, self.html)
        return path

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; without the page."""
        return {
            "problems": list(self.problems),
            "threshold": self.residual.threshold,
            "highest_risk_before": self.residual.before,
            "highest_risk_after": self.residual.after,
            "share_above_threshold": self.residual.share_above,
            "accepted": self.residual.accepted,
            "unanswered": self.unanswered,
            "attacks": [attack.to_dict() for attack in self.measured.attacks],
            "utility": None if self.measured.kept is None else self.measured.kept.to_dict(),
        }


def dossier_file(release: PathText, ending: str) -> Path:
    """Where the form (.toml), the page (.html) and the PDF of a release lie unless named."""
    return file_beside(release, "dossier").with_suffix(ending)


def make_dossier(
    release: PathText,
    form: Form,
    original: PathText | None = None,
    *,
    control: PathText | None = None,
    n_shadows: int = 0,
    n_people: int = 5_000,
    random_state: int = 0,
    encoding: str | None = None,
) -> Dossier:
    """Count the release again, attack it where the raw table is given, and write it all down.

    **Guarantee.**  Numbers are of the manifest or counted again in the released rows, and each
    says which.  The page holds no row and no value of a person.
    """
    facts = find_facts(release, original, n_people=n_people, seed=random_state, encoding=encoding)
    residual = _residual(facts, form.threshold)
    is_there = facts.seen is not None and facts.seen.belongs
    table = facts.release.table if is_there else None
    few = tells_few(facts.release, facts.least)
    measured = measure_release(
        table,
        original,
        control,
        facts.release.schema,
        few_left_out=facts.least if few else 0,
        random_state=random_state,
        encoding=encoding,
    )
    if n_shadows and table is not None and original is not None and not measured.not_done:
        told = attack_members(
            table, original, n_shadows, random_state=random_state, encoding=encoding
        )
        measured = replace(measured, attacks=(*measured.attacks, told))
    html = render(
        "dossier.html",
        release=facts.release,
        facts=facts,
        form=form,
        questions=QUESTIONS,
        residual=residual,
        variables=_variables(facts.release),
        utility=_utility(facts, measured),
        measured=measured,
        harbor=check_safe_harbor(
            facts.release.schema, None if table is None else open_table(table)
        ),
        frameworks=FRAMEWORKS,
        left_open=left_open(facts.release.get("privacy")),
    )
    return Dossier(html, facts.problems, residual, form.unanswered, measured)


def _residual(facts: Facts, threshold: float) -> Residual:
    before = facts.release.number("risk", "before", "prosecutor", "highest")
    if facts.seen is None or not facts.seen.belongs or not len(facts.seen.sizes):
        return Residual(threshold, before, None, None, None)
    if facts.release.schema.subject is not None:
        return _residual_of_people(facts, threshold, before)
    sizes = facts.seen.sizes
    above = float(sizes[sizes * threshold < 1].sum() / sizes.sum())
    highest = 1.0 / float(sizes.min())
    return Residual(threshold, before, highest, above, highest <= threshold)


def _residual_of_people(facts: Facts, threshold: float, before: float | None) -> Residual:
    """By the raw table or the manifest: whose the rows of a group are does not show in them."""
    verdict = None if facts.seen is None else facts.seen.verdict
    source = f"manifest, by {facts.release.get('counts')}"
    highest = facts.release.number("risk", "after", "prosecutor", "highest")
    if verdict is not None and verdict.smallest_group:
        source = f"counted again, by {facts.release.get('counts')}"
        highest = 1.0 / verdict.smallest_group
    if highest is None:
        return Residual(threshold, before, None, None, None, source)
    accepted = highest <= threshold
    return Residual(threshold, before, highest, 0.0 if accepted else None, accepted, source)


def _variables(release: ReleaseFile) -> list[tuple[str, str, str]]:
    """Name, role and what was done to each column."""
    lost = release.mapping("metrics", "after", "ncp")
    done = {
        "identifier": "left out",
        "subject": "counts people; left out",
        "household": "counts households; left out",
        "pseudonym": "replaced by a token under a key",
        "sensitive": "released as it is",
        "insensitive": "released as it is",
    }
    rows: list[tuple[str, str, str]] = []
    for name, column in release.schema.items():
        text = done.get(column.role, column.role)
        if column.is_coarse:
            lines = {"round_to": "rounded to", "bottom": "not below", "top": "not above"}
            said = [(words, getattr(column, key)) for key, words in lines.items()]
            text = "made coarser by public lines: " + ", ".join(
                f"{words} {line:g}" for words, line in said if line is not None
            )
        if column.most_days:
            text = f"moved by the same number of days for a person, at most {column.most_days}"
        if column.role == "quasi-identifier":
            share = float(lost.get(name, 0.0))
            text = (
                f"made coarser: {percent(share)} of its precision lost"
                if share
                else "no value changed"
            )
        rows.append((name, column.role, text))
    return rows


def _utility(facts: Facts, measured: Measured) -> list[tuple[str, str, str]]:
    """Measure, value, and where the value is from."""
    release = facts.release
    rows, out = release.number("rows"), release.number("suppressed_rows")
    gcp = release.number("metrics", "after", "gcp")
    few = tells_few(release, facts.least)
    lines = [
        ("Rows of the raw table", f"{rows:,}", "manifest"),
        ("Rows left out", f"{out:,}", "manifest"),
    ]
    if gcp is not None:
        lines.append(("Precision lost, all quasi-identifiers (GCP)", percent(gcp), "manifest"))
    lines += [
        (f"{one.coding.name}: rows that would have to change", percent(one.moved), "computed again")
        for one in facts.marginals
        if not few
    ]
    lines += [
        (f"{name}: rows that would have to change", percent(moved), "computed again")
        for name, moved in facts.kept.items()
    ]
    if few and facts.original is not None:
        why = f"fewer than {facts.least} rows were left out, and figures would tell of them"
        lines.append(("What the release keeps, beside the raw table", "not told", why))
    if measured.kept is not None:
        lines += [
            (f"{one.name} (good is: {one.good})", one.shown, "computed again")
            for one in measured.kept.measures[1:]
        ]
    return lines
