"""The whole page: what its templates are given."""

from __future__ import annotations

from functools import partial

from shoal.privacy._registry import left_open
from shoal.report.release.facts._facts import Facts
from shoal.report.release.pages._attack_section import attack_bars
from shoal.report.release.pages._cells import counted_cell, manifest_cell
from shoal.report.release.pages._column_section import (
    compared_column,
    detail_bars,
    released_columns,
)
from shoal.report.release.pages._glossary import Method
from shoal.report.release.pages._numbers import number
from shoal.report.release.pages._promise_section import conditions
from shoal.report.release.pages._reproduce_section import reproduce
from shoal.report.release.pages._risk_section import known_rows, risk_bars, special_rows
from shoal.report.release.pages._size_section import size_bars, size_rows
from shoal.report.release.pages._template import render

SECTIONS = {
    "done": "What was done",
    "guarantee": "What is promised",
    "risk": "What an attacker can do, before and after",
    "attack": "Attacks on the release",
    "utility": "What the data can still do",
    "columns": "Columns before and after",
    "sizes": "How large the groups are",
    "limits": "What is not promised",
    "made": "How to make it again",
}
"""Sections in their order: the template's name, and the heading."""


def render_page(facts: Facts) -> str:
    """The facts as one HTML file."""
    release, seen = facts.release, facts.seen
    threshold = number(release.number("risk", "after", "threshold"))
    return render(
        "page.html",
        sections=SECTIONS,
        release=release,
        seen=seen,
        original=facts.original,
        problems=facts.problems,
        promise=facts.promise,
        manifest=partial(manifest_cell, release),
        counted=counted_cell,
        method=Method.of(release),
        notes=[str(note) for note in release.entries("notes")],
        conditions=conditions(release, seen),
        threshold=threshold,
        risk_bars=risk_bars(release, threshold),
        known_rows=known_rows(release),
        special_rows=special_rows(facts.special),
        attacks=facts.attacks,
        members=facts.members,
        attack_bars=[attack_bars(i, attack) for i, attack in enumerate(facts.attacks.main)],
        detail_bars=detail_bars(release),
        compared=[compared_column(i, m, facts.least) for i, m in enumerate(facts.marginals)],
        released=[] if seen is None else list(released_columns(seen)),
        kept=facts.kept,
        sensitive=release.schema.sensitive,
        least=facts.least,
        size_bars="" if seen is None else size_bars(seen),
        size_rows=[] if seen is None else size_rows(seen),
        left_open=left_open(release.get("privacy")),
        made=reproduce(release, seen, facts.original),
    )
