"""Why one row was released as it was: a tool of the house, which reads the original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from shoal._notebook import html_note, html_table, percent
from shoal._plain import from_json
from shoal.anonymize._recoding import load_recoding
from shoal.anonymize._release_files import file_beside, find_recoding, find_schema
from shoal.errors import ParameterError, ShoalError, TableError
from shoal.metrics._measure import label_loss
from shoal.privacy import PrivacyModel
from shoal.privacy._projection import split_promise
from shoal.schema import Schema
from shoal.tables import FrequencyTable, open_table
from shoal.tables._recoded import Recoded
from shoal.typing import Native, PathText


@dataclass(frozen=True)
class Explanation:
    """How one row was released, and why.

    Parameters
    ----------
    row : int
        Number of the row in the raw table, from 0.
    released : bool
        Whether it was released.
    group : int
        Rows that look like it in the release; 0 when it was left out.
    alike : int
        Rows that looked like it in the raw table, itself among them.
    labels : mapping of str to str or None
        What is released for each quasi-identifier; stars when it was left out.
    lost : mapping of str to float
        How much of each column's detail the row lost, 0 to 1.
    alike_without : mapping of str to int
        Raw rows that would look like it if the column did not exist: where this is much larger
        than `alike`, the column sets the row apart.
    tried : mapping of int to float
        For other k: the mean detail that the row would lose; 1 when it would be left out.
    agreeing : mapping of str to int
        Where something is promised to those who know some columns: released rows that agree with
        it on these, the fewest of all such sets.

    Examples
    --------
    >>> import shoal
    >>> schema = shoal.Schema({"age": {"role": "quasi-identifier", "kind": "numeric"}})
    >>> release = shoal.release({"age": [31, 34, 52, 58]}, schema, k=2, method="mondrian")
    >>> explained = release.explain(0)
    >>> explained.labels["age"], explained.group, explained.costliest
    ('[30-34]', 2, 'age')
    """

    row: int
    released: bool
    group: int
    alike: int
    labels: Mapping[str, str | None]
    lost: Mapping[str, float]
    alike_without: Mapping[str, int]
    tried: Mapping[int, float] = field(default_factory=dict)
    agreeing: Mapping[str, int] = field(default_factory=dict)

    @property
    def costliest(self) -> str:
        """The column that lost most."""
        return max(self.lost, key=lambda name: self.lost[name])

    @property
    def oddest(self) -> str:
        """The column that sets the row apart most."""
        return max(self.alike_without, key=lambda name: self.alike_without[name])

    @property
    def sentences(self) -> tuple[str, ...]:
        """The same in words."""
        others = f"{self.alike - 1:,} other rows had the same values before"
        if self.released:
            said = [f"Row {self.row} is in a group of {self.group:,}; {others}."]
            said.append(
                f"Column {self.costliest!r} lost most, {percent(self.lost[self.costliest])}."
            )
        else:
            said = [
                f"Row {self.row} was left out: no group that keeps the promise has it; {others}."
            ]
        said += [f"By {known} it is one of {n:,} rows." for known, n in self.agreeing.items()]
        name, fewer = self.oddest, self.alike_without[self.oddest]
        if fewer > self.alike:
            said.append(
                f"Without column {name!r} it would share its values with {fewer - 1:,} other rows."
            )
        else:
            said.append("No column alone sets it apart: without any one of them it is as rare.")
        said += [
            f"With k = {k} it would {'be left out' if lost >= 1 else f'lose {percent(lost)}'}."
            for k, lost in self.tried.items()
        ]
        return tuple(said)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self) | {"sentences": list(self.sentences)}

    def _repr_html_(self) -> str:
        rows = [
            [name, self.labels[name], percent(self.lost[name]), self.alike_without[name]]
            for name in self.labels
        ]
        header = ["column", "released as", "lost", "alike without it"]
        return html_table("", header, rows) + "".join(map(html_note, self.sentences))


def explain_cell(
    recoded: Recoded,
    cell: int,
    row: int,
    tried: Mapping[int, Recoded] | None = None,
    privacy: PrivacyModel | None = None,
) -> Explanation:
    """Explain the cell that a row is in."""
    cells, group = recoded.cells, int(recoded.group_of[cell])
    labels = {
        part.coding.name: "*" if group < 0 else part.texts[recoded.codes[group, column]]
        for column, part in enumerate(recoded.labels)
    }
    return Explanation(
        row=row,
        released=group >= 0,
        group=int(recoded.groups.row_counts[group]) if group >= 0 else 0,
        alike=int(cells.row_counts[cell]),
        labels=labels,
        lost=_lost(recoded, group),
        alike_without=_alike_without(cells, cell),
        tried={
            k: float(np.mean([*_lost(other, int(other.group_of[cell])).values()]))
            for k, other in (tried or {}).items()
        },
        agreeing={} if privacy is None or group < 0 else _agreeing(recoded, group, privacy),
    )


def _agreeing(recoded: Recoded, group: int, privacy: PrivacyModel) -> dict[str, int]:
    """Rows that agree with a group on the columns that a promise names, the fewest of all sets."""
    same, rows = recoded.codes == recoded.codes[group], recoded.groups.row_counts
    return {
        model.known: min(
            int(rows[same[:, columns].all(axis=1)].sum())
            for columns, _ in model.projections(recoded.cells.names)
        )
        for model in split_promise(privacy)[1]
    }


def explain_released(
    release: PathText,
    original: Native,
    row: int,
    ks: Sequence[int] = (),
    *,
    encoding: str | None = None,
) -> Explanation:
    """Explain a row of a release that was written, with the recoding in its private folder."""
    recoding = load_recoding(find_recoding(release))
    schema = Schema.from_toml(find_schema(release))
    compressed = open_table(original, encoding=encoding, schema=schema).compress(schema)
    recoded = recoding.recode(compressed.cells)
    others = {k: _made_again(release, schema, k).recode_cells(compressed.cells) for k in ks}
    cell = cell_of_row(compressed, row)
    return explain_cell(recoded, cell, row, others, _promise_of(release))


def _promise_of(release: PathText) -> PrivacyModel | None:
    """What the manifest of a release promises; None where it does not say."""
    try:
        manifest = from_json(file_beside(release, "manifest").read_text("utf-8"))
        return PrivacyModel.from_dict(manifest["privacy"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ShoalError):
        return None


def _made_again(release: PathText, schema: Schema, k: int) -> Any:
    """The method of a release, with another k."""
    try:
        manifest = from_json(file_beside(release, "manifest").read_text("utf-8"))
        kind = getattr(import_module("shoal.anonymize"), manifest["method"])
        return kind(schema, k, **manifest["parameters"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise TableError(
            f"the manifest beside {Path(release).name} does not say how it was made, so no other k "
            "can be tried."
        ) from None


def _lost(recoded: Recoded, group: int) -> dict[str, float]:
    return {
        part.coding.name: 1.0
        if group < 0
        else float(label_loss(part, "ncp")[recoded.codes[group, column]])
        for column, part in enumerate(recoded.labels)
    }


def _alike_without(cells: FrequencyTable, cell: int) -> dict[str, int]:
    same = cells.keys == cells.keys[cell]
    counts = {}
    for column, name in enumerate(cells.names):
        others = np.delete(same, column, axis=1).all(axis=1)
        counts[name] = int(cells.row_counts[others].sum())
    return counts


def cell_of_row(compressed: Any, row: int) -> int:
    """The cell of a row of the raw table."""
    cells: Sequence[int] | None = getattr(compressed, "cell_of", None)
    if cells is None and hasattr(compressed, "cell_of_rows"):
        cells = compressed.cell_of_rows()
    if cells is None:
        raise ParameterError("rows of such a table have no numbers. Explain a file or a dataframe.")
    if not 0 <= row < len(cells):
        raise ParameterError(f"row {row} is not there: the table has rows 0 to {len(cells) - 1}.")
    return int(cells[row])
