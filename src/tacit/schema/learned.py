"""What of a schema was released from rows, with noise, and the certificate of that release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from tacit.errors import SchemaError, shown
from tacit.schema._checks import as_tuple, checked_name

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST_CERTIFICATE = 2**21
"""Characters: half of a schema file."""


@dataclass(frozen=True)
class LearnedEntries:
    """The entries of a schema that ``tacit.learn_schema`` released, and the certificate of what that cost.

    Parameters
    ----------
    entries : sequence of str
        Names of columns, or of the label, as they were learned: an entry that a person has rewritten is not listed.
    certificate : str
        JSON of a ``Guarantee``. It is kept however few entries are left, as the rows were asked.

    Raises
    ------
    SchemaError
        If a field has another type.

    Notes
    -----
    Privacy: a certificate that rests on such a schema adds this one's epsilon and delta to its own.

    Examples
    --------
    >>> LearnedEntries(["age"], "{}").entries
    ('age',)
    """

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    entries: tuple[str, ...]
    certificate: str

    if TYPE_CHECKING:

        def __init__(self, entries: Sequence[str], certificate: str) -> None: ...

    def __post_init__(self) -> None:
        listed = as_tuple(self.entries, "entries", "learned")
        object.__setattr__(self, "entries", tuple(checked_name(name, "a learned entry") for name in listed))
        given: object = self.certificate
        if not isinstance(given, str) or len(given) > LONGEST_CERTIFICATE:
            raise SchemaError(
                f"Expected the certificate of what learning the schema cost, got {shown(given)}. Learn it again."
            )
