import pytest

from shoal.errors import ParameterError
from shoal.privacy import (
    AlphaKAnonymity,
    AverageRisk,
    DeltaPresence,
    DistinctDiversity,
    KAnonymity,
    Requirement,
    TCloseness,
)
from shoal.privacy._registry import MODELS
from shoal.privacy._words import read_condition, word_examples, worded_models, write_condition

EXAMPLES = [f"{word}:{model.word.example}" for word, model in worded_models().items()]


ABOUT_ROWS = ("k-map", "average-risk", "at-risk", "thresholds", "unique", "guesses")


@pytest.mark.parametrize("text", EXAMPLES)
@pytest.mark.parametrize("column", ["", "@income"])
def test_what_is_read_is_written_as_it_was(text, column):
    if column and text.startswith(ABOUT_ROWS):
        with pytest.raises(ParameterError, match="about rows, not about a column"):
            read_condition(text + column)
        return
    model = read_condition(text + column, 5)
    assert write_condition(model.to_dict(), 5) == text + column


@pytest.mark.parametrize("text", EXAMPLES)
def test_what_no_value_may_do_is_said_of_any_column_and_not_of_every(text):
    said = read_condition(text, 10).describe()
    for denied in ("no value of", "in no group is a value of"):
        assert f"{denied} every" not in said  # which would allow it in all but one


def test_a_sampling_fraction_makes_the_attacker_a_journalist():
    model = read_condition("average-risk:0.1:0.05")
    assert model == AverageRisk(0.1, fraction=0.05)
    assert write_condition(model.to_dict()) == "average-risk:0.1:0.05"
    assert write_condition(AverageRisk(0.1, attacker="journalist").to_dict()) is None
    with pytest.raises(ParameterError, match="takes 1 to 2 number"):
        read_condition("average-risk:0.1:0.2:0.3")


def test_every_model_has_a_word_of_its_own_or_cannot_be_asked_for():
    wordless = {model for model in MODELS if model.word is None}
    # -k and --requirement say two of them; the other needs a table
    assert wordless == {KAnonymity, DeltaPresence, Requirement}
    assert len(worded_models()) == len(MODELS) - len(wordless)
    assert all(example in word_examples() for example in EXAMPLES)


def test_k_goes_to_models_that_bound_the_size_of_groups():
    assert read_condition("alpha:0.5", 7) == AlphaKAnonymity(0.5, 7)
    assert read_condition("alpha:0.5") == AlphaKAnonymity(0.5, 1)
    assert isinstance(read_condition("distinct:3", 7), DistinctDiversity)


def test_what_words_cannot_say_is_not_said():
    assert write_condition(TCloseness(0.2, distance="ordered").to_dict()) is None
    assert write_condition(AlphaKAnonymity(0.5, 7).to_dict(), 5) is None
    assert write_condition(KAnonymity(3).to_dict()) is None
    assert write_condition({"model": "Secrecy"}) is None
    assert write_condition({**TCloseness(0.2).to_dict(), "new": 1}) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("magic:3", "unknown condition 'magic'. Choose from distinct, entropy, recursive, conf"),
        ("l:2", "unknown condition 'l'. l-diversity is distinct:2, entropy:2 or recursive:3:2. Ch"),
        ("t-closeness:0.1", "t-closeness is t:0.2"),
        ("recursive:3", "condition recursive takes 2 number.*recursive:3:2"),
        ("entropy:many", "condition entropy takes 1 number"),
        ("entropy:1.5.5", "'1.5.5' is not a number"),
        ("distinct:2.5", "DistinctDiversity: l must be an integer"),
    ],
)
def test_what_cannot_be_read_is_an_error(text, message):
    with pytest.raises(ParameterError, match=message):
        read_condition(text)
