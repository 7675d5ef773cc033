"""Which files of tests are begun first."""

FIRST = (
    "tests/contracts/test_subjects.py",
    "tests/docs/test_extend.py",
    "tests/benchmarks/test_cluster.py",
    "tests/docs/test_site.py",
    "tests/cli/together/test_together.py",
    "tests/models/rules/test_rules.py",
)
"""One that compiles the kernels of all methods, and long ones that need none of them.

Whoever needs a kernel while another process compiles it would compile it once more.
"""

LONGEST = (
    "tests/studio/test_server_browser.py",
    "tests/docs/test_pages.py",
    "tests/reproduce/test_experiment_runs.py",
    "tests/studio/test_server_hands.py",
    "tests/contracts/test_whole_models.py",
    "tests/contracts/test_models_in_releases.py",
    "tests/contracts/test_engines.py",
    "tests/tables/engines/regions/test_spark_regions.py",
    "tests/contracts/test_file_formats.py",
    "tests/cli/together/test_twoparty.py",
)
"""Those that take longest: one that is begun last keeps all other workers waiting for it."""

_PLACES = {file: place for place, file in enumerate((*FIRST, *LONGEST))}


def place_of(nodeid):
    """Where a test goes; all others keep the order that they have."""
    return _PLACES.get(nodeid.partition("::")[0], len(_PLACES))
