"""The JSON Schema in the package admits the certificates that fits write, and no other."""

from __future__ import annotations

import copy
from dataclasses import fields

import pytest

from tacit.models.document import as_plain
from tacit.privacy import Charge, Guarantee, MergedGuarantee, PartCertificate, Persons, ReleaseRecord
from tacit.privacy.limit import Limit
from tacit.privacy.random_runs import RandomRuns
from tacit.verify import certificate_schema

SCHEMA = certificate_schema()


@pytest.fixture(scope="module")
def validator():
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    return jsonschema.Draft202012Validator(SCHEMA)


def test_it_describes_every_field_and_requires_all():
    for name, kind in (
        ("certificate", Guarantee), ("limit", Limit), ("release", ReleaseRecord), ("runs", RandomRuns),
        ("persons", Persons), ("charge", Charge), ("merged", MergedGuarantee), ("part", PartCertificate),
    ):  # fmt: skip
        described = SCHEMA["$defs"][name]
        listed = {field.name for field in fields(kind) if field.init}
        assert set(described["properties"]) == set(described["required"]) == listed
        assert described["additionalProperties"] is False


def test_it_admits_certificates_of_every_kind(certificates, validator):
    for name, certificate in certificates.items():
        assert list(validator.iter_errors(as_plain(certificate))) == [], name


def test_it_refuses_what_is_no_certificate(certificates, validator):
    good = as_plain(certificates["holdout"])
    assert validator.is_valid(good)
    for change in (
        lambda each: each.update(version=1),
        lambda each: each.pop("limits"),
        lambda each: each.update(surplus=1),
        lambda each: each["limits"][0].update(delta=1.0),
        lambda each: each["releases"][0].update(counted=None),
        lambda each: each["releases"][0].update(order=0),
        lambda each: each["releases"][0].update(slice=[[1]]),
        lambda each: each["releases"][0].update(slice=[[1, 2, 3]]),
        lambda each: each["releases"][0].update(loss=-0.1),
        lambda each: each.update(persons={"identifier": None, "rows": 0, "same_rows": False}),
    ):
        wrong = copy.deepcopy(good)
        change(wrong)
        assert not validator.is_valid(wrong)
