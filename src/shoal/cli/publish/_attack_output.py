"""How attacks are shown: after every transform, and by `shoal attack`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.cli._output import output

if TYPE_CHECKING:
    from shoal.attacks._attack_result import AttackResult


def show_attacks(facts: dict[str, Any], results: list[AttackResult]) -> None:
    """Print facts and a table of attacks."""
    out = output()

    def show() -> None:
        if facts:
            show_facts(facts)
        if results:
            rows = [
                [r.attack, r.measure, r.risk, f"{r.low:.3f} to {r.high:.3f}", r.baseline]
                for r in results
            ]
            header = ["attack", "measure", "achieved", "95 % interval", "by guessing"]
            out.table("What this gives away", header, rows)

    out.emit({**facts, "attacks": [r.to_dict() for r in results]}, show)


def show_facts(facts: dict[str, Any]) -> None:
    """Print names and values."""
    width = max(map(len, facts), default=0)
    for name, value in facts.items():  # no table: a fingerprint that is cut is worth nothing
        output().print(f"  {name:{width}}  {_shown(value)}")


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{k}: {v}" for k, v in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
