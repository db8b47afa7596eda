"""The pyvis network of a run holds its living nodes and the edges between them."""

from gradreel.scene import to_pyvis
from tests.small_programs import SMALL


def test_living_nodes_and_edges() -> None:
    network = to_pyvis(SMALL["shared_in_a_loop"]())
    labels = {node["id"]: node["label"] for node in network.nodes}
    assert sorted(labels.values()) == [
        "AccumulateGrad a",
        "AccumulateGrad t",
        "AddBackward0 #6",
        "MeanBackward0 #10",
        "MvBackward0 #0",
        "MvBackward0 #7",
        "PowBackward0 #9",
        "SubBackward0 #8",
    ]
    edges = {(labels[edge["from"]], labels[edge["to"]]) for edge in network.edges}
    assert ("AddBackward0 #6", "MvBackward0 #0") in edges and len(edges) == 8
    assert len(to_pyvis(SMALL["shared_in_a_loop"](), released=True).nodes) == 13
