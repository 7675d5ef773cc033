"""Which objects of a skops file do no harm, though skops does not trust them by itself.

Names of scikit-learn are no promise: its modules import `check_output`, `urlretrieve` and the like,
and skops calls some of the names in a file while it loads it.  So a name is known only if it is
defined in one of the modules below, and only for what skops makes of it there.
"""

from __future__ import annotations

import importlib
import zipfile
from collections.abc import Iterable
from pathlib import Path
from types import FunctionType

from shoal.audit.opened._file_rest import SCHEMA, nodes_of, parse_json

OBJECTS = frozenset(
    f"sklearn.{module}"
    for module in (
        "_loss.link", "_loss.loss", "calibration", "cluster._bisect_k_means",
        "compose._column_transformer", "ensemble._hist_gradient_boosting.binning",
        "ensemble._hist_gradient_boosting.predictor", "gaussian_process._gpc",
        "gaussian_process.kernels", "impute._iterative", "metrics._dist_metrics", "metrics._scorer",
        "model_selection._split", "multiclass", "neighbors._ball_tree", "neighbors._kd_tree",
        "neural_network._stochastic_optimizers", "utils._metadata_requests",
    )
)  # fmt: skip
"""Modules whose classes are made empty and get attributes; nothing is called."""
FUNCTIONS = frozenset(
    f"sklearn.{module}"
    for module in (
        "cluster._kmeans", "feature_selection._univariate_selection", "metrics._classification",
        "metrics._ranking", "metrics._regression",
    )
)  # fmt: skip
"""Modules whose functions compute and do nothing else."""
LOSSES = frozenset({"sklearn._loss._loss", "sklearn.linear_model._sgd_fast"})
SINGLE = {
    ("DTypeNode", "numpy.dtype"),
    ("DictNode", "sklearn.utils._bunch.Bunch"),
    ("TreeNode", "sklearn.tree._tree.Tree"),  # its arrays are checked before they are followed
    ("TupleNode", "sklearn.impute._iterative._ImputerTriplet"),
}


def foreign_types(path: Path, listed: Iterable[str]) -> list[str]:
    """Those of the types that skops lists which are not known here, or not where they are.

    What a loss is made of is called, whether skops lists it or not: there only losses are known.
    """
    with zipfile.ZipFile(path) as file:
        said = parse_json(path.name, file.read(SCHEMA).decode("utf-8"))
    left, known = dict.fromkeys(listed), set[str]()
    wrong: dict[str, None] = {}
    for node in nodes_of(said):
        loader = str(node["__loader__"])
        name = f"{node.get('__module__')}.{node.get('__class__')}"
        if name not in left and loader != "LossNode":
            continue
        if _is_known(loader, name):
            known.add(name)
        else:
            wrong[name] = None
    return [*dict.fromkeys([*wrong, *(name for name in left if name not in known)])]


def _is_known(loader: str, name: str) -> bool:
    if (loader, name) in SINGLE:
        return True
    module, _, own = name.rpartition(".")
    kinds = {
        "ObjectNode": (OBJECTS, type),
        "FunctionNode": (FUNCTIONS, FunctionType),
        "LossNode": (LOSSES, type),
    }
    modules, kind = kinds.get(loader, (frozenset[str](), type))
    if module not in modules:
        return False
    candidate = getattr(importlib.import_module(module), own, None)
    return isinstance(candidate, kind) and candidate.__module__ == module
