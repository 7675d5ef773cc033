"""The screen Sign: writing, key, verdict, dossier, names."""
