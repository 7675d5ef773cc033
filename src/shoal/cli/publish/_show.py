"""Releases and measures as tables for people."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from shoal.anonymize._release_files import IN_DATABASE, MANIFESTS, PUBLISHED
from shoal.cli._output import output

if TYPE_CHECKING:
    from shoal.anonymize import Release
    from shoal.metrics._measure import Metrics
    from shoal.metrics._risk import Risk
    from shoal.metrics.kept._comparison import TableComparison


_MOST_LOOKED_AT = 100
"""Manifests in a folder that are looked at for an earlier release."""


class Earlier(NamedTuple):
    """A release with the same columns, or most of them, that lay where one is written.

    Its rows are known, whatever their order, where it is to be replaced: it may be the same one.
    """

    name: str
    rows: tuple[int, int] | None = None
    has_all: bool = True


def find_earlier(
    columns: Collection[str], files: Mapping[str, Path], publish: Path | None
) -> list[Earlier]:
    """Releases with these columns, or with most of them, where one is going to be written."""
    earlier: dict[str, Earlier] = {}  # by manifest: a copy that was published is the same release
    for folder in dict.fromkeys((files["manifest"].parent, publish or files["manifest"].parent)):
        own = folder / files["manifest"].name
        listed = sorted(folder.glob(MANIFESTS), key=lambda path: (path != own, path.name))
        for path in listed[:_MOST_LOOKED_AT]:
            try:
                text = path.read_text("utf-8")
                told = json.loads(text)["schema"]["columns"]
            except (OSError, ValueError, KeyError, TypeError):
                continue  # something else that is called so
            both = set(told) & set(columns)
            # two schemas for one table are two releases, too
            if 2 * len(both) < len({*told, *columns}) or text in earlier:
                continue
            name = path.name.removesuffix(".manifest.json")
            name = name if folder == files["manifest"].parent else str(folder / name)
            if path == own:
                there = {"table": folder / files["table"].name}
                name, rows = f"{name}, which is replaced,", rows_of(there)
            else:
                rows = None
            earlier[text] = Earlier(name, rows, len(both) == len({*told, *columns}))
    return list(earlier.values())


MANY_COLUMNS, COLUMNS_OF_MANY = 15, 10
"""Columns up to which all are listed, and how many of more are: those that lost most."""

MOST = 0.5
"""Share of the detail from which on it is said how less is lost."""

TO_KEEP_MORE = (
    "More is kept with fewer quasi-identifiers (columns that nobody outside knows are sensitive or "
    "insensitive in the schema; `shoal quasi` shows which single people out), with --suppress "
    "0.05, which lets rows go that are like no others, or with a smaller k."
)


def rows_of(paths: Mapping[str, Path]) -> tuple[int, int] | None:
    """Lines of a table in a text file, whatever their order; None where they cannot be compared.

    It is made to compare two files within this process.
    """
    if paths["table"].suffix.lower() != ".csv" or not paths["table"].is_file():
        return None
    with paths["table"].open("rb") as file:
        hashes = list(map(hash, file))
    return len(hashes), sum(hashes)


def say_earlier(earlier: Sequence[Earlier]) -> str:
    """What one should know of releases that lie beside a new one."""
    names = [one.name for one in earlier]
    same = "the same columns" if all(one.has_all for one in earlier) else "most of these columns"
    if len(names) == 1:
        return (
            f"the release {names[0]} has {same}. Of the same people, or of a table that "
            "grew, the two together tell more than each, and neither promise covers both: `shoal "
            "attack release` with --second tells how much. Do not give out both."
        )
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return (
        f"{len(names)} releases have {same}: {'; '.join(names[:3])}{more}. Of the same "
        "people, or of a table that grew, any two together tell more than each, and no promise "
        "covers two: `shoal attack release` with --second tells how much. Give out one of them, or "
        "the new one, and no other."
    )


def show_release(
    release: Release,
    paths: Mapping[str, Path],
    seconds: float = 0.0,
    earlier: Sequence[Earlier] = (),
    *,
    said: str = "",
    aside: str = "",
) -> None:
    """Before and after, what was promised and reached, and where the files are.

    `earlier` are releases with the same columns that lay there before; the note of what was `said`
    already, with figures, is not repeated.  What is said `aside` rests on raw values: it is for who
    holds the table, and in no file.
    With --json it is the manifest, the files, and the `seconds` that it all took.
    """
    out = output()
    others = [one for one in earlier if one.rows is None or one.rows != rows_of(paths)]
    if out.json:
        files = {name: str(path) for name, path in paths.items()}
        told = {"files": files, "total_seconds": seconds, "earlier": [one.name for one in others]}
        out.emit(release.to_dict() | told)
        return
    out.table(
        "Promise (counted again on the output)",
        ["condition", "asked", "reached"],
        [[part.description, part.required, part.reached] for part in release.reached],
    )
    before, after = release.metrics_before, release.metrics
    raw, made = measures(before, release.risk_before), measures(after, release.risk)
    rows: list[list[Any]] = [[n, raw.get(n), made.get(n)] for n in {**raw, **made}]
    people = getattr(getattr(release, "compressed", None), "people", None)
    if people is not None:
        # a person with three rows may be alone with each of them: people are not what is counted
        alone = "combinations of one " + ("person" if people.unit == "people" else "household")
        named = {_UNIQUE: alone}
        rows = [[named.get(n, re.sub(r"\brows\b", people.unit, n)), *v] for n, *v in rows]
    out.table("", ["measure", "before", "after"], rows)
    if release.privacy.asks_of_some_columns:
        _show_known(release)
    names = release.schema.quasi_identifiers
    if len(names) > MANY_COLUMNS:  # a survey would fill the screen, and hide what stands above
        names = tuple(sorted(names, key=lambda name: -after.ncp[name])[:COLUMNS_OF_MANY])
    changed = [[name, percent(after.ncp[name])] for name in names]
    out.table("Detail lost, by column", ["column", "lost"], changed)
    if left := len(release.schema.quasi_identifiers) - len(names):
        out.print(f"and less in {left} more columns, which --json lists.\n")
    out.note(release.loss_bound.describe())
    if after.gcp > MOST and not release.privacy.asks_of_some_columns:
        out.note(f"Note: {percent(after.gcp)} of the detail is lost. {TO_KEEP_MORE}")
    notes = [note for note in release.notes if note != said]
    for note in [*notes, aside] if aside else notes:
        out.note(f"Note: {note}")
    if others:
        out.note(f"Note: {say_earlier(others)}")
    for name, path in paths.items():
        stays = "" if name in PUBLISHED else "  (stays in the house)"
        kind = name.removeprefix("full ")  # there are two schemas: that of the house has all
        in_database = name == "table" and path.suffix == IN_DATABASE
        shown = f"{path.stem} (in the database)" if in_database else path
        out.print(f"  {kind:9} {shown}{stays}")


def _show_known(release: Release) -> None:
    known = [
        [one.known, one.fewest, percent(one.highest), percent(one.average)]
        for one in release.column_risks
    ]
    header = ["known", "fewest rows that agree", "highest", "average"]
    output().table("Chance to find a person, for those who know no more than", header, known)


_UNIQUE = "rows that are unique"


def measures(metrics: Metrics, risk: Risk) -> dict[str, Any]:
    """The measures worth a line each."""
    lines: dict[str, Any] = {
        "rows": metrics.n_rows - metrics.n_suppressed,
        "suppressed rows": metrics.n_suppressed,
        "groups": metrics.n_groups,
        "smallest group": metrics.smallest_group,
        "average group": metrics.average_group_size,
        _UNIQUE: risk.sample_uniques,
        "pairs of rows told apart": percent(risk.separation_ratio),
        "highest chance to find a person": percent(risk.prosecutor.highest),
        "average chance to find a person": percent(risk.prosecutor.average),
        "rows at more than 1 in 5": percent(risk.prosecutor.share_above),
    }
    for column, inference in risk.inference.items():
        lines[f"rows whose {column} is certain"] = percent(inference.certain_share)
    lines |= {
        "detail lost (GCP)": percent(metrics.gcp),
        "discernibility": metrics.discernibility,
    }
    if metrics.classification_metric is not None:
        lines["rows against their group's class"] = percent(metrics.classification_metric)
    return lines


def percent(share: float) -> str:
    """A share as people read it; what is not zero never looks like it."""
    if 0 < share < 0.0001:
        return "<0.01 %"
    return f"{share:.2%}".replace("%", " %") if share < 0.1 else f"{share:.1%}".replace("%", " %")


def show_comparison(comparison: TableComparison, files: Mapping[str, str]) -> None:
    """What a release keeps: measures with what good is, then column by column."""
    out = output()
    lines = [[one.name, one.shown, one.good] for one in comparison.measures]
    out.table("What the release keeps", ["measure", "value", "good is"], lines)
    columns = [
        [
            name,
            percent(moved),
            "-" if pairs is None else percent(pairs),
            *("-" if one is None else f"{one:.2f}" for one in rest),
        ]
        for name, moved, pairs, *rest in comparison.column_rows
    ]
    out.table("Column by column", comparison.column_header, columns)
    out.note(comparison.caution)
    for name, path in files.items():
        out.print(f"  {name:9} {path}")
