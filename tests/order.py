"""Which files of tests are begun first, and which tests stay together."""

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
    "tests/tables/engines/regions/test_spark_regions.py",  # and all others of Spark
    "tests/contracts/test_file_formats.py",
    "tests/files/test_messy.py",
    "tests/anonymize/clusters/test_refine_kernels.py",
    "tests/cli/together/test_twoparty.py",
    "tests/audit/adapters/test_sklearn_tree_adapter.py",
    "tests/contracts/test_canary_commands.py",
    "tests/contracts/test_types_in_formats.py",
    "tests/tables/engines/formats/text/test_kept_rows.py",
    "tests/test_jit_plain.py",
)
"""Those that take longest: one that is begun last keeps all other workers waiting for it."""

SPARK = "tests/tables/engines/regions/test_spark_regions.py"
"""With this file go all tests that ask Spark: a worker's first session takes 6 to 11 s."""
ASK_SPARK = (
    "tests/judge/cluster/test_other_columns.py",
    "tests/judge/cluster/test_range_ends.py",
    "tests/report/release/facts/test_far_original.py",
)
"""Files that do and whose tests' names do not say so; a session is refused to others."""

_PLACES = {file: place for place, file in enumerate((*FIRST, *LONGEST))}


def unit_of(nodeid):
    """The file whose tests run on the same worker as this one, one after the other."""
    file = nodeid.partition("::")[0]
    asks = file.startswith("tests/") and "spark" in nodeid.lower()
    return SPARK if asks or file in ASK_SPARK else file


def place_of(nodeid):
    """Where a test goes; all others keep the order that they have."""
    return _PLACES.get(unit_of(nodeid), len(_PLACES))
