"""The player inside Streamlit; the one module of the package that imports it.

Two components share the work. One is constant and brings all code, so the browser gets that once per visit; the other
carries a response (see `response.py`) and is called again for every run. What happens in the page comes back as a
question, a small dictionary, and is answered by the function that the page hands in.

A server that hands out the code by itself (`serve_code_from`) has the page on the screen before Streamlit is ready:
the first component then only sees to it that the code is there, and the second one takes the page over.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from . import bundle

Request = Mapping[str, Any]
Handler = Callable[[Request], bytes]

FETCHED = "import(new URL({}, location.href));\nexport default () => {{}};\n"

_at: str | None = None
"""Where a browser fetches the code, seen from any page; None where it comes with the page."""

_stage = st.components.v2.component("gradreel_stage", html='<div class="gr-site"></div>', js=bundle.script("shim.js"))
"""What it says of itself goes along with every response, so it is short: the styles come with the code."""


@dataclass(frozen=True)
class Page:
    """A page of the site: it opens with the answer to `first`, and `answer` answers whatever it asks later."""

    key: str
    title: str
    first: Request
    answer: Handler


def show(page: Page) -> None:
    """The whole page: code and styles once, then the component that fills it."""
    st.set_page_config(page_title=page.title, layout="wide")
    _code()(key="gradreel-code")
    stage(page.key, page.first, page.answer)


def serve_code_from(at: str) -> None:
    """From now on the code is what a browser finds at `at`."""
    global _at
    _at = at


@cache
def _code() -> Any:
    """The component that brings the code; with it, Streamlit's own furniture goes."""
    script = FETCHED.format(json.dumps(_at)) if _at else bundle.script("provide.js")
    return st.components.v2.component(
        "gradreel_code", css=bundle.text("streamlit.css"), js=script, isolate_styles=False
    )


def query_parameter(name: str) -> str | None:
    """What the address asks for under `name`, as in `?step=retain_graph`."""
    return st.query_params.get(name)


def mount(payload: bytes, *, key: str, on_question: Callable[[], None] | None = None) -> Any:
    """Show a response. The instance of `key` lives on: step, folds and text stay as they are over reruns."""
    return _stage(key=key, data=payload, on_question_change=on_question or _nothing)


@st.fragment
def stage(key: str, first: Request, answer: Handler) -> None:
    """A player that asks: it opens with the answer to `first`, and each question of the page gets its own.

    It is a fragment, so a run touches nothing else on the page.
    """
    question: Request = st.session_state.get(f"{key}-question", first)
    asked, response = st.session_state.get(f"{key}-response", (None, b""))
    if question != asked:
        response = answer(question)
        st.session_state[f"{key}-response"] = (question, response)
    mount(response, key=key, on_question=lambda: _receive(key))


def pulse() -> object:
    """Ends the script here, by Streamlit's own exception, if the page has gone or asks for something else.

    Gives who is asking: one object for each visit, and nobody else's.
    """
    if _is_superseded():
        st.rerun(scope="fragment")
    return st.session_state.setdefault("gradreel-visitor", object())


def _is_superseded() -> bool:
    """Whether the page has asked for something else meanwhile.

    By itself Streamlit lets a question of a fragment wait for the one before it. It has no public way to see one that
    waits: this looks where it is kept, and where that is elsewhere, questions wait.
    """
    context = get_script_run_ctx()
    if context is None or not context.fragment_ids_this_run:
        return False
    waiting = getattr(context.script_requests, "_state", None)
    return getattr(waiting, "name", None) == "RERUN"


def _receive(key: str) -> None:
    question = (st.session_state.get(key) or {}).get("question")
    if isinstance(question, Mapping):
        st.session_state[f"{key}-question"] = dict(question)


def _nothing() -> None:
    """A change that nobody waits for."""
