"""CmdStan: find it, install it, compile programs with it."""
