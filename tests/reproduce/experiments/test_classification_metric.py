"""What the experiments read off a tree, on the papers' worked examples."""

from reproduce.experiments._classification_metric import minority_rows
from reproduce.experiments._kadet_id3 import root_test
from shoal.models import KAnonymousTreeClassifier
from tests.models.tables import clients


def test_minority_rows_are_those_that_the_tree_gets_wrong_in_training():
    columns, risk = clients()
    tree = KAnonymousTreeClassifier(privacy=3, splits="multiway").fit(columns, risk)
    assert minority_rows(tree) == (tree.predict(columns) != risk).sum() == 2


def test_the_root_test_names_its_column_and_level():
    columns, risk = clients()
    assert root_test(KAnonymousTreeClassifier(privacy=3, splits="multiway").fit(columns, risk)) == (
        "gender",
        0,
    )
