"""One line of a benchmark: what was measured, our figure, and a peer's."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """A figure, with the peer's where there is one.

    Parameters
    ----------
    what : str
        What was measured; the same words for every commit, so that two can be compared.
    ours : float or None
        Our figure; None where it could not be had, and `note` says why.
    peer : float or None
        The peer's figure.
    peer_name : str
        Who the peer is: a program, a publication, an aim.
    unit : str
        Unit of both figures.
    note : str
        Why a figure is missing, or what else belongs to it.
    """

    what: str
    ours: float | None
    peer: float | None = None
    peer_name: str = ""
    unit: str = "s"
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Ours over the peer's: below 1 ours is the smaller."""
        if self.ours is None or not self.peer:
            return None
        return self.ours / self.peer

    def to_dict(self) -> dict[str, Any]:
        """The fields and the ratio."""
        return asdict(self) | {"ratio": self.ratio}

    @classmethod
    def from_dict(cls, given: dict[str, Any]) -> "Row":
        """A row from `to_dict`; the ratio follows from the figures."""
        return cls(**{name: value for name, value in given.items() if name != "ratio"})


def missing(what: str, why: str, peer_name: str = "") -> Row:
    """A row that says why it has no figure."""
    return Row(what, None, peer_name=peer_name, unit="", note=why)


def rows_of(found: Iterable[Any]) -> Iterator[Row]:
    """Rows as they come; tuples of (what, ours, peer, ...) are taken too, their unit unknown."""
    for row in found:
        if isinstance(row, Row):
            yield row
        else:
            what, ours, peer, *_ = (*row, None, None)
            yield Row(str(what), ours, peer, unit="")
