"""matplotlib is imported here before anywhere else: it minds what MPLBACKEND says."""

import os

from stanoff.errors import StanoffError

try:
    import matplotlib  # noqa: F401
except ValueError as error:
    told = os.environ.get("MPLBACKEND")
    message = f"MPLBACKEND is {told!r}, which matplotlib does not know: unset it."
    raise StanoffError(message) from error
