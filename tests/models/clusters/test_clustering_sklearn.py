"""scikit-learn's own checks of clusterings and rules as estimators."""

from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from shoal.audit import item_schema
from shoal.models import KAnonymousClustering, KAnonymousRules
from tests.extras import need


@parametrize_with_checks(
    [KAnonymousClustering(n_clusters=3), KAnonymousClustering(privacy=1, n_clusters=2, min_rows=2)]
)
def test_scikit_learn_checks_of_clusters(estimator, check):
    check(estimator)


@parametrize_with_checks([KAnonymousRules(privacy=2, max_items=2)])
def test_scikit_learn_checks_of_rules(estimator, check):
    need("mlxtend")
    check(estimator)


def test_parameters_survive_a_clone():
    schema = item_schema(["bread"], ["pills"])
    rules = KAnonymousRules(schema, 5, min_support=0.1, hierarchy={"pills": "drugs"})
    assert clone(rules).get_params() == rules.get_params()
    clusters = KAnonymousClustering(None, 7, n_clusters=3, min_rows=7, domain={"pay": (0, 1)})
    assert clone(clusters).get_params() == clusters.get_params()
