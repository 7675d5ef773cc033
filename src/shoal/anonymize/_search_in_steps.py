"""Searches that may take several: for promises on the whole table, some columns, or people."""

from __future__ import annotations

from shoal.anonymize._anonymizer import Anonymizer, require_rows
from shoal.anonymize._ladder import climb
from shoal.anonymize._subjects import hold_limit, settle, warn_of_repeats
from shoal.anonymize.apart._components import search_apart
from shoal.privacy import PrivacyModel
from shoal.privacy._projection import rungs_beside
from shoal.tables import FrequencyTable
from shoal.tables._engine import Compressed, Engine
from shoal.tables._recoded import Recoded
from shoal.typing import Progress


def search_in_steps(
    method: Anonymizer,
    engine: Engine,
    compressed: Compressed,
    cells: FrequencyTable,
    privacy: PrivacyModel,
    progress: Progress,
) -> tuple[Recoded, tuple[str, ...]]:
    """The recoding that an estimator finds for counted cells, and notes about it.

    Parameters
    ----------
    method : Anonymizer
        Searches, and keeps the recoding that it found last.
    engine, compressed : Engine, Compressed
        The table, and the people behind its cells.
    cells : FrequencyTable
        The cells, prepared for `privacy`.
    privacy : PrivacyModel
        The promise.
    progress : callable
        As for a fit.
    """
    schema, people = method.schema, compressed.people

    def attempt(asked: PrivacyModel) -> tuple[Recoded, tuple[str, ...]]:
        require_rows(cells, asked)
        method.recoding_ = method._solve(cells, asked, progress)
        recoded = method.recoding_.recode(cells)
        if schema.subject is not None:
            return settle(engine, schema, compressed, recoded, asked)
        return recoded, warn_of_repeats(engine, schema) if schema.identifiers else ()

    rungs = privacy.rungs(cells.n_rows)
    if privacy.asks_of_some_columns:
        if method._counts_projections:
            rungs = rungs_beside(privacy, cells.n_rows)
        else:
            apart = search_apart(method._solve, cells, privacy, progress)
            if apart is not None:
                method.recoding_, said = apart
                return method.recoding_.recode(cells), said
    search = attempt if people is None else hold_limit(method, attempt, engine.n_rows)
    return climb(privacy, rungs, search, people)
