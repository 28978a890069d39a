"""Compiling for real."""

from pathlib import Path

import pytest

from stanoff.engines.cmdstan import cache_folder
from stanoff.engines.toolchain import compile_program
from stanoff.errors import ToolchainError
from stanoff.models import MODELS, stan_folder

pytestmark = pytest.mark.stan


def test_a_program_that_is_wrong_is_one_sentence(tmp_path):
    program = tmp_path / "wrong.stan"
    program.write_text("parameters { real x } model { x ~ normal(0, 1); }")
    with pytest.raises(ToolchainError, match=r"^Compiling wrong.stan with .* failed: .*error"):
        compile_program(program, quiet=True)
    assert not list((cache_folder() / "models").glob("*wrong*.building"))


@pytest.mark.parametrize("name", [name for name, model in MODELS.items() if model.inputs])
def test_executables_are_kept_outside_the_source(name):
    executable = Path(compile_program(MODELS[name].stan_file).exe_file)
    assert executable.is_relative_to(cache_folder())
    assert {p.suffix for p in stan_folder().rglob("*") if p.is_file()} <= {
        ".stan",
        ".stanfunctions",
        ".md",
    }
