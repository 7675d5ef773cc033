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
