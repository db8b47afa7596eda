"""What a person does to a player, in few words."""

from __future__ import annotations

from typing import Any


def step(page: Any) -> int:
    return int(page.get_by_test_id("player").get_attribute("data-step"))


def into_the_graph(page: Any) -> None:
    page.get_by_test_id("stage").click(position={"x": 5, "y": 5})
