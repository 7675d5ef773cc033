"""Privacy models, a file each: the plain definition beside its words."""
