"""scikit-learn's conventions for parameters, without importing scikit-learn.

Importing `sklearn.base` loads pandas and `scipy.stats`, which takes longer than releasing a
million rows.  What `clone`, pipelines and parameter searches ask of an estimator is little and
public, so anonymizers offer it themselves; see docs/decisions/estimators.md.
"""

from __future__ import annotations

import inspect
from typing import Any, Self

from shoal.errors import ParameterError


class Estimator:
    """Parameters in ``__init__``, by keyword, stored as they are."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name."""
        names = inspect.signature(type(self)).parameters
        return {name: getattr(self, name) for name in sorted(names)}

    def set_params(self, **parameters: Any) -> Self:
        """Change parameters by name."""
        known = list(self.get_params())
        for name, value in parameters.items():
            if name not in known:
                raise ParameterError(
                    f"{type(self).__name__} has no parameter {name!r}. It has {', '.join(known)}."
                )
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn asks before it puts an estimator into a pipeline."""
        from sklearn.base import BaseEstimator  # noqa: PLC0415  only when scikit-learn asks

        tags = BaseEstimator().__sklearn_tags__()
        tags.target_tags.required = False
        return tags

    def __repr__(self) -> str:
        signature = inspect.signature(type(self).__init__).parameters
        shown = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if signature[name].default is not value and name != "schema"
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


def require_fitted(estimator: Any, attribute: str) -> None:
    """Raise scikit-learn's NotFittedError when `attribute` is not there yet."""
    if not hasattr(estimator, attribute):
        from sklearn.exceptions import NotFittedError  # noqa: PLC0415  only on error

        raise NotFittedError(f"this {type(estimator).__name__} is not fitted yet. Call fit first.")
