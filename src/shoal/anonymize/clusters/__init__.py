"""Local recoding: groups of cells that share labels, and limits on labels."""
