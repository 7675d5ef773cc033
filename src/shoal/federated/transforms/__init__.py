"""Keyed transforms of tables for an untrusted miner."""
