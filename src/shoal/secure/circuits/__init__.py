"""Boolean circuits and their garbling."""
