"""The data sets of Nock, Patrini and Friedman (2015): those of table 1 whose files are small, and small ones."""

from __future__ import annotations

from tacit.datasets import number_readers as readers
from tacit.datasets.files import File
from tacit.datasets.record import Record

_UCI = "https://archive.ics.uci.edu/static/public"


def _one(
    name: str, folder: str, file: str, archive: str, read: readers.Reader, *, rows: int, digest: str, member: str = ""
) -> Record:
    return Record(name, (File(f"{folder}/{file}", f"{_UCI}/{archive}", member or file),), read, rows, digest)


RADO_RECORDS = (
    _one(
        "abalone",
        "abalone",
        "abalone.data",
        "1/abalone.zip",
        readers.at_least(10),
        rows=4177,
        digest="0eaab03d9d19c87c1e48c9093372dbf32c0b28c1bc13405816defd57b6d8c9d7",
    ),
    *(
        _one(
            f"wine-{color}",
            "wine-quality",
            f"winequality-{color}.csv",
            "186/wine+quality.zip",
            readers.at_least(6, separator=";", header=True),
            rows=rows,
            digest=digest,
        )
        for color, rows, digest in (
            ("white", 4898, "69a85a819ed46a6bb0a03b1e7ac7ff8d62699faf2008cbcd13c159b42daa9c6f"),
            ("red", 1599, "7ed1ef086b78d37ac95a59bc39915c1b78f1cb284dc2e6f01911da7654388fc5"),
        )
    ),
    _one(
        "magic-gamma",
        "magic-gamma",
        "magic04.data",
        "159/magic+gamma+telescope.zip",
        readers.read_plain,
        rows=19020,
        digest="afa89e3fbe18a8faf3e7c3d553def73d4a1d44d10082723c595de8d46b6b110e",
    ),
    _one(
        "eeg-eye-state",
        "eeg-eye-state",
        "EEG_Eye_State.arff",
        "264/eeg+eye+state.zip",
        readers.read_arff,
        rows=14980,
        digest="b47b7bb9c0d136070b7e654bc0f1d457f048bea6a60d256ce84df92afd6400f7",
        member="EEG Eye State.arff",
    ),
    _one(
        "blood-transfusion",
        "blood-transfusion",
        "transfusion.data",
        "176/blood+transfusion+service+center.zip",
        readers.read_below_header,
        rows=748,
        digest="83f7c08d0432716273fe6fb3e5227f9b67b457e3208260ea4997d8009dc0b8f6",
    ),
    _one(
        "ionosphere",
        "ionosphere",
        "ionosphere.data",
        "52/ionosphere.zip",
        readers.read_plain,
        rows=351,
        digest="f0fa42edd5a25756c92534eeb00a7dfc33fa2f2d629c6efca5b6526585d50ddc",
    ),
    _one(
        "sonar",
        "sonar",
        "sonar.all-data",
        "151/connectionist+bench+sonar+mines+vs+rocks.zip",
        readers.read_plain,
        rows=208,
        digest="d4d906f0fa799787d7cd7a406b9c572ace6b1219030418033e71e9306abeb824",
    ),
    _one(
        "banknote",
        "banknote",
        "data_banknote_authentication.txt",
        "267/banknote+authentication.zip",
        readers.read_plain,
        rows=1372,
        digest="c32eeb99eee92c5a8e08fdaeef65daf0d1260414775bcdeb5eabc7641327fc7e",
    ),
    _one(
        "fertility",
        "fertility",
        "fertility_Diagnosis.csv",
        "244/fertility.zip",
        # The archive's file has no header; the copy in the data folder has one, and both are read.
        readers.read_below_header_if_any,
        rows=100,
        digest="515c99916f613ebfc1910172dc1c803cdd0e496779d4445f347203d222f3edaf",
        member="fertility_Diagnosis.txt",
    ),
    _one(
        "haberman",
        "haberman",
        "haberman.data",
        "43/haberman+s+survival.zip",
        readers.read_plain,
        rows=306,
        digest="e783c6c8aa8fd3d7f8cf289da15014267ca8739e5d33eeb03d0d13d9edb4f4c3",
    ),
    _one(
        "german-credit",
        "german-credit",
        "german.data",
        "144/statlog+german+credit+data.zip",
        readers.read_blanks,
        rows=1000,
        digest="ae1fdc0b47b947f3a68e6a7286d73bc9a101c812a26d91194467b6b0e7d9951e",
    ),
    _one(
        "breast-cancer-wisconsin",
        "breast-cancer-wisconsin",
        "breast-cancer-wisconsin.data",
        "15/breast+cancer+wisconsin+original.zip",
        readers.read_after_number,
        rows=699,
        digest="4815287bd93b8c40c36d064696fdb5ccba87a0a5fd6cd515f363d27c938dd5b9",
    ),
)
