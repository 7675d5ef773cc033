"""Parameters of the secure miners, in scikit-learn's words but without its weight.

A miner is fitted with a part of a table and a party, never with ``X`` and ``y``, so it cannot be a
scikit-learn estimator; importing that package would only make every start seconds slower.
"""

from dataclasses import fields
from typing import Any, Self

from shoal.errors import ParameterError


class Parameters:
    """Read and set the parameters of a dataclass by name."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters by name."""
        known = self.get_params()
        for name, value in parameters.items():
            if name not in known:
                raise ParameterError(f"{type(self).__name__} has no parameter {name!r}.")
            setattr(self, name, value)
        return self
