"""A fitted tree as PMML 4.4, for scoring engines in other languages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from shoal.errors import SchemaError
from shoal.models.tree._branches import side_of
from shoal.models.tree._nodes import FittedTree
from shoal.models.tree._route_kernels import LEAF
from shoal.schema._text import text

NAMESPACE = "http://www.dmg.org/PMML-4_4"


def export_pmml(tree: FittedTree, classes: Sequence[Any], target: str, version: str) -> str:
    """The tree as a PMML document.

    Text is compared as text, so a consumer has to be given the values as the training table had
    them.  Values without a branch and missing ones without one stop at their node, as in Shoal.
    """
    names = [str(text(name)) for name in classes]
    used = sorted({view.attribute for view in tree.views})
    root = ET.Element("PMML", {"xmlns": NAMESPACE, "version": "4.4"})
    header = ET.SubElement(root, "Header", {"description": "k-anonymous decision tree"})
    ET.SubElement(header, "Application", {"name": "Shoal", "version": version})
    dictionary = ET.SubElement(root, "DataDictionary", {"numberOfFields": str(len(used) + 1)})
    for index in used:
        attribute = tree.attributes[index]
        if attribute.kind == "date":
            raise SchemaError(
                f"column {attribute.name!r} is a date, which PMML export does not write. "
                "Turn it into a number of days first."
            )
        as_text = not attribute.ordered or bool(attribute.order)
        kind = ("categorical", "string") if as_text else ("continuous", "double")
        _field(dictionary, attribute.name, *kind)
    field = _field(dictionary, target, "categorical", "string")
    for name in names:
        ET.SubElement(field, "Value", {"value": name})
    model = ET.SubElement(
        root,
        "TreeModel",
        {
            "functionName": "classification",
            "missingValueStrategy": "none",
            "noTrueChildStrategy": "returnLastPrediction",
            "splitCharacteristic": "multiSplit",
        },
    )
    schema = ET.SubElement(model, "MiningSchema")
    for index in used:
        ET.SubElement(
            schema,
            "MiningField",
            {"name": tree.attributes[index].name, "invalidValueTreatment": "asIs"},
        )
    ET.SubElement(schema, "MiningField", {"name": target, "usageType": "target"})
    elements = {-1: model}
    for node in _in_order(tree):
        parent = int(tree.nodes.parent[node])
        elements[node] = _node(elements[parent], tree, node, names)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, "unicode")


def _field(parent: ET.Element, name: str, kind: str, data_type: str) -> ET.Element:
    shape = {"name": name, "optype": kind, "dataType": data_type}
    return ET.SubElement(parent, "DataField", shape)


def _in_order(tree: FittedTree) -> list[int]:
    """Parents before children; missing values first, the branch that takes all others last."""
    order, todo = [], [0]
    while todo:
        node = todo.pop()
        order.append(node)
        if tree.nodes.slot[node] != LEAF:
            children = tree.children(node)
            other = int(tree.nodes.other[node])
            children.sort(key=lambda child: (child == other, not _is_missing(tree, node, child)))
            todo.extend(reversed(children))
    return order


def _is_missing(tree: FittedTree, node: int, child: int) -> bool:
    if tree.attribute(node).ordered:
        return side_of(tree, node, child) == 2
    return tree.labels(node, child) == [None]


def _node(parent: ET.Element, tree: FittedTree, node: int, names: list[str]) -> ET.Element:
    mass = tree.nodes.mass[node]
    shape = {"id": str(node), "score": names[int(mass.argmax())], "recordCount": _real(mass.sum())}
    element = ET.SubElement(parent, "Node", shape)
    _predicate(element, tree, node)
    for name, count in zip(names, mass.tolist(), strict=True):
        ET.SubElement(element, "ScoreDistribution", {"value": name, "recordCount": _real(count)})
    return element


def _predicate(element: ET.Element, tree: FittedTree, node: int) -> None:
    parent = int(tree.nodes.parent[node])
    if parent < 0 or int(tree.nodes.other[parent]) == node:
        ET.SubElement(element, "True")
        return
    attribute = tree.attribute(parent)
    shape = {"field": attribute.name}
    if _is_missing(tree, parent, node):
        ET.SubElement(element, "SimplePredicate", shape | {"operator": "isMissing"})
    elif not attribute.ordered:
        level = tree.views[tree.nodes.slot[parent]].level
        values = [
            value
            for label in tree.labels(parent, node)
            if label is not None
            for value in attribute.members(level, label)
        ]
        _one_of(element, shape, values)
    elif attribute.order:
        first_above = int(np.floor(tree.nodes.threshold[parent])) + 1
        low = side_of(tree, parent, node) == 0
        _one_of(
            element,
            shape,
            list(attribute.order[:first_above] if low else attribute.order[first_above:]),
        )
    else:
        low = side_of(tree, parent, node) == 0
        cut = {
            "operator": "lessOrEqual" if low else "greaterThan",
            "value": _real(tree.nodes.threshold[parent]),
        }
        ET.SubElement(element, "SimplePredicate", shape | cut)


def _one_of(element: ET.Element, shape: dict[str, str], values: list[str]) -> None:
    if len(values) == 1:
        ET.SubElement(element, "SimplePredicate", shape | {"operator": "equal", "value": values[0]})
        return
    among = ET.SubElement(element, "SimpleSetPredicate", shape | {"booleanOperator": "isIn"})
    array = ET.SubElement(among, "Array", {"type": "string", "n": str(len(values))})
    array.text = " ".join('"' + value.replace('"', '\\"') + '"' for value in values)


def _real(value: float) -> str:
    return repr(float(value))
