"""Models that were trained from shares, as files: what holders of B need to predict."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from shoal._atomic import write_text
from shoal.errors import ParameterError, ProtocolError, TableError
from shoal.federated.kernels._cox import RandomKernelCox
from shoal.federated.kernels._random_kernel import RandomKernel
from shoal.federated.kernels._shares import Share
from shoal.federated.kernels._svc import RandomKernelSVC
from shoal.typing import PathText

FORMAT, VERSION = "shoal-site-model", 1
Model = RandomKernelSVC | RandomKernelCox
NUMBERS: Mapping[str, tuple[str, ...]] = {
    "svc": ("coef_", "intercept_"),
    "cox": ("coef_", "mean_", "baseline_times_", "baseline_cumulative_hazard_"),
}
"""What each kind of model keeps after training."""
DAMAGE = (KeyError, TypeError, ValueError, AttributeError, OverflowError)


def write_site_model(model: Model, shares: Sequence[Share], path: PathText) -> dict[str, Any]:
    """Write a model with the sites behind it; gives its facts, without the numbers."""
    kind = "svc" if isinstance(model, RandomKernelSVC) else "cox"
    facts: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "kind": kind,
        "fingerprint": shares[0].fingerprint,
        "features": list(shares[0].features),
        "kernel": shares[0].kernel,
        "sites": {share.site: len(share.projection) for share in shares},
        "parameters": {k: v for k, v in model.get_params(deep=False).items() if k != "transform"},
    }
    numbers = {name: np.asarray(getattr(model, name)).tolist() for name in NUMBERS[kind]}
    if isinstance(model, RandomKernelSVC):
        numbers["classes_"] = model.classes_.tolist()
    write_text(path, json.dumps(facts | {"numbers": numbers}, allow_nan=False, indent=1))
    return facts


def read_site_model(path: PathText, kernel: RandomKernel) -> Model:
    """A model that predicts like the one that was written, for a site that holds B."""
    name = Path(path).name
    try:
        data = json.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise TableError(f"cannot read model {name!r}: {error.strerror}.") from None
    except (ValueError, RecursionError):
        raise TableError(f"{name!r} is not a model: it is not JSON, or cut short.") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise TableError(f"{name!r} is not a model that `shoal site train` wrote.")
    if data.get("version") != VERSION:
        raise ProtocolError(f"{name!r} was written by another version of Shoal.")
    kernel.check_peer(str(data.get("fingerprint")), f"the model {name!r}")
    try:
        return _rebuild(data, kernel)
    except (*DAMAGE, ParameterError) as error:
        raise TableError(
            f"{name!r} has parts missing or damaged ({type(error).__name__}). Get the file again."
        ) from None


def _rebuild(data: Mapping[str, Any], kernel: RandomKernel) -> Model:
    kind, numbers = data["kind"], data["numbers"]
    made: Any = {"svc": RandomKernelSVC, "cox": RandomKernelCox}[kind](kernel, **data["parameters"])
    for name in NUMBERS[kind]:
        value = np.array(numbers[name], np.float64)
        if not np.isfinite(value).all():
            raise ValueError(name)
        setattr(made, name, value if value.ndim else float(value))
    n_components = len(kernel.basis_)
    if made.coef_.shape != (n_components,):
        raise ValueError("coef_")
    if kind == "svc":
        made.classes_ = np.array(numbers["classes_"])
        right = made.classes_.shape == (2,) and isinstance(made.intercept_, float)
    else:
        times, hazard = made.baseline_times_, made.baseline_cumulative_hazard_
        right = made.mean_.shape == (n_components,) and times.shape == hazard.shape
        right = right and bool((np.diff(times) > 0).all() and (np.diff(hazard) >= 0).all())
    if not right:
        raise ValueError(kind)
    made.kernel_ = kernel
    return made
