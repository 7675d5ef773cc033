"""How models are read as spans: a file per kind of model, and the registry that lists them."""
