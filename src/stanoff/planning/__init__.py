"""How many documents it takes: scenarios, power, plans.

:class:`stanoff.Scenario` says what may be true, :func:`stanoff.power` how often a goal is reached
then, :func:`stanoff.plan` how many documents that takes. Workers of a study load this package, so
it imports nothing by itself.
"""
