"""What a column's name suggests, in the languages in which tables are written."""

import pytest

from tacit.schema.guesses.names import Name

PERSONS = ("tc_kimlik", "IMEI", "Aktenzeichen",
    "person_id", "id_student", "IDPERS", "hhid", "HHNR", "pnr", "personnummer", "NIF", "DNI", "codice_fiscale",
    "\u60a3\u8005ID", "\u0418\u0414\u041f\u0430\u0446\u0438\u0435\u043d\u0442\u0430",
    "\u0418\u0414_\u043a\u043b\u0438\u0435\u043d\u0442\u0430", "kundennr", "Patientennr", "Matrikelnummer", "USUBJID",
    "custno", "member#", "num\u00e9ro_patient", "code_client", "codigo_cliente", "numer_pacjenta", "klantnummer",
    "elevnr", "MRN", "social security number", "NHS.number", "customerId", "\u5b66\u53f7", "kimlik_no", "client_no",
    "Versichertennummer", "hh_num", "id_individu", "respondent no.", "patientNbr",
)  # fmt: skip
RECORDS = ("claim_ref", "num_secu", "nro_historia", "Vorgangsnr",
    "CASEID", "SRCID", "Fallnummer", "numero_dossier", "n\u00b0 dossier", "RecordNo", "encounter_id", "lfd_nr",
    "Row ID", "case number", "account_number", "n\u00ba_expediente", "dossiernummer", "no de dossier", "claim key",
)  # fmt: skip
OTHERS = (
    "PIDENT",
    "seqn",
    "id",
    "uuid",
    "OBJECTID",
    "nr",
    "ID_2",
    "PUMFID",
    "fno_id",
    "k\u0131ml\u0131k id",
    "Zeichennr",
)
THINGS = ("product_id", "zip_code", "Hausnummer", "admission_type_id", "client_type_id", "store_key", "week_number")
INNOCENT = (
    "number_of_visits", "idle", "kid", "width", "valid", "period", "node", "code", "num_hijos", "nombre_enfants",
    "n_visits", "no_of_children", "identity", "ideal", "rapid", "acid", "fluid", "arbetstid", "gezondheid", "covid",
    "android", "president", "accident", "age_patient", "sexe_patient", "patient_weight", "num_patients", "piano",
    "total_customers", "household_size", "family_income", "user_rating", "casino", "key_skills", "minimum", "turkey",
    "platinum", "monkey", "barcode", "case_mix_index", "body_mass_index", "humidity", "idiom", "codeine", "noon",
    "member_since", "study_hours", "personality", "caste", "fall", "Postleitzahl",
    "Vorgang", "pref", "price_index", "reference_price", "x0", "",
)  # fmt: skip


@pytest.mark.parametrize(
    ("names", "numbers"),
    [(PERSONS, "person"), (RECORDS, "record"), (OTHERS, "unknown"), (THINGS, "thing"), (INNOCENT, None)],
)
def test_what_is_numbered(names, numbers):
    assert {name: Name.of(name).numbers for name in names} == dict.fromkeys(names, numbers)


def test_persons_alone_are_named_in_the_singular():
    names = ("Patient", "pupil", "household", "patients", "patient age")
    assert [name for name in names if Name.of(name).is_person] == ["Patient", "pupil", "household"]


def test_names_and_addresses_of_people_and_names_of_things():
    personal = ("surname", "last_name", "Nachname", "e-mail", "EMail", "pr\u00e9nom", "Telefonnummer", "home address")
    assert all(Name.of(name).is_personal for name in personal)
    assert not any(Name.of(name).is_personal for name in ("phonetics", "addressee count", "main", "streetwise"))
    names = ("Name", "patient_name", "school_name", "rename")
    assert [name for name in names if Name.of(name).is_name] == ["Name", "patient_name"]


def test_counts_and_codes_of_few_values():
    counts = ("number_of_visits", "age", "episode_number", "nb_enfants", "household size", "anzahl")
    assert all(Name.of(name).is_count for name in counts)
    codes = ("admission_type_id", "region", "Schulform_kod", "status", "bed_nr")
    assert all(Name.of(name).is_code and not Name.of(name).is_count for name in codes)
    long = ("icd10", "ICD_code_2", "hauptdiagnose", "zip", "diag_1", "PLZ", "main diagnosis")
    assert all(Name.of(name).is_long_code for name in long)
    assert not any(Name.of(name).is_long_code for name in ("patient_code", "patient", "encoder", "zipper"))
