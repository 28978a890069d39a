"""Sokolova and Lapalme (2006): performance measures in classification of human communications."""
