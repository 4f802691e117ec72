"""What is known of each data set beforehand: its files, their layout, and the table that must come out of them."""

from __future__ import annotations

from tacit.datasets import readers
from tacit.datasets.files import File
from tacit.datasets.large import LargeRecord
from tacit.datasets.large_records import LARGE_RECORDS
from tacit.datasets.rado_records import RADO_RECORDS
from tacit.datasets.record import Record

_UCI = "https://archive.ics.uci.edu/static/public"
_LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary"


_RECORDS = (
    Record(
        "adult",
        (
            File("adult/adult.data", f"{_UCI}/2/adult.zip", "adult.data"),
            File("adult/adult.test", f"{_UCI}/2/adult.zip", "adult.test"),
        ),
        readers.read_adult,
        n_rows=48842,
        n_train=32561,
        digest="107f7f43943bd969c8a50681703aff3347d50a99e73f47b96fe50e94cb553110",
    ),
    Record(
        "bank-marketing",
        (File("bank-marketing/bank-full.csv", f"{_UCI}/222/bank+marketing.zip", "bank-full.csv"),),
        readers.read_semicolons,
        n_rows=45211,
        digest="496f9055d5c98bb0ad7111dfd179568ea01dc3f30c09b9fc404bad092b7ec0f3",
    ),
    Record(
        "credit-default",
        # The archive there holds a spreadsheet; this is the same table as text, with numbered columns.
        (File("credit-default/UCI_Credit_Card.csv", f"{_UCI}/350/data.csv"),),
        readers.read_credit,
        n_rows=30000,
        digest="dc191dfe41626db255316ba2b5aa27ce392f81d36cfbdc119b23768838b61714",
    ),
    Record(
        "sepsis-survival",
        (
            File(
                "sepsis-survival/s41598-020-73558-3_sepsis_survival_primary_cohort.csv",
                f"{_UCI}/827/sepsis+survival+minimal+clinical+records.zip",
                "s41598-020-73558-3_sepsis_survival_primary_cohort.csv",
            ),
        ),
        readers.read_commas,
        n_rows=110204,
        digest="e199873ac70bcc0b7bb8beb3282ad3058bd983e8b46b5d1c064d78f6a60b3850",
    ),
    Record(
        "mushroom",
        (File("mushroom/agaricus-lepiota.data", f"{_UCI}/73/mushroom.zip", "agaricus-lepiota.data"),),
        readers.read_class_first,
        n_rows=8124,
        digest="cf29937e3554d29ff1d6f6747fc1a01a10e10b1357ed45696518046ed261030f",
    ),
    Record(
        "cod-rna",
        (File("cod-rna/cod-rna", f"{_LIBSVM}/cod-rna"), File("cod-rna/cod-rna.t", f"{_LIBSVM}/cod-rna.t")),
        readers.read_libsvm,
        n_rows=331152,
        n_train=59535,
        digest="4fd424af59d474818aa065056b21fba3d1b811000045b1227474f9631315139a",
    ),
    Record(
        "nursery",
        (File("nursery/nursery.data", f"{_UCI}/76/nursery.zip", "nursery.data"),),
        readers.read_class_last,
        n_rows=12960,
        digest="37d956fe117fda0ae8dab53437b1c3c51a24e20ba0f8700e0b8a8e5e35358afd",
    ),
    Record(
        "house-votes-84",
        (
            File(
                "house-votes-84/house-votes-84.data",
                f"{_UCI}/105/congressional+voting+records.zip",
                "house-votes-84.data",
            ),
        ),
        readers.read_class_first,
        n_rows=435,
        digest="0de46013887682062af02be428f7c8621addb64c76a776dc27af65e58996b4bb",
    ),
    Record(
        "spect",
        (
            File("spect/SPECT.train", f"{_UCI}/95/spect+heart.zip", "SPECT.train"),
            File("spect/SPECT.test", f"{_UCI}/95/spect+heart.zip", "SPECT.test"),
        ),
        readers.read_class_first_parts,
        n_rows=267,
        n_train=80,
        digest="667b37c100ea0341b9f416fd4335510047888345557ba19a4ac01497b087ff00",
    ),
    Record(
        "skin-segmentation",
        (File("skin-segmentation/Skin_NonSkin.txt", f"{_UCI}/229/skin+segmentation.zip", "Skin_NonSkin.txt"),),
        readers.read_tabs,
        n_rows=245057,
        digest="e6f807ee08c96d7cd658a828b502b67a978202363cb3d643e53de34793de1ff1",
    ),
    Record(
        "breast-cancer",
        (),
        readers.read_breast_cancer,
        n_rows=569,
        digest="3f75f4dd4e4469386688b798093eb33463fa18d1bdf27da490a22e267fa33225",
    ),
)

_ALL: tuple[Record | LargeRecord, ...] = (*_RECORDS, *RADO_RECORDS, *LARGE_RECORDS)

RECORDS = {record.name: record for record in _ALL}
