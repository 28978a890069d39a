"""Engines: a model and its data in, draws out."""
