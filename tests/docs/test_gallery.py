"""The gallery: its page, its pictures and docs/gallery.py name the same; its replays are made and play."""

import importlib.util
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def gallery():
    spec = importlib.util.spec_from_file_location("gallery", DOCS / "gallery.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_page_pictures_and_script_name_the_same(gallery):
    page = (DOCS / "gallery.md").read_text(encoding="utf-8")
    for pattern in (r'href="gallery/(\w+)\.html"', r'src="figures/gallery/(\w+)\.png"'):
        assert re.findall(pattern, page) == [*gallery.ENTRIES]
    assert {file.stem for file in gallery.PICTURES.glob("*.png")} == set(gallery.ENTRIES)


def test_commands_of_the_page_are_accepted():
    from dojo_py import models
    from dojo_py.cli import build_parser

    page = (DOCS / "gallery.md").read_text(encoding="utf-8")
    commands = re.findall(r"`dojo_py ([^`]+)`", page)
    assert len(commands) >= 9
    for words in commands:
        parsed = build_parser().parse_args(words.split())
        assert parsed.model in (*models.names(), *models.scenes())


def test_the_hook_writes_a_replay_of_each_entry(gallery, tmp_path, monkeypatch):
    pytest.importorskip("viser", reason="no viser: pip install 'dojo-sim[view]'")
    monkeypatch.setattr(gallery, "ENTRIES", {"dzhanibekov": (lambda: gallery.still("dzhanibekov", 0.5, "spin"), 0.2)})
    gallery.on_post_build({"site_dir": str(tmp_path)})
    assert (tmp_path / "gallery" / "dzhanibekov.html").stat().st_size > 100_000
    monkeypatch.setenv("DOJO_GALLERY", "no")
    gallery.on_post_build({"site_dir": str(tmp_path / "none")})
    assert not (tmp_path / "none").exists()


@pytest.mark.slow  # a minute
def test_every_entry_is_solved(gallery):
    for name, (make, time) in gallery.ENTRIES.items():
        run = make()
        assert run.unsolved == 0 and run.time[0] <= time <= run.time[-1] + 1e-9, name
