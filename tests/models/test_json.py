"""Changed model files: refused with a clear error, or the same model."""

import copy
import json

import numpy as np
import pytest

from shoal.errors import ShoalError, TableError
from shoal.models import KAnonymousTreeClassifier
from shoal.models._json import seal

ROWS = np.column_stack([np.arange(60.0), np.arange(60) % 7])
CLASSES = np.arange(60) // 20


@pytest.fixture(scope="module")
def written():
    return KAnonymousTreeClassifier(privacy=5).fit(ROWS, CLASSES).to_dict()


def places(data, path=()):
    if isinstance(data, dict | list):
        pairs = data.items() if isinstance(data, dict) else enumerate(data)
        for key, value in pairs:
            yield from places(value, (*path, key))
    if path:
        yield path


def mutate(data, rng):
    """One value lost, replaced or doubled, anywhere in the file."""
    changed = copy.deepcopy(data)
    paths = list(places(changed))
    *above, last = paths[rng.integers(len(paths))]
    inner = changed
    for key in above:
        inner = inner[key]
    new = [None, -1, 10**9, 2**70, 0.5, "x", [], {}, True, [[1]]][rng.integers(10)]
    if rng.random() < 0.2:
        del inner[last]
    elif isinstance(inner, list) and rng.random() < 0.2:
        inner.insert(last, inner[last])
    else:
        inner[last] = new
    return changed


def test_no_changed_file_is_taken(written):
    rng = np.random.default_rng(0)
    assert KAnonymousTreeClassifier.from_dict(json.loads(json.dumps(written)))
    for _ in range(2000):
        changed = mutate(written, rng)
        if changed == written and json.dumps(changed) == json.dumps(written):
            continue
        with pytest.raises(TableError):
            KAnonymousTreeClassifier.from_dict(changed)


def test_a_changed_file_with_a_digest_of_its_own_is_refused_or_a_tree(written):
    rng = np.random.default_rng(1)
    refused = 0
    for _ in range(300):
        changed = mutate(written, rng)
        changed.pop("digest", None)
        try:
            tree = KAnonymousTreeClassifier.from_dict(seal(changed))
            tree.apply(ROWS)
        except ShoalError:
            refused += 1
        except (TypeError, ValueError, IndexError, AttributeError, KeyError, UserWarning):
            continue  # fails in Python, not in compiled code
    assert refused > 50


def resealed(written, **changes):
    plain = {name: value for name, value in written.items() if name != "digest"}
    return seal(plain | changes)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"notes": [[34, "Kiel", "flu"]]}, "a name or version of its own"),
        ({"guarantee": "34, Kiel, flu"}, "guarantee"),
        ({"shoal": "34, Kiel, flu"}, "a name or version of its own"),
        ({"shoal": "1." * 40}, "a name or version of its own"),
    ],
)
def test_a_sealed_file_that_says_more_than_its_model_is_refused(written, changes, named):
    with pytest.raises(TableError, match=f"does not write \\({named}\\)") as caught:
        KAnonymousTreeClassifier.from_dict(resealed(written, **changes))
    assert "Kiel" not in str(caught.value)


def test_parts_of_a_sealed_file_say_nothing_more_either(written):
    told = written["bins"] | {"rows": [[34, "Kiel", "flu"]]}
    with pytest.raises(TableError, match=r"does not write \(bins\)"):
        KAnonymousTreeClassifier.from_dict(resealed(written, bins=told))


def test_a_file_of_another_release_of_shoal_is_read(written):
    assert KAnonymousTreeClassifier.from_dict(resealed(written, shoal="0.9.1.dev3+local"))


def test_a_name_given_twice_is_refused_and_hides_nothing(written):
    text = json.dumps(written)
    twice = text.replace('{"format"', '{"guarantee": "34, Kiel, flu", "format"', 1)
    assert json.loads(twice) == written  # plain JSON keeps the last one
    with pytest.raises(TableError, match="gives a name twice"):
        KAnonymousTreeClassifier.from_json(twice)
