"""Approximate dense search: clusters, the recall they give, and what is kept of them on disk."""

from __future__ import annotations

import json

import numpy as np
import pytest

from parm_core.errors import IndexStoreError
from parm_core.index import approximate, clustering, kept_clusters
from parm_core.index.approximate import ClusteredEngine, Recall, measure, recall
from parm_core.index.clustering import clustered, in_clusters
from parm_core.index.dense import ProductEngine
from parm_core.index.kept_clusters import clustered_engine
from parm_core.reports import as_text, search_report
from parm_core.retrieval import Searcher
from parm_core.systems import parse_system
from parm_core.types import Hits


def topics(n=4000, dim=24, seed=5):
    """Unit vectors round 40 centres, every tenth the same as the one before; and their twins."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(40, dim))
    drawn = centres[random.integers(0, 40, n)] + 0.5 * random.normal(size=(n, dim))
    vectors = (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)
    twins = np.arange(n)
    vectors[10::10], twins[10::10] = vectors[9:-1:10], twins[9:-1:10]
    return vectors, twins


def hits_of(*rows):
    rows = np.array(rows)
    return Hits(rows, np.zeros(rows.shape, dtype=np.float32))


def test_recall_by_hand():
    """Two of four, then one of one: padding is no hit."""
    found = hits_of([9, 1, 5, 2], [7, -1, -1, -1])
    exact = hits_of([1, 2, 3, 4], [7, -1, -1, -1])
    assert recall(found, exact) == pytest.approx((2 / 4 + 1) / 2)


def test_recall_of_nothing_wanted_is_1():
    assert recall(hits_of([-1]), hits_of([-1])) == 1


def test_every_row_lies_in_one_cluster_and_twins_share_theirs():
    vectors, twins = topics()
    centroids, cluster = clustered(vectors, twins)
    assert centroids.shape == (64, 24)
    assert cluster.tolist() == cluster[twins].tolist()
    clusters = in_clusters(vectors, centroids, cluster)
    assert sorted(clusters.rows.tolist()) == list(range(4000))
    for c in range(64):
        held = clusters.rows[clusters.starts[c] : clusters.starts[c + 1]]
        assert held.tolist() == np.flatnonzero(cluster == c).tolist()
    np.testing.assert_array_equal(clusters.vectors, vectors[clusters.rows])


def test_the_same_vectors_give_the_same_clusters():
    vectors, twins = topics(n=1500)
    assert clustered(vectors, twins)[1].tolist() == clustered(vectors, twins)[1].tolist()


def test_few_rows_are_one_cluster():
    vectors, twins = topics(n=clustering._LEAST_ROWS - 1)
    centroids, cluster = clustered(vectors, twins)
    assert len(centroids) == 1
    assert not cluster.any()


def test_the_recall_measured_is_enough_and_half_the_clusters_would_not_be():
    vectors, twins = topics()
    clusters = in_clusters(vectors, *clustered(vectors, twins))
    measured = measure(clusters, vectors, twins)
    assert approximate.WANTED_RECALL <= measured.recall <= 1
    assert 1 < measured.probes < 64
    queries = vectors[np.random.default_rng(1).integers(0, 4000, 50)]
    exact = ProductEngine(vectors, twins).search(queries, depth=1000)
    half = Recall(measured.probes // 2, 1.0, 0, 1000)
    shares = [
        recall(ClusteredEngine(clusters, twins, of).search(queries, depth=1000), exact)
        for of in (half, measured)
    ]
    assert shares[0] < approximate.WANTED_RECALL < shares[1] + 0.02


def test_a_deeper_search_reads_more_clusters():
    """Measured at 10 hits: at 4,000, every cluster is read and every row found."""
    vectors, twins = topics()
    clusters = in_clusters(vectors, *clustered(vectors, twins))
    engine = ClusteredEngine(clusters, twins, Recall(1, 1.0, 0, 10))
    shallow = engine.search(vectors[:3], depth=10)
    assert (shallow.rows >= 0).all()
    deep = engine.search(vectors[:3], depth=4000)
    assert all(sorted(rows) == list(range(4000)) for rows in deep.rows.tolist())


def test_what_is_found_has_the_scores_of_exact_search_and_twins_tie():
    vectors, twins = topics()
    clusters = in_clusters(vectors, *clustered(vectors, twins))
    engine = ClusteredEngine(clusters, twins, Recall(6, 1.0, 0, 500))
    hits = engine.search(vectors[9:2000:400], depth=500, excluded=slice(5, 10))
    assert not np.isin(hits.rows, range(5, 10)).any()
    for query, rows, scores in zip(vectors[9:2000:400], hits.rows, hits.scores, strict=True):
        rows, scores = rows[rows >= 0], scores[rows >= 0]
        np.testing.assert_allclose(scores, vectors[rows] @ query, rtol=1e-5, atol=1e-6)
        assert rows.tolist() == rows[np.lexsort((rows, -scores))].tolist()
        by_row = dict(zip(rows.tolist(), scores.tolist(), strict=True))
        pairs = [(row, twins[row]) for row in by_row if twins[row] in by_row]
        assert all(by_row[row] == by_row[first] for row, first in pairs)


@pytest.fixture
def kept(tmp_path):
    vectors, twins = topics(n=1200)
    return tmp_path / "cache" / "clusters", "key", vectors, twins


def test_clusters_are_built_once_and_opened_after(kept, monkeypatch):
    first = clustered_engine(*kept)
    monkeypatch.setattr(kept_clusters, "_build", lambda *_: pytest.fail("built again"))
    again = clustered_engine(*kept)
    assert again.measured == first.measured
    found, before = (e.search(kept[2][:4], depth=50) for e in (again, first))
    assert found.rows.tolist() == before.rows.tolist()
    assert [path.name for path in kept[0].parent.iterdir()] == ["clusters"]


def test_clusters_of_another_index_are_built_again(kept):
    clustered_engine(*kept)
    folder, _, vectors, twins = kept
    other = vectors[::-1].copy()
    engine = clustered_engine(folder, "another key", other, twins)
    assert engine.search(other[:1], depth=1).rows.tolist() == [[0]]
    assert json.loads((folder / "about.json").read_text())["of"] == "another key"


FILES = ("about.json", "centroids.npy", "rows.npy", "starts.npy", "vectors.npy")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("harm", ["removed", "emptied", "cut", "changed"])
def test_damaged_clusters_are_built_again(kept, name, harm):
    whole = clustered_engine(*kept).search(kept[2][:4], depth=50)
    file = kept[0] / name
    held = file.read_bytes()
    file.unlink()
    if harm != "removed":
        changed = held[:200] + bytes(255 - b for b in held[200:])
        file.write_bytes({"emptied": b"", "cut": held[:-1], "changed": changed}[harm])
    assert (
        clustered_engine(*kept).search(kept[2][:4], depth=50).rows.tolist() == whole.rows.tolist()
    )
    assert file.read_bytes() == held


@pytest.mark.parametrize("measured", [{}, [], {"probes": 0}, {"probes": "1"}, None])
def test_a_measurement_that_is_none_is_measured_again(kept, measured):
    clustered_engine(*kept)
    file = kept[0] / "about.json"
    whole = json.loads(file.read_text())
    held = whole["measured"] | measured if isinstance(measured, dict) and measured else measured
    file.write_text(json.dumps(whole | {"measured": held}))
    clustered_engine(*kept)
    assert json.loads(file.read_text()) == whole


def test_a_cache_that_cannot_be_written_is_one_clear_line(kept):
    folder, *rest = kept
    folder.parent.parent.mkdir(exist_ok=True)
    folder.parent.write_text("a file where the cache's folder would be")
    with pytest.raises(IndexStoreError, match=r"cannot be written to .*clusters.*@engine=ivf"):
        clustered_engine(folder, *rest)


def test_an_approximate_system_ranks_and_says_how_much_it_finds(
    index, encoder, query, searcher, monkeypatch, tmp_path
):
    monkeypatch.setenv("PARM_CACHE", str(tmp_path))
    own = Searcher(index, encoder)
    system = parse_system("dense:rrf@engine=ivf")
    assert own.rank(query, system).case_ids == searcher.rank(query, "dense:rrf").case_ids
    measured = own.approximation(system)
    assert str(measured).startswith("finds 100.0 % of the hits of exact search")
    assert own.approximation(parse_system("dense:rrf")) is None
    assert own.approximation(parse_system("hybrid:rrf")) is None
    hybrid = parse_system("hybrid:rrf@of=bm25:rrf+(dense:rrf@engine=ivf)")
    assert own.approximation(hybrid) == measured
    report = search_report(own, query, system, top=1, evidence=0)
    assert report["approximate"]["recall"] == 1.0
    assert as_text(report).splitlines()[1] == f"      {measured}"
    assert [path.name for path in (tmp_path / "clusters").iterdir()] != []
