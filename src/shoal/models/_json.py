"""Fitted models as JSON, and back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal._atomic import write_text
from shoal.errors import ShoalError, TableError
from shoal.privacy.spans._spans import Bins, Spans
from shoal.tables import FrequencyTable
from shoal.typing import PathText

FORMAT, VERSION = "shoal-tree", 2
CLUSTERS = "shoal-clusters"
BAYES = "shoal-bayes"
NAMES = {FORMAT: "tree", CLUSTERS: "clustering", BAYES: "naive Bayes classifier"}


def spans_from_dict(data: Mapping[str, Any]) -> Spans:
    """Spans without private values, as they are published."""
    widths = [len(bins) for bins in data["bins"]]
    start = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    bins = np.array([b for own in data["bins"] for b in own], np.int32)
    sizes = np.array(data["population"], np.int64)
    return Spans(start, bins, FrequencyTable((), np.empty((len(sizes), 0), np.int32), sizes))


def bins_from_dict(data: Mapping[str, Any]) -> Bins:
    """Bins as they are published."""
    return Bins(tuple(data["names"]), np.array(data["population"], np.int64))


def classes_to_dict(classes: NDArray[Any]) -> dict[str, Any]:
    """Class labels with their type, so that predictions compare equal after loading."""
    return {"type": classes.dtype.str, "values": classes.tolist()}


def classes_from_dict(data: Mapping[str, Any]) -> NDArray[Any]:
    """Inverse of :func:`classes_to_dict`."""
    return np.array(data["values"], np.dtype(data["type"]))


def read_json(source: PathText, form: str = FORMAT) -> Mapping[str, Any]:
    """Read a model from a file, or from the text of one; an error that says what it is not."""
    is_text = isinstance(source, str) and source.lstrip().startswith("{")
    name = "the text" if is_text else Path(source).name
    try:
        text = str(source) if is_text else Path(source).read_text("utf-8")
        data = json.loads(text, object_pairs_hook=_once)
    except OSError as error:
        raise TableError(f"cannot read {name}: {error.strerror}.") from None
    except ShoalError:
        raise
    except (ValueError, RecursionError):
        raise TableError(f"{name} is not JSON.") from None
    return check_format(data, form)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON; a name that is given twice would hide what it is given first."""
    entries = dict(pairs)
    if len(entries) < len(pairs):
        raise TableError("the file gives a name twice. It was changed; write it again.")
    return entries


def write_json(data: Mapping[str, Any], path: PathText | None) -> str:
    """What a model publishes, as text; written to `path` as well when given."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1)
    if path is not None:
        write_text(path, text)
    return text


def seal(data: dict[str, Any]) -> dict[str, Any]:
    """Add a digest of everything else, so that a changed or damaged file is recognized."""
    return data | {"digest": _digest(data)}


def _digest(data: Mapping[str, Any]) -> str:
    plain = {name: value for name, value in data.items() if name != "digest"}
    text = json.dumps(plain, ensure_ascii=True, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


@contextmanager
def refuse_malformed(form: str) -> Iterator[None]:
    """Turn whatever a reader stumbles over into an error that says what is wrong."""
    try:
        yield
    except ShoalError:
        raise
    except (
        LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError,
    ) as error:  # fmt: skip
        raise TableError(
            f"this {NAMES[form]} is not laid out as Shoal writes it ({type(error).__name__}). "
            "The file is damaged or was changed."
        ) from None


def check_format(data: Any, form: str = FORMAT) -> Mapping[str, Any]:
    """Raise unless this is a model of a form and a version that is known, as it was written."""
    what = NAMES[form]
    if not isinstance(data, Mapping) or data.get("format") != form:
        raise TableError(f"this is not a {what} written by Shoal.")
    if data.get("version") != VERSION:
        raise TableError(
            f"the {what} has version {data.get('version')!r}, and this release of Shoal reads "
            f"version {VERSION}."
        )
    if data.get("digest") != _digest(data):
        raise TableError(f"the {what} is not as it was written (its digest differs).")
    return data


def columns_to_dict(model: Any) -> dict[str, Any]:
    """Number and names of the columns that a model was fitted on."""
    names = getattr(model, "feature_names_in_", None)
    return {
        "count": int(model.n_features_in_),
        "names": None if names is None else list(map(str, names)),
    }


def set_columns(model: Any, data: Mapping[str, Any]) -> None:
    """Inverse of :func:`columns_to_dict`."""
    model.n_features_in_ = data["count"]
    if data["names"] is not None:
        model.feature_names_in_ = np.array(data["names"], object)
