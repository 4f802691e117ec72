"""`tacit evidence`: several readers at once, and one line of what is wrong."""

from __future__ import annotations

import json


def test_several_readers_get_their_files(run, model, tmp_path):
    about = tmp_path / "about.toml"
    about.write_text('owner = "Office"\npurpose = "Rank forms"\ndestination = "A website"\ncontact = "a@b.example"\n')
    done = run("evidence", model, "--for", "satre", "--for", "card", "--about", about, "--out", tmp_path / "out")
    assert "attacker.svg, satre.md, satre.json, card.md, card.json" in done.stderr and done.stdout == ""
    assert json.loads((tmp_path / "out" / "satre.json").read_text())["people"]["owner"] == "Office"


def test_what_lacks_is_one_line_and_an_exit_code(run, model, tmp_path):
    done = run("evidence", model, "--for", "registry", "--out", tmp_path / "out", code=1)
    assert "no owner_type (Government or Industry or Nonprofit)" in done.stderr and "--about" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_model_with_repeatable_noise_has_no_evidence(run, table, schema, tmp_path):
    seeded = tmp_path / "seeded.json"
    options = "--epsilon", 1, "--learner", "brc", "--seed", 1, "--allow", "simulated"
    run("fit", table, "--schema", schema, *options, "--out", seeded)
    done = run("evidence", seeded, "--for", "nist", "--out", tmp_path / "out", code=1)
    assert "simulated" in done.stderr and not (tmp_path / "out").exists()


def test_blanks_are_no_entry_and_a_number_beyond_floats_is_refused(run, model, tmp_path):
    about = tmp_path / "about.toml"
    said = 'purpose = "Rank forms"\ndestination = "A website"\ncontact = "a@b.example"\n'
    for entry, words in (('owner = "  "', "got no owner"), (f'owner = "O"\nmax_epsilon = 1{"0" * 400}', "max_epsilon")):
        about.write_text(f"{said}{entry}\n")
        assert (
            words in run("evidence", model, "--for", "satre", "--about", about, "--out", tmp_path / "o", code=1).stderr
        )
    assert not (tmp_path / "o").exists()
