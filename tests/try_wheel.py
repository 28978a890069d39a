"""Install a wheel as a stranger would, where there is nothing else, and time the first verdict.

``python tests/try_wheel.py WHEEL`` makes an empty environment, installs the wheel with all that it
depends on, and asks for a verdict by Stan with an empty home and nothing on PATH: neither g++ nor
make nor CmdStan. Without a wheel it asks the Python that runs it.
"""

import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

VERDICT = """
import shutil
assert not any(map(shutil.which, ("g++", "clang++", "make", "stanc")))
import stanoff
truth = [1, 1, 1, 0, 0, 0] * 50
result = stanoff.compare(truth, truth, [1, 0, 1, 0, 1, 0] * 50, seed=1)
assert result.engine == "stan", result.warnings
assert str(result.decision) == ">>", result
print(result)
"""


def verdict(python: str | Path, empty: Path) -> str:
    """Ask a Python for a verdict, in an environment that has nothing in it."""
    environment = {"PATH": str(empty), "HOME": str(empty), "TMPDIR": str(empty)}
    ran = subprocess.run(
        [str(python), "-I", "-c", VERDICT],
        cwd=empty,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        sys.exit(f"Error: the wheel gave no verdict by Stan:\n{ran.stdout}{ran.stderr}")
    return ran.stdout.strip()


def main(wheel: str | None = None) -> None:
    """Print the verdict, and the seconds from ``pip install`` to it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "empty").mkdir()
        if wheel is None:
            print(verdict(sys.executable, folder / "empty"))
            return
        venv.create(folder / "venv", with_pip=True)
        python = folder / "venv/bin/python"
        start = time.monotonic()
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel]
        subprocess.run(pip, check=True, env=os.environ | {"PYTHONPATH": ""})
        installed = time.monotonic()
        print(verdict(python, folder / "empty"))
        end = time.monotonic()
    print(
        f"{end - start:.0f} s from pip install to the verdict, {end - installed:.1f} s of them "
        "for the verdict."
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
