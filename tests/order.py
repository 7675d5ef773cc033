"""Which files of tests are begun first."""

LONGEST = (
    "tests/studio/test_server_browser.py",
    "tests/models/rules/test_rules.py",
    "tests/contracts/test_subjects.py",
    "tests/docs/test_pages.py",
    "tests/reproduce/test_experiment_runs.py",
    "tests/studio/test_server_hands.py",
    "tests/docs/test_extend.py",
    "tests/benchmarks/test_cluster.py",
    "tests/contracts/test_whole_models.py",
    "tests/audit/test_trial_load.py",
    "tests/contracts/test_models_in_releases.py",
    "tests/cli/models/test_audit.py",
    "tests/contracts/test_engines.py",
    "tests/tables/engines/regions/test_spark_regions.py",
    "tests/contracts/test_file_formats.py",
    "tests/docs/test_site.py",
    "tests/cli/together/test_together.py",
)
"""Those that take longest: one that is begun last keeps all other workers waiting for it."""


def place_of(nodeid):
    """Where a test goes; all others keep the order that they have."""
    file = nodeid.partition("::")[0]
    return LONGEST.index(file) if file in LONGEST else len(LONGEST)
