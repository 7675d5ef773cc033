"""Walk through the columns of a suggested schema in the terminal: accept, change, go back, quit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from shoal.errors import ShoalError

if TYPE_CHECKING:
    from shoal.discover._suggest import Suggestion
    from shoal.schema import Column, Schema

Ask = Callable[[str], str]
Say = Callable[[str], None]

ROLE_KEYS = {
    "i": "identifier",
    "p": "subject",
    "q": "quasi-identifier",
    "s": "sensitive",
    "n": "insensitive",
}
HELP = """\
  return      take it as it is, and go on to the next column
  i p q s n   role: identifier, person behind several rows (subject), quasi-identifier,
              sensitive, not sensitive (insensitive)
  h WORDS     how it coarsens: h flat, h auto, h intervals 5 10 20, h prefix 1 3,
              h dates month year, h ready countries, h file town.csv
  t           what recipients want to predict (the target), or no longer
  u           undo the last change, or go back a column
  quit        leave; nothing is written
  ?           this"""


@dataclass
class SchemaWalk:
    """What has been decided so far; every step can be undone."""

    suggestion: Suggestion
    ask: Ask
    say: Say
    place: int = 0
    columns: dict[str, Column] = field(default_factory=dict)
    past: list[tuple[int, dict[str, Column]]] = field(default_factory=list)

    def run(self) -> Schema | None:
        """The schema as it was decided; None where the user left."""
        self.columns = dict(self.suggestion.schema.items())
        names = list(self.columns)
        self.say(HELP)
        while True:
            if self.place == len(names):
                word = self.ask(f"{len(names)} columns are decided. Write it? [y]es, [u]ndo, quit")
                if word.lower() in ("", "y", "yes"):
                    return self.suggestion.schema.replace(**self.columns)
            else:
                self._show(names[self.place])
                word = self.ask("role, h, t, u, quit, ? or return")
            if word.lower() in ("quit", "exit"):
                return None
            self._step(word.strip(), names)

    def _step(self, word: str, names: Sequence[str]) -> None:
        match word.lower().split():
            case ["u"]:
                self._undo()
            case _ if self.place == len(names):
                self.say("  say y, u or quit")
            case []:
                self.past.append((self.place, dict(self.columns)))
                self.place += 1
            case [key] if key in ROLE_KEYS:
                self._set_role(names[self.place], ROLE_KEYS[key])
            case ["t"]:
                self._set_target(names[self.place])
            case ["h", *_]:
                self._set_hierarchy(names[self.place], word.split()[1:])
            case _:
                self.say(HELP)

    def _undo(self) -> None:
        if self.past:
            self.place, self.columns = self.past.pop()
        else:
            self.say("  nothing to undo")

    def _change(self, changed: Mapping[str, Column]) -> None:
        from shoal.schema import Schema

        tried = {**self.columns, **changed}
        try:
            Schema(tried)
        except ShoalError as error:
            self.say(f"  {error}")
            return
        self.past.append((self.place, dict(self.columns)))
        self.columns = tried

    def _set_role(self, name: str, role: str) -> None:
        from shoal.schema import Column

        column = self.columns[name]
        warned = self.suggestion.warned.get(name, ())
        if role == "insensitive" and warned:
            self.say(f"  column {name!r}: {warned[0]}.")
            if self.ask("released as it is all the same? type yes").lower() != "yes":
                return
        if role == "quasi-identifier":
            new = self.suggestion.coarsened[name]
        else:
            target = column.target and role not in ("identifier", "subject")
            new = Column(role, column.kind, target=target)  # type: ignore[arg-type]
        changed = {name: new}
        if role == "subject":  # a row belongs to one person
            changed |= {
                other: Column("identifier", known.kind)
                for other, known in self.columns.items()
                if known.role == "subject" and other != name
            }
        self._change(changed)

    def _set_target(self, name: str) -> None:
        others = {
            other: replace(known, target=False)
            for other, known in self.columns.items()
            if known.target and other != name
        }
        column = self.columns[name]
        self._change({**others, name: replace(column, target=not column.target)})

    def _set_hierarchy(self, name: str, words: Sequence[str]) -> None:
        from shoal.schema import Column

        column = self.columns[name]
        if column.role != "quasi-identifier":
            self.say("  only quasi-identifiers coarsen: make it one with q first")
            return
        try:
            spec = read_hierarchy_words(words)
            made = Column.from_toml(name, {**column.to_toml(), "hierarchy": spec})
        except (ShoalError, ValueError) as error:
            self.say(
                f"  {error}" if isinstance(error, ShoalError) else "  numbers are needed there"
            )
            return
        self._change({name: made})

    def _show(self, name: str) -> None:
        from shoal.cli.publish._schema import describe_column

        column = self.columns[name]
        self.say(f"\n{self.place + 1} of {len(self.columns)}  {describe_column(name, column)}")
        self.say(f"    role: {column.role}")
        for reason in self.suggestion.reasons[name]:
            self.say(f"    - {reason}")
        if column != self.suggestion.schema[name]:
            self.say("    (changed by you)")


def read_hierarchy_words(words: Sequence[str]) -> object:
    """What stands behind `hierarchy =`, from words: `intervals 5 10`, `ready countries`, `flat`."""
    match list(words):
        case ["flat" | "auto" as word]:
            return word
        case ["intervals" | "breaks" as word, *numbers] if numbers:
            return {word: [float(n) if "." in n else int(n) for n in numbers]}
        case ["prefix", *numbers] if numbers:
            return {"prefix": [int(n) for n in numbers]}
        case ["equal_width" | "equal_frequency" as word, number]:
            return {word: int(number)}
        case ["dates", *periods] if periods:
            return {"dates": list(periods)}
        case ["ready" | "file" as word, *rest] if rest:
            return {word: " ".join(rest)}
    raise ShoalError("say h flat, h intervals 5 10, h prefix 1 3, h ready countries or h file F.")
