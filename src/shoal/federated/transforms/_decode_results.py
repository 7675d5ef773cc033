"""Read a miner's results with the key: trees, rules, centroids, tables, text."""

import copy
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from shoal.errors import ParameterError, SchemaError
from shoal.federated.transforms._aliases import AliasTable, Category
from shoal.federated.transforms._key import TransformKey
from shoal.federated.transforms._ranges import GradedRanges
from shoal.typing import Floats

T = TypeVar("T")
OPERATORS = r"<=|>=|==|<|>|=|:|≤|≥"


def decode_results(
    results: Any, key: TransformKey, feature_names: Sequence[str] | None = None
) -> Any:
    """What a miner sent back, in real terms: rules, counts, centroids or a report.

    Parameters
    ----------
    results : str, mapping, list of mappings, frame or array
        A report's text (aliases, and thresholds on graded columns); counts by label, or by tuple
        of labels; rules or itemsets with their figures, as mappings or as mlxtend's frames;
        pandas cross tables; or with `feature_names` the centroids of clusters.
    key : TransformKey
        The shared key.
    feature_names : sequence of str, optional
        The columns of centroids.

    Returns
    -------
    str, dict, list, frame or ndarray
        As the input, which is not changed.  Trees are read by :func:`decode_tree`.

    Notes
    -----
    Thresholds in a text are recognised as ``column <= number`` and the like; they can be no more
    exact than the digits that it shows.  Centroids are those of the original rows up to 0.1 % of a
    range where ranges are uniform; where they are uneven, the point whose transform they are.

    Examples
    --------
    >>> key = TransformKey.create(
    ...     {"age": GradedRanges.uniform(0, 100, 5), "ill": AliasTable("Illness", ("flu", "cold"))}
    ... )
    >>> decode_results("age <= 2.500: Illness_1", key)
    'age <= 30: flu'
    >>> decode_results({("Illness_1", "dead"): 3, ("Illness_2", "dead"): 0}, key)
    {('flu', 'dead'): 3, ('cold', 'dead'): 0}
    >>> decode_results([{"if": {"Illness_2"}, "then": ("Illness_1",), "support": 0.2}], key)
    [{'if': frozenset({'cold'}), 'then': ('flu',), 'support': 0.2}]
    >>> decode_results([[2.5, 0.3]], key, ["age", "weight"]).tolist()
    [[30.0, 0.3]]
    """
    if feature_names is not None:
        return decode_centroids(results, key, feature_names)
    if isinstance(results, str):
        return decode_text(results, key)
    if isinstance(results, Mapping):
        return decode_contingency(results, key)
    if isinstance(results, Sequence) and all(isinstance(rule, Mapping) for rule in results):
        return decode_rules(results, key)
    if hasattr(results, "rename") and hasattr(results, "index"):
        decoded = decode_contingency(results, key)
        return decode_rules(decoded, key) if hasattr(decoded, "columns") else decoded
    raise ParameterError(
        f"decode_results: cannot read a {type(results).__name__}. Name the columns of centroids in "
        "feature_names; give trees to decode_tree and tables to decode."
    )


def decode_label(label: T, key: TransformKey) -> T | Category:
    """The category behind an alias; anything else is returned as it is."""
    return _aliases(key).get(label, label) if isinstance(label, str) else label


def decode_items(items: Iterable[Any], key: TransformKey) -> frozenset[Any]:
    """Items of a rule, written as aliases alone or as ``column=alias``."""
    return frozenset(decode_text(item, key) if isinstance(item, str) else item for item in items)


def decode_rules(rules: Any, key: TransformKey) -> Any:
    """Rules or itemsets with their figures: mlxtend's frames, or a list of mappings.

    Every cell that is a set, a tuple or a list of items is decoded; supports and confidences are
    what they were.
    """
    if isinstance(rules, Sequence):
        return [{name: _items_or_same(v, key) for name, v in rule.items()} for rule in rules]
    decoded = rules.copy()
    for name in decoded.columns:
        values = list(decoded[name])
        if any(isinstance(value, frozenset | set | tuple | list) for value in values):
            decoded[name] = [_items_or_same(value, key) for value in values]
    return decoded


def decode_tree(
    tree: Any, key: TransformKey, feature_names: Sequence[str] | None = None
) -> tuple[Any, list[str]]:
    """A tree or forest in real terms, and its feature names.

    Parameters
    ----------
    tree : fitted scikit-learn tree or ensemble of trees, or a tree of `shoal.models`
        As the miner trained it; it is not changed.
    key : TransformKey
        The shared key.
    feature_names : sequence of str or None
        Names of the miner's features; not needed for Shoal's trees, which know their columns.  A
        graded column keeps its name; an indicator column has an alias in its name.  Prefixes
        ending in ``__`` are understood.

    Returns
    -------
    tree
        A copy that predicts from original rows what the given one predicts from encoded rows.
        Its classes are sorted anew, so that a tie in a leaf is broken as by a tree trained on the
        original rows.
    names : list of str
        Feature names with categories for aliases.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> key = TransformKey.create({"age": GradedRanges.uniform(0, 100, 5)})
    >>> ages = np.array([[10.0], [30.0], [70.0], [90.0]])
    >>> mined = DecisionTreeClassifier().fit(key.columns["age"].encode(ages), [0, 0, 1, 1])
    >>> tree, names = decode_tree(mined, key, ["age"])
    >>> names, tree.predict(ages).tolist()
    (['age'], [0, 0, 1, 1])
    """
    if hasattr(tree, "from_dict"):
        data = decode_tree_dict(tree.to_dict(), key)
        # not from_dict: the digest that it asks for was of the encoded tree
        return type(tree)._read(data), [a["name"] for a in data["tree"]["attributes"]]
    if feature_names is None:
        raise SchemaError("feature_names are needed to decode a scikit-learn tree.")
    decoded = copy.deepcopy(tree)
    ranges = [_graded_column(name, key) for name in feature_names]
    for part in _parts(decoded):
        if part.tree_.n_features != len(feature_names):
            raise SchemaError(
                f"{len(feature_names)} feature names were given for a tree over "
                f"{part.tree_.n_features} features."
            )
        _decode_thresholds(part.tree_, ranges)
    if isinstance(getattr(decoded, "classes_", None), np.ndarray):
        _decode_classes(decoded, key)
    return decoded, [decode_text(name, key) for name in feature_names]


def decode_tree_dict(data: Mapping[str, Any], key: TransformKey) -> dict[str, Any]:
    """The JSON form of a tree of `shoal.models`, in real terms.

    Thresholds on graded columns, labels of branches, classes and the names of bins are decoded.
    The digest, which was of the encoded tree, is left out.
    """
    decoded = copy.deepcopy({name: value for name, value in data.items() if name != "digest"})
    tree = decoded["tree"]
    nodes, views = tree["nodes"], tree["views"]
    names = [attribute["name"] for attribute in tree["attributes"]]
    for view in views:
        view["labels"] = [_label_text(label, key) for label in view["labels"]]
    for node, slot in enumerate(nodes["slot"]):
        code = _graded_column(names[views[slot]["attribute"]], key) if slot >= 0 else None
        if code is not None and nodes["threshold"][node] is not None:
            nodes["threshold"][node] = float(code.decode_threshold(nodes["threshold"][node]))
    classes = np.array([decode_label(c, key) for c in decoded["classes"]["values"]])
    order = np.argsort(classes)
    decoded["classes"] = {"type": classes.dtype.str, "values": classes[order].tolist()}
    for table in ("counts", "mass"):
        nodes[table] = [[row[i] for i in order] for row in nodes[table]]
    decoded["bins"]["names"] = [decode_text(name, key) for name in decoded["bins"]["names"]]
    return decoded


def decode_centroids(
    centroids: ArrayLike, key: TransformKey, feature_names: Sequence[str]
) -> Floats:
    """Centroids in real units, one column per name.

    With uniform ranges the transform is affine but for the largest value, so the result is the
    centroid of the original rows up to 0.1 % of a range.  With uneven ranges it is the point
    whose transform the centroid is, which is not the mean of the original rows.
    """
    result = np.array(centroids, np.float64)
    if result.ndim != 2 or result.shape[1] != len(feature_names):
        raise SchemaError(f"centroids must have one column for each of {len(feature_names)} names.")
    for j, name in enumerate(feature_names):
        ranges = _graded_column(name, key)
        if ranges is not None:
            result[:, j] = ranges.decode_real(result[:, j])
    return result


def decode_contingency(table: Any, key: TransformKey) -> Any:
    """Counts by category: a mapping from labels (or tuples of them), or a pandas cross table."""
    if isinstance(table, Mapping):
        return {_label_or_tuple(label, key): count for label, count in table.items()}
    known = _aliases(key)
    if table.ndim == 1:
        return table.rename(known)
    return table.rename(index=known, columns=known)


def decode_text(text: str, key: TransformKey) -> str:
    """Replace aliases, and thresholds on graded columns, in a report.

    Thresholds are recognised as ``column <= number`` and the like; they can be no more exact than
    the digits that the report shows.  Decode the model itself where exactness matters.
    """
    graded = {n: c for n, c in key.columns.items() if isinstance(c, GradedRanges)}
    if graded:
        text = _graded_pattern(graded).sub(lambda match: _threshold(match, graded), text)
    known = _aliases(key)
    if known:
        # Longest first: Illness_12 must not be read as Illness_1 and a 2.
        names = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
        pattern = re.compile(rf"(?<![A-Za-z0-9])(?:{names})(?![A-Za-z0-9])")
        text = pattern.sub(lambda match: str(known[match.group()]), text)
    return text


def _aliases(key: TransformKey) -> dict[Any, Category]:
    tables = (code for code in key.columns.values() if isinstance(code, AliasTable))
    return {alias: category for table in tables for alias, category in table.to_category.items()}


def _items_or_same(value: Any, key: TransformKey) -> Any:
    if isinstance(value, frozenset | set):
        return decode_items(value, key)
    if isinstance(value, tuple | list):
        return type(value)(decode_text(v, key) if isinstance(v, str) else v for v in value)
    return decode_label(value, key)


def _label_or_tuple(label: Any, key: TransformKey) -> Any:
    if isinstance(label, tuple):
        return tuple(decode_label(part, key) for part in label)
    return decode_label(label, key)


def _label_text(label: str | None, key: TransformKey) -> str | None:
    return None if label is None else str(decode_label(label, key))


def _graded_column(name: str, key: TransformKey) -> GradedRanges | None:
    code = key.columns.get(name, key.columns.get(name.rpartition("__")[2]))
    return code if isinstance(code, GradedRanges) else None


def _parts(model: Any) -> list[Any]:
    if hasattr(model, "tree_"):
        return [model]
    if hasattr(model, "estimators_"):
        return list(np.ravel(np.asarray(model.estimators_, object)).tolist())
    raise SchemaError(f"{type(model).__name__} is not a tree or an ensemble of trees.")


def _decode_thresholds(nodes: Any, ranges: Sequence[GradedRanges | None]) -> None:
    for feature, code in enumerate(ranges):
        here = np.flatnonzero(nodes.feature == feature)
        if code is not None and len(here):
            nodes.threshold[here] = code.decode_threshold(nodes.threshold[here], single=True)


def _decode_classes(model: Any, key: TransformKey) -> None:
    classes = np.array([decode_label(c, key) for c in model.classes_.tolist()])
    order = np.argsort(classes)
    model.classes_ = classes[order]
    for part in _parts(model):
        part.tree_.value[...] = part.tree_.value[:, :, order]


def _graded_pattern(graded: Mapping[str, GradedRanges]) -> re.Pattern[str]:
    names = "|".join(map(re.escape, sorted(graded, key=len, reverse=True)))
    return re.compile(
        rf"(?:(?<!\w)|(?<=__))(?P<name>{names})(?P<op>\s*(?:{OPERATORS})\s*)"
        r"(?P<value>-?\d+(?:\.\d+)?)"
    )


def _threshold(match: re.Match[str], graded: Mapping[str, GradedRanges]) -> str:
    ranges, value = graded[match["name"]], float(match["value"])
    # "age <= 2.5" parts values and may move between them; "age = 2.5" names a point.
    between = any(sign in match["op"] for sign in "<>≤≥")
    real = ranges.decode_threshold(value) if between else ranges.decode_real(value)
    shown = f"{float(real):.{ranges.decimals + 3}f}".rstrip("0").rstrip(".")
    return f"{match['name']}{match['op']}{shown}"
