"""Privacy models as people write them on the command line: ``entropy:1.5@income``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

from shoal._checks import did_you_mean
from shoal.errors import ParameterError
from shoal.privacy._model import PrivacyModel, Word
from shoal.privacy._registry import MODELS
from shoal.privacy.models._k_anonymity import KAnonymity
from shoal.privacy.models._requirement import Requirement

if TYPE_CHECKING:
    from shoal.tables import FrequencyTable

_NUMBER = re.compile(r"-?[\d.]+(e-?\d+)?")
_DIVERSITY = "l-diversity is distinct:2, entropy:2 or recursive:3:2. "
_USUAL_NAMES = {
    **dict.fromkeys(("l", "l-diversity", "diversity", "ldiversity"), _DIVERSITY),
    **dict.fromkeys(("t-closeness", "closeness", "tcloseness"), "t-closeness is t:0.2. "),
    **dict.fromkeys(("k", "k-anonymity"), "k-anonymity is -k 10. "),
}
"""What people type who know a condition by its name in papers and in other programs."""


def worded_models() -> dict[str, type[PrivacyModel]]:
    """The models that have a word, by that word."""
    return {model.word.text: model for model in MODELS if model.word is not None}


def word_examples() -> str:
    """Every word with example numbers, and their meaning if there are several.

    Examples
    --------
    >>> word_examples()[:50]
    'distinct:3, entropy:1.5, recursive:3:2 (c, l), con'
    """
    return ", ".join(_example(model.word) for model in MODELS if model.word is not None)


def _example(word: Word) -> str:
    shown = list(word.parameters)[: word.example.count(":") + 1]
    named = f" ({', '.join(shown)})" if len(shown) > 1 else ""
    return f"{word.text}:{word.example}{named}"


def read_condition(
    text: str, k: int | None = None, population: FrequencyTable | None = None
) -> PrivacyModel:
    """The model that `text` asks for; `k` goes to models that bound the size of groups too.

    A `population` goes to models that look at one and were told no sampling fraction.

    Examples
    --------
    >>> read_condition("recursive:3:2@income")
    RecursiveDiversity(c=3.0, l=2, column='income')
    """
    words, _, column = text.partition("@")
    kind, *numbers = words.split(":")
    known = worded_models()
    if kind not in known:
        usual = _USUAL_NAMES.get(kind.lower()) or did_you_mean(kind, known)
        raise ParameterError(
            f"unknown condition {kind!r}. {usual}Choose from {', '.join(known)}, e.g. entropy:1.5."
        )
    word = _word(known[kind])
    parameters, takes = word.parameters, {f.name for f in fields(known[kind])}  # type: ignore[arg-type]
    least = len(parameters) - word.optional
    if not least <= len(numbers) <= len(parameters) or not all(map(_NUMBER.fullmatch, numbers)):
        many = f"{least} to {len(parameters)}" if word.optional else f"{least}"
        raise ParameterError(
            f"condition {kind} takes {many} number(s), e.g. {kind}:{word.example}."
        )
    given: dict[str, Any] = {
        name: _read(number, read)
        for (name, read), number in zip(parameters.items(), numbers, strict=False)
    }
    if "column" in takes:
        given["column"] = column or None
    elif column:
        raise ParameterError(f"condition {kind} is about rows, not about a column: leave @ out.")
    if "k" in takes - given.keys():
        given["k"] = k or 1
    if "population" in takes and "fraction" not in given:
        given["population"] = population
    return known[kind](**given)


def read_requirement(text: str) -> Requirement:
    """What is asked of some columns: names with commas, a colon, then k or conditions with ``+``.

    Examples
    --------
    >>> read_requirement("zip,age:10").describe()
    "by 'zip', 'age' alone: every group has at least 10 rows"
    >>> read_requirement("zip:5+distinct:2@illness").asked.models[1]
    DistinctDiversity(l=2, column='illness')
    """
    named, colon, asked = text.partition(":")
    columns = tuple(name.strip() for name in named.split(","))
    if not colon or not all(columns):
        raise ParameterError(
            f"requirement {text!r}: write the columns, a colon and how many rows have to agree on "
            "them, for example zip,age:10."
        )
    words = [word.strip() for word in asked.split("+")]
    sizes = [int(word) for word in words if word.isdecimal()]
    if len(sizes) > 1:
        raise ParameterError(f"requirement {text!r}: give one size, as in zip,age:10.")
    k = sizes[0] if sizes else None
    return Requirement(columns, read_promise(k, [w for w in words if not w.isdecimal()]))


def write_requirement(model: Mapping[str, Any]) -> str | None:
    """How to ask for a requirement, given as plain values; None when words cannot say it.

    Examples
    --------
    >>> write_requirement(Requirement(("zip", "age"), 10).to_dict())
    'zip,age:10'
    """
    columns, asked = model["columns"], model["asked"]
    if any(sign in name for name in columns for sign in ",:"):
        return None
    models = asked["models"] if isinstance(asked.get("models"), list) else [asked]
    k = next((one["k"] for one in models if one["model"] == "KAnonymity"), None)
    words = [] if k is None else [str(k)]
    for one in models:
        if one["model"] != "KAnonymity":
            words.append(write_condition(one, k) or "")
    return f"{','.join(columns)}:{'+'.join(words)}" if all(words) else None


def read_promise(
    k: int | None,
    conditions: Sequence[str] = (),
    population: FrequencyTable | None = None,
    requirements: Sequence[str] = (),
) -> PrivacyModel:
    """All that is asked for at once: a smallest group, if any, and further conditions.

    Examples
    --------
    >>> read_promise(5, ["distinct:2"]).describe()[:31]
    'every group has at least 5 rows'
    """
    models: list[PrivacyModel] = [] if k is None else [KAnonymity(k)]
    models += [read_condition(condition, k, population) for condition in conditions]
    models += [read_requirement(text) for text in requirements]
    if not models:
        raise ParameterError("nothing is asked for. Say -k 10, or a condition with --diversity.")
    return reduce(and_, models)


def write_condition(model: Mapping[str, Any], k: int | None = None) -> str | None:
    """How to ask for a model, given as plain values; None when words cannot say all of it.

    Examples
    --------
    >>> from shoal.privacy import EntropyDiversity
    >>> write_condition(EntropyDiversity(1.5, "income").to_dict())
    'entropy:1.5@income'
    """
    known = {kind.__name__: kind for kind in worded_models().values()}
    kind = known.get(str(model.get("model")))
    if kind is None:
        return None
    word = _word(kind)
    said = {"model", "column", *word.parameters} | ({"k"} if model.get("k") == (k or 1) else set())
    # who attacks follows from whether a sampling fraction is given
    if model.get("attacker") == ("journalist" if "fraction" in model else "prosecutor"):
        said.add("attacker")
    defaults = {f.name: f.default for f in fields(kind)}  # type: ignore[arg-type]
    if any(value != defaults.get(key, MISSING) for key, value in model.items() if key not in said):
        return None
    if any(model.get(name) is None for name in list(word.parameters)[: -word.optional or None]):
        return None
    numbers = [f"{model[name]:g}" for name in word.parameters if model.get(name) is not None]
    column = f"@{model['column']}" if model.get("column") else ""
    return ":".join([word.text, *numbers]) + column


def _word(kind: type[PrivacyModel]) -> Word:
    assert kind.word is not None  # worded_models has no others
    return kind.word


def _read(text: str, read: type[int] | type[float]) -> float:
    try:
        number = float(text)
    except ValueError:
        raise ParameterError(f"{text!r} is not a number.") from None
    # a fraction where a whole number belongs is left to the model, which says what is wrong
    return int(number) if read is int and number == int(number) else number
