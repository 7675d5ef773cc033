import inspect

import shoal.privacy
from shoal.privacy import EntropyDiversity, KAnonymity, PrivacyModel
from shoal.privacy._registry import LEFT_OPEN_BY_ALL, MODELS, left_open


def test_every_public_model_is_registered():
    public = {
        kind
        for name in shoal.privacy.__all__
        if inspect.isclass(kind := getattr(shoal.privacy, name))
        and issubclass(kind, PrivacyModel)
        and not inspect.isabstract(kind)
    }
    assert public == {*MODELS}


def test_every_model_says_what_it_leaves_open():
    assert all(model.leaves_open.endswith(".") for model in MODELS)


def test_what_is_left_open_is_said_once_for_every_part():
    asked = KAnonymity(3) & EntropyDiversity(2, "a") & EntropyDiversity(2, "b")
    said = left_open(asked.to_dict())
    own = [KAnonymity.leaves_open, EntropyDiversity.leaves_open]
    assert said == [*own, *LEFT_OPEN_BY_ALL]
    assert left_open("nonsense") == list(LEFT_OPEN_BY_ALL)
    assert left_open({"model": "Secrecy"}) == list(LEFT_OPEN_BY_ALL)
