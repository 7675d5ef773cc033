"""Writing the columns that a mask leaves, checked before they appear."""

from __future__ import annotations

from pathlib import Path

from shoal._atomic import atomic_path, refuse_existing
from shoal.discover._ratios import distinct_ratio, separation_ratio
from shoal.discover._results import MaskResult
from shoal.errors import GuaranteeError, ParameterError
from shoal.tables import open_table
from shoal.typing import Native, PathText

_SUFFIXES = (".csv", ".parquet", ".arrow", ".feather", ".ipc")


def write_masked(table: Native, result: MaskResult, out: PathText, *, force: bool = False) -> float:
    """What :meth:`MaskResult.write` does.

    Notes
    -----
    **Guarantee.**  The ratio is counted anew on the columns as they are written, by the engine
    and not by the search, so that a sampled mask that was unlucky never gets out.
    """
    out = Path(out)
    if out.suffix.lower() not in _SUFFIXES:
        raise ParameterError(f"cannot write {out.name!r}: end it in {', '.join(_SUFFIXES)}.")
    refuse_existing([out], force=force)
    engine = open_table(table)
    names = [name for name in engine.names if name in result.published]
    ratio_of = distinct_ratio if result.kind == "distinct" else separation_ratio
    ratio = ratio_of(engine, names)
    if ratio > result.beta:
        raise GuaranteeError(
            f"the {result.kind} ratio of the {len(names)} columns is {ratio:.4g}, above "
            f"beta={result.beta:g}; nothing was written. Mask again with all rows, or with a "
            "larger sample."
        )
    with atomic_path(out) as part:
        engine.write(names, part)
    return ratio
