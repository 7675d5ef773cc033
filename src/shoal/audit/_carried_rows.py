"""Training rows inside a model: each of its arrays is compared with the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.audit._boosting import ENDS
from shoal.audit._contents import is_atom, open_model
from shoal.audit._training_table import TrainingTable
from shoal.audit.opened._private_statistics import PrivateStatistics
from shoal.audit.trees._lone_thresholds import FEW_VALUES
from shoal.schema._text import text, texts
from shoal.typing import Floats

PER_ROW = {
    "labels_", "oob_decision_function_", "oob_prediction_", "transduction_", "embedding_",
    "outliers_", "inlier_mask_", "cv_results_", "cv_values_", "x_scores_", "y_scores_",
}  # fmt: skip
"""Attributes of scikit-learn with an entry for each training row, in its order."""
ERRORS = {"cv_results_", "cv_values_"}
"""Those among them that compare what a model says with what is true of a row."""
SUMMARIES = {
    "mean_", "var_", "scale_", "center_", "statistics_", "data_min_", "data_max_", "data_range_",
    "min_", "lambdas_", "max_abs_", "coef_", "intercept_", "n_iter_", "scores_", "pvalues_",
    "classes_", "n_classes_", "train_score_", "validation_score_", "estimator_weights_",
    "estimator_errors_", "oob_improvement_", "oob_scores_", "class_prior_", "feature_names_in_",
    ENDS,
}  # fmt: skip
"""Attributes with a number for each column, class or round, which a person may have by chance."""
EXTREMES = {
    "data_min_", "data_max_", "max_abs_", "bin_edges_", "categories_", "quantiles_", "center_",
    "statistics_", ENDS,
}  # fmt: skip
"""Attributes of encoders and boosters with values of single rows: ends, quantiles, medians."""
BY_CHANCE = 20  # rows from which an array of as many entries is no coincidence
EVIDENCE = 12.0  # bits that rows must have in common with the table to be no coincidence
DIGITS = 5  # significant digits in which scaled rows are compared


class RowScan:
    """A table in all the forms in which a model may have kept its rows.

    Parameters
    ----------
    table : TrainingTable
        The rows.
    k : int
        Rows that fewer people have in common are somebody's.
    matrices : sequence of ndarray
        Features as the model's own encoders make them.
    """

    def __init__(self, table: TrainingTable, k: int, matrices: Sequence[Floats] = ()) -> None:
        self.table, self.k, self.n_rows = table, k, table.n_rows
        self._given = [np.asarray(matrix, np.float64) for matrix in matrices]
        self._counts: dict[int, list[tuple[Counter[bytes], float]]] = {}
        self._text_counts: dict[int, tuple[Counter[tuple[str, ...]], float]] = {}

    def scan(self, model: Any, *, tells_something: bool) -> tuple[list[str], list[str]]:
        """Training rows that a model holds, and the parts of it that could not be read.

        A model that tells nothing private may say of every row what it says anyway, its outputs;
        what else it has for each row, errors say, may rest on what is private.
        """
        held: list[str] = []
        unread: list[str] = []
        for piece in open_model(model, self._known):
            name = piece.path or "the model itself"
            array = piece.array
            if array is None:
                unread.append(f"{name} {piece.why}")
            elif array.dtype.names or not array.size or _holds_objects(array):
                continue  # nodes of trees, which adapters read, or a shelf whose pieces follow
            elif self._is_output(name, array):
                if tells_something or name.rpartition(".")[2] in ERRORS:
                    held.append(f"{name} has an entry for each training row, in their order")
            elif said := self._held(name, array):
                held.append(said)
            elif said := self._statistics.told(_attribute(name), array):
                unread.append(f"{name} {said}")
            elif self._is_per_row(name, array) and (
                tells_something or _attribute(name) not in EXTREMES
            ):
                unread.append(f"{name} has an entry for each training row")
        return held, unread

    @cached_property
    def _known(self) -> frozenset[str]:
        """Names of columns, and categories that are no single person's."""
        frame = self.table.frame
        texts = set(map(str, frame.names))
        for name in frame.names:
            codes, values = frame.factorize(name)
            sizes = np.bincount(codes[codes >= 0], minlength=len(values))
            texts |= {str(v) for v, n in zip(values, sizes, strict=True) if n >= self.k}
        return frozenset(texts)

    def _is_output(self, name: str, array: NDArray[Any]) -> bool:
        known = name.rpartition(".")[2] in PER_ROW
        return known and array.shape[:1] == (self.n_rows,)

    def _held(self, name: str, array: NDArray[Any]) -> str | None:
        last = name.rpartition(".")[2]
        if column := self._same_column(array):
            return f"{name} holds column {column!r} row by row"
        if rows := self._rows(array, is_summary=last in SUMMARIES):
            return f"{name} holds {rows:,} rows that fewer than {self.k} people have"
        if array.dtype.kind in "OUT" and (n_held := self._identifiers(array)):
            return f"{name} holds {n_held:,} values of an identifier"
        if array.dtype.kind in "iuf":
            if column := self._private_values(array):
                return f"{name} lists values of private column {column!r}"
            if _attribute(name) in EXTREMES and (column := self._private_end(array)):
                few = f"that fewer than {self.k} people have"
                return f"{name} holds a value of private column {column!r} {few}"
        return None

    @cached_property
    def _statistics(self) -> PrivateStatistics:
        return PrivateStatistics(self.table, self.k)

    def _is_per_row(self, name: str, array: NDArray[Any]) -> bool:
        long = self.n_rows >= BY_CHANCE and array.shape[:1] == (self.n_rows,)
        return long and name.rpartition(".")[2] not in SUMMARIES and _varies(array)

    @cached_property
    def _codes(self) -> dict[str, NDArray[np.int32]]:
        frame = self.table.frame
        return {name: frame.factorize(name)[0] for name in frame.names}

    def _same_column(self, array: NDArray[Any]) -> str | None:
        """A column that an array tells apart row by row, whatever it calls the values."""
        if array.shape[:1] != (self.n_rows,) or array.ndim > 2 or self.n_rows < 3:
            return None
        for own in array.reshape(self.n_rows, -1).T[:64]:
            codes = _number(own)
            for name, other in self._codes.items():
                n_values = int(other.max(initial=-1)) + 1
                pairs = len(np.unique(codes.astype(np.int64) * (n_values + 1) + other + 1))
                same = n_values > 1 and pairs == len(np.unique(other)) == int(codes.max()) + 1
                # where everybody differs, any list of different values tells the same apart
                if same and (n_values < self.n_rows or self._same_order(name, own)):
                    return name
        return None

    def _same_order(self, name: str, own: NDArray[Any]) -> bool:
        values = self.table.frame.values(name)
        if own.dtype.kind not in "iuf":
            return [*map(_text, own.tolist())] == [*map(_text, values)]
        if self.table.frame.types[name] != "number":
            return False
        order, rows = np.argsort(self.table.numbers(name)), np.argsort(own)
        return np.array_equal(order, rows) or np.array_equal(order, rows[::-1])

    @cached_property
    def _layouts(self) -> list[Floats]:
        """The numbers of the table, in the orders and scales in which a model may keep them."""
        frame, types = self.table.frame, self.table.frame.types
        numeric = [name for name in frame.names if types[name] in ("number", "boolean")]
        attributes = [name for name in numeric if name in self.table.attributes]
        matrices = [*self._given]
        for names in (attributes, numeric):
            if names:
                matrices.append(np.column_stack([frame.numbers(name) for name in names]))
        with np.errstate(all="ignore"):
            for matrix in [*matrices]:
                low, wide = np.nanmin(matrix, axis=0), np.ptp(matrix, axis=0)
                matrices.append((matrix - np.nanmean(matrix, axis=0)) / np.nanstd(matrix, axis=0))
                matrices.append((matrix - low) / wide)
        return matrices

    @cached_property
    def _widths(self) -> dict[int, list[Floats]]:
        """The same by the number of columns."""
        by_width: dict[int, list[Floats]] = {}
        for matrix in self._layouts:
            by_width.setdefault(matrix.shape[1], []).append(matrix)
        return by_width

    def _counted(self, width: int) -> list[tuple[Counter[bytes], float]]:
        """How many people have each row of `width` numbers, and the bits of a row."""
        if width not in self._counts:  # most models have no array of most widths
            counts = self._counts[width] = []
            for matrix in self._widths[width]:
                bits = float(sum(np.log2(len(np.unique(column))) for column in matrix.T))
                counts += [(Counter(keys), bits) for keys in _keys(matrix)]
        return self._counts[width]

    @cached_property
    def _text_widths(self) -> dict[int, Sequence[str]]:
        """The same for rows of texts: attributes, and all columns."""
        return {len(names): names for names in (self.table.attributes, self.table.frame.names)}

    def _counted_texts(self, width: int) -> tuple[Counter[tuple[str, ...]], float]:
        if width not in self._text_counts:
            values = map(self.table.frame.values, self._text_widths[width])
            columns = [["" if one is None else one for one in texts(own)] for own in values]
            bits = float(sum(np.log2(len(set(column))) for column in columns))
            self._text_counts[width] = Counter(zip(*columns, strict=True)), bits
        return self._text_counts[width]

    def _rows(self, array: NDArray[Any], *, is_summary: bool) -> int:
        """Rows of an array that are rows of the table which fewer than k people have."""
        if array.ndim > 2:
            array = array.reshape(-1, array.shape[-1])
        if array.ndim < 2:
            array = array.reshape(-1)
            if is_summary or len(array) < 3 or _is_scale(array):
                return 0  # three numbers of one person are hardly chance
            return max(map(self._match, self._shapes(array)), default=0)
        return max(self._match(array), self._match(array.T) if array.shape[0] > 1 else 0)

    def _shapes(self, flat: NDArray[Any]) -> Iterator[NDArray[Any]]:
        """Tables that a list of values may be, told row after row or column after column."""
        for width in {len(flat), *self._widths, *self._text_widths}:
            if width and len(flat) % width == 0:
                yield flat.reshape(-1, width)
                yield flat.reshape(width, -1).T

    def _match(self, rows: NDArray[Any]) -> int:
        width = rows.shape[1]
        if width < 2:
            return 0
        best = 0
        numbers = _numbers(rows)
        if numbers is not None and width in self._widths:
            variants = [set(keys) for keys in _keys(numbers)]
            most = width * _bits_of_entry(numbers)
            for index, (counted, bits) in enumerate(self._counted(width)):
                best = max(best, self._count(variants[index % 2], counted, min(bits, most)))
        if rows.dtype.kind in "OUT" and width in self._text_widths:
            own = {tuple(map(_text, row)) for row in rows.tolist()}
            best = max(best, self._count(own, *self._counted_texts(width)))
        return best

    def _count(self, own: set[Any], counted: Counter[Any], bits: float) -> int:
        """Number of rows that are somebody's; 0 if as many would match by chance."""
        hits = sum(0 < counted[key] < self.k for key in own)
        if not hits:
            return 0
        one = bits - np.log2(len(own))  # bits of one hit among as many that were tried
        most = hits > 1 and 2 * hits >= len(own)
        return hits if one >= EVIDENCE or (most and hits * bits >= EVIDENCE) else 0

    @cached_property
    def _names(self) -> set[str]:
        roles = self.table.schema
        own = [name for name in self.table.frame.names if roles[name].role == "identifier"]
        texts = {_text(value) for name in own for value in self.table.frame.factorize(name)[1]}
        return {value for value in texts if len(value) > 2}

    def _identifiers(self, array: NDArray[Any]) -> int:
        return sum(isinstance(v, str) and v in self._names for v in set(_hashable(array)))

    @cached_property
    def _rare(self) -> dict[str, Floats]:
        """Values of private numbers that fewer than k people have."""
        rare_by_name = {}
        for name in self.table.private:
            if self.table.schema[name].kind == "numeric":
                values, counts = np.unique(self.table.numbers(name), return_counts=True)
                if len(values) > FEW_VALUES:
                    rare_by_name[name] = values[counts < self.k]
        return rare_by_name

    def _private_end(self, array: NDArray[Any]) -> str | None:
        """A private column whose encoder tells a value of few people, such as its largest."""
        own = array.astype(np.float64)
        return next((name for name, rare in self._rare.items() if np.isin(own, rare).any()), None)

    def _private_values(self, array: NDArray[Any]) -> str | None:
        if not self._rare:
            return None
        columns = array.reshape(len(array), -1).T[:64] if array.ndim > 1 else array[None]
        for own in (np.unique(column.astype(np.float64)) for column in columns):
            for name, rare in self._rare.items():
                hits = int(np.isin(own, rare).sum())
                if hits >= 3 and 2 * hits >= len(own):
                    return name
        return None


def _attribute(path: str) -> str:
    """The name of an attribute, without the places in its lists."""
    names = [part.partition("[")[0] for part in path.split(".")]
    return next((name for name in reversed(names) if not name.isdigit()), path)


def _is_scale(array: NDArray[Any]) -> bool:
    """Whether these are rising whole numbers: categories, places, edges of bins."""
    if array.dtype.kind not in "iuf" or len(array) >= 6:
        return False
    return bool((np.diff(array) > 0).all() and (array == np.round(array)).all())


def _holds_objects(array: NDArray[Any]) -> bool:
    if array.dtype != object:
        return False
    return any(not is_atom(one) for one in array.ravel()[:100].tolist())


def _varies(array: NDArray[Any]) -> bool:
    if array.dtype.kind == "f" and np.isnan(array).all():
        return False
    return bool((array != array.ravel()[:1]).any())


def _number(values: NDArray[Any]) -> NDArray[np.int64]:
    if values.dtype.kind in "biuf":
        return np.unique(values, return_inverse=True)[1].astype(np.int64)
    number_of: dict[str, int] = {}
    return np.array([number_of.setdefault(_text(v), len(number_of)) for v in values.tolist()])


def _numbers(rows: NDArray[Any]) -> Floats | None:
    if rows.dtype.kind in "biuf":
        return rows.astype(np.float64)
    try:
        return rows.astype(np.float64)
    except (TypeError, ValueError):
        return None


def _bits_of_entry(numbers: Floats) -> float:
    """Bits that an entry can tell: few where an array has small whole numbers only, as places do.

    Examples
    --------
    >>> _bits_of_entry(np.zeros((1, 3))), _bits_of_entry(np.array([[0.0, 1.0, 3.0]]))
    (0.0, 2.0)
    """
    own = numbers[np.isfinite(numbers)]
    if (own != np.round(own)).any():
        return float("inf")
    return float(np.log2(np.abs(own).max() + 1)) if len(own) else 0.0


def _keys(matrix: Floats) -> Iterator[list[bytes]]:
    """Rows as bytes: rounded to single precision, and to a few digits."""
    with np.errstate(all="ignore"):
        single = np.ascontiguousarray(matrix.astype(np.float32) + np.float32(0))
        yield [row.tobytes() for row in single]
        scale = 10.0 ** (np.floor(np.log10(np.abs(matrix))) - DIGITS + 1)
        scale = np.where(np.isfinite(scale) & (scale > 0), scale, 1.0)
        few = np.where(np.abs(matrix) < 1e-12, 0.0, np.round(matrix / scale) * scale)
        yield [
            row.tobytes() for row in np.ascontiguousarray(few.astype(np.float32) + np.float32(0))
        ]


def _text(value: Any) -> str:
    return "" if value is None or value != value else str(text(value))


def _hashable(array: NDArray[Any]) -> list[str]:
    return [value for value in array.ravel().tolist() if isinstance(value, str)]
