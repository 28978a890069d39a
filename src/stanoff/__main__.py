"""``python -m stanoff``."""

from stanoff.cli import main

main(prog_name="stanoff")
