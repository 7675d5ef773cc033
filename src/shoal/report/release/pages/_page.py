"""The frame of a report page: head, style, and what its parts are built of."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from string import Template

# default-src 'none': whatever slips into the page, a browser loads nothing for it
_PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>$title</title>
<style>$style</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
<header>
<p class="kind">Shoal release report</p>
<h1>$heading</h1>
$lead
</header>
<nav aria-label="Sections"><ul>$links</ul></nav>
<main id="main" tabindex="-1">
$sections
</main>
<footer><p>$footer</p></footer>
</body>
</html>
""")

_STYLE = """
:root { --paper: #ffffff; --card: #f3f6f9; --ink: #17202c; --soft: #475466; --line: #c9d2dc;
  --accent: #1c5d8c; --past: #76828f; --track: #e4eaf0; --bad: #a1260d; --good: #1d6b3a; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #11161d; --card: #1b232d; --ink: #e7ebf0; --soft: #b0bbc8; --line: #3b4856;
    --accent: #74b9ee; --past: #8793a1; --track: #26303b; --bad: #ff9c85; --good: #6fcf97; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 50rem; padding: 1.5rem 1rem 3rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .75rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem; padding-top: .75rem;
  border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.75rem 0 .5rem; }
h4 { font-size: 1rem; margin: 1.5rem 0 .25rem; overflow-wrap: anywhere; }
summary { cursor: pointer; color: var(--accent); padding: .25rem 0; font-size: .9rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--card);
  padding: .75rem 1rem; border-radius: .25rem; }
p, li { max-width: 42rem; }
a { color: var(--accent); }
a:focus-visible, summary:focus-visible, .wide:focus-visible, main:focus-visible {
  outline: 3px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: .5rem; padding: .5rem 1rem; background: var(--card); }
.kind, .hint, caption, footer { color: var(--soft); }
.kind { margin: 0; font-size: .9rem; }
.bad { color: var(--bad); font-weight: 700; }
.verdict { border-left: .35rem solid var(--soft); background: var(--card); padding: .1rem 1rem;
  border-radius: .25rem; }
.verdict.good { border-color: var(--good); }
.verdict.bad { border-color: var(--bad); }
.verdict li { font-weight: 400; color: var(--ink); }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0; list-style: none; }
nav a { display: inline-block; padding: .25rem 0; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem;
  margin: 1rem 0; }
.cards div { background: var(--card); border-radius: .5rem; padding: .75rem 1rem; }
.cards dt { font-size: .9rem; color: var(--soft); line-height: 1.35; }
.cards dd { margin: 0; font-size: 1.5rem; font-weight: 650; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .95rem; }
caption { text-align: left; padding: .25rem 0; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0;
  border-bottom: 1px solid var(--line); }
tbody th { font-weight: 400; min-width: 9rem; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
th.n:last-child, td.n:last-child { padding-right: .1rem; }
code { font-size: .85rem; overflow-wrap: anywhere; }
figure { margin: 1rem 0; }
figcaption { color: var(--soft); font-size: .9rem; margin-bottom: .75rem; }
svg { display: block; overflow: visible; }
svg text { fill: var(--ink); font: 14px system-ui, sans-serif; }
.track { fill: var(--track); } .before { fill: var(--past); } .after { fill: var(--accent); }
.key { display: inline-block; width: .8rem; height: .8rem; margin-right: .25rem; }
thead .n { white-space: normal; }
.key.a { margin-left: .75rem; }
.key.b { background: var(--past); } .key.a { background: var(--accent); }
@media (max-width: 32rem) {
  table { font-size: .9rem; } th, td { padding-right: .5rem; }
  td { overflow-wrap: anywhere; } td.n { overflow-wrap: normal; }
  tbody th { min-width: 7rem; }
  .cards dd { font-size: 1.3rem; } }
@media print {
  :root { --paper: #ffffff; --card: #f3f6f9; --ink: #000000; --soft: #333333; --line: #999999;
    --accent: #1c5d8c; --past: #76828f; --track: #e4eaf0; --bad: #a1260d; --good: #1d6b3a; }
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  nav, .skip { display: none; }
  h2, h3, h4, caption, figcaption { break-after: avoid; }
  details { display: none; } /* their numbers stand on the bars */
  tr, figure, .cards div { break-inside: avoid; }
  .wide { overflow: visible; }
  svg, .key, .cards div { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""

Section = tuple[str, str, str]
"""Identifier, heading and content."""


def page(*, heading: str, lead: str, sections: Sequence[Section], footer: str) -> str:
    """The whole file."""
    return _PAGE.substitute(
        title=f"{escape(heading)}: release report",
        style=_STYLE,
        heading=escape(heading),
        lead=lead,
        links="".join(
            f'<li><a href="#{name}">{escape(words)}</a></li>' for name, words, _ in sections
        ),
        sections="\n".join(
            f'<section id="{name}" aria-labelledby="{name}-heading">'
            f'<h2 id="{name}-heading">{escape(words)}</h2>\n{content}\n</section>'
            for name, words, content in sections
        ),
        footer=escape(footer),
    )


def table(
    name: str, caption: str, header: Sequence[str], rows: Sequence[Sequence[str]], *, text: int = 1
) -> str:
    """A table of cells that are HTML already; the first `text` columns are words, others numbers.

    A reader with a keyboard can scroll it where it is wider than the screen.
    """

    def kind(at: int) -> str:
        return "" if at < text else ' class="n"'

    head = "".join(f'<th scope="col"{kind(at)}>{escape(h)}</th>' for at, h in enumerate(header))
    body = "\n".join(
        f'<tr><th scope="row">{row[0]}</th>'
        + "".join(f"<td{kind(at)}>{cell}</td>" for at, cell in enumerate(row[1:], 1))
        + "</tr>"
        for row in rows
    )
    return (
        f'<div class="wide" role="region" tabindex="0" aria-labelledby="{name}-caption">'
        f'<table><caption id="{name}-caption">{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )


def folded(summary: str, content: str) -> str:
    """Content that is opened when wanted, and not printed."""
    return f"<details><summary>{escape(summary)}</summary>{content}</details>"


def paragraphs(*sentences: str) -> str:
    """Plain sentences, one paragraph each."""
    return "\n".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)


def listed(sentences: Sequence[str]) -> str:
    """Plain sentences as a list."""
    return "<ul>" + "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences) + "</ul>"
