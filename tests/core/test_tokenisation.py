"""Terms: lower-cased words of two letters or more, without stop-words, stemmed, in their place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parm_core.errors import ConfigError
from parm_core.tokenisation import Tokeniser


def test_words_are_lower_cased_stemmed_and_stop_words_left_out():
    terms = Tokeniser().terms(
        "The Courts were courting a plaintiff's CLAIMS; a b-c claim of 1,250."
    )
    assert terms == ["court", "were", "court", "plaintiff", "claim", "claim", "250"]


def test_without_stop_words_and_stems_words_stay():
    plain = Tokeniser(stopwords="none", stemmer="none")
    assert plain.terms("The Courts were THE courts.") == ["the", "courts", "were", "the", "courts"]


def test_words_of_any_script_are_words():
    terms = Tokeniser(stopwords="none", stemmer="none").terms("Ämter naïve суд 裁判所 §12")
    assert terms == ["ämter", "naïve", "суд", "裁判所", "12"]


@given(text=st.text(max_size=80))
def test_spans_are_where_the_terms_stand(text):
    plain = Tokeniser(stopwords="none", stemmer="none")
    spans = plain.spans(text)
    assert [text[start:end].lower() for start, end, _ in spans] == plain.terms(text)
    assert [term for _, _, term in Tokeniser().spans(text)] == Tokeniser().terms(text)
    starts = [start for start, _, _ in spans]
    assert starts == sorted(set(starts))


@given(text=st.text(max_size=60))
def test_what_was_read_before_changes_nothing(text):
    used = Tokeniser()
    used.terms("Court courts COURTING of the")
    assert used.terms(text) == Tokeniser().terms(text)
    assert used == Tokeniser()


@pytest.mark.parametrize("option", ["stopwords", "stemmer"])
def test_unknown_options_list_the_choices(option):
    with pytest.raises(ConfigError, match=f"unknown {option} 'latin'; one of english, none"):
        Tokeniser(**{option: "latin"})
