"""The player inside Streamlit; the one module of the package that imports it.

Two components share the work. One is constant and carries all code, so the browser gets that once per visit; the other
carries a letter (see `letter.py`) and is called again for every run. What happens in the page comes back as a question,
a small dictionary, and is answered by the function that the app hands in.
"""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from . import bundle

Question = dict[str, Any]
Answer = Callable[[Question], bytes]

WHOLE_WINDOW = """
<style>
[data-testid="stHeader"], [data-testid="stSidebar"], [data-testid="stSidebarCollapsedControl"],
[data-testid="stToolbar"], [data-testid="stDecoration"], [data-testid="stStatusWidget"] { display: none !important }
[data-testid="stMainBlockContainer"] { padding: 0 !important; max-width: none !important }
[data-testid="stElementContainer"] { opacity: 1 !important }
</style>
"""

_code = st.components.v2.component("gradreel_code", js=bundle.script("provide.js"))
_stage = st.components.v2.component(
    "gradreel_stage", html='<div class="gr-root"></div>', css=bundle.styles(), js=bundle.script("shim.js")
)


def code() -> None:
    """Bring the code to the browser: once on a page, outside of any fragment, before or after the players."""
    _code(key="gradreel-code")


def whole_window() -> None:
    """Take Streamlit's own furniture away: the page is the player's."""
    st.html(WHOLE_WINDOW)


def mount(payload: bytes, *, key: str, on_question: Callable[[], None] | None = None) -> Any:
    """Show a letter. The instance of `key` lives on: step, camera and text stay as they are over reruns."""
    return _stage(key=key, data=payload, on_question_change=on_question or _nothing)


def stage(key: str, first: Question, answer: Answer) -> None:
    """A player that asks: it opens with the answer to `first`, and each question of the page gets its own.

    To be called inside a fragment of its own, so that a run touches nothing else on the page.
    """
    asked, letter = st.session_state.get(f"{key}-letter", (None, b""))
    question = st.session_state.get(f"{key}-question", first)
    if question != asked:
        letter = answer(question)
        st.session_state[f"{key}-letter"] = (question, letter)
    mount(letter, key=key, on_question=lambda: _hear(key))


def _hear(key: str) -> None:
    question = st.session_state[key].get("question")
    if isinstance(question, Mapping):
        st.session_state[f"{key}-question"] = dict(question)


def _nothing() -> None:
    """A change that nobody waits for."""
