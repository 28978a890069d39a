"""How far stanoff can be trusted: simulations in which the truth is known."""
