"""Shares and models as arrays: what travels when training is online."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from shoal.errors import ProtocolError
from shoal.federated.kernels._cox import RandomKernelCox, concordance
from shoal.federated.kernels._shares import OUTCOMES, Share, share_from_facts
from shoal.federated.kernels._survival import survival_target
from shoal.federated.kernels._svc import RandomKernelSVC

Model: TypeAlias = RandomKernelSVC | RandomKernelCox


def share_to_arrays(share: Share) -> list[np.ndarray[Any, Any]]:
    """A share as arrays, for the wire."""
    return [share.projection, *(np.asarray(share.target[n]) for n in OUTCOMES[share.outcome])]


def share_from_arrays(arrays: Sequence[Any], meta: object) -> Share:
    """Inverse of `share_to_arrays`; `meta` is the share's `to_dict`, from another site."""
    outcome = meta.get("outcome") if isinstance(meta, dict) else None
    names = OUTCOMES[outcome] if isinstance(outcome, str) and outcome in OUTCOMES else ()
    if len(arrays) != 1 + len(names):
        raise ProtocolError("a site sent another number of arrays than a share has.")
    target = dict(zip(names, arrays[1:], strict=True))
    return share_from_facts(meta, np.asarray(arrays[0]), target)


def model_to_arrays(model: Model) -> list[np.ndarray[Any, Any]]:
    """What the sites need of a fitted model."""
    if isinstance(model, RandomKernelSVC):
        return [model.coef_, np.array([model.intercept_]), model.classes_]
    return [
        model.coef_,
        model.mean_,
        model.baseline_times_,
        model.baseline_cumulative_hazard_,
        np.array([model.log_likelihood_]),
    ]


def model_from_arrays(model: Model, arrays: Sequence[Any]) -> None:
    """Fill a model with the arrays that `model_to_arrays` returned."""
    model.kernel_ = model.transform
    basis = getattr(model.kernel_, "basis_", None)
    width = -1 if basis is None else len(basis)
    if isinstance(model, RandomKernelSVC):
        _check(arrays, [(width,), (1,), (2,)], numbers=2)
        model.coef_, model.intercept_, model.classes_ = arrays[0], float(arrays[1][0]), arrays[2]
        return
    _check(arrays, [(width,), (width,), (-1,), (-1,), (1,)], numbers=5)
    model.coef_, model.mean_, model.baseline_times_, model.baseline_cumulative_hazard_ = arrays[:4]
    model.log_likelihood_ = float(arrays[4][0])


def _check(arrays: Sequence[Any], shapes: Sequence[tuple[int]], *, numbers: int) -> None:
    """Raise unless the arrays have these shapes (-1: any length) and the first hold numbers."""
    fits = len(arrays) == len(shapes) and all(
        isinstance(array, np.ndarray) and array.ndim == 1 and size in (-1, len(array))
        for array, (size,) in zip(arrays, shapes, strict=True)
    )
    if not fits or any(array.dtype != np.float64 for array in arrays[:numbers]):
        raise ProtocolError("the trainer sent something else than a model of this kernel.")


def site_score(model: Model, share: Share) -> float:
    """Accuracy of a classifier, concordance of a Cox model, on one site's own rows."""
    if isinstance(model, RandomKernelSVC):
        positive = model.decide(share.projection) > 0
        predicted = model.classes_[positive.astype(np.intp)]
        return float((predicted == share.target["label"]).mean())
    y = survival_target(share.target["time"], share.target["event"])
    return concordance(y, model.risk(share.projection))
