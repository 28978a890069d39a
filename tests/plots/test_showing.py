"""Figures where people see them: in a notebook, and in a script that ends with plt.show()."""

import json
import os
import subprocess
import sys

import nbformat
import pytest
from nbclient import NotebookClient

COMPARE = """
from stanoff import compare_counts
settings = dict(engine="exact", draws=300, seed=1)
result = compare_counts([310, 25, 20, 43], [40, 30, 25, 7039], **settings)
"""
OWN = """
import matplotlib.pyplot as plt
figure, ax = plt.subplots()
ax.set_title("my own");
"""
STATE = """
import json
import matplotlib as mpl
import matplotlib.pyplot as plt
print(json.dumps([{k: repr(v) for k, v in mpl.rcParams.items()}, plt.isinteractive()]))
"""


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """Run cells in a fresh kernel; return what each shows."""

    def run(*sources):
        folder = tmp_path_factory.mktemp("notebook")
        cells = [nbformat.v4.new_code_cell(source) for source in sources]
        book = nbformat.v4.new_notebook(cells=cells)
        with pytest.MonkeyPatch.context() as patch:
            for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR"):
                patch.setenv(name, str(folder / name))
            patch.delenv("MPLBACKEND", raising=False)
            NotebookClient(book, timeout=100, kernel_name="python3").execute(cwd=str(folder))
        return [cell.outputs for cell in cells]

    return run


def pictures(outputs):
    return sum("image/png" in output.get("data", {}) for output in outputs)


@pytest.fixture(scope="module")
def stanoff_first(executed):
    """A notebook whose first figure is drawn by stanoff."""
    return executed(
        COMPARE,
        "result.plot_posterior()",
        OWN + "result.plot_joint()\nplt.subplots();",
        STATE,
        "result",
        "result.plot_ropes();",
        "figure, axes = plt.subplots(1, 2)\nresult.plot_mosaic(ax=axes[0]) is axes[0]",
        STATE,
        "result.evidence()",
        "result.sensitivity()",
    )


def test_a_plot_is_shown_as_the_last_expression_of_a_cell(stanoff_first):
    _, first, _, _, _, later, *_ = stanoff_first
    assert pictures(first) == 1
    assert [o.output_type for o in first] == ["execute_result", "display_data"]
    assert pictures(later) == 1


def test_the_users_own_figures_before_and_after_are_kept(stanoff_first):
    assert pictures(stanoff_first[2]) == 3


def test_a_result_is_shown_without_a_further_picture(stanoff_first):
    [shown] = stanoff_first[4]
    assert "stanoff-result" in shown.data["text/html"]


@pytest.mark.parametrize("cell", [8, 9], ids=["evidence", "sensitivity"])
def test_evidence_is_shown_once_as_text_and_as_a_table(stanoff_first, cell):
    [shown] = stanoff_first[cell]
    assert shown.output_type == "execute_result"
    assert "<table" in shown.data["text/html"]
    assert "P(" in shown.data["text/plain"]


def test_own_axes_in_a_notebook(stanoff_first):
    outputs = stanoff_first[6]
    assert outputs[0].data["text/plain"] == "True"
    assert pictures(outputs) == 1


def test_own_figures_come_first_and_nothing_global_changes(executed, stanoff_first):
    started, own, after = executed(OWN + STATE, COMPARE + OWN + "result.plot_forest()", STATE)
    assert pictures(own) == 2
    states = [json.loads(cell[0].text) for cell in (started, after)]
    assert states[0] == states[1]
    assert json.loads(stanoff_first[3][0].text) == json.loads(stanoff_first[7][0].text) == states[0]


RECORDER = """
from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg


class FigureManager(FigureManagerBase):
    @classmethod
    def pyplot_show(cls, *, block=None):
        for manager in Gcf.get_all_fig_managers():
            print("shown:", manager.canvas.figure.axes[0].get_title())


class FigureCanvas(FigureCanvasAgg):
    manager_class = FigureManager
"""
SCRIPT = """
import matplotlib as mpl
before = mpl.rcParams.copy()
result.plot_posterior()
{after}
import matplotlib.pyplot as plt
plt.show()
plt.close("all")
plt.show()
after = mpl.rcParams.copy()
print("changed:", [name for name in before if name != "backend" and before[name] != after[name]])
print("interactive:", plt.isinteractive())
print("backend:", mpl.get_backend())
"""


@pytest.mark.parametrize("own", ["before", "after"])
def test_a_script_shows_all_figures_by_plt_show(tmp_path, own):
    (tmp_path / "recorder.py").write_text(RECORDER)
    code = COMPARE + (OWN if own == "before" else "")
    code += SCRIPT.format(after=OWN if own == "after" else "")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = os.environ | {"MPLBACKEND": "module://recorder", "PYTHONPATH": path}
    ran = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    told = ["shown: my own", "shown: A ≈ B"]
    told = told if own == "before" else told[::-1]
    end = ["changed: []", "interactive: False", "backend: module://recorder"]
    assert ran.stdout.splitlines() == [*told, *end]
