"""The player inside Streamlit; the one module of the package that imports it.

Two components share the work. One is constant and carries all code, so the browser gets that once per visit; the other
carries a letter (see `letter.py`) and is called again for every run. What happens in the page comes back as a question,
a small dictionary, and is answered by the function that the page hands in.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import streamlit as st

from . import bundle

Question = Mapping[str, Any]
Answer = Callable[[Question], bytes]

STYLES = (bundle.WEB / "streamlit.css").read_text(encoding="utf-8")
"""Streamlit's own furniture goes, nothing fades while a program runs, and prose gets a reading column."""

_code = st.components.v2.component("gradreel_code", js=bundle.script("provide.js"))
_stage = st.components.v2.component(
    "gradreel_stage", html='<div class="gr-root"></div>', css=bundle.styles(), js=bundle.script("shim.js")
)


@dataclass(frozen=True)
class LessonPage:
    """A lesson to be read: its parts are Markdown, or a program's first question and what answers it."""

    title: str
    parts: Sequence[str | tuple[Question, Answer]]
    links: Sequence[tuple[str, str]]
    """Title and address of every page of the house, the Lab first."""


def lab(first: Question, answer: Answer) -> None:
    """The whole page is one player."""
    st.set_page_config(page_title="Gradreel", layout="wide")
    _dress()
    stage("lab", first, answer)


def lesson(page: LessonPage) -> None:
    """Prose in a column, players across the page."""
    st.set_page_config(page_title=f"{page.title} · Gradreel", layout="wide")
    _dress()
    st.html(_navigation(page))
    st.title(page.title, anchor=False)
    for number, part in enumerate(page.parts):
        if isinstance(part, str):
            st.markdown(part)
        else:
            stage(f"program-{number}", *part)
    st.html(_navigation(page))


def _dress() -> None:
    """Bring code and styles to the page; once, outside of any fragment."""
    st.html(f"<style>{STYLES}</style>")
    _code(key="gradreel-code")


def _navigation(page: LessonPage) -> str:
    """The way to the other pages, as HTML."""
    links = [("Gradreel", "./", "class=gr-brand")]
    links += [(title, href, "aria-current=page" if title == page.title else "") for title, href in page.links]
    inner = "".join(f'<a href="{escape(href)}" target="_self" {more}>{escape(text)}</a>' for text, href, more in links)
    return f'<nav class="gr-lessons" aria-label="Pages">{inner}</nav>'


def mount(payload: bytes, *, key: str, on_question: Callable[[], None] | None = None) -> Any:
    """Show a letter. The instance of `key` lives on: step, camera and text stay as they are over reruns."""
    return _stage(key=key, data=payload, on_question_change=on_question or _nothing)


@st.fragment
def stage(key: str, first: Question, answer: Answer) -> None:
    """A player that asks: it opens with the answer to `first`, and each question of the page gets its own.

    It is a fragment, so a run touches nothing else on the page.
    """
    question: Question = st.session_state.get(f"{key}-question", first)
    asked, letter = st.session_state.get(f"{key}-letter", (None, b""))
    if question != asked:
        letter = answer(question)
        st.session_state[f"{key}-letter"] = (question, letter)
    mount(letter, key=key, on_question=lambda: _hear(key))


def pulse() -> object:
    """Ends the script here, by Streamlit's own exception, if the page has gone or asks for something else.

    Gives who is asking: one object for each visit, and nobody else's.
    """
    return st.session_state.setdefault("gradreel-visitor", object())


def _hear(key: str) -> None:
    question = st.session_state[key].get("question")
    if isinstance(question, Mapping):
        st.session_state[f"{key}-question"] = dict(question)


def _nothing() -> None:
    """A change that nobody waits for."""
