"""Engines: the same model data in, draws out."""
