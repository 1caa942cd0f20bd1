"""Widgets whose values live in the page's address, so that it is a link to the view.

Streamlit's own binding loses, at the first change of page, what came with a link; hence the address
is read here when a widget first appears in a session, and written whenever one is shown.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import streamlit as st
from streamlit.runtime.scriptrunner import StopException

Option = TypeVar("Option")


def choice(
    widget: Callable[..., Any],
    label: str,
    options: Sequence[Option],
    *,
    key: str,
    default: Option,
    share: bool = True,
    **settings: Any,
) -> Option:
    """One of `options`, by st.selectbox and its like; in the address only if `share`."""
    named = {str(option): option for option in options}
    _begin(key, default, lambda texts: named.get(texts[0], default), share)
    if st.session_state[key] not in [*options, default]:
        st.session_state[key] = default
    value = widget(label, options, key=key, **settings)
    return cast("Option", _end(key, default if value is None else value, default, share))


def several(
    label: str, options: Sequence[str], *, key: str, default: list[str], **settings: Any
) -> list[str]:
    """Some of `options`, or a person's own words, by st.multiselect."""
    most = settings.get("max_selections")
    _begin(key, default, lambda texts: list(dict.fromkeys(texts))[:most], True)
    value = st.multiselect(label, options, key=key, **settings)
    return cast("list[str]", _end(key, value, default, True))


def number(label: str, low: int, high: int, *, key: str, default: int) -> int:
    """A whole number from `low` to `high`, by st.slider."""
    whole = {str(n): n for n in range(low, high + 1)}
    _begin(key, default, lambda texts: whole.get(texts[0], default), True)
    value = st.slider(label, low, high, key=key)
    return int(_end(key, value, default, True))


def fingerprint(*parts: str) -> str:
    """A short key, the same for the same parts; it reveals no text."""
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "big") + encoded)
    return digest.hexdigest()[:12]


@contextmanager
def showing(page: str) -> Iterator[None]:
    """Say which page is being shown, before its widgets are; notes which of them were.

    A run that a newer one cuts short has not taken away what it did not come to.
    """
    if st.session_state.get("_page") != page:
        st.session_state["_page"] = page
        _shown().clear()
    shown = _shown()
    now: set[str] = set()
    st.session_state["_showing"] = now
    try:
        yield
    except StopException:
        shown.intersection_update(now)
        raise
    shown.intersection_update(now)


def held(key: str) -> Any:
    """The value a widget has, or had when it was last shown; None for none."""
    if key in st.session_state:
        return st.session_state[key]
    return _kept().get(key, st.query_params.get(key))


def hold(key: str, value: Any) -> None:
    """Give a widget a value before it is shown."""
    st.session_state[key] = value
    _kept()[key] = value


def leave(key: str, value: Any) -> None:
    """Give a widget a value for when it is shown next, be it on this page now."""
    _kept()[key] = value
    _shown().discard(key)


def _begin(key: str, default: Any, read: Callable[[list[str]], Any], share: bool) -> None:
    """The value to start with: first the address's if it is one, later the last one.

    Streamlit keeps no widget's value over a change of page unless somebody touched the widget; and
    a widget that was away for a run shows its default when it is back, whatever value it has,
    unless the value is set anew.
    """
    value = _kept().get(key, default)
    if key not in _kept() and share and (texts := st.query_params.get_all(key)):
        value = read(texts)
    if key not in _shown() or key not in st.session_state:
        st.session_state[key] = value


def _kept() -> dict[str, Any]:
    """Key -> the value a widget had when it was last shown."""
    return st.session_state.setdefault("_shared", {})  # type: ignore[no-any-return]


def _shown() -> set[str]:
    """Keys of the widgets that the reader has before them."""
    return st.session_state.setdefault("_shown", set())  # type: ignore[no-any-return]


def _end(key: str, value: Any, default: Any, share: bool) -> Any:
    """Keep a value; write it to the address, or take it out where it is the default."""
    _kept()[key] = value
    _shown().add(key)
    st.session_state["_showing"].add(key)
    texts = [str(one) for one in value] if isinstance(value, list) else [str(value)]
    if not share or value == default:
        if key in st.query_params:
            del st.query_params[key]
    elif st.query_params.get_all(key) != texts:
        st.query_params[key] = texts
    return value
