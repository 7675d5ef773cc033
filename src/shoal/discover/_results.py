"""What the searches return: frozen, plain, ready for JSON; column names and counts, no values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from shoal.typing import Native, PathText


@dataclass(frozen=True)
class Result:
    """What every result can do."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }


@dataclass(frozen=True)
class KeyResult(Result):
    """A key or quasi-identifier that was found.

    Parameters
    ----------
    attributes : tuple of str
        In the order chosen.
    ratios : tuple of float
        Share of the pairs examined that differ, after each attribute.
    distinct_ratios : tuple of float
        Distinct combinations per row examined, after each attribute; empty when pairs were
        sampled, which tell nothing about it.
    kind : {"exact", "separation", "distinct"}
        What was asked for.
    n_rows : int
        Rows of the table.
    sample_size : int
        Rows or pairs that were examined.
    sample_unit : {"rows", "pairs"}
        What was counted there.
    guarantee : str
        What holds of the whole table, in words.
    probability : float
        With which it holds; 1 for exact results.
    cost : float
        Sum of the attributes' costs.
    proved_minimum : bool
        Whether no cheaper set covers what was examined.
    lower_bound : float
        No set that covers what was examined costs less.
    seconds : float
        Time taken.
    notes : tuple of str
        What the reader should know about the columns.
    """

    attributes: tuple[str, ...]
    ratios: tuple[float, ...]
    distinct_ratios: tuple[float, ...]
    kind: str
    n_rows: int
    sample_size: int
    sample_unit: str
    guarantee: str
    probability: float
    cost: float
    proved_minimum: bool
    lower_bound: float
    seconds: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class MinimalKeys(Result):
    """All minimal keys of a table up to a size.

    Parameters
    ----------
    keys : tuple of tuple of str
        Smallest first; no attribute of any of them can be left out.
    max_size : int
        Largest size looked for.
    complete : bool
        Whether there are no others; False when the search gave up.
    n_rows : int
        Rows of the table.
    guarantee : str
        What holds, in words.
    seconds : float
        Time taken.
    notes : tuple of str
        What the reader should know about the columns.
    """

    keys: tuple[tuple[str, ...], ...]
    max_size: int
    complete: bool
    n_rows: int
    guarantee: str
    seconds: float
    notes: tuple[str, ...] = ()

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """Attributes that are in some minimal key, in order of first appearance."""
        return tuple(dict.fromkeys(name for key in self.keys for name in key))


@dataclass(frozen=True)
class MaskResult(Result):
    """Attributes that may be published together.

    Parameters
    ----------
    published : tuple of str
        In the order chosen.
    withheld : tuple of str
        The others.
    ratios : tuple of float
        Ratio of what was examined after each published attribute.
    kind : {"distinct", "separation"}
        Which ratio is limited.
    beta : float
        Limit that the published set keeps on the whole table.
    beta_used : float
        Limit kept on what was examined; below `beta` when that was a sample.
    value : float
        Sum of the published attributes' values.
    n_rows, sample_size, sample_unit, guarantee, probability, seconds, notes
        As in :class:`KeyResult`.
    """

    published: tuple[str, ...]
    withheld: tuple[str, ...]
    ratios: tuple[float, ...]
    kind: str
    beta: float
    beta_used: float
    value: float
    n_rows: int
    sample_size: int
    sample_unit: str
    guarantee: str
    probability: float
    seconds: float
    notes: tuple[str, ...] = ()

    def write(self, table: Native, out: PathText, *, force: bool = False) -> float:
        """Write the published columns of every row; return their ratio, counted on those.

        Parameters
        ----------
        table : table or path
            What was masked.
        out : path
            File to write; its suffix tells the format (CSV, Parquet or Arrow).
        force : bool
            Overwrite an existing file.

        Raises
        ------
        GuaranteeError
            When the written rows exceed `beta`: then no file appears.
        """
        from shoal.discover._publish import write_masked  # noqa: PLC0415  which knows this class

        return write_masked(table, self, out, force=force)


@dataclass(frozen=True)
class AttributeSetRisk(Result):
    """What an attacker who knows some attributes can tell apart.

    Parameters
    ----------
    attributes : tuple of str
        What the attacker knows.
    unique : int
        Rows that are alone with their combination.
    unique_share : float
        The same, as a share of all rows.
    distinct_ratio : float
        Distinct combinations per row.
    separation_ratio : float
        Share of the pairs of rows that differ.
    """

    attributes: tuple[str, ...]
    unique: int
    unique_share: float
    distinct_ratio: float
    separation_ratio: float


@dataclass(frozen=True)
class UniquenessProfile(Result):
    """Risk of every small set of attributes.

    Parameters
    ----------
    sets : tuple of AttributeSetRisk
        By size, then in the order of the columns.
    max_size : int
        Largest size.
    n_rows : int
        Rows of the table.
    guarantee : str
        What the numbers are, in words.
    seconds : float
        Time taken.
    notes : tuple of str
        What the reader should know about the columns.
    complete : bool
        Whether every set up to the size is listed; False when the time was up.
    """

    sets: tuple[AttributeSetRisk, ...]
    max_size: int
    n_rows: int
    guarantee: str
    seconds: float
    notes: tuple[str, ...] = field(default=())
    complete: bool = True

    def of_size(self, size: int) -> tuple[AttributeSetRisk, ...]:
        """Sets of one size."""
        return tuple(risk for risk in self.sets if len(risk.attributes) == size)

    def worst(self, size: int) -> AttributeSetRisk:
        """The set of one size that makes most rows unique; the first by separation among equals."""
        return max(self.of_size(size), key=lambda risk: (risk.unique, risk.separation_ratio))

    def by_size(self) -> tuple[Mapping[str, Any], ...]:
        """For an attacker with 1, 2, ... attributes: the worst, the mean and the least risk."""
        rows = []
        for size in range(1, self.max_size + 1):
            shares = [risk.unique_share for risk in self.of_size(size)]
            if not shares:
                continue
            worst = self.worst(size)
            rows.append(
                {
                    "size": size,
                    "sets": len(shares),
                    "worst": worst.unique_share,
                    "worst_attributes": list(worst.attributes),
                    "mean": sum(shares) / len(shares),
                    "least": min(shares),
                }
            )
        return tuple(rows)
