"""What only people can answer about a release: a TOML form, written empty and read again."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from shoal._checks import check_number
from shoal._plain import table_toml
from shoal.errors import ParameterError

THRESHOLD = 0.09
"""Highest chance to find somebody, for public data: EMA policy 0070 and Health Canada."""

QUESTIONS: dict[str, dict[str, str]] = {
    "data": {
        "subject": "Who are the people, and how many live in the population they are from?",
        "collected": "How, when and on which legal basis were the data collected?",
    },
    "context": {
        "recipient": "Who receives the data: anybody, named recipients, people in your house?",
        "purpose": "What will the recipients do with them?",
        "controls": "What holds recipients back: agreement, access, training, audits?",
        "other_data": "Which other data on these people can recipients get?",
        "incident": "What happens, and who acts, when somebody is found?",
        "review": "When is this looked at again?",
    },
    "signature": {
        "name": "Who answers for this release?",
        "role": "In which role?",
        "date": "Signed on (year-month-day)?",
    },
}
"""Questions by section and key; the form holds an empty answer to each."""


@dataclass(frozen=True)
class Form:
    """Answers by section and key, and the threshold that the risk is held against."""

    answers: dict[str, dict[str, str]]
    threshold: float = THRESHOLD

    @property
    def unanswered(self) -> int:
        """Questions without an answer."""
        return sum(
            not self.answers[s][key].strip() for s, keys in QUESTIONS.items() for key in keys
        )


def empty_form() -> Form:
    """A form without answers."""
    return Form({section: dict.fromkeys(keys, "") for section, keys in QUESTIONS.items()})


def write_form(form: Form | None = None) -> str:
    """The form with its answers; empty unless one is given."""
    form = Form({}) if form is None else form
    lines = [
        "# Answer what only you can know; the rest of the dossier is computed.",
        "",
        "[risk]",
        "# Highest chance to find a person that is accepted. 0.09 is used for public data by",
        "# EMA policy 0070 and Health Canada.",
        f"threshold = {form.threshold}",
    ]
    for section, questions in QUESTIONS.items():
        given = form.answers.get(section, {})
        table = table_toml((section,), {key: given.get(key, "") for key in questions})
        header, *entries = table.rstrip("\n").split("\n")  # line ends of answers are escaped
        lines += ["", header]
        for question, entry in zip(questions.values(), entries, strict=True):
            lines += [f"# {question}", entry]
    return "\n".join(lines) + "\n"


def read_form(path: Path) -> Form:
    """The form, filled in or not."""
    try:
        given = tomllib.loads(path.read_text("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as wrong:
        raise ParameterError(f"{path.name} is no TOML file: {wrong}.") from None
    risk = given.pop("risk", {})
    known = {(section, key) for section, keys in QUESTIONS.items() for key in keys}
    answers = empty_form().answers
    for section, entries in given.items():
        for key, answer in entries.items() if isinstance(entries, dict) else [("", entries)]:
            if (section, key) not in known:
                raise ParameterError(f"{path.name}: there is no question {section}.{key}.")
            answers[section][key] = str(answer)
    if not isinstance(risk, dict) or set(risk) - {"threshold"}:
        raise ParameterError(f"{path.name}: [risk] holds threshold, and nothing else.")
    threshold = risk.get("threshold", THRESHOLD)
    check_number(f"{path.name}: threshold", threshold, 0, 1, above=True)
    return Form(answers, float(threshold))
