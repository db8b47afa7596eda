"""Scenes play forward and back, agree with the World, and are small."""

import gc
import gzip
import json

import pytest

from gradreel.interpreter import run
from gradreel.scene import Scene, build, decode, encode, payload, to_json
from gradreel.scene.cells import CELLS
from tests.scene.replay import check
from tests.small_programs import SMALL


@pytest.mark.parametrize("name", SMALL)
def test_steps_lead_to_the_end_and_back(name: str) -> None:
    check(SMALL[name]())


@pytest.mark.parametrize("name", SMALL)
def test_a_payload_says_what_the_rows_say(name: str) -> None:
    scene = build(SMALL[name]())
    assert decode(encode(scene)) == json.loads(to_json(scene))


@pytest.mark.parametrize("name", SMALL)
def test_the_same_trace_gives_the_same_bytes(name: str) -> None:
    assert encode(build(SMALL[name]())) == encode(build(SMALL[name]()))


def test_a_short_program_takes_thirty_to_sixty_steps() -> None:
    assert 30 <= len(build(SMALL["shared_in_a_loop"]()).steps) <= 60


def test_what_runs_is_seen_running_once() -> None:
    scene = build(SMALL["diamond"]())
    running = [
        step.kind
        for step, changes in zip(scene.steps, scene.changes(), strict=True)
        for change in changes.values()
        if "running" in change.get("state", [])[1:]
    ]
    assert running == ["node_ran", "node_ran", "node_ran", "grad_stored"]


def test_a_gradient_that_the_program_writes_over_is_no_sum_any_more() -> None:
    program = "import torch\nw = torch.ones(1, requires_grad=True)\ns = (w * 3).sum()\n"
    program += "s.backward(retain_graph=True)\ns.backward(retain_graph=True)\n"
    for last, how in (("", "in_place"), ("w.grad.zero_()\n", None), ("w.grad.mul_(2)\n", None)):
        scene = build(run(program + last))
        (leaf,) = [box.id for box in scene.boxes if box.kind == "leaf"]
        now = {key: None for key in ("how", "before", "came")}
        for changes in scene.changes():
            now |= {key: new for key, (_, new) in changes.get(leaf, {}).items() if key in now}
        assert now["how"] == how
        assert (now["before"] is None, now["came"] is None) == (how is None, how is None)


def test_skipped_turns_are_one_step_and_a_mark_on_the_timeline() -> None:
    scene = build(SMALL["turns_skipped"]())
    (number,) = [number for number, step in enumerate(scene.steps) if step.kind == "turns_skipped"]
    (mark,) = [stretch for stretch in scene.stretches if stretch.kind == "skipped"]
    assert (mark.from_, mark.to) == (number, number)
    assert scene.steps[number].sentence.startswith("Line 4: turns 2 to 7 of this loop went by like these; of their ")
    assert [call.id for call in scene.calls] == [1, 7, 8]  # the last of those that were skipped brought a gradient


def test_a_diagnosis_says_which_steps_to_go_to() -> None:
    scene = build(SMALL["shared_in_a_loop"]())
    (diagnosis,) = scene.diagnoses
    kinds = {role: scene.steps[number].kind for role, number in diagnosis.steps.items()}
    assert kinds == {"built": "node_made", "freed": "slot_freed", "raised": "backward_failed"}
    assert diagnosis.nodes == ("n2",)


def test_groups_are_iterations_and_crowded_lines() -> None:
    scene = build(SMALL["shared_in_a_loop"]())
    assert [(group.kind, group.title, group.parent) for group in scene.groups] == [
        ("iteration", "step = 0", None),
        ("iteration", "step = 1", None),
        ("line", "line 9", "g0"),
        ("line", "line 9", "g1"),
    ]
    boxes = {box.nr: box for box in scene.boxes}
    assert (boxes[2].group, boxes[2].iteration) == ("g0", "step = 0")
    assert boxes[4].group == "g2"
    assert boxes[0].group is None


def test_a_turn_over_tensors_is_told_by_its_number() -> None:
    program = "import torch\nw = torch.ones(2, requires_grad=True)\nfor row in torch.eye(2):\n    y = w * row"
    assert [group.title for group in build(run(program)).groups] == ["iteration 1", "iteration 2"]


def test_a_payload_is_json_without_nan() -> None:
    payload = json.loads(gzip.decompress(encode(build(SMALL["training"]()))), parse_constant=pytest.fail)
    assert payload["schema"] == "gradreel-scene/1"
    assert payload["calls"][0]["from"] < payload["calls"][0]["to"]


def test_stretches_cover_all_steps() -> None:
    scene = build(SMALL["training"]())
    covered = [number for stretch in scene.stretches for number in range(stretch.from_, stretch.to + 1)]
    assert covered == list(range(1, len(scene.steps)))
    assert [stretch.kind for stretch in scene.stretches[:4]] == ["forward", "backward", "optimizer", "forward"]


def test_nothing_is_left_for_the_collector() -> None:
    """It waits while a payload is made; a cycle would make it look at all of the scene afterwards."""
    trace = SMALL["training"]()
    assert payload(trace) == encode(build(trace))
    gc.collect()
    gc.disable()
    try:
        payload(trace)
        assert gc.collect() == 0
    finally:
        gc.enable()


SQUARES = """import torch
w = torch.rand(32, 32, requires_grad=True)
for turn in range({0}):
    (w * w).sum().backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad = None
"""


def test_the_numbers_of_matrices_travel_the_latest_first_as_far_as_there_is_room() -> None:
    few, many = (build(run(SQUARES.format(turns))) for turns in (3, 80))

    def held(scene: Scene) -> list[tuple[int, bool]]:
        """Each step at which `w` or its gradient changed, and whether its numbers came along."""
        tracks = [(steps, values) for _, steps, values in (scene.histories["t"][name] for name in ("value", "grad"))]
        pairs = [pair for track in tracks for pair in zip(*track, strict=True) if pair[1] is not None]
        matrices = [(step, scene.values[value]) for step, value in pairs]
        return sorted((step, "cells" in value) for step, value in matrices if value["shape"] == (32, 32))

    assert all(sent for _, sent in held(few))
    told = [sent for _, sent in held(many)]
    assert told == sorted(told) and 80 < sum(told) < len(told)
    assert sum(len(value["cells"][1]) for value in many.values if "cells" in value) <= CELLS
    assert len(encode(many)) < 400_000


def test_a_node_that_no_operator_announced_says_what_it_is_of() -> None:
    source = (
        "import torch\nx = torch.ones(2, dtype=torch.double, requires_grad=True)\n"
        "torch.autograd.gradcheck(lambda x: (x * x).sum(), (x,))"
    )
    ops = {box.name: box.op for box in build(run(source)).boxes}
    assert ops["UndefinedGradBackward"] == "UndefinedGrad"
    assert "known before" not in ops.values()


def test_a_node_that_kept_nothing_has_run_still_when_another_call_begins() -> None:
    """As one does that has let go of what it kept; one that keeps it has it for the next call."""
    source = (
        "import torch\nx = torch.ones(2, requires_grad=True)\nz = x * x\ns = z.sum()\n"
        "s.backward(retain_graph=True)\n(x + 1).sum().backward()"
    )
    scene = build(run(source))
    ends = {}
    for changes in scene.changes():
        ends.update({thing: states["state"][1] for thing, states in changes.items() if "state" in states})
    lines = {box.line: ends[box.id] for box in scene.boxes if box.kind == "node"}
    assert (lines[3], lines[4]) == ("built", "ran")


def test_a_sum_tells_over_which_wires_its_terms_came() -> None:
    scene = build(
        run("import torch\nx = torch.tensor(3.0, requires_grad=True)\ny = x * x\n(y * y + y.sin()).backward()\n")
    )
    ends = {wire.id: (wire.from_, wire.to) for wire in scene.wires}
    (_, of_y), (_, of_x) = scene.histories["sum"]["wires"].tracks().values()
    assert [ends[wire][0] for wire in of_y[-1]] == ["n3", "n2", "n2"] and len(set(of_y[-1])) == 3
    assert [ends[wire] for wire in of_x[-1]] == [("n1", "n0")] * 2 and len(set(of_x[-1])) == 2
    last = [f"w{wire}" for wire in scene.histories["sum"]["wire"].values]
    assert last == [*of_y[-1], *of_x[-1]]
    expected = scene.histories["n"]["expected"].tracks()
    assert {node: counts for node, (_, counts) in expected.items()} == {1: [3], 0: [2]}


def test_a_slot_tells_what_was_written_over_what_it_keeps() -> None:
    source = (
        "import torch\na = torch.ones(2, requires_grad=True)\nw = a * 1\nb = w * w\nw.add_(1)\n"
        "d = (a * w).sum()\nw.data.mul_(3)\nd.backward()\nw.data.mul_(2)\n"
    )
    scene = build(run(source))
    nodes = scene.histories["n"]
    held = {
        (name, node): [scene.values[value]["data"] for value in values]
        for name in ("now:self", "now:other")
        for node, (_, values) in nodes[name].tracks().items()
    }
    of_b, of_d = (next(int(box.id[1:]) for box in scene.boxes if box.line == line) for line in (4, 6))
    both = [[2.0, 2.0], [6.0, 6.0], [12.0, 12.0]]
    assert held == {("now:self", of_b): both, ("now:other", of_b): both, ("now:other", of_d): [[6.0, 6.0]]}
    assert set(nodes["silent:other"].things) == {of_b, of_d} and set(nodes["silent:self"].things) == {of_b}


def test_parameters_and_modules_are_called_as_from_outside() -> None:
    source = (
        "import torch\nfrom torch import nn\n"
        "class Block(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.fc = nn.Linear(2, 2)\n    def forward(self, x):\n        return torch.relu(self.fc(x)) + x\n"
        "def main():\n    model = nn.Sequential(Block(), nn.Linear(2, 1))\n    loss = model(torch.ones(1, 2)).sum()\n"
        "    loss.backward()\nmain()\n"
    )
    boxes = build(run(source)).boxes
    leaves = [box.variable for box in boxes if box.kind == "leaf"]
    assert leaves == ["model.0.fc.weight", "model.0.fc.bias", "model.1.weight", "model.1.bias"]
    modules = [(box.name, box.module) for box in boxes if box.kind == "node" and box.name != "TBackward0"]
    assert modules == [
        ("AddmmBackward0", "model.0.fc"),
        ("ReluBackward0", "model.0"),
        ("AddBackward0", "model.0"),
        ("AddmmBackward0", "model.1"),
        ("SumBackward0", None),
    ]


def test_a_slope_is_a_number_where_one_number_says_all() -> None:
    b, x = "b = torch.tensor(2.0, requires_grad=True)", "x = torch.ones(3, requires_grad=True)"
    scene = build(run(f"import torch\n{b}\n{x}\n((x.sin() * 2 + b).mean() * b).backward()"))
    told = {(wire.from_, wire.to): (wire.slope, wire.factor) for wire in scene.wires}
    assert list(told.values()) == [
        ("× cos(x)", None),
        ("× 2", 2.0),
        ("× 1", 1.0),
        ("× 1", None),
        ("× 1/3", 0.33333333),
        ("× 2", 2.0),
        ("× 3.68", 3.6829422),
    ]
