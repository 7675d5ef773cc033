"""By rule where the rule knows the method for a table, else by a trial on some of its cells."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from shoal.anonymize._choose import Choice, Purpose, choose_by_size, choose_method, parameters_of
from shoal.anonymize._release import Release
from shoal.anonymize.trials._trial import Trial, duration, try_methods
from shoal.privacy import PrivacyModel
from shoal.privacy._promise import bind_promise
from shoal.schema import Schema
from shoal.tables._engine import Engine
from shoal.tables._frequency import CodingOptions
from shoal.tables.engines._spark_engine import SparkEngine

MOST_ROWS = 500_000
"""Rows up to which cells are counted for a trial."""

MOST_SECONDS = 300.0
"""Methods that would take longer are not chosen unless they are asked for."""

FEW_ROWS = 5_000
"""Rows up to which nothing is tried for a table with few columns.

`local` itself compares its first groupings there, on the whole table.
"""

_TRIED = ("local", "mondrian", "top-down")
_TRIED_ON_FEW_COLUMNS = ("local", "mondrian")
_CELLS_OF_FEW_COLUMNS = 500  # enough to tell these two apart, and quick


@dataclass(frozen=True)
class MeasuredChoice(Choice):
    """A method that was tried on a sample, with the others."""

    trials: tuple[Trial, ...] = ()


def note_choice(release: Release, choice: Choice) -> Release:
    """The release with a choice that was measured in its manifest."""
    return replace(release, notes=(*release.notes, choice.note)) if choice.note else release


def choose_on_table(
    engine: Engine,
    schema: Schema,
    purpose: Purpose = "general",
    parameters: Collection[str] = (),
    privacy: PrivacyModel | None = None,
    *,
    coding: CodingOptions | None = None,
) -> Choice:
    """The method for a table; see :func:`shoal.anonymize._choose.choose_method`.

    Methods are tried on a sample of the cells, and the one that loses least is taken of those that
    end in time: on tables with few columns `local` and `mondrian`, unless there are few rows; where
    the rule would take a quick method because there are many columns, or one that counts what is
    asked of some of them, that one, too.
    """
    by_rule = choose_method(schema, engine.n_rows, purpose, parameters, privacy)
    by_size = choose_by_size(schema, engine.n_rows, purpose)
    by_promise = by_rule.method == "top-down" and by_size.method == "local"
    unsettled = (by_rule == by_size and by_rule.method == "top-down") or by_promise
    is_plain = purpose == "general" and by_rule.method == by_size.method == "local"
    tried = _TRIED_ON_FEW_COLUMNS if is_plain else _TRIED
    names = [name for name in tried if set(parameters) <= parameters_of(name)]
    if is_plain and engine.n_rows > MOST_ROWS:
        return _untried(by_rule)
    if not (unsettled or (is_plain and engine.n_rows > FEW_ROWS)) or len(names) < 2:
        return by_rule
    if privacy is None or engine.n_rows > MOST_ROWS:
        return by_rule
    if isinstance(engine, SparkEngine):  # counting is dear there, and done once
        return by_rule
    bound = bind_promise(privacy, schema)
    cells = bound.prepare(engine.compress(schema, coding or CodingOptions()).cells)
    most = _CELLS_OF_FEW_COLUMNS if is_plain else None
    sample, trials = try_methods(cells, schema, privacy, names, most)
    in_time = [trial for trial in trials if trial.seconds <= MOST_SECONDS]
    if not in_time:
        return by_rule
    best = min(in_time, key=lambda trial: trial.lost)
    what = f"on a sample of {sample.n_groups:,} of {cells.n_groups:,} different rows"
    reason = f"{what} {_sentence(best, trials)}"
    return MeasuredChoice(best.method, reason, _note(best, trials), tuple(trials))


def _untried(choice: Choice) -> Choice:
    reason = f"{choice.reason}; no method was tried on so many rows (more than {MOST_ROWS:,})"
    return replace(choice, reason=reason)


def _note(best: Trial, trials: Sequence[Trial]) -> str:
    """The choice for the manifest, without figures.

    What each method loses is measured against all values of a column, so that a share in whole per
    cent tells how far out somebody's value lies that no label shows.
    """
    tried = ", ".join(trial.method for trial in trials)
    return (
        f"Method {best.method} was chosen: of those tried on a sample that would end in time, it "
        f"lost least ({tried} were tried)."
    )


def _sentence(best: Trial, trials: Sequence[Trial]) -> str:
    others = [
        f"{trial.method} {trial.lost:.0%}"
        + (f" in about {duration(trial.seconds)}" if trial.seconds > MOST_SECONDS else "")
        for trial in trials
        if trial is not best
    ]
    said = f"it loses {best.lost:.0%} of the detail"
    if others:
        said += f" ({', '.join(others)})"
    return f"{said}; the search takes about {duration(best.seconds)}"
