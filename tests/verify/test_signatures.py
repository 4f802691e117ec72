"""A signature is of one model and by one key, and is refused with one clear sentence otherwise."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from tacit.cli.app import app
from tacit.errors import MissingExtra, ModelFileError, ParameterError
from tacit.models import to_json
from tacit.models.document import canonical, digest
from tacit.verify import read_written, sign_model, signature_fault, signature_place, signatures

pytest.importorskip("cryptography")


def pem(key, password=None):
    """Return a private and a public key as PEM."""
    from cryptography.hazmat.primitives import serialization as forms

    hidden = forms.BestAvailableEncryption(password) if password else forms.NoEncryption()
    private = key.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.PKCS8, hidden)
    return private, key.public_key().public_bytes(forms.Encoding.PEM, forms.PublicFormat.SubjectPublicKeyInfo)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, models):
    """Models, keys of each kind, and a signature."""
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519

    folder = tmp_path_factory.mktemp("signed")
    for name, kind in (("model", "learned schema"), ("other", "persons")):
        text = to_json(models[kind], allow=models[kind].guarantee.status)
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    keys = {
        "mine": (ed25519.Ed25519PrivateKey.generate(), None),
        "its": (ed25519.Ed25519PrivateKey.generate(), None),
        "curve": (ec.generate_private_key(ec.SECP256R1()), None),
        "hidden": (ed25519.Ed25519PrivateKey.generate(), b"correct horse"),
    }
    for name, (key, password) in keys.items():
        private, public = pem(key, password)
        (folder / f"{name}.pem").write_bytes(private)
        (folder / f"{name}.public.pem").write_bytes(public)
    sign_model(folder / "model.json", folder / "mine.pem")
    return folder


def fault(folder, model="model", signature="model", signer="mine"):
    signed = folder / f"{signature}.json.sig"
    return signature_fault(read_written(folder / f"{model}.json"), signed, folder / f"{signer}.public.pem")


def test_a_signature_is_of_one_model_and_by_one_key(folder):
    assert fault(folder) == ""
    assert fault(folder, model="other") == "The signature is of another model."
    assert fault(folder, signer="its") == "The signature was not made by this signer."


def test_a_signature_whose_digest_was_changed_to_that_of_another_model_is_refused(folder):
    given = json.loads((folder / "model.json.sig").read_text())
    given["digest"] = json.loads((folder / "other.json").read_text())["digest"]
    (folder / "moved.json.sig").write_text(json.dumps(given))
    assert fault(folder, model="other", signature="moved") == "The signature was not made by this signer."


@pytest.mark.parametrize("text", ["AAAA", "no base64!", "", base64.b64encode(bytes(64)).decode()])
def test_a_damaged_signature_is_refused(folder, text):
    given = json.loads((folder / "model.json.sig").read_text()) | {"signature": text}
    (folder / "damaged.json.sig").write_text(json.dumps(given))
    assert fault(folder, signature="damaged") == "The signature was not made by this signer."


def test_what_is_signed_is_what_the_documentation_says(folder):
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    given = json.loads((folder / "model.json.sig").read_text())
    assert sorted(given) == ["digest", "format", "signature", "version"]
    digest = json.loads((folder / "model.json").read_text())["digest"]
    public = load_pem_public_key((folder / "mine.public.pem").read_bytes())
    public.verify(base64.b64decode(given["signature"]), f"tacit-signature 1 {digest}\n".encode())


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl")
def test_another_program_says_the_same(folder, tmp_path):
    given = json.loads((folder / "model.json.sig").read_text())
    (tmp_path / "signature").write_bytes(base64.b64decode(given["signature"]))
    asked = ["openssl", "pkeyutl", "-verify", "-pubin", "-rawin", "-in", "message", "-sigfile", "signature", "-inkey"]
    for signer, message, holds in (
        ("mine", given["digest"], True),
        ("its", given["digest"], False),
        ("mine", "x", False),
    ):
        (tmp_path / "message").write_text(f"tacit-signature 1 {message}\n")
        done = subprocess.run([*asked, folder / f"{signer}.public.pem"], cwd=tmp_path, capture_output=True)
        assert (done.returncode == 0) == holds


def test_blanks_and_order_do_not_matter_and_a_changed_model_does(folder):
    document = json.loads((folder / "model.json").read_text())
    (folder / "laid-out.json").write_text(json.dumps(dict(reversed(document.items())), indent=3))
    assert fault(folder, model="laid-out") == ""
    document["model"]["why"] = "so"
    (folder / "altered.json").write_text(json.dumps(document))
    with pytest.raises(ModelFileError, match="altered file"):
        sign_model(folder / "altered.json", folder / "mine.pem")
    assert not signature_place(folder / "altered.json").exists()


@pytest.mark.parametrize(
    ("key", "password", "said"),
    [
        ("curve.pem", None, "Expected an Ed25519 private key"),
        ("mine.public.pem", None, "Expected an Ed25519 private key"),
        ("model.json", None, "Expected an Ed25519 private key"),
        ("none.pem", None, "got no readable file"),
        ("hidden.pem", None, "Expected a password for the encrypted key"),
        ("hidden.pem", "wrong", "Expected the password of the key"),
    ],
)
def test_a_key_that_does_not_serve_is_refused_and_nothing_is_written(folder, tmp_path, key, password, said):
    with pytest.raises(ParameterError, match=said):
        sign_model(folder / "model.json", folder / key, out=tmp_path / "out.sig", password=password)
    assert list(tmp_path.iterdir()) == []


def test_an_encrypted_key_signs_with_its_password(folder, tmp_path):
    place = sign_model(folder / "model.json", folder / "hidden.pem", out=tmp_path / "out", password="correct horse")
    assert signature_fault(read_written(folder / "model.json"), place, folder / "hidden.public.pem") == ""


@pytest.mark.parametrize("signer", ["curve.public.pem", "mine.pem", "model.json", "none.pem"])
def test_a_signer_that_is_none_is_refused(folder, signer):
    with pytest.raises(ParameterError, match=r"Expected a(n Ed25519 public)? key"):
        signature_fault(read_written(folder / "model.json"), folder / "model.json.sig", folder / signer)


def test_no_signature_another_file_and_a_certificate_alone_are_one_error(folder, tmp_path):
    with pytest.raises(ModelFileError, match="got none"):
        fault(folder, signature="unsigned")
    with pytest.raises(ModelFileError, match="got another file"):
        signature_fault(read_written(folder / "model.json"), folder / "model.json", folder / "mine.public.pem")
    certificate = json.loads((folder / "model.json").read_text())["model"]["guarantee"]
    (tmp_path / "certificate.json").write_text(json.dumps(certificate))
    with pytest.raises(ModelFileError, match="alone"):
        sign_model(tmp_path / "certificate.json", folder / "mine.pem")


def command(*arguments, password=None):
    done = CliRunner().invoke(app, [str(each) for each in arguments], env={"TACIT_KEY_PASSWORD": password})
    return done.exit_code, done.stdout, done.stderr


def test_the_command_signs_and_verifies(folder, tmp_path):
    model, public = tmp_path / "model.json", folder / "hidden.public.pem"
    model.write_bytes((folder / "model.json").read_bytes())
    code, _, said = command("verify", model, "--signer", public)
    assert code == 1 and "got none" in said
    code, said, _ = command("sign", model, "--key", folder / "hidden.pem", password="correct horse")
    assert code == 0 and "model.json.sig" in said
    assert "Signed with the private key" in command("verify", model, "--signer", public)[1]
    assert json.loads(command("verify", model, "--signer", public, "--json")[1])["signed"] is True
    code, said, _ = command("verify", model, "--signer", folder / "its.public.pem", "--json")
    assert code == 1 and json.loads(said)["signed"] is False
    code, said, _ = command("verify", model, "--signer", folder / "its.public.pem")
    assert code == 1 and "No: The signature was not made by this signer." in said
    code, _, said = command("sign", model, "--key", folder / "hidden.pem", "--force")
    assert code == 1 and "TACIT_KEY_PASSWORD" in said
    assert command("verify", model, "--signature", model)[0] == 1


def test_without_the_extra_there_is_one_message(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives", None)
    with pytest.raises(MissingExtra, match=r"tacit\[sign\]"):
        sign_model(folder / "model.json", folder / "mine.pem")
    assert signatures.SUFFIX == ".sig"


def evidence(folder, out, *more):
    done = CliRunner().invoke(app, ["evidence", str(folder / "model.json"), "--for", "nist", "--out", str(out), *more])
    return done, (out / "nist.md").read_text() if out.exists() else ""


def test_evidence_says_that_a_model_is_signed_by_a_key_and_which(folder, tmp_path):
    public = folder / "mine.public.pem"
    done, page = evidence(folder, tmp_path / "signed", "--signer", str(public))
    assert done.exit_code == 0, done.output
    # What the page on signatures tells people to compute: the DER form is what PEM has in base64.
    der = base64.b64decode("".join(public.read_text().splitlines()[1:-1]))
    assert "Signed: model.json.sig is of this model and by the key to mine.public.pem." in page
    assert hashlib.sha256(der).hexdigest() in page
    done, page = evidence(folder, tmp_path / "unchecked")
    assert "A signature is in model.json.sig, and no key was named to check it." in page and "Signed" not in page
    alone = tmp_path / "alone"
    alone.mkdir()
    shutil.copy(folder / "model.json", alone)
    assert "No signature was checked." in evidence(alone, tmp_path / "unsigned")[1]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--signer", "its.public.pem"], "not made by this signer"), (["--signer", "curve.public.pem"], "Ed25519"),
        (["--signature", "model.json.sig"], "--signer"), (["--signer", "none.pem"], "no readable file"),
        (["--signer", "mine.public.pem", "--signature", "none.sig"], "got none"),
    ],
)  # fmt: skip
def test_evidence_with_another_signature_is_not_written(folder, tmp_path, more, words):
    given = [each if each.startswith("--") else str(folder / each) for each in more]
    done, page = evidence(folder, tmp_path / "out", *given)
    assert done.exit_code == 1 and words in done.stderr and not page
    assert len(done.stderr.strip().splitlines()) == 1


def test_evidence_of_a_model_that_was_changed_after_it_was_signed_is_not_written(folder, tmp_path):
    changed = json.loads((folder / "model.json").read_text())
    changed["model"]["on_invalid"] = {"raise": "coerce", "coerce": "raise"}[changed["model"]["on_invalid"]]
    changed["digest"] = digest(canonical(changed["model"]))
    (tmp_path / "model.json").write_text(json.dumps(changed))
    shutil.copy(folder / "model.json.sig", tmp_path)
    done, page = evidence(tmp_path, tmp_path / "out", "--signer", str(folder / "mine.public.pem"))
    assert done.exit_code == 1 and "of another model" in done.stderr and not page
