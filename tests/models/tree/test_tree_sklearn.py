"""scikit-learn's own checks of the tree as an estimator."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from shoal.models import KAnonymousTreeClassifier

ROWS_ARE_PEOPLE = (
    "a row of weight 2 is one person and two equal rows are two: with k above 1 they differ"
)


def expected_failures(estimator):
    if estimator.privacy == 1:
        return {}
    return {"check_sample_weight_equivalence_on_dense_data": ROWS_ARE_PEOPLE}


@parametrize_with_checks(
    [
        KAnonymousTreeClassifier(privacy=1),
        KAnonymousTreeClassifier(privacy=1, criterion="gain_ratio"),
        KAnonymousTreeClassifier(privacy=5, criterion="gini"),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
