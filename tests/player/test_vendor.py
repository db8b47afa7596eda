"""What is not ours in the player: files that their README speaks of, and vis-network, which comes out of pyvis."""

import hashlib
import re

import pytest

from gradreel.player import bundle

VENDOR = bundle.WEB / "vendor"


@pytest.mark.parametrize("name", ["codemirror.js", "gifenc.js"])
def test_a_file_is_the_one_whose_hash_is_written_beside_it(name: str) -> None:
    written = re.search(rf"`{name}` sha256 `([0-9a-f]{{64}})`", (VENDOR / "README.md").read_text(encoding="utf-8"))
    assert written
    assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == written[1]


def test_the_editor_offers_what_its_entry_names() -> None:
    entry = (VENDOR / "codemirror.entry.js").read_text(encoding="utf-8")
    names = {name.strip() for group in re.findall(r"\{(.*?)\}", entry) for name in group.split(",")}
    exported = re.search(r"export\s*\{([^{}]*)\};?\s*$", bundle.modules()["vendor/codemirror.js"])
    assert exported
    assert names == {part.split(" as ")[-1].strip() for part in exported[1].split(",")}


def test_vis_network_comes_out_of_pyvis() -> None:
    assert "@version 9.1.2" in bundle.vis_network()


def test_vis_network_leaves_the_global_scope_alone() -> None:
    assert bundle.modules()["vis.js"].startswith("const exports = {}, module = { exports };")
