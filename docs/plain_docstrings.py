"""Docstrings are written for Sphinx and for terminals; here their marks become Markdown."""

import re
from typing import Any

from griffe import Extension, Object

_MARKS = (
    (re.compile(r":(?:py:)?[a-z]+:`~?(?:[\w.]+\.)?([\w]+)`"), r"`\1`"),  # :class:`~a.b.Name`
    (re.compile(r"``([^`\n]+)``"), r"`\1`"),
    (re.compile(r"^( *)\.\. \[(\w+)\] ", re.MULTILINE), r"\1**\2.** "),
    (re.compile(r"\[(\w+)\]_"), r"[\1]"),
    (re.compile(r"^( *)\.\. \w+::\n", re.MULTILINE), ""),
)


class PlainDocstrings(Extension):
    """Rewrites every docstring before it is parsed."""

    def on_instance(self, *, obj: Object, **_: Any) -> None:
        """Called by griffe for each object it has read."""
        if obj.docstring is not None:
            obj.docstring.value = to_markdown(obj.docstring.value)


def to_markdown(text: str) -> str:
    """Roles, literals and citations of reStructuredText as Markdown.

    >>> to_markdown("See :func:`~shoal.audit.audit` and ``k`` [FWS08]_.")
    'See `audit` and `k` [FWS08].'
    """
    for mark, plain in _MARKS:
        text = mark.sub(plain, text)
    return text
