"""What boosted models hold beside the trees that adapters read."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from shoal.audit._foreign import is_of_library

BOOSTING = ("xgboost", "lightgbm")
ENDS = "feature_infos"
"""Where LightGBM keeps the smallest and the largest value of each column it was trained on."""

CATEGORIES = "categories_"
"""What encoders call the categories of columns, which XGBoost keeps as bytes."""


def is_boosting(piece: Any) -> bool:
    """Whether an object is of one of the libraries."""
    return is_of_library(type(piece), BOOSTING)


def inside_of_boosting(piece: Any) -> list[tuple[str, Any]]:
    """Attributes, notes that a file would hold, and the ends of columns.

    The trees are behind an address in memory, and are read from what the library writes.
    """
    own = {n: one for n, one in vars(piece).items() if type(one) is not ctypes.c_void_p}
    if hasattr(piece, "set_attr") and hasattr(piece, "save_raw"):
        own["attributes"] = piece.attributes()
        own["feature_names"] = piece.feature_names
        grown = json.loads(bytes(piece.save_raw(raw_format="json")))["learner"]["gradient_booster"]
        own[CATEGORIES] = categories_of(grown.get("gbtree", grown).get("model", {}))
    if hasattr(piece, "model_to_string") and hasattr(piece, "dump_model"):
        own[ENDS] = ends_of_columns(piece.dump_model()[ENDS])
    return list(own.items())


def categories_of(grown: Mapping[str, Any]) -> list[list[Any]]:
    """Names of categories by column: numbers, or texts that XGBoost keeps as one row of bytes.

    Examples
    --------
    >>> categories_of({"cats": {"enc": [{"offsets": [0, 1, 3], "values": [97, 98, 99]}]}})
    [['a', 'bc']]
    """
    categories: list[list[Any]] = []
    for stored in (grown.get("cats") or {}).get("enc") or []:
        values = stored["values"]
        if values and "offsets" in stored:
            raw = bytes(value & 0xFF for value in values)
            values = [raw[a:b].decode("utf-8") for a, b in pairwise(stored["offsets"])]
        categories.append(list(values))
    return categories


def ends_of_columns(infos: Mapping[str, Any]) -> Any:
    """Smallest and largest values, as one list.

    Examples
    --------
    >>> ends_of_columns({"age": {"min_value": 19, "max_value": 84, "values": []}})
    array([19., 84.])
    """
    ends = [info.get(end) for info in infos.values() for end in ("min_value", "max_value")]
    return np.array([value for value in ends if value is not None], np.float64)
