"""One file per experiment, each with an `EXPERIMENT`; numbers in, numbers out."""
