"""What a fitted naive Bayes classifier publishes: text, JSON and the sentence of its guarantee."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

import shoal
from shoal._checks import check_integer, check_number
from shoal.errors import TableError
from shoal.models._json import (
    BAYES,
    VERSION,
    bins_from_dict,
    check_format,
    classes_from_dict,
    classes_to_dict,
    columns_to_dict,
    read_json,
    refuse_malformed,
    seal,
    set_columns,
    spans_from_dict,
    write_json,
)
from shoal.models.bayes._bayes_column import BayesColumn, read_counts
from shoal.models.bayes._bayes_parts import name_bins
from shoal.models.tree._publish import Exposure
from shoal.privacy import PrivacyModel
from shoal.privacy.spans._spans import Bins, Spans
from shoal.typing import Counts, PathText


class PublishedBayes:
    """Exports of a fitted classifier.  All of them say the same; none holds a training row."""

    alpha: float
    classes_: NDArray[Any]
    class_name_: str
    class_is_public_: bool
    columns_: tuple[BayesColumn, ...]
    class_counts_: Counts
    n_rows_: int
    seed_: int
    spans_: Spans
    bins_: Bins
    exposure_: Exposure | None
    privacy_: PrivacyModel

    def export_text(self, *, values: bool = True) -> str:
        """A line for each label of each column: how many people of each class have it.

        Without `values`, labels of private columns are numbers.
        """
        check_is_fitted(self, "columns_")
        names = ", ".join(map(str, self.classes_.tolist()))
        lines = [f"{self.class_name_}: {names}: {_numbers(self.class_counts_)}"]
        for column in self.columns_:
            lines.append(column.name if len(column.labels) else f"{column.name}: not used")
            lines += [
                f"    {label}: {_numbers(counts)}"
                for label, counts in zip(
                    column.shown_labels(values=values), column.counts, strict=True
                )
            ]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """All that is published, as plain values; :meth:`from_dict` makes an equal model of it."""
        check_is_fitted(self, "columns_")
        data = {
            "format": BAYES,
            "version": VERSION,
            "shoal": shoal.__version__,
            "target": self.class_name_,
            "class_is_public": self.class_is_public_,
            "classes": classes_to_dict(self.classes_),
            "columns": columns_to_dict(self),
            "privacy": self.privacy_.to_dict(),
            "guarantee": self.guarantee(),
            "alpha": float(self.alpha),
            "seed": self.seed_,
            "rows": self.n_rows_,
            "labels": [column.to_dict() for column in self.columns_],
            "class_counts": self.class_counts_.tolist(),
            "bins": self.bins_.to_dict(),
            "spans": {
                "bins": self.spans_.to_dict()["bins"],
                "population": self.spans_.population.tolist(),
            },
            "exposure": None if self.exposure_ is None else self.exposure_.to_dict(),
        }
        return seal(data)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """A classifier that predicts like the one that :meth:`to_dict` was called on."""
        check_format(data, BAYES)
        with refuse_malformed(BAYES):
            return cls._from_dict(data)

    @classmethod
    def _from_dict(cls, data: Mapping[str, Any]) -> Self:
        model = PrivacyModel.from_dict(data["privacy"])
        check_number("alpha", data["alpha"], 0, above=True)
        check_integer("seed", data["seed"], 0)
        check_integer("rows", data["rows"], 1)
        found = cls(privacy=model, alpha=data["alpha"], random_state=data["seed"])  # type: ignore[call-arg]
        found.classes_, found.privacy_ = classes_from_dict(data["classes"]), model
        found.class_name_, found.class_is_public_ = data["target"], data["class_is_public"]
        found.seed_, found.n_rows_ = data["seed"], data["rows"]
        n_classes = len(found.classes_)
        found.columns_ = tuple(BayesColumn.from_dict(own, n_classes) for own in data["labels"])
        found.class_counts_ = read_counts(data["class_counts"], (n_classes,))
        found.bins_, found.spans_ = bins_from_dict(data["bins"]), spans_from_dict(data["spans"])
        told = data["exposure"]
        found.exposure_ = told and Exposure(told["rows"], told["exposed"], told["confidence"])
        set_columns(found, data["columns"])
        _check_whole(found, data)
        return found

    def to_json(self, path: PathText | None = None) -> str:
        """:meth:`to_dict` as JSON; written to `path` as well when given."""
        return write_json(self.to_dict(), path)

    @classmethod
    def from_json(cls, source: PathText) -> Self:
        """Load what :meth:`to_json` wrote, from the file or from the text."""
        return cls.from_dict(read_json(source, BAYES))

    def guarantee(self) -> str:
        """What holds for every person behind the classifier, in a sentence."""
        check_is_fitted(self, "columns_")
        silent = int(self.spans_.population[self.spans_.is_single].sum())
        said = (
            f"Each of {self.n_rows_} people is counted by one column at most; the counts tell "
            f"nothing private about {silent} of them"
        )
        if self.spans_.is_single.all():
            return f"{said}."
        return (
            f"{said}, and whoever knows the public values of everybody can tell the others apart "
            f"into {int((~self.spans_.is_single).sum())} groups, of each of which this holds: "
            f"{self.privacy_.describe()}. The smallest has {self.spans_.largest_k} rows."
        )


def _numbers(counts: Counts) -> str:
    return ", ".join(f"{count:,}" for count in counts.tolist())


def _check_whole(model: Any, data: Mapping[str, Any]) -> None:
    """Raise unless the parts of a file say the same: a file that does not was changed."""
    counts = [own.counts.sum(axis=0) for own in model.columns_]
    counted = np.sum([np.zeros(len(model.classes_), np.int64), *counts], axis=0)
    expected = name_bins(model.columns_, model.classes_.tolist(), model.n_rows_).to_dict()
    spans = model.spans_
    names = getattr(model, "feature_names_in_", None)
    known = set(names) if names is not None else {f"x{i}" for i in range(model.n_features_in_)}
    right = (
        len(set(model.classes_.tolist())) == len(model.classes_) > 1
        and isinstance(model.class_name_, str)
        and isinstance(model.class_is_public_, bool)
        and (counted == model.class_counts_).all()
        and counted.any()
        and expected == data["bins"]
        and expected["population"][0] >= 0
        and {own.name for own in model.columns_} <= known
        and spans.population.min(initial=1) > 0
        and spans.groups.n_rows == model.n_rows_
        and ((spans.bins >= 0) & (spans.bins < len(model.bins_))).all()
        and spans.largest_k >= min(model.privacy_.minimum_size, model.n_rows_)
        and model.guarantee() == data["guarantee"]
    )
    if not right:
        raise TableError("this classifier's parts do not fit one another: the file was changed.")
