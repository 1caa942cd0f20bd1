"""Encoders: the packaged one, folders, pairs; nothing fetched unless asked, nothing unpickled."""

from __future__ import annotations

import hashlib
import json
import shutil
import socket
from pathlib import Path

import numpy as np
import pytest

from parm_core import batches, encoders
from parm_core.encoders import PACKAGED, load_encoder
from parm_core.errors import EncoderError
from parm_core.index.build import build_index
from parm_core.library import remember_encoder
from parm_core.retrieval import Searcher
from parm_core.types import Case, Collection

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "query", "passage", ":", "the"]
WORDS += ["barge", "sank", "bees", "died", "lamp", "fell", "mill"]
PROMPTS = {"query": "query : ", "document": "passage : "}


def make_model(folder, *, width=16, seed=0, prompts=None, max_tokens=12):
    """A one-layer BERT of random weights as a sentence-transformers folder; its path as text."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    raw = Tokenizer(models.WordLevel({w: i for i, w in enumerate(WORDS)}, unk_token="[UNK]"))
    raw.pre_tokenizer = pre_tokenizers.Whitespace()
    raw.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]"}
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=raw, model_max_length=max_tokens, sep_token="[SEP]", **special
    )
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=width,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=32,
    )
    bare = folder.with_name(f"{folder.name}-bare")
    BertModel(config).save_pretrained(bare)
    tokenizer.save_pretrained(bare)
    modules = [Transformer(str(bare), max_seq_length=max_tokens), Pooling(width)]
    SentenceTransformer(modules=modules, prompts=prompts).save(str(folder))
    return str(folder)


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return make_model(tmp_path_factory.mktemp("models") / "plain")


@pytest.fixture(scope="module")
def prompted(tmp_path_factory):
    return make_model(tmp_path_factory.mktemp("models") / "prompted", prompts=PROMPTS)


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    return make_model(tmp_path_factory.mktemp("models") / "other", seed=1)


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    return make_model(tmp_path_factory.mktemp("models") / "wide", width=24)


@pytest.fixture
def no_network(monkeypatch):
    """Any attempt to reach the network, even to look a name up, is recorded and fails."""
    attempts = []

    def refuse(*args, **_):
        attempts.append(args)
        raise OSError("no network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    return attempts


# ------------------------------------------------------------------------------------ the packaged


def test_the_packaged_encoder_is_the_published_minilm():
    encoder = load_encoder()
    assert (encoder.id, encoder.dim, encoder.max_tokens) == (PACKAGED, 384, 256)
    assert encoder.weights_sha256 == (
        "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    )


def test_its_vectors_have_unit_length_and_equal_texts_have_equal_ones():
    texts = ["The barge sank.", "The bees died.", "The barge sank."]
    vectors = load_encoder().encode_passages(texts)
    assert (vectors.shape, vectors.dtype) == ((3, 384), np.float32)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)
    np.testing.assert_array_equal(vectors[0], vectors[2])
    again = load_encoder().encode_passages(texts)
    np.testing.assert_array_equal(again, vectors)
    np.testing.assert_array_equal(load_encoder().encode_queries(texts), vectors)


def test_what_is_alike_lies_nearer():
    query, near, far = load_encoder().encode_passages(
        [
            "The tenant did not pay the rent for the flat.",
            "The lessee owed the landlord several months of rent.",
            "The recipe asks for two eggs and a pound of flour.",
        ]
    )
    assert query @ near > 0.5 > 0.2 > query @ far


def test_it_counts_tokens_with_the_special_ones_and_beyond_what_it_reads():
    counts = load_encoder().count_tokens(["", "court", "court " * 1000])
    assert counts.tolist() == [2, 3, 1002]


def test_it_reads_no_further_than_its_tokens():
    encoder = load_encoder()
    long = "court " * 254
    same, beyond = encoder.encode_passages([long, long + "bees honey barge"])
    np.testing.assert_allclose(same, beyond, atol=1e-6)


def test_no_texts_give_no_vectors():
    assert load_encoder().encode_passages([]).shape == (0, 384)


def test_it_needs_no_network(no_network):
    encoders._loaded.cache_clear()
    load_encoder().encode_queries(["The barge sank."])
    assert no_network == []


def test_other_weights_in_the_package_are_refused(monkeypatch):
    monkeypatch.setattr("parm_core.encoders._PACKAGED_SHA256", "0" * 64)
    encoders._loaded.cache_clear()
    with pytest.raises(EncoderError, match="not the published ones; reinstall"):
        load_encoder()


# ------------------------------------------------------------------------------ folders and pairs


def test_a_folder_is_an_encoder(plain):
    encoder = load_encoder(plain)
    assert (encoder.id, encoder.revision, encoder.dim, encoder.max_tokens) == (
        Path(plain).name,
        "local",
        16,
        12,
    )
    with (Path(plain) / "model.safetensors").open("rb") as file:
        assert encoder.weights_sha256 == hashlib.file_digest(file, "sha256").hexdigest()
    assert encoder.count_tokens(["the barge sank", "the barge " * 20]).tolist() == [5, 42]


def test_without_prompts_both_sides_are_one(plain):
    encoder = load_encoder(plain)
    texts = ["the barge sank", "the mill"]
    np.testing.assert_array_equal(encoder.encode_queries(texts), encoder.encode_passages(texts))


def test_devices_take_turns_and_change_nothing(plain, monkeypatch):
    """Two replicas on the processor, since CI has no GPU."""
    texts = [" ".join(["barge"] * n) for n in (1, 3, 5, 7, 9, 2, 4)]
    monkeypatch.setattr(batches, "_BATCH_TOKENS", 8)
    wanted = encoders.SentenceTransformerEncoder(str(plain)).encode_passages(texts)
    monkeypatch.setattr(encoders, "devices", lambda: ["cpu", "cpu"])
    encoder = encoders.SentenceTransformerEncoder(str(plain))
    used = []
    for d, model in enumerate(encoder._replicas):
        one = model.encode_document
        model.encode_document = lambda *a, d=d, one=one, **k: (used.append(d), one(*a, **k))[1]
    np.testing.assert_array_equal(encoder.encode_passages(texts), wanted)
    assert sorted(set(used)) == [0, 1]
    assert abs(used.count(0) - used.count(1)) <= 1


def test_prompts_are_put_before_what_is_encoded(plain, prompted):
    """The two folders have the same weights, so that a prompt written out gives the same."""
    bare, encoder = load_encoder(plain), load_encoder(prompted)
    assert bare.weights_sha256 == encoder.weights_sha256
    assert (bare.prompt, encoder.prompt) == ("", "passage : ")
    query = encoder.encode_queries(["the barge sank"])
    passage = encoder.encode_passages(["the barge sank"])
    assert np.abs(query - passage).max() > 1e-3
    np.testing.assert_allclose(query, bare.encode_queries(["query : the barge sank"]), atol=1e-6)
    np.testing.assert_allclose(
        passage, bare.encode_passages(["passage : the barge sank"]), atol=1e-6
    )


def test_a_pair_encodes_each_side_by_its_own(plain, other):
    pair = load_encoder(plain, query=other)
    assert pair.id == f"{Path(plain).name}+{Path(other).name}"
    assert pair.folders == (Path(plain), Path(other))
    passages, queries = load_encoder(plain), load_encoder(other)
    assert pair.weights_sha256 == f"{passages.weights_sha256}+{queries.weights_sha256}"
    text = ["the lamp fell"]
    np.testing.assert_array_equal(pair.encode_passages(text), passages.encode_passages(text))
    np.testing.assert_array_equal(pair.encode_queries(text), queries.encode_queries(text))
    assert np.abs(pair.encode_passages(text) - pair.encode_queries(text)).max() > 1e-3


def test_an_index_built_with_a_pair_finds_the_pair_again(tmp_path, plain, other, monkeypatch):
    """The index holds no path; where the folders lie is noted beside a person's indexes."""
    case = Case("only", "", "the barge sank and the lamp fell and the bees died at the mill")
    pair = load_encoder(plain, query=other)
    made = build_index(Collection("one", (case,)), tmp_path / "index", encoder=pair)
    monkeypatch.setenv("PARM_INDEXES", str(tmp_path))
    with pytest.raises(EncoderError, match="is not on this machine"):
        Searcher(made).search("the barge sank", "dense:rrf")
    remember_encoder(pair)
    searcher = Searcher(made)
    assert searcher.search("the barge sank", "dense:rrf").case_ids == ("only",)
    assert searcher.encoder.weights_sha256 == pair.weights_sha256
    with pytest.raises(EncoderError, match="use the same encoder or build the index again"):
        Searcher(made, load_encoder(plain)).search("the barge sank", "dense:rrf")


def test_a_pair_of_two_widths_is_refused(plain, wide):
    with pytest.raises(EncoderError, match=r"of width 16, .* of width 24; a pair needs one width"):
        load_encoder(plain, query=wide)


def test_many_texts_come_back_in_their_order(plain):
    """More than one chunk, of different lengths; progress counts to the end."""
    words = WORDS[7:]
    texts = [" ".join(words[: 1 + n % 7]) + " mill" * (n % 3) for n in range(1100)]
    seen = []
    encoder = load_encoder(plain)
    vectors = encoder.encode_passages(texts, progress=lambda *step: seen.append(step[:2]))
    picked = [0, 500, 1023, 1024, 1099]
    alone = encoder.encode_passages([texts[n] for n in picked])
    np.testing.assert_allclose(vectors[picked], alone, atol=1e-5)
    assert seen[-1] == (1100, 1100)


# ---------------------------------------------------------------------------------------- refused


@pytest.mark.parametrize("name", ["no-such-model-here", "nobody/no-such-model", "a b/c?d", "../x"])
def test_what_is_not_on_disk_is_refused_without_asking_the_network(name, no_network):
    with pytest.raises(EncoderError) as caught:
        load_encoder(name)
    assert f"the encoder {name!r} is not on this machine" in str(caught.value)
    assert no_network == []


def test_where_a_download_fails_the_message_says_so(no_network):
    with pytest.raises(EncoderError, match="neither a folder here nor could it be downloaded"):
        load_encoder("nobody/no-such-model", download=True)
    assert no_network


def test_weights_that_are_pickled_are_refused(tmp_path, plain):
    import torch
    from safetensors.torch import load_file

    folder = tmp_path / "pickled"
    shutil.copytree(plain, folder)
    weights = folder / "model.safetensors"
    torch.save(load_file(weights), folder / "pytorch_model.bin")
    weights.unlink()
    with pytest.raises(EncoderError, match="no sentence-transformers model with safetensors"):
        load_encoder(str(folder))


def test_a_folder_without_a_model_is_refused(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(EncoderError, match="no sentence-transformers model with safetensors"):
        load_encoder(str(tmp_path))


def test_a_model_that_brings_its_own_code_is_not_run(tmp_path, plain):
    """A module of the folder's own, named in modules.json, would run on loading."""
    folder = tmp_path / "coded"
    shutil.copytree(plain, folder)
    (folder / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nclass Own: pass\n")
    modules = json.loads((folder / "modules.json").read_text())
    modules[1]["type"] = "own.Own"
    (folder / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(EncoderError):
        load_encoder(str(folder))
    assert not (tmp_path / "ran").exists()


def test_a_further_modules_pickled_weights_are_refused(tmp_path, plain):
    """A Dense layer's: they would count in no hash."""
    import torch
    from safetensors.torch import load_file
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Dense

    model = SentenceTransformer(plain)
    model.append(Dense(16, 16))
    model.save(str(tmp_path / "dense"))
    weights = tmp_path / "dense" / "2_Dense" / "model.safetensors"
    torch.save(load_file(weights), weights.with_name("pytorch_model.bin"))
    weights.unlink()
    with pytest.raises(EncoderError, match="safetensors"):
        load_encoder(str(tmp_path / "dense"))


def test_a_model_that_reads_without_an_end_is_an_encoder_or_refused(tmp_path):
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer, models, pre_tokenizers

    raw = Tokenizer(models.WordLevel({w: i for i, w in enumerate(WORDS)}, unk_token="[UNK]"))
    raw.pre_tokenizer = pre_tokenizers.Whitespace()
    static = SentenceTransformer(modules=[StaticEmbedding(raw, embedding_dim=8)])
    static.save(str(tmp_path / "static"))
    try:
        encoder = load_encoder(str(tmp_path / "static"))
    except EncoderError as error:
        assert "static" in str(error)
    else:
        assert encoder.count_tokens(["the barge sank"]).tolist() == [3]
        assert encoder.encode_queries(["the barge sank"]).shape == (1, 8)


def test_a_prompt_counts_among_the_tokens(plain, prompted):
    """It takes room that the passage then lacks."""
    bare = load_encoder(plain).count_tokens(["passage : the barge sank"])
    assert load_encoder(prompted).count_tokens(["the barge sank"]).tolist() == bare.tolist()
