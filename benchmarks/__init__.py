"""Speed figures: one file per hot path, `bench_NAME.py`, each with a named peer."""
