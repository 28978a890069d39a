"""The graphs against the programs that they picture, and against their own layout."""

import re
from graphlib import TopologicalSorter
from math import hypot

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.patches import Circle, FancyArrowPatch

from stanoff import InputError
from stanoff.models import MODELS
from stanoff.models.graphs import Kind
from stanoff.plots import plot_graph
from stanoff.plots.graphical import RADIUS, _frame, rim

every_model = pytest.mark.parametrize("name", MODELS)


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def declared(model, block):
    """Names that a block of a Stan program declares."""
    text = re.sub(r"//.*", "", model.stan_file.read_text())
    body = re.search(rf"^{block} \{{(.*?)^\}}", text, re.M | re.S).group(1)
    return set(re.findall(r"(\w+)(?: = [^;]*)?;", body))


@every_model
def test_a_graph_is_one_without_cycles(name):
    graph = MODELS[name].graph
    names = [node.name for node in graph.nodes]
    assert len(set(names)) == len(names)
    assert {end for edge in graph.edges for end in edge} == set(names)
    order = list(TopologicalSorter({n: graph.parents(n) for n in names}).static_order())
    assert order[-1] == "delta"
    for node in graph.nodes:
        assert (not graph.parents(node.name)) == (node.kind is Kind.GIVEN)
    assert all(set(plate.nodes) <= set(names) for plate in graph.plates)


@pytest.mark.parametrize("name", [name for name, model in MODELS.items() if model.program])
def test_a_graph_has_the_variables_of_its_program(name):
    model = MODELS[name]
    kinds = {node.name: node.kind for node in model.graph.nodes}
    parameters = declared(model, "parameters")
    assert parameters <= {n for n, kind in kinds.items() if kind is Kind.FREE}
    weights = {"beta", "alpha_pos", "alpha_neg", "kappa_location", "kappa_scale", "mass"}
    weights |= {"prior_weight", "prior_sd", "prior_degrees", "mu_scale", "tau_scale", "lkj_shape"}
    weights |= {"s_scale"}
    given = {n for n, kind in kinds.items() if kind is Kind.GIVEN} - {"N"}
    assert given == declared(model, "data") & weights


def test_the_edges_are_those_of_the_paper():
    # Figure 3: psi is a function of mu, theta+ and theta-, and delta of both psi.
    paired = MODELS["paired"].graph
    assert set(paired.parents("psi_A")) == {"mu", "theta_pos", "theta_neg"}
    assert set(paired.parents("c_pos")) == {"theta_pos", "n_class"}
    assert set(MODELS["documents"].graph.parents("said")) == {"y", "rho_pos", "rho_neg"}
    assert set(MODELS["hierarchical"].graph.parents("theta_pos")) == {"eta_pos", "kappa_pos"}


@every_model
def test_no_arrow_runs_through_a_node_and_none_overlap(name):
    graph = MODELS[name].graph
    for node in graph.nodes:
        here = np.array([node.x, node.y])
        for other in graph.nodes:
            if other != node:
                assert hypot(node.x - other.x, node.y - other.y) > rim(node) + rim(other) + 0.1
        for ends in graph.edges:
            if node.name not in ends:
                a, b = (np.array([graph.node(n).x, graph.node(n).y]) for n in ends)
                share = np.clip((here - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
                assert np.linalg.norm(a + share * (b - a) - here) > rim(node) + 0.05, (ends, node)


@every_model
def test_a_plate_holds_its_nodes_and_no_others(name):
    graph = MODELS[name].graph
    for plate in graph.plates:
        left, bottom, right, top = _frame(graph, plate)
        for node in graph.nodes:
            inside = left < node.x < right and bottom < node.y < top
            assert inside == (node.name in plate.nodes), (plate.label, node.name)


def test_arrows_end_at_the_rims_and_kinds_look_different():
    ax = plot_graph("paired")
    graph = MODELS["paired"].graph
    arrows = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    assert len(arrows) == len(graph.edges)
    for arrow, (parent, child) in zip(arrows, graph.edges, strict=True):
        start, end = arrow._posA_posB
        for place, node in ((start, graph.node(parent)), (end, graph.node(child))):
            assert hypot(place[0] - node.x, place[1] - node.y) == pytest.approx(rim(node))
    circles = [patch for patch in ax.patches if isinstance(patch, Circle)]
    of = {node.name: [c for c in circles if c.center == (node.x, node.y)] for node in graph.nodes}
    assert len(of["delta"]) == 2
    assert len(of["mu"]) == 1
    assert of["c_pos"][0].get_facecolor() != of["mu"][0].get_facecolor()
    assert of["beta"][0].radius < RADIUS


def test_a_model_without_a_graph_is_told(stored):
    from dataclasses import replace

    with pytest.raises(InputError, match="no graph of mine"):
        plot_graph(replace(MODELS["paired"], name="mine", graph=None))
    with pytest.raises(InputError, match="'model' parameter must be one of paired"):
        plot_graph("pared")
