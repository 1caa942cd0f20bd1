"""Systems by name: one string, read and written alike, and every wrong one told the choices."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parm_core.aggregation import AGGREGATIONS
from parm_core.errors import ConfigError
from parm_core.systems import DEFAULT_SYSTEM, ENGINES, RETRIEVERS, parse_system

BOUNDS = {"k": (0, 1e6), "p": (0, 10), "a": (0, 10)}


@st.composite
def single_names(draw):
    """A bm25 or dense system, with any of its parameters."""
    retriever = draw(st.sampled_from(["bm25", "dense"]))
    aggregation = draw(st.sampled_from(RETRIEVERS[retriever]))
    given = []
    if aggregation in AGGREGATIONS:
        for name in AGGREGATIONS[aggregation].params:
            low, high = BOUNDS[name]
            values = st.integers(int(low), int(high)) | st.floats(low, high)
            value = draw(st.none() | values)
            given += [] if value is None else [f"@{name}={value!r}"]
        depth = draw(st.none() | st.integers(1, 100_000))
        given += [] if depth is None else [f"@depth={depth}"]
        engine = draw(st.none() | st.sampled_from(ENGINES[retriever]))
        given += [] if engine is None else [f"@engine={engine}"]
    return f"{retriever}:{aggregation}" + "".join(draw(st.permutations(given)))


@st.composite
def hybrid_names(draw):
    parts = draw(
        st.lists(single_names(), min_size=2, max_size=4, unique_by=lambda s: parse_system(s))
    )
    given = ["@of=" + "+".join(f"({p})" if "@" in p else p for p in parts)]
    given += draw(st.sampled_from([[], ["@k=7"], ["@k=0.5"], ["@k=1000000"]]))
    return "hybrid:rrf" + "".join(draw(st.permutations(given)))


@settings(max_examples=300)
@given(name=single_names() | hybrid_names())
def test_a_name_read_and_written_reads_the_same(name):
    system = parse_system(name)
    written = str(system)
    assert parse_system(written) == system
    assert str(parse_system(written)) == written


@settings(max_examples=100)
@given(name=single_names() | hybrid_names(), depth=st.integers(1, 5000))
def test_a_system_at_another_depth_still_reads_the_same(name, depth):
    system = parse_system(name).with_depth(depth)
    assert parse_system(str(system)) == system


@settings(max_examples=100)
@given(a=single_names() | hybrid_names(), b=single_names() | hybrid_names())
def test_two_systems_are_equal_where_their_names_are(a, b):
    a, b = parse_system(a), parse_system(b)
    assert (a == b) == (str(a) == str(b))
    assert a != b or hash(a) == hash(b)


@pytest.mark.parametrize(
    ("name", "shortest"),
    [
        ("bm25:doc", "bm25:doc"),
        (" dense:vrrf@k=60@depth=1000@engine=product ", "dense:vrrf"),
        ("bm25:rrf@depth=100@k=20", "bm25:rrf@k=20@depth=100"),
        ("bm25:srrf@a=0.5@p=3", "bm25:srrf@p=3"),
        ("bm25:rrf@engine=rank-bm25", "bm25:rrf@engine=rank-bm25"),
        ("hybrid:rrf@of=bm25:srrf+dense:srrf", "hybrid:rrf"),
        (
            "hybrid:rrf@of=(bm25:rrf@k=20)+dense:maxp@k=9",
            "hybrid:rrf@k=9@of=(bm25:rrf@k=20)+dense:maxp",
        ),
        ("hybrid:rrf@of=(bm25:rrf@depth=5)+(dense:rrf)@depth=5", None),
    ],
)
def test_the_written_name_is_the_shortest(name, shortest):
    written = str(parse_system(name))
    assert written == (shortest or "hybrid:rrf@of=bm25:rrf+dense:rrf@depth=5")


def test_parts_are_told_apart_by_brackets():
    system = parse_system("hybrid:rrf@k=9@of=(bm25:rrf@k=20@depth=7)+dense:maxp+(dense:srrf@p=1)")
    lexical, maxp, sharp = system.parts
    assert system.params == {"k": 9}
    assert (lexical.params, lexical.depth) == ({"k": 20}, 7)
    assert (maxp.aggregation, maxp.depth) == ("maxp", None)
    assert (sharp.params["p"], sharp.depth) == (1, 1000)


def test_a_hybrids_depth_is_its_parts_depth():
    system = parse_system("hybrid:rrf@depth=50@of=(bm25:rrf@depth=7)+dense:srrf+bm25:doc")
    assert [part.depth for part in system.parts] == [7, 50, None]
    assert [part.depth for part in system.with_depth(9).parts] == [7, 9, None]


def test_a_parts_own_depth_stands_though_it_is_the_default():
    system = parse_system("hybrid:rrf@depth=50@of=(bm25:rrf@depth=1000)+dense:srrf")
    assert [part.depth for part in system.parts] == [1000, 50]


def test_defaults_are_the_formulas():
    assert parse_system("bm25:rrf").params == {"k": 60}
    assert parse_system("bm25:rrf").depth == 1000
    assert parse_system("dense:srrf").params == {"k": 5, "p": 2, "a": 0.5}
    assert parse_system("hybrid:rrf").params == {"k": 60}
    assert DEFAULT_SYSTEM == "hybrid:rrf"
    assert [str(part) for part in parse_system(DEFAULT_SYSTEM).parts] == ["bm25:srrf", "dense:srrf"]


@pytest.mark.parametrize(
    ("name", "needs"),
    [
        ("bm25:doc", False),
        ("bm25:srrf", False),
        ("bm25:vrrf", True),
        ("bm25:vmax", True),
        ("dense:rrf", True),
        ("dense:firstp", True),
        ("hybrid:rrf", True),
        ("hybrid:rrf@of=bm25:doc+bm25:rrf", False),
        ("hybrid:rrf@of=bm25:doc+bm25:vsum", True),
    ],
)
def test_which_systems_need_vectors(name, needs):
    assert parse_system(name).needs_vectors is needs


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "the retriever is one of bm25, dense, hybrid"),
        ("tfidf:rrf", "unknown system 'tfidf:rrf': the retriever is one of bm25, dense, hybrid"),
        ("bm25", "unknown system 'bm25': bm25 takes one of doc, combsum, max, rrf, srrf"),
        ("bm25:firstp", "bm25 takes one of doc, combsum"),
        ("dense:doc", "dense takes one of firstp, maxp, combsum"),
        ("hybrid:combsum", "hybrid takes one of rrf"),
        ("bm25:rrf@p=2", "bm25:rrf has no parameter 'p'; it takes k, depth, engine"),
        ("bm25:doc@k=2", "bm25:doc has no parameter 'k'; it takes none"),
        ("hybrid:rrf@engine=faiss", "has no parameter 'engine'; it takes k, depth, of"),
        ("bm25:rrf@k", "expected @name=value, each name once, got '@k'"),
        ("bm25:rrf@k=", "expected @name=value, each name once, got '@k='"),
        ("bm25:rrf@", "expected @name=value, each name once, got '@'"),
        ("bm25:rrf@k=1@k=2", "expected @name=value, each name once, got '@k=2'"),
        ("bm25:rrf@k=-1", "k must be a number from 0 to 1e+06, got '-1'"),
        ("bm25:rrf@k=1000001", "k must be a number from 0 to 1e+06, got '1000001'"),
        ("bm25:rrf@k=nan", "k must be a number from 0 to 1e+06, got 'nan'"),
        ("bm25:rrf@k=inf", "k must be a number from 0 to 1e+06, got 'inf'"),
        ("bm25:rrf@k=ten", "k must be a number from 0 to 1e+06, got 'ten'"),
        ("bm25:srrf@p=10.5", "p must be a number from 0 to 10, got '10.5'"),
        ("bm25:srrf@a=-0.5", "a must be a number from 0 to 10, got '-0.5'"),
        ("bm25:rrf@depth=0", "depth must be a whole number from 1 to 100000, got '0'"),
        ("bm25:rrf@depth=100001", "depth must be a whole number from 1 to 100000, got '100001'"),
        ("bm25:rrf@depth=1.5", "depth must be a whole number from 1 to 100000, got '1.5'"),
        ("dense:rrf@engine=hnsw", "unknown engine 'hnsw'; dense has product, faiss"),
        ("bm25:rrf@engine=faiss", "unknown engine 'faiss'; bm25 has bm25s, rank-bm25"),
        ("hybrid:rrf@of=bm25:rrf", "a hybrid needs two or more different systems, got 'bm25:rrf'"),
        ("hybrid:rrf@of=bm25:rrf+(bm25:rrf@k=60)", "a hybrid needs two or more different systems"),
        ("hybrid:rrf@of=hybrid:rrf+bm25:rrf", "a hybrid is made of bm25 and dense systems"),
        ("hybrid:rrf@of=bm25:rrf+tfidf:rrf", "the retriever is one of bm25, dense, hybrid"),
        ("hybrid:rrf@of=bm25:rrf+", "the retriever is one of bm25, dense, hybrid"),
    ],
)
def test_a_wrong_name_says_what_is_wrong_and_the_choices(name, message):
    with pytest.raises(ConfigError, match=re.escape(message)):
        parse_system(name)


@settings(max_examples=300)
@given(
    name=st.text(alphabet="bm25dense:rrfhybi@=+()kof. 1", max_size=40)
    | st.builds("hybrid:rrf@of={}".format, st.text(alphabet="bm25:rdoc+()@k=1", max_size=30))
)
def test_no_name_is_worse_than_refused(name):
    try:
        system = parse_system(name)
    except ConfigError as error:
        assert str(error)
    else:
        assert parse_system(str(system)) == system


def test_parameters_and_depth_can_be_set_where_there_are_any():
    system = parse_system("dense:srrf")
    assert str(system.with_params(k=7, nonsense=3).with_depth(20)) == "dense:srrf@k=7@depth=20"
    assert parse_system("bm25:doc").with_depth(5) == parse_system("bm25:doc")
    with pytest.raises(ConfigError, match="depth must be a whole number"):
        system.with_depth(0)
