"""All that a release keeps for analysts, in one result."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from shoal._notebook import Plot, html_note, html_table, percent, plot_bars
from shoal.metrics.kept._counts_kept import CountsKept
from shoal.metrics.kept._model_kept import ModelKept
from shoal.metrics.kept._propensity import Propensity
from shoal.metrics.kept._regression_kept import RegressionKept
from shoal.metrics.kept._tables_kept import FEWEST_LEFT_OUT, TablesKept


@dataclass(frozen=True)
class Measure:
    """One line for people: what was measured, its value, and what a good value looks like."""

    name: str
    value: float
    shown: str
    good: str


@dataclass(frozen=True)
class TableComparison:
    """A release beside the raw table, by what analysts do with either.

    Parameters
    ----------
    n_raw, n_released : int
        Rows of the tables.
    weights : str or None
        Column that says how many people a row stands for.
    tables : TablesKept
        Distributions, two-way tables, correlations.
    propensity : Propensity
        Whether a model tells the tables apart.
    counts : CountsKept
        Random counts.
    regression : RegressionKept or None
        A regression on all other columns.
    model : ModelKept or None
        A classifier, tested on raw rows.
    """

    n_raw: int
    n_released: int
    weights: str | None
    tables: TablesKept
    propensity: Propensity
    counts: CountsKept
    regression: RegressionKept | None
    model: ModelKept | None

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What people read first, in the order of the guide."""
        measures = [
            Measure(
                "rows released",
                self.n_released / self.n_raw,
                f"{self.n_released:,} of {self.n_raw:,}",
                "all; what is left out is often not like the rest",
            ),
            *self._of_tables(),
            *self._of_models(),
        ]
        return tuple(measures)

    def _of_tables(self) -> list[Measure]:
        columns, tables = self.tables.columns, self.tables
        moved = sum(column.moved for column in columns) / len(columns)
        measures = [
            Measure("distributions moved", moved, percent(moved), "0 %; below 2 % is hard to see")
        ]
        if tables.moved is not None:
            measures.append(
                Measure(
                    "two-way tables moved", tables.moved, percent(tables.moved),
                    "0 %; much more than single columns: connections are lost",
                )
            )  # fmt: skip
        if tables.correlation_difference is not None:
            measures.append(
                Measure(
                    "correlations changed by", tables.correlation_difference,
                    f"{tables.correlation_difference:.3f}",
                    f"0; the largest change is {tables.largest_difference:.3f}",
                )
            )  # fmt: skip
        error = self.counts.median_error
        measures.append(
            Measure(
                "error of counts (median)", error, percent(error), "0 %; below 5 % for most uses"
            )
        )
        return measures

    def _of_models(self) -> list[Measure]:
        measures = [
            Measure(
                "pMSE ratio", self.propensity.ratio, f"{self.propensity.ratio:,.1f}",
                "about 2 is another draw of people; up to 10 is good; high for coarse labels",
            )
        ]  # fmt: skip
        if self.regression is not None:
            overlap, same = self.regression.overlap, self.regression.same_conclusion
            measures += [
                Measure(
                    f"interval overlap, regression of {self.regression.target}",
                    overlap, f"{overlap:.2f}", "1; 0 or less: intervals do not meet",
                ),
                Measure(
                    "coefficients with the same conclusion", same, percent(same), "100 %",
                ),
            ]  # fmt: skip
        if self.model is not None:
            model = self.model
            measures.append(
                Measure(
                    f"accuracy for {model.target}", model.released, percent(model.released),
                    f"raw rows {percent(model.raw)}; the majority alone {percent(model.majority)}",
                )
            )  # fmt: skip
        return measures

    @property
    def column_header(self) -> list[str]:
        """What `column_rows` holds."""
        return ["column", "moved", "pairs moved", "mean shift", "spread", "overlap"]

    @property
    def column_rows(self) -> list[list[Any]]:
        """Column, distribution moved, two-way tables moved, mean shift, spread, overlap."""
        overlap = {} if self.regression is None else self.regression.by_column
        return [
            [
                one.name, one.moved, one.pairs_moved, one.mean_shift, one.spread_ratio,
                overlap.get(one.name),
            ]
            for one in self.tables.columns
        ]  # fmt: skip

    def plot(self) -> Plot:
        """Draw how far each column's distribution moved; needs matplotlib."""
        columns = self.tables.columns
        return plot_bars(
            "Rows that would have to change",
            [column.name for column in columns],
            [100 * column.moved for column in columns],
            "%",
        )

    def _repr_html_(self) -> str:
        lines = [[one.name, one.shown, one.good] for one in self.measures]
        page = html_table("", ["measure", "value", "good is"], lines)
        page += html_table("", self.column_header, self.column_rows)
        return page + html_note(self.caution)

    @property
    def caution(self) -> str:
        """What these numbers do not say."""
        read = "A release that keeps everything protects nobody: read these beside the risk."
        if 0 < self.n_raw - self.n_released < FEWEST_LEFT_OUT:
            read += (
                f" Fewer than {FEWEST_LEFT_OUT} rows were left out, and these figures tell of "
                "them: keep them in the house."
            )
        if self.model is not None and self.model.is_held_out:
            return f"{read} Counts are of this table; the model was tested on rows of others."
        return (
            f"{read} Model and counts are of this table; the release may have been made of the "
            "test rows."
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self) | {"measures": [asdict(one) for one in self.measures]}
