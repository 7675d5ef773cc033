"""What there is to choose from: methods, conditions and attacks, as their registries say it."""

from __future__ import annotations

import inspect
from typing import Any

from shoal.anonymize._registry import known_methods
from shoal.privacy._registry import LEFT_OPEN_BY_ALL
from shoal.privacy._words import read_condition, worded_models
from shoal.studio.work._attacking import offered
from shoal.studio.work._bench import Args, Bench
from shoal.studio.work._registered import task
from shoal.typing import Progress


@task("catalog")
def list_catalog(bench: Bench, args: Args, progress: Progress, part: Any) -> dict[str, Any]:
    """Methods, conditions and attacks with what they say of themselves."""
    return {
        "methods": [
            {
                "name": name,
                "summary": kind.summary,
                "explanation": kind.explanation,
                "suppresses": "max_suppression" in inspect.signature(kind).parameters,
            }
            for name, kind in known_methods().items()
        ],
        "conditions": [_condition(word, kind) for word, kind in worded_models().items()],
        "left_open": list(LEFT_OPEN_BY_ALL),
        "attacks": [
            {
                "name": attack.name,
                "summary": attack.summary,
                "knows": attack.knows,
                "function": attack.run.__name__,
            }
            for attack in offered()
        ],
    }


def _condition(word: str, kind: Any) -> dict[str, Any]:
    example = f"{word}:{kind.word.example}"
    documented = (inspect.getdoc(kind) or "").split("\n\n")[0].replace("\n", " ")
    return {
        "word": word,
        "name": kind.__name__,
        "parameters": list(kind.word.parameters),
        "example": kind.word.example,
        "sentence": read_condition(example, 10).describe(),
        "on_column": "column" in inspect.signature(kind).parameters,
        "summary": documented.split(" [")[0],
        "leaves_open": kind.leaves_open,
    }
