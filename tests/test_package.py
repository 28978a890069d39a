"""The package as it is installed, and how quickly it loads."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import stanoff
from stanoff.models import MODELS, stan_folder

TOP = Path(__file__).parents[1]
HEAVY = ("numpy", "pandas", "scipy", "matplotlib", "cmdstanpy", "arviz_stats", "xarray", "duckdb")


def python(code, *, folder, **options):
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        **options,
    ).stdout


def test_every_public_name_is_there():
    for name in stanoff.__all__:
        assert getattr(stanoff, name) is not None
    assert set(stanoff.__all__) <= set(dir(stanoff))
    fresh = "import stanoff; print(stanoff.measures.get('f1').label)"
    assert python(fresh, folder=TOP).strip() == "F1"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        stanoff.nothing  # noqa: B018


HELP = "import click.testing as t, stanoff.cli as c; t.CliRunner().invoke(c.main, ['--help'])"


@pytest.mark.parametrize("start", ["import stanoff", "import stanoff.cli", HELP])
def test_nothing_heavy_is_loaded_before_it_is_needed(tmp_path, start):
    code = f"import sys; {start}; print([m for m in {HEAVY!r} if m in sys.modules])"
    assert python(code, folder=tmp_path).strip() == "[]"


def test_the_programs_are_found_in_the_repository():
    assert stan_folder() == TOP / "stan"
    assert all(model.stan_file.is_file() for model in MODELS.values() if model.inputs)


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """A wheel made from an sdist, as an installer would."""
    folder = tmp_path_factory.mktemp("archives")
    build = "import sys, hatchling.build as b; print(getattr(b, sys.argv[1])(sys.argv[2]))"

    def make(what, source):
        command = [sys.executable, "-c", build, what, str(folder)]
        ran = subprocess.run(command, cwd=source, capture_output=True, text=True, check=True)
        return folder / ran.stdout.split()[-1]

    sdist = make("build_sdist", TOP)
    subprocess.run(["tar", "xzf", sdist, "-C", folder], check=True)
    return sdist, make("build_wheel", folder / sdist.name.removesuffix(".tar.gz"))


def test_the_wheel_holds_the_programs(archives, tmp_path):
    _, wheel = archives
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "import stanoff.models as m\n"
        "files = [x.stan_file for x in m.MODELS.values() if x.inputs]\n"
        "print(m.stan_folder(), all(file.is_file() for file in files))"
    )
    said = python(code, folder=tmp_path)
    assert said.split() == [str(tmp_path / "stanoff" / "stan"), "True"]
    assert (tmp_path / "stanoff/stan/functions/measures.stanfunctions").is_file()
    assert (tmp_path / "stanoff/report/page.html").is_file()
    assert (tmp_path / "stanoff/py.typed").is_file()
