"""The section on attacks that were carried out, in words and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from shoal.report.figures._bars import Bar, draw_bars
from shoal.report.release.facts._attacks import Attacks
from shoal.report.release.facts._linked import ColumnAttack
from shoal.report.release.pages._cells import counted_cell
from shoal.report.release.pages._glossary import number, percent
from shoal.report.release.pages._page import paragraphs, table


def attacks(found: Attacks) -> str:
    """Who was attacked, what it gave, and what that means."""
    if not found.main:
        return paragraphs(found.alone)
    parts = [paragraphs(_who(found))]
    for at, attack in enumerate(found.main):
        alike = found.alike[at] if at < len(found.alike) else None
        parts.append(_attack(f"attack-{at}", attack, alike, bool(found.alone)))
    parts += [_wider(f"wider-{at}", attack) for at, attack in enumerate(found.wider)]
    return "".join(parts)


def _who(found: Attacks) -> str:
    n = found.main[0].n_people
    if found.alone:
        return (
            f"{found.alone} What follows is worked out from the {n:,} released rows alone, each "
            "person taken to be found in their group without doubt. People who were left out, or "
            "who fit several groups, do not show in it."
        )
    drawn = (
        f"{n:,} people drawn at random from the {found.n_rows:,} of the raw table (seed "
        f"{found.seed})"
        if n < found.n_rows
        else f"all {n:,} people of the raw table"
    )
    return (
        f"The linking attack was carried out on {drawn}: the attacker knows the quasi-identifiers "
        "of each of them without error, looks for every released group that fits, and bets on the "
        "most frequent sensitive value in it. The bets were then compared with the truth."
    )


def _attack(name: str, attack: ColumnAttack, alike: int | None, alone: bool) -> str:
    column = attack.column
    bars = draw_bars(
        f"{name}-bars",
        f"Right guesses of {column}",
        f"{percent(attack.baseline)} by guessing, {percent(attack.risk)} with the release.",
        [
            Bar("without the release", percent(attack.baseline), (attack.baseline,), past=True),
            Bar("with the release", percent(attack.risk), (attack.risk,)),
        ],
    )

    def cell(show: object, key: str) -> str:
        return counted_cell(show, getattr(attack, key), "attack", column, key)  # type: ignore[arg-type]

    interval = f"{cell(percent, 'low')} to {cell(percent, 'high')}"
    rows = [
        ["guessed rightly, without the release", cell(percent, "baseline")],
        ["guessed rightly, with the release", cell(percent, "risk")],
        ["95\u00a0% interval of that", interval],
        ["people whose value is certain", cell(number, "certain")],
        ["fewest rows that anybody may be in", cell(number, "smallest")],
        ["right row picked, on average", cell(percent, "found")],
    ]
    if alike is not None:
        shown = counted_cell(number, alike, "attack", column, "alike")
        rows.insert(4, ["groups whose rows all agree", shown])
    if not alone:
        rows += [
            ["people who fit several groups", cell(number, "several")],
            ["people who fit no group", cell(number, "none")],
        ]
    return (
        f"<h3>Guessing {escape(column)}</h3><figure>{bars}</figure>"
        + paragraphs(*_meaning(attack))
        + table(f"{name}-table", f"Attack on {column}, people: {attack.n_people:,}",
                ("what", "result"), rows)
    )  # fmt: skip


def _meaning(attack: ColumnAttack) -> Sequence[str]:
    """What the numbers mean, for somebody who publishes."""
    right, plain = _of_hundred(attack.risk), _of_hundred(attack.baseline)
    said = [
        f"Of 100 people, the attacker guesses {attack.column} of {right} rightly. Who has never "
        f"seen the release and always bets on the most frequent value is right for {plain}."
    ]
    if attack.low <= attack.baseline:
        said.append("The release gives such an attacker no advantage that could be told from luck.")
    else:
        points = 100 * (attack.risk - attack.baseline)
        said.append(
            f"The release adds {points:.1f} points. Part of that is what data is published for: "
            "whoever learns how columns hang together can guess better, about people outside the "
            "table as well."
        )
    if attack.certain:
        said.append(
            f"For {attack.certain:,} people ({percent(attack.certain / attack.n_people)}) it is no "
            "guess: every row that may be theirs has the same value (homogeneity). Ask for "
            "diversity or closeness beside group size if that must not happen."
        )
    else:
        said.append("Nobody's value is certain: no group has only one value (homogeneity).")
    return said


def _wider(name: str, attack: ColumnAttack) -> str:
    def cell(show: object, key: str) -> str:
        of = ("wider", attack.column, key)
        return counted_cell(show, getattr(attack, key), *of)  # type: ignore[arg-type]

    rows = [
        ["guessed rightly, with the release", cell(percent, "risk")],
        ["people whose value is certain", cell(number, "certain")],
        ["fewest rows that anybody may be in", cell(number, "smallest")],
        ["right row picked, on average", cell(percent, "found")],
    ]
    return (
        f"<h3>Guessing {escape(attack.column)}, knowing more</h3>"
        + paragraphs(
            "The same attack by somebody who also knows the columns that the schema calls "
            f"insensitive, which are released as they are, on {attack.n_people:,} of these people. "
            "The promise does not cover this; it shows what rests on that word."
        )
        + table(f"{name}-table", "Attack with every released column but the sensitive ones",
                ("what", "result"), rows)
    )  # fmt: skip


def _of_hundred(share: float) -> str:
    return f"{100 * share:.1f}".removesuffix(".0")
