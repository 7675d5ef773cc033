"""The terminal that a walk through a schema talks to."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from shoal.cli._output import WRITTEN_OUT
from shoal.cli.publish.walk._schema_walk import SchemaWalk
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.discover._suggest import Suggestion
    from shoal.schema import Schema


def require_terminal(json: bool) -> None:
    """Raise where nobody can answer."""
    if json or not sys.stdin.isatty():
        raise ParameterError("--interactive asks questions: run it in a terminal, without --json.")


def walk_in_terminal(suggestion: Suggestion) -> Schema | None:
    """Walk through the columns; None where the user leaves, by word or Ctrl-D."""
    try:
        return SchemaWalk(suggestion, _ask, _say).run()
    except EOFError:
        _say("")
        return None
    except KeyboardInterrupt:
        _say("\nNothing was written.")
        raise


def _say(text: str) -> None:
    sys.stderr.write(f"{text.translate(WRITTEN_OUT)}\n")
    sys.stderr.flush()


def _ask(question: str) -> str:
    sys.stderr.write(f"  {question.translate(WRITTEN_OUT)} > ")
    sys.stderr.flush()
    answer = sys.stdin.readline()
    if not answer:
        raise EOFError
    return answer.strip()
