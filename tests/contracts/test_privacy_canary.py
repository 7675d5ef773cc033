"""Tables filled with a marker: it appears in no message, report, repr or description."""

import json

import numpy as np
import pytest

from shoal.errors import ShoalError
from shoal.metrics import measure, risk
from shoal.metrics._measure import released_raw
from shoal.privacy import AlphaKAnonymity, ConfidenceLimit, KAnonymity, check
from shoal.privacy.compiled._compile import compile_model
from tests.privacy.catalogue import MODELS
from tests.reference.rows import table

CANARY = "canary"


def people():
    rows = [[{"s": f"{CANARY}{i % 3}"} for i in range(n)] for n in (1, 4, 7)]
    return table(rows)


@pytest.mark.parametrize(
    "model",
    [
        *(model for model, _ in MODELS),
        ConfidenceLimit(0.6),
        AlphaKAnonymity(0.5, 2, "s", (CANARY,)),
    ],
    ids=repr,
)
def test_models_name_nobody(model):
    groups = people()
    said = [repr(model), model.describe(), repr(groups)]
    for ask in (lambda: check(model, groups), lambda: compile_model(model, groups)):
        try:
            answer = ask()
        except ShoalError as error:
            said += [str(error), repr(error)]
        else:
            said += [repr(part.to_dict()) for part in answer if hasattr(part, "to_dict")]
    described = [text for text in said if "'values'" not in text]  # what the user's model lists
    assert not any(CANARY in text for text in described)


def test_metrics_and_risks_name_nobody():
    recoded = released_raw(people())
    results = [
        measure(recoded, target="s"), measure(recoded.cells, target="s"),
        risk(recoded.groups), risk(recoded.cells),
    ]  # fmt: skip
    assert CANARY not in json.dumps([result.to_dict() for result in results])
    assert CANARY not in "".join(map(repr, results))
    (found,) = check(KAnonymity(2), recoded.groups)
    assert CANARY not in repr(found)
    assert np.isfinite(found.reached)
