"""Oblivious transfer and products of shares."""
