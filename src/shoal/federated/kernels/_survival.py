"""Scores of survival models: concordance and AUC at a horizon."""

import numpy as np
from numpy.typing import ArrayLike

from shoal.errors import InfeasibleError, ParameterError
from shoal.typing import Floats


def survival_target(time: ArrayLike, event: ArrayLike) -> Floats:
    """Times and events as the two columns that survival models here take as `y`."""
    times, events = np.asarray(time, np.float64), np.asarray(event, np.float64)
    if times.shape != events.shape or times.ndim != 1:
        raise ParameterError("time and event must be two lists of equal length.")
    if not np.isfinite(times).all() or (times < 0).any() or not np.isin(events, (0, 1)).all():
        raise ParameterError("times must not be negative or missing, events must be 0 or 1.")
    return np.column_stack([times, events])


def auc_at(y: ArrayLike, risk: ArrayLike, horizon: float) -> float:
    """Chance that someone who died by `horizon` had a higher risk than someone who outlived it.

    People censored before the horizon are left out, as in the paper's choice of patients with full
    follow-up.  Ties count one half.
    """
    target, scores = np.asarray(y, np.float64), np.asarray(risk, np.float64)
    time, event = target[:, 0], target[:, 1]
    died = scores[(time <= horizon) & (event == 1)]
    lived = np.sort(scores[time > horizon])
    if len(died) == 0 or len(lived) == 0:
        raise InfeasibleError(
            f"AUC at {horizon:g}: {len(died)} died before and {len(lived)} lived longer",
            required=1,
            achieved=0,
            hint="Choose a horizon with people on both sides.",
        )
    below = np.searchsorted(lived, died, side="left")
    up_to = np.searchsorted(lived, died, side="right")
    return float((below + up_to).sum() / (2 * len(died) * len(lived)))


def status_at(y: ArrayLike, horizon: float) -> tuple[Floats, Floats]:
    """Who can be labelled at `horizon` (a mask) and the labels: +1 outlived it, -1 died."""
    target = np.asarray(y, np.float64)
    time, event = target[:, 0], target[:, 1]
    lived = time > horizon
    known = lived | (event == 1)
    return known, np.where(lived[known], 1.0, -1.0)
