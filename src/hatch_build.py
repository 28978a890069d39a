"""Make a platform wheel of what ``python src/bundle_models.py`` has gathered.

hatchling asks this hook only where ``STANOFF_COMPILED`` names the folder; without it the wheel is
pure, and programs are compiled where they are first used.
"""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledPrograms(BuildHookInterface):
    """Put the compiled programs into the wheel, and their platform into its name."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add what the wheel holds besides the package."""
        given = os.environ.get("STANOFF_COMPILED")
        if not given or version == "editable":
            return
        folder = Path(self.root, given)
        tag = (folder / "tag").read_text("utf8").strip()
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{tag}"
        for file in sorted(folder.rglob("*")):
            if file.is_file() and file.name != "tag":
                place = file.relative_to(folder).as_posix()
                build_data["force_include"][str(file)] = f"stanoff/compiled/{place}"
