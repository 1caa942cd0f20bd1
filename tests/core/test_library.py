"""Where a person's indexes are looked for."""

from __future__ import annotations

import shutil

from parm_core.library import indexes_folder, list_indexes


def test_the_variable_names_the_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("PARM_INDEXES", str(tmp_path / "mine"))
    assert indexes_folder() == tmp_path / "mine"
    assert list_indexes() == {}


def test_without_the_variable_it_is_a_folder_of_the_persons_own(monkeypatch, tmp_path):
    monkeypatch.delenv("PARM_INDEXES", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert tmp_path in indexes_folder().parents
    assert "parm-explorer" in indexes_folder().parts


def test_only_whole_looking_indexes_are_listed_by_name(monkeypatch, tmp_path, lexical_index):
    for name in ("b", "a", ".a-draft"):
        shutil.copytree(lexical_index.path, tmp_path / name)
    (tmp_path / "letters").mkdir()
    (tmp_path / "note.txt").write_text("dear")
    (tmp_path / "extension").mkdir()
    (tmp_path / "extension" / "manifest.json").write_text('{"name": "an extension"}')
    monkeypatch.setenv("PARM_INDEXES", str(tmp_path))
    assert list(list_indexes().items()) == [("a", tmp_path / "a"), ("b", tmp_path / "b")]
