"""What a choice of a lesson claims of a run, checked against the scene of that run.

A claim is a word and what it speaks of. `prints 6: tensor(6.)` (all that line 6 printed, spaces aside), `says 6: None`
(a part of it), `starts 6: None`, `raises 6: second time` (the error of line 6 holds these words), `finishes`,
`nodes 2`, `keeps 5 ExpBackward0: result`,
`order: Add Mul#0 Mul#1` (what ran in the first backward call), `culprit 6` (the node that failed was built there),
`stale 3 by 5` (line 3 built the node that failed, line 5 wrote into what it kept), `plain 5` (what line 5 names has no
node), `hook 2` (hooks that ran), `grad a: [2, 4]`. With `without "text"` before it, a claim is about the program with
that text taken out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

Scene = dict[str, Any]
WITHOUT = re.compile(r'without "(?P<text>[^"]+)" (?P<claim>.+)')


def holds(claim: str, source: str, scene_of: Callable[[str], Scene]) -> bool:
    """Whether `claim` is true of the run of `source`."""
    if edited := WITHOUT.fullmatch(claim):
        assert edited["text"] in source, f"{edited['text']} is not in the program"
        return holds(edited["claim"], source.replace(edited["text"], ""), scene_of)
    word, _, rest = claim.partition(" ")
    about, _, told = rest.partition(":")
    return CLAIMS[word.rstrip(":")](scene_of(source), about.strip() if not word.endswith(":") else rest, told.strip())


def printed(scene: Scene, line: str) -> str:
    texts = [text for text, step in scene["output"] if scene["steps"][step]["line"] == int(line)]
    return " ".join("".join(texts).split())


def prints(scene: Scene, line: str, told: str) -> bool:
    return printed(scene, line).replace("[ ", "[") == told.replace("[ ", "[")


def says(scene: Scene, line: str, told: str) -> bool:
    return told in printed(scene, line)


def starts(scene: Scene, line: str, told: str) -> bool:
    return printed(scene, line).startswith(told)


def raises(scene: Scene, line: str, told: str) -> bool:
    outcome = scene["outcome"]
    return outcome["kind"] == "raised" and outcome["line"] == int(line) and told in outcome["message"]


def finishes(scene: Scene, _about: str, _told: str) -> bool:
    return bool(scene["outcome"]["kind"] == "finished")


def nodes(scene: Scene, number: str, _told: str) -> bool:
    return len([box for box in scene["boxes"] if box["kind"] == "node"]) == int(number)


def keeps(scene: Scene, about: str, told: str) -> bool:
    line, name = about.split()
    [box] = [box for box in scene["boxes"] if box["line"] == int(line) and box["name"] == name]
    slots = sorted(slot["name"] for slot in box["slots"] if slot["kind"] == "tensor")
    return bool((slots or ["nothing"]) == sorted(told.split(", ")))


def order(scene: Scene, told: str, _told: str) -> bool:
    """The nodes that ran in the first call, in order; `Mul#0` says which Mul."""
    first, last = scene["calls"][0]["from"], scene["calls"][0]["to"]
    boxes = {box["id"]: box for box in scene["boxes"] if box["kind"] == "node"}
    ran = [
        boxes[box]
        for step in scene["steps"][first : last + 1]
        for box, change in step["changes"].items()
        if box in boxes and change.get("state", [None, None])[1] == "running"
    ]
    names = [re.sub(r"Backward\d+$", "", box["name"]) for box in ran]
    expected = told.split()
    numbered = [f"{name}#{box['nr']}" for name, box in zip(names, ran, strict=True)]
    return len(names) == len(expected) and all(
        each in pair for each, pair in zip(expected, zip(names, numbered, strict=True), strict=True)
    )


def failed(scene: Scene) -> dict[str, Any] | None:
    """The node that a backward call could not get past."""
    boxes = {box["id"]: box for box in scene["boxes"]}
    for step in scene["steps"]:
        for box, change in step["changes"].items():
            if box in boxes and change.get("state", [None, None])[1] == "failed":
                return dict(boxes[box])
    return None


def culprit(scene: Scene, line: str, _told: str) -> bool:
    node = failed(scene)
    return node is not None and node["line"] == int(line)


def stale(scene: Scene, about: str, _told: str) -> bool:
    built, by = about.split(" by ")
    writes = [
        step for step in scene["steps"] if step["line"] == int(by) and any(map(writes_in, step["changes"].values()))
    ]
    return culprit(scene, built, "") and "inplace" in scene["outcome"]["message"] and bool(writes)


def writes_in(change: dict[str, Any]) -> bool:
    old, new = change.get("version", [None, None])
    return new is not None and old is not None and new > old


def plain(scene: Scene, line: str, _told: str) -> bool:
    tensors = {tensor["id"]: tensor for tensor in scene["tensors"]}
    named = [
        change["tensor"][1]
        for step in scene["steps"]
        if step["line"] == int(line)
        for thing, change in step["changes"].items()
        if thing.startswith("name:") and "tensor" in change
    ]
    assert named, f"line {line} names no tensor"
    return all(tensors[name]["box"] is None for name in named)


def hook(scene: Scene, number: str, _told: str) -> bool:
    return len([step for step in scene["steps"] if step["kind"] == "hook_ran"]) == int(number)


def grad(scene: Scene, name: str, told: str) -> bool:
    """What the leaf of that name holds in the end."""
    value = None
    leaves = {box["id"] for box in scene["boxes"] if box["variable"] == name}
    for step in scene["steps"]:
        for thing, change in step["changes"].items():
            if thing in leaves and "grad" in change:
                value = scene["values"][change["grad"][1]]["data"]
    return bool(value == json.loads(told))


CLAIMS: dict[str, Callable[[Scene, str, str], bool]] = {
    function.__name__: function
    for function in (prints, says, starts, raises, finishes, nodes, keeps, order, culprit, stale, plain, hook, grad)
}
