"""Pasted text -> a program: what mail, forums, notebooks and terminals put around code is taken off again.

    paste(text) -> Pasted            pure; used by the page, the command line and the tests
    compare(pasted, trace) -> ...    the outputs that were posted beside those of today

Every line of the program stands on the line where the person sees it.
"""

from .extraction import paste
from .outputs import Compared, Comparison, compare
from .pasted_text import Note, Pasted, Posted

__all__ = ["Compared", "Comparison", "Note", "Pasted", "Posted", "compare", "paste"]
