"""How attacks are shown: after every transform, and by `shoal attack`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shoal.cli._output import output
from shoal.cli.publish._show import percent

if TYPE_CHECKING:
    from shoal.attacks._attack_result import AttackResult


def show_attacks(
    facts: dict[str, Any],
    results: list[AttackResult],
    words: Mapping[str, str] | None = None,
) -> None:
    """Print facts and a table of attacks; `words` say what facts are, where names do not."""
    out = output()

    def show() -> None:
        if facts:
            show_facts({(words or {}).get(name, name): value for name, value in facts.items()})
        if results:
            rows = [_row(result) for result in results]
            header = ["attack", "measure", "achieved", "95 % interval", "by guessing"]
            out.table("What this gives away", header, rows)

    out.emit({**facts, "attacks": [r.to_dict() for r in results]}, show)


def _row(result: AttackResult) -> list[Any]:
    """A line on an attack; shares as people read them."""
    risk, between, baseline = result.risk, f"{result.low:.3f} to {result.high:.3f}", result.baseline
    if not result.measure.startswith("share "):
        return [result.attack, result.measure, risk, between, baseline]
    between = f"{100 * result.low:.1f} to {100 * result.high:.1f} %"  # not broken in 80 columns
    return [result.attack, result.measure, percent(risk), between, percent(baseline)]


def show_facts(facts: dict[str, Any]) -> None:
    """Print names and values."""
    width = max(map(len, facts), default=0)
    for name, value in facts.items():  # no table: a fingerprint that is cut is worth nothing
        output().print(f"  {name:{width}}  {_shown(value)}")


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{k}: {v}" for k, v in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
