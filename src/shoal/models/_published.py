"""What every fitted model publishes: its promise, its spans, and both in a sealed JSON file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

import shoal
from shoal._checks import SaysWhatItTakes
from shoal.errors import TableError
from shoal.models._json import (
    NAMES,
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
from shoal.privacy import PrivacyModel
from shoal.privacy.spans._spans import Bins, Spans
from shoal.typing import PathText

_A_VERSION = re.compile(r"[0-9][0-9A-Za-z.+]{0,30}")  # of Shoal; longer ones could hold anything


@dataclass(frozen=True)
class Exposure:
    """What the release lets an attacker infer about the class, beyond anonymity.

    Parameters
    ----------
    rows : int
        Training rows behind the model.
    exposed : int
        Rows in spans whose rows all have one class: the class of these people is certain.
    confidence : float
        Largest share of one class in any span.
    """

    rows: int
    exposed: int
    confidence: float

    @classmethod
    def of(cls, spans: Spans, class_name: str) -> Self:
        """What spans with histograms of the class let one infer about it."""
        highest = float(spans.confidence(class_name).max())
        return cls(spans.groups.n_rows, spans.exposed_rows(class_name), highest)

    @property
    def share(self) -> float:
        """Share of exposed rows."""
        return self.exposed / self.rows

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "rows": self.rows,
            "exposed": self.exposed,
            "share": self.share,
            "confidence": self.confidence,
        }


class Published(SaysWhatItTakes):
    """Exports of a fitted model as JSON.  None holds a training row.

    A kind of model says what it adds (`_facts`, `_model`), how it is made again (`_from_dict`),
    and what its parts have to agree on (`_check_read`).
    """

    _form: ClassVar[str]
    _fitted: ClassVar[str]
    """An attribute that only fitted models have."""

    spans_: Spans
    bins_: Bins
    privacy_: PrivacyModel

    def guarantee(self) -> str:
        """What holds for every person behind the model, in a sentence."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """All that is published, as plain values; :meth:`from_dict` builds an equal model."""
        check_is_fitted(self, self._fitted)
        head = {"format": self._form, "version": VERSION, "shoal": shoal.__version__}
        promise = {
            "columns": columns_to_dict(self),
            "privacy": self.privacy_.to_dict(),
            "guarantee": self.guarantee(),
        }
        spans = {
            "bins": self.bins_.to_dict(),
            "spans": {
                "bins": self.spans_.to_dict()["bins"],
                "population": self.spans_.population.tolist(),
            },
        }
        return seal({**head, **self._facts(), **promise, **self._model(), **spans, **self._told()})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """A model that predicts like the one that :meth:`to_dict` was called on."""
        check_format(data, cls._form)
        with refuse_malformed(cls._form):
            return cls._read(data)

    @classmethod
    def _read(cls, data: Mapping[str, Any]) -> Self:
        """A model from what is known to be laid out as one."""
        model = PrivacyModel.from_dict(data["privacy"])
        published = cls._from_dict(data, model)
        published.privacy_ = model
        published.bins_, published.spans_ = (
            bins_from_dict(data["bins"]),
            spans_from_dict(data["spans"]),
        )
        set_columns(published, data["columns"])
        published._check_read(data)
        published._check_rest(data)
        return published

    def _check_rest(self, data: Mapping[str, Any]) -> None:
        """Raise unless a file says what this model says, and nothing else: anybody can seal one."""
        mine, theirs = (json.loads(json.dumps(one)) for one in (self.to_dict(), data))
        free = {"digest", "shoal"}
        differ = {name for name in {*mine, *theirs} - free if mine.get(name) != theirs.get(name)}
        if differ or not _A_VERSION.fullmatch(str(theirs.get("shoal"))):
            known = ", ".join(sorted(differ & set(mine))) or "a name or version of its own"
            raise TableError(
                f"this {NAMES[self._form]} says something that Shoal does not write ({known}). "
                "The file was changed; write it again."
            )

    def to_json(self, path: PathText | None = None) -> str:
        """:meth:`to_dict` as JSON; written to `path` as well when given."""
        return write_json(self.to_dict(), path)

    @classmethod
    def from_json(cls, source: PathText) -> Self:
        """Load what :meth:`to_json` wrote, from the file or from the text."""
        return cls.from_dict(read_json(source, cls._form))

    @classmethod
    def _from_dict(cls, data: Mapping[str, Any], privacy: PrivacyModel) -> Self:
        raise NotImplementedError

    def _facts(self) -> dict[str, Any]:
        """What the file says before the promise."""
        raise NotImplementedError

    def _model(self) -> dict[str, Any]:
        """What predictions are made of."""
        raise NotImplementedError

    def _told(self) -> dict[str, Any]:
        """What the file says of people beyond the promise."""
        return {}

    def _check_read(self, data: Mapping[str, Any]) -> None:
        """Raise unless the parts of a file say the same: a file that does not was changed."""


class PublishedClassifier(Published):
    """Exports of a fitted classifier, with its class and what can be inferred about it."""

    classes_: NDArray[Any]
    class_name_: str
    exposure_: Exposure | None

    def _facts(self) -> dict[str, Any]:
        return {"target": self.class_name_, "classes": classes_to_dict(self.classes_)}

    def _told(self) -> dict[str, Any]:
        return {"exposure": None if self.exposure_ is None else self.exposure_.to_dict()}

    def _read_class(self, data: Mapping[str, Any]) -> None:
        """Take back what `_facts` and `_told` wrote."""
        self.class_name_, self.classes_ = data["target"], classes_from_dict(data["classes"])
        told = data["exposure"]
        self.exposure_ = told and Exposure(told["rows"], told["exposed"], told["confidence"])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.classifier_tags.multi_class = True
        return tags
