"""Groups that a model induces: what k-anonymity of a model is judged by."""
