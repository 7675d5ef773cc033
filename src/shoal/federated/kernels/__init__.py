"""Random-kernel models over sites."""
