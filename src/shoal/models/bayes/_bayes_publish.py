"""What a fitted naive Bayes classifier publishes: text, JSON and the sentence of its guarantee."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from shoal._checks import check_integer, check_number
from shoal.errors import TableError
from shoal.models._json import BAYES
from shoal.models._published import PublishedClassifier
from shoal.models.bayes._bayes_column import BayesColumn, read_counts
from shoal.models.bayes._bayes_parts import name_bins
from shoal.privacy import PrivacyModel
from shoal.typing import Counts


class PublishedBayes(PublishedClassifier):
    """Exports of a fitted classifier.  All of them say the same; none holds a training row."""

    _form, _fitted = BAYES, "columns_"

    alpha: float
    class_is_public_: bool
    columns_: tuple[BayesColumn, ...]
    class_counts_: Counts
    n_rows_: int
    seed_: int
    n_features_in_: int

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

    def _facts(self) -> dict[str, Any]:
        own = super()._facts()
        return {
            "target": own["target"],
            "class_is_public": self.class_is_public_,
            "classes": own["classes"],
        }

    def _model(self) -> dict[str, Any]:
        return {
            "alpha": float(self.alpha),
            "seed": self.seed_,
            "rows": self.n_rows_,
            "labels": [column.to_dict() for column in self.columns_],
            "class_counts": self.class_counts_.tolist(),
        }

    @classmethod
    def _from_dict(cls, data: Mapping[str, Any], privacy: PrivacyModel) -> Self:
        check_number("alpha", data["alpha"], 0, above=True)
        check_integer("seed", data["seed"], 0)
        check_integer("rows", data["rows"], 1)
        model = cls(privacy=privacy, alpha=data["alpha"], random_state=data["seed"])  # type: ignore[call-arg]
        model._read_class(data)
        model.class_is_public_ = data["class_is_public"]
        model.seed_, model.n_rows_ = data["seed"], data["rows"]
        n_classes = len(model.classes_)
        model.columns_ = tuple(BayesColumn.from_dict(own, n_classes) for own in data["labels"])
        model.class_counts_ = read_counts(data["class_counts"], (n_classes,))
        return model

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

    def _check_read(self, data: Mapping[str, Any]) -> None:
        counts = [own.counts.sum(axis=0) for own in self.columns_]
        counted = np.sum([np.zeros(len(self.classes_), np.int64), *counts], axis=0)
        expected = name_bins(self.columns_, self.classes_.tolist(), self.n_rows_).to_dict()
        spans = self.spans_
        names = getattr(self, "feature_names_in_", None)
        known = set(names) if names is not None else {f"x{i}" for i in range(self.n_features_in_)}
        right = (
            len(set(self.classes_.tolist())) == len(self.classes_) > 1
            and isinstance(self.class_name_, str)
            and isinstance(self.class_is_public_, bool)
            and (counted == self.class_counts_).all()
            and counted.any()
            and expected == data["bins"]
            and expected["population"][0] >= 0
            and {own.name for own in self.columns_} <= known
            and spans.population.min(initial=1) > 0
            and spans.groups.n_rows == self.n_rows_
            and ((spans.bins >= 0) & (spans.bins < len(self.bins_))).all()
            and spans.largest_k >= min(self.privacy_.minimum_size, self.n_rows_)
            and self.guarantee() == data["guarantee"]
        )
        if not right:
            raise TableError(
                "this classifier's parts do not fit one another: the file was changed."
            )


def _numbers(counts: Counts) -> str:
    return ", ".join(f"{count:,}" for count in counts.tolist())
