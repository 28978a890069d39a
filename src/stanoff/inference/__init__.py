"""From draws to a verdict: scores, intervals, evidence, decision."""
