"""Rebuild every report beside its script, then the start page that links them."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from stanoff import progress

HERE = Path(__file__).resolve().parent
REPORTS = ("zhang2016", "yang1999", "sokolova2006")  # the longest first
AT_ONCE = 2  # each of them uses a core or two


def main() -> int:
    """Run the scripts two at a time; a failing one is told and the others still finish."""
    start = time.monotonic()
    with progress.step("Building the reports", total=len(REPORTS)) as advance:
        done = []

        def run(name: str) -> bool:
            good = built(name)
            done.append(name)
            advance(len(done))
            return good

        with ThreadPoolExecutor(AT_ONCE) as pool:
            good = list(pool.map(run, REPORTS))
    if not all(good) or not built("."):
        return 1
    print(f"Wrote {HERE / 'index.html'} in {time.monotonic() - start:.0f} s.")
    return 0


def built(name: str) -> bool:
    """Run one script and pass on what it says, a name before every line."""
    script = HERE / name / ("build.py" if name != "." else "start_page.py")
    command = [sys.executable, "-W", "error::RuntimeWarning", str(script)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as running:
        assert running.stdout is not None
        for line in running.stdout:
            print(f"{script.parent.name}: {line}", end="", flush=True)
    if running.returncode:
        print(f"{script.parent.name}: failed with code {running.returncode}", file=sys.stderr)
    return running.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
