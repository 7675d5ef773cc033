from dataclasses import dataclass

from reproduce.experiments._scale_up import differing_steps


@dataclass
class Taken:
    column: str
    node: str


def steps(text):
    return [Taken(*step) for step in text.split()]


def test_equal_sequences_do_not_differ():
    assert differing_steps(steps("ax by"), steps("ax by")) == 0


def test_other_nodes_other_columns_and_missing_steps_count():
    assert differing_steps(steps("ax by"), steps("ax bz")) == 1
    assert differing_steps(steps("ax by"), steps("bx by az")) == 2
    assert differing_steps([], steps("ax by")) == 2
