"""How far stanoff can be trusted: long simulations, and speed."""
