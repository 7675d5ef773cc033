"""What owners and helpers agree on besides the model: who takes part, and who may be missed."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from numbers import Integral
from typing import Any, Literal

from shoal.errors import ParameterError

MAX_ROWS = 2**31
MAX_OWNERS = 1000
MOST_SECONDS = 10**6
"""Longest wait that can be agreed on, eleven days."""


@dataclass(frozen=True)
class Terms:
    """Public parameters that every owner and both helpers must share.

    Parameters
    ----------
    owners : sequence of str
        Names of the owners, in an order that all use.
    most_rows : int
        Public upper bound on the rows of all owners together.  How many rows an owner has is told
        to nobody.
    loss : {"stop", "continue"}, default="stop"
        What happens when an owner is lost on the way: everybody stops, or the run goes on with the
        others and says so.
    least_owners : int, default=2
        With fewer owners left the run stops in any case: the model would be about too few of them.
    check_inputs : bool, default=True
        Refuse an owner whose answers are no counts or contradict each other, inside the protocol
        and without opening any of them.
    answer_seconds : float, default=60
        Longest wait for the owners' answers.

    Examples
    --------
    >>> terms = Terms(["north", "south", "west"], most_rows=50_000, loss="continue")
    >>> terms.width
    16
    """

    owners: Sequence[str]
    most_rows: int
    loss: Literal["stop", "continue"] = "stop"
    least_owners: int = 2
    check_inputs: bool = True
    answer_seconds: float = 60.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "owners", tuple(self.owners))
        self._check_types()
        if not 2 <= len(self.owners) <= MAX_OWNERS or len(set(self.owners)) != len(self.owners):
            raise ParameterError(
                f"owners are 2 to {MAX_OWNERS} different names, got {len(self.owners)}."
            )
        if not 0 < self.most_rows < MAX_ROWS:
            raise ParameterError(f"most_rows is 1 to 2**31 - 1, got {self.most_rows}.")
        if self.loss not in ("stop", "continue"):
            raise ParameterError(f"loss is stop or continue, got {self.loss!r}.")
        if not 2 <= self.least_owners <= len(self.owners):
            raise ParameterError(
                f"least_owners is 2 to the number of owners, got {self.least_owners}."
            )
        if not 0 < self.answer_seconds <= MOST_SECONDS:
            raise ParameterError(
                f"answer_seconds is positive, up to {MOST_SECONDS}, got {self.answer_seconds}."
            )

    def _check_types(self) -> None:
        """All compare the terms as texts, where 1, 1.0 and True are three."""
        for name in ("most_rows", "least_owners"):
            number = getattr(self, name)
            if isinstance(number, Integral) and not isinstance(number, bool):
                object.__setattr__(self, name, int(number))  # NumPy's, too
        kinds = {"most_rows": int, "least_owners": int, "check_inputs": bool, "loss": str}
        wrong = [name for name, kind in kinds.items() if type(getattr(self, name)) is not kind]
        if type(self.answer_seconds) not in (int, float):
            wrong.append("answer_seconds")
        if not all(isinstance(name, str) and name for name in self.owners):
            wrong.append("owners")
        if wrong:
            raise ParameterError(f"terms of another type than they have: {', '.join(wrong)}.")

    @property
    def width(self) -> int:
        """Bits of the largest count."""
        return int(self.most_rows).bit_length()

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {**asdict(self), "owners": list(self.owners)}
