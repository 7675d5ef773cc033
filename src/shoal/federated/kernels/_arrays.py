"""Shares and models as arrays: what travels when training is online."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from shoal.federated.kernels._cox import RandomKernelCox, concordance
from shoal.federated.kernels._shares import OUTCOMES, Share
from shoal.federated.kernels._survival import survival_target
from shoal.federated.kernels._svc import RandomKernelSVC

Model: TypeAlias = RandomKernelSVC | RandomKernelCox


def share_to_arrays(share: Share) -> list[np.ndarray[Any, Any]]:
    """A share as arrays, for the wire."""
    return [share.projection, *(np.asarray(share.target[n]) for n in OUTCOMES[share.outcome])]


def share_from_arrays(arrays: Sequence[Any], meta: Mapping[str, Any]) -> Share:
    """Inverse of `share_to_arrays`; `meta` is the share's `to_dict`."""
    names = OUTCOMES[meta["outcome"]]
    return Share(
        meta["site"],
        np.asarray(arrays[0], np.float64),
        dict(zip(names, arrays[1:], strict=True)),
        meta["fingerprint"],
        tuple(meta["features"]),
        tuple((float(a), float(b)) for a, b in meta["ranges"]),
        meta["kernel"],
    )


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
    """Fill a model with what `model_to_arrays` gave."""
    model.kernel_ = model.transform
    if isinstance(model, RandomKernelSVC):
        model.coef_, model.intercept_, model.classes_ = arrays[0], float(arrays[1][0]), arrays[2]
        return
    model.coef_, model.mean_, model.baseline_times_, model.baseline_cumulative_hazard_ = arrays[:4]
    model.log_likelihood_ = float(arrays[4][0])


def site_score(model: Model, share: Share) -> float:
    """Accuracy of a classifier, concordance of a Cox model, on one site's own rows."""
    if isinstance(model, RandomKernelSVC):
        positive = model.decide(share.projection) > 0
        predicted = model.classes_[positive.astype(np.intp)]
        return float((predicted == share.target["label"]).mean())
    y = survival_target(share.target["time"], share.target["event"])
    return concordance(y, model.risk(share.projection))
