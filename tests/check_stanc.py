"""Check every Stan program with a current stanc: that of the httpstan wheel.

CmdStan from the package index is old; users with a newer one must be able to compile as well.
Run by ``make test-stanc``.
"""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

STAN = Path(__file__).resolve().parents[1] / "stan"


def fetch_stanc(folder: Path) -> Path:
    """Download the wheel and take the compiler out of it."""
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "httpstan"]
    subprocess.run([*download, "--dest", str(folder)], check=True)
    [wheel] = folder.glob("httpstan-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        stanc = Path(archive.extract("httpstan/stanc", folder))
    stanc.chmod(0o755)
    return stanc


def main() -> int:
    """Return how many programs are not accepted."""
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        stanc = fetch_stanc(Path(name))
        version = subprocess.run([stanc, "--version"], capture_output=True, text=True).stdout
        programs = sorted(STAN.rglob("*.stan"))
        programs = [program for program in programs if program.parent.name != "blocks"]
        for program in programs:
            command = [stanc, f"--include-paths={STAN}", f"--o={name}/out.hpp", program]
            run = subprocess.run(command, capture_output=True, text=True)
            if run.returncode:
                failed += 1
                print(f"{program.relative_to(STAN)}: {run.stderr}")
    print(f"{version.strip()}: {len(programs) - failed} passed, {failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(main())
