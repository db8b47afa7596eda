"""Note [Right before left]. C++ leaves open which side of `a * b` is computed first. Where torch begins with the right
one and both sides make nodes, the numbers of the nodes tell. `after(b, a)` is such a product: `b`, then `a`.
"""

from __future__ import annotations

from typing import Any

from ..op import helper


@helper
def after(right: Any, left: Any) -> Any:
    """`left * right`, where `right` is computed first."""
    return left * right
