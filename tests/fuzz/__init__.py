"""Fuzzing: random releases judged by `tests.judge`, mutated files, property tests; `make fuzz`."""
