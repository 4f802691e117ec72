"""`python -m reproductions`: listing, running, resuming, and the page of published numbers."""

from __future__ import annotations

import json
from base64 import b64encode

import polars as pl
import pytest
from typer.testing import CliRunner

from reproductions.__main__ import app
from reproductions.framework import catalog
from reproductions.framework.catalog import find, names
from reproductions.framework.command import STORE
from tacit.study.run import Store

TOY = "shen2022-figure1b"


def run(*arguments, code=0):
    result = CliRunner().invoke(app, ["reproduce", "--recompute", *map(str, arguments)])
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def test_the_list_has_names_hours_fractions_and_whether_data_are_there():
    listed = json.loads(run("--list", "--json").stdout)
    assert [each["name"] for each in listed] == list(names())
    [toy] = json.loads(run(TOY, "--list", "--json").stdout)
    assert toy["hours"] == 0.01
    assert toy["quick"] == "all of it: ten runs"
    assert toy["missing_data"] == []
    said = run("shen2022-figure1", "--list").stdout
    assert "shen2022-figure1a" in said
    assert "here" in said


def test_without_its_data_an_artefact_is_listed_as_such(monkeypatch, tmp_path):
    monkeypatch.setenv("TACIT_DATA", str(tmp_path))
    monkeypatch.setattr("tacit.datasets.fetch.user_cache_dir", lambda _: str(tmp_path))
    assert "not here: mushroom" in run("lopuhaa2021-figure2b", "--list").stdout
    assert "not here" not in run("shen2022-figure2a", "--list").stdout  # adult is in the package


def test_a_figure_becomes_picture_table_and_pages(tmp_path):
    said = run(TOY, "--quick", "--out", tmp_path / "r", "--workers", 1)
    assert "the paper's own repetitions (ten runs)" in said.stdout
    assert "nothing there is a private release" in said.stdout
    folder = tmp_path / "r"
    assert sorted(each.name for each in folder.iterdir() if not each.name.startswith(STORE)) == [
        f"{TOY}.{kind}" for kind in ("csv", "html", "md", "png")
    ]
    assert pl.read_csv(folder / f"{TOY}.csv")["runs"].to_list() == [10] * 20
    picture = (folder / f"{TOY}.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert b64encode(picture) in (folder / f"{TOY}.html").read_bytes()
    page = (folder / f"{TOY}.md").read_text()
    assert f"![The toy example: where the thresholds fall]({TOY}.png)" in page
    assert "- Run: the paper's own repetitions (ten runs)." in page
    assert len(Store(folder / STORE)) == 10


def test_without_matplotlib_there_are_still_a_table_and_a_page(tmp_path, monkeypatch):
    from tacit.errors import MissingExtra

    def refuse(*_):
        raise MissingExtra("Expected matplotlib for a picture, got none.")

    monkeypatch.setattr("reproductions.framework.draw.draw", refuse)
    said = run(TOY, "--quick", "--out", tmp_path / "r", "--workers", 1)
    assert f"No picture of {TOY}: Expected matplotlib" in said.stderr
    assert (tmp_path / "r" / f"{TOY}.csv").exists()
    assert "![" not in (tmp_path / "r" / f"{TOY}.md").read_text()


def test_an_interrupted_run_says_how_to_go_on_and_goes_on(tmp_path, monkeypatch):
    from tacit.study.run import measures

    computed = measures.compute

    def third_time_interrupted(task, tables):
        calls.append(task.key)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return computed(task, tables)

    calls: list[str] = []
    monkeypatch.setattr(measures, "compute", third_time_interrupted)
    folder = tmp_path / "r"
    said = run(TOY, "--quick", "--out", folder, "--recompute", "--workers", 1, code=130)
    assert f"kept in {folder / STORE}" in said.stderr
    assert f"python -m reproductions {TOY} --quick --recompute --out {folder}" in said.stderr
    assert len(Store(folder / STORE)) == 3
    monkeypatch.undo()
    run(TOY, "--quick", "--out", folder, "--recompute", "--workers", 1)
    assert len(Store(folder / STORE)) == 10


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["shen2022-figure22"], "Did you mean shen2022-figure2"),
        ([], "python -m reproductions --list"),
    ],
)
def test_what_is_refused(arguments, told, tmp_path):
    out = tmp_path / "r"
    said = run(*arguments, "--out", out, code=1)
    assert told in " ".join(said.stderr.split())
    assert not list(tmp_path.glob("r/*.md"))


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "r").write_text("")
    assert "Name a folder" in run(TOY, "--out", tmp_path / "r", code=1).stderr


def test_the_page_has_every_published_number_beside_what_the_folder_holds(tmp_path, monkeypatch):
    few = (*find("shen2022-figure1b"), *find("shen2022-figure4d"))
    monkeypatch.setattr(catalog, "artefacts", lambda: few)
    run(TOY, "--quick", "--out", tmp_path, "--workers", 1, "--page", tmp_path / "page.md")
    page = (tmp_path / "page.md").read_text()
    assert f"| {TOY} | The toy example: where the thresholds fall | the paper's own repetitions (ten runs) |" in page
    assert "| shen2022-figure4d | BRC on the first 500 rows of adult | nothing yet | none | 3 | 0 | 0 | 0 | 3 |" in page
    assert "(0.8261)" in page
    assert "(0.79, as a rough value)" in page
    assert "The paper's text prints no number of it." in page


def test_a_wrong_number_of_workers_leaves_no_folder(tmp_path):
    run(TOY, "--quick", "--out", tmp_path / "r", "--workers", -1, code=2)
    assert not (tmp_path / "r").exists()
