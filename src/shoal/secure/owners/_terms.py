"""What owners and helpers agree on besides the model: who takes part, and who may be missed."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from shoal.errors import ParameterError

MAX_ROWS = 2**31
MAX_OWNERS = 1000


@dataclass(frozen=True)
class Terms:
    """What every owner and both helpers must have in common.

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
        if not self.answer_seconds > 0:
            raise ParameterError(f"answer_seconds is positive, got {self.answer_seconds}.")

    @property
    def width(self) -> int:
        """Bits of the largest count."""
        return int(self.most_rows).bit_length()

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {**asdict(self), "owners": list(self.owners)}
