"""scikit-learn's own checks of naive Bayes as an estimator."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from shoal.models import KAnonymousNaiveBayes


@parametrize_with_checks([KAnonymousNaiveBayes(privacy=1), KAnonymousNaiveBayes(privacy=2)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
