"""Every data set: its table fits its schema, and has the counts that its documentation states."""

from __future__ import annotations

import doctest
import importlib
import io
import re
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tacit.datasets import Dataset, fetch, load, names
from tacit.datasets.catalog import PackagedDataset, load_schema, records
from tacit.errors import DatasetUnavailable, ParameterError
from tacit.schema import Categorical, Numeric

OF_RADOS = (
    *("abalone", "wine-white", "wine-red", "magic-gamma", "eeg-eye-state", "blood-transfusion", "ionosphere", "sonar"),
    *("banknote", "fertility", "haberman", "german-credit", "breast-cancer-wisconsin"),
)
PUBLIC = {
    "adult": ("workclass", "fnlwgt", "race", "sex", "native-country"),
    "bank-marketing": ("campaign", "pdays", "poutcome"),
    "credit-default": ("LIMIT_BAL", "SEX"),
    "sepsis-survival": ("sex_0male_1female", "episode_number"),
    "mushroom": (),
    "cod-rna": (),
    "nursery": (),
    "house-votes-84": (),
    "spect": (),
    "skin-segmentation": (),
    "breast-cancer": (
        *("mean texture", "mean smoothness", "texture error", "smoothness error"),
        *("worst texture", "worst smoothness"),
    ),
    **dict.fromkeys(OF_RADOS, ()),
}
# From the documentation of each: rows, features, rows of each class.
COUNTS = {
    "adult": (48842, 14, {"<=50K": 24720 + 12435, ">50K": 7841 + 3846}),
    "bank-marketing": (45211, 16, {"no": 39922, "yes": 5289}),
    "credit-default": (30000, 23, {0: 23364, 1: 6636}),
    "sepsis-survival": (110204, 3, {1: 102099, 0: 8105}),
    "mushroom": (8124, 22, {"e": 4208, "p": 3916}),
    "cod-rna": (59535 + 271617, 8, {-1: 39690 + 181078, 1: 19845 + 90539}),
    "nursery": (
        12960,
        8,
        {"not_recom": 4320, "recommend": 2, "very_recom": 328, "priority": 4266, "spec_prior": 4044},
    ),
    "house-votes-84": (435, 16, {"democrat": 267, "republican": 168}),
    "spect": (267, 22, {1: 212, 0: 55}),
    "skin-segmentation": (245057, 3, {1: 50859, 2: 194198}),
    "breast-cancer": (569, 30, {"malignant": 212, "benign": 357}),
    "abalone": (4177, 8, {0: 2096, 1: 2081}),
    "wine-white": (4898, 11, {0: 1640, 1: 3258}),
    "wine-red": (1599, 11, {0: 744, 1: 855}),
    "magic-gamma": (19020, 10, {"g": 12332, "h": 6688}),
    "eeg-eye-state": (14980, 14, {0: 8257, 1: 6723}),
    "blood-transfusion": (748, 4, {0: 570, 1: 178}),
    "ionosphere": (351, 34, {"b": 126, "g": 225}),
    "sonar": (208, 60, {"M": 111, "R": 97}),
    "banknote": (1372, 4, {0: 762, 1: 610}),
    "fertility": (100, 9, {"N": 88, "O": 12}),
    "haberman": (306, 3, {1: 225, 2: 81}),
    "german-credit": (1000, 20, {1: 700, 2: 300}),
    "breast-cancer-wisconsin": (699, 9, {2: 458, 4: 241}),
}


@cache
def loaded(name):
    return load(name, downloads="never")


@pytest.fixture(params=COUNTS)
def dataset(request) -> Dataset:
    try:
        return loaded(request.param)
    except DatasetUnavailable as reason:
        if "got none" not in str(reason):
            raise
        pytest.skip(str(reason))


def packaged():
    """Names of the catalog; other packages may have added some."""
    return tuple(name for name, record in records().items() if isinstance(record, PackagedDataset))


def test_every_name_is_tested():
    assert packaged() == tuple(COUNTS)
    assert set(packaged()) <= set(names())


def test_the_documented_counts(dataset):
    n_rows, n_columns, classes = COUNTS[dataset.name]
    assert dataset.frame.shape == (n_rows, n_columns)
    counted = dict(zip(*dataset.target.value_counts().get_columns(), strict=True))
    assert classes is None or counted == classes


def test_every_row_fits_the_schema(dataset):
    assert dataset.frame.columns == list(dataset.schema.names)
    for column in dataset.schema.columns:
        assert_fits(dataset.frame[column.name], column)
    label = dataset.schema.label
    assert dataset.target.name == label.name
    assert dataset.target.null_count() == 0
    assert set(dataset.target.unique()) == set(label.classes)


def assert_fits(values, column):
    assert values.null_count() == 0, column.name
    if isinstance(column, Categorical):
        assert column.other or set(values.unique()) <= set(column.categories), column.name
        assert {type(value) for value in values.unique()} == {type(value) for value in column.categories}, column.name
        return
    assert values.is_finite().all(), column.name
    outside = (values < column.lower) | (values > column.upper)
    # Bounds are public judgements; those that cut off one row in a thousand would be poor ones.
    assert outside.mean() < 0.001, column.name


def test_only_undocumented_codes_fall_into_other(dataset):
    others = {column.name for column in dataset.schema.columns if isinstance(column, Categorical) and column.other}
    assert others == ({"EDUCATION", "MARRIAGE"} if dataset.name == "credit-default" else set())


def test_the_split_is_the_official_one():
    sizes = {"adult": (32561, 16281), "cod-rna": (59535, 271617), "spect": (80, 187)}
    for name, record in records().items():
        assert record.n_train == sizes.get(name, (None,))[0]
    try:
        adult = loaded("adult")
    except DatasetUnavailable as reason:
        pytest.skip(str(reason))
    assert adult.split.tolist() == ["train"] * 32561 + ["test"] * 16281
    assert not adult.split.flags.writeable
    train = adult.target.filter(pl.Series(adult.split == "train"))
    assert (train == ">50K").sum() == 7841


@pytest.mark.parametrize("name", COUNTS)
def test_public_columns(name):
    schema = load_schema(name)
    assert schema.public_columns == PUBLIC[name]
    assert schema.label.private == (
        name in ("mushroom", "cod-rna", "nursery", "house-votes-84", "spect", "skin-segmentation", *OF_RADOS)
    )
    assert schema.guessed == ()


def test_education_is_in_the_order_of_schooling():
    education = load_schema("adult").column("education")
    assert education.categories[0] == "Preschool"
    assert education.categories[8] == "HS-grad"
    assert education.categories[-1] == "Doctorate"
    assert len(education.categories) == 16


def test_education_counts_as_education_num():
    try:
        frame = loaded("adult").frame
    except DatasetUnavailable as reason:
        pytest.skip(str(reason))
    order = load_schema("adult").column("education").categories
    places = frame["education"].replace_strict({name: place for place, name in enumerate(order, start=1)})
    assert (places == frame["education-num"]).all()


@pytest.mark.parametrize("name", ["adult", "mushroom"])
def test_unknown_is_a_category_and_the_missing_code(name):
    listing = [column for column in load_schema(name).columns if "?" in getattr(column, "categories", ())]
    assert [column.name for column in listing] == (
        ["workclass", "occupation", "native-country"] if name == "adult" else ["stalk-root"]
    )
    assert all(column.missing == "?" for column in listing)


def test_breast_cancer_needs_no_file(monkeypatch):
    monkeypatch.setenv("TACIT_DATA", "/nowhere")
    cancer = load("breast-cancer", downloads="never")
    assert cancer.split is None
    assert repr(cancer) == "Dataset('breast-cancer', 569 rows, 30 columns)"
    assert cancer.frame["mean radius"][0] == pytest.approx(17.99)
    assert isinstance(cancer.schema.column("mean radius"), Numeric)


def test_another_table_is_refused_and_its_file_named(tmp_path, monkeypatch):
    path = tmp_path / "mushroom" / "agaricus-lepiota.data"
    path.parent.mkdir()
    row = b"p,x,s,n,t,p,f,c,n,k,e,e,s,s,w,w,p,w,o,p,k,s,u\n"
    monkeypatch.setenv("TACIT_DATA", str(tmp_path))
    for content in (row, row * 8124, b"p,x\n", b"", b"\xff\xfe\n"):
        path.write_bytes(content)
        with pytest.raises(DatasetUnavailable, match=re.escape(str(path))):
            load("mushroom", downloads="never")


def test_a_download_of_another_table_is_refused_and_its_place_in_the_cache_named(tmp_path, monkeypatch):
    monkeypatch.delenv("TACIT_DATA", raising=False)
    monkeypatch.setattr(fetch, "cache_folder", lambda: tmp_path)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("agaricus-lepiota.data", "p,x\n")
    with pytest.raises(DatasetUnavailable, match=re.escape(str(tmp_path / "mushroom" / "agaricus-lepiota.data"))):
        load("mushroom", downloader=lambda url, output, _: output.write(stream.getvalue()))


def test_a_name_nobody_knows():
    with pytest.raises(ParameterError, match="'adult'"):
        load("adults")
    with pytest.raises(ParameterError, match="Choose one of"):
        load_schema("zzz")
    with pytest.raises(ParameterError, match="if-missing"):
        load("adult", downloads="always")


def test_every_source_is_an_https_address():
    listed = [file for record in records().values() for file in record.files]
    assert all(file.url.startswith("https://") for file in listed)
    assert len({file.path for file in listed}) == len(listed)


def test_the_documented_table_tells_the_truth():
    page = (Path(__file__).parents[2] / "docs" / "datasets.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1:-1] for line in page.splitlines() if line.startswith("| `")]
    told = {cells[0].strip(" `"): [cell.strip() for cell in cells[1:]] for cells in rows}
    assert tuple(told) == packaged()
    for name, (n_rows, n_columns, _, public, *_) in told.items():
        assert (int(n_rows.split()[0].replace(",", "")), int(n_columns)) == COUNTS[name][:2]
        if public == "below":  # a long list is text under the table
            public = " ".join(re.search(rf"^- Public in `{name}`: ([^.]*)\.", page, re.MULTILINE)[1].split())
        assert tuple(re.findall(r"`([^`]+)`", public)) == PUBLIC[name]
        assert ("and the label" in public) == (not load_schema(name).label.private)


@pytest.mark.parametrize("module", ["catalog"])
def test_examples(module):
    result = doctest.testmod(importlib.import_module(f"tacit.datasets.{module}"))
    assert result.attempted > 0
    assert result.failed == 0


def test_the_target_is_not_among_the_features(dataset):
    assert dataset.target.name not in dataset.frame.columns
    assert len(dataset.target) == dataset.frame.height
    assert dataset.split is None or np.isin(dataset.split, ["train", "test"]).all()
