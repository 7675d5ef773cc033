"""What was revealed to whom, in order."""

from dataclasses import dataclass, field
from typing import Any

HELPERS = "each helper"
EVERYBODY = "both helpers and all owners"


@dataclass
class Ledger:
    """Disclosures of one run, as one of its participants sees them; holds no values.

    Attributes
    ----------
    entries : list of dict
        `to` whom, `what`, and how many `values`.

    Examples
    --------
    >>> ledger = Ledger()
    >>> ledger.note(HELPERS, "uniform shares of counts", 12)
    >>> ledger.note(HELPERS, "uniform shares of counts", 8)
    >>> ledger.to_text()
    'each helper: uniform shares of counts (20)'
    """

    entries: list[dict[str, Any]] = field(default_factory=list)

    def note(self, to: str, what: str, values: int = 1) -> None:
        """Note that `to` learnt some values; a repetition adds to the last entry."""
        last = self.entries[-1] if self.entries else {}
        if (last.get("to"), last.get("what")) == (to, what):
            last["values"] += values
        else:
            self.entries.append({"to": to, "what": what, "values": values})

    def to_text(self) -> str:
        """Return one line per entry."""
        return "\n".join(f"{e['to']}: {e['what']} ({e['values']})" for e in self.entries)
