"""What programs print, compared with what PyTorch printed: the same words, and numbers alike."""

from __future__ import annotations

import math
import re

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w])")
ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")


def split(text: str) -> tuple[list[str], list[str]]:
    """The words between numbers, blanks evened out, and the numbers."""
    text = ADDRESS.sub("0x...", text)
    return [" ".join(part.split()) for part in NUMBER.split(text)], NUMBER.findall(text)


def close(expected: str, found: str) -> bool:
    """Whether two numbers differ in their last digits only: sums are added up in another order by another library."""
    a, b = float(expected), float(found)
    return a == b or abs(a - b) <= 1e-4 * abs(a) + last_digit(expected) or (math.isnan(a) and math.isnan(b))


def last_digit(number: str) -> float:
    """What one more in the last digit of a number is worth; next to nothing for whole numbers."""
    digits, _, exponent = number.lower().partition("e")
    _, dot, fraction = digits.partition(".")
    return 1.01 * 10.0 ** (int(exponent or 0) - len(fraction)) if dot and fraction else 1e-6


def same_text(expected: str, found: str, values: bool = True) -> bool:
    """The same words; numbers may differ in their last digits, or (not `values`) altogether."""
    (words, numbers), (other_words, other_numbers) = split(expected), split(found)
    if words != other_words:
        return False
    return not values or all(close(a, b) for a, b in zip(numbers, other_numbers, strict=True))
