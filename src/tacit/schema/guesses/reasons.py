"""Why a column is guessed as it is, or left out, and what to do about it: fixed texts without a cell."""

from __future__ import annotations

from tacit.schema.guesses.persons import MAX_LISTED

IDENTIFIER = "looks like an identifier, which names single people"
PERSONS = "values come back in several rows, as those of an identifier of persons do"
"""Why a column may say which rows are of one person."""
CODES_OR_PERSONS = "values come back in several rows, as those of an identifier of persons do, or codes"
"""The same, of a column whose name says nothing."""
LACKING_PERSONS = "values come back in several rows, as those of an identifier of persons do, but some rows lack one"
BROKEN_PERSONS = "values come back in several rows, as those of an identifier of persons do, but are no whole numbers"
CONTACTS = "e-mails, telephone numbers or addresses are in it, which lead to single people"
PEOPLE = "looks like names of people"
PROSE = "texts in people's own words, which may tell of single people"
FREE = (
    f"text of more than {MAX_LISTED} different values, few of which come back, as notes, names and identifiers do: "
    "there is nothing to learn from, and it may name people"
)
CODES = f"codes or names of more than {MAX_LISTED} different values"
BUCKETED = (
    f"codes or names of more than {MAX_LISTED} different values, many in several rows: a public hash puts each into "
    "one of these buckets, and none is listed"
)
CHAPTERS = (
    f"codes of more than {MAX_LISTED} different values, which begin with the letter of a chapter as those of ICD-10 "
    "and ATC do: the letters A to Z are listed, in the case that codes have, whether or not they occur, and no code"
)
TIME = "moments in time, which no column describes"
DAYS = "dates, with whole years as bounds"
ONE_DAY = "dates, of one day in every row, which says nothing of the label"
WRITTEN_DAYS = "dates, written in one form, with whole years as bounds"
FORMS_OF_DAYS = "dates, written in several forms, each of which reads as one day, with whole years as bounds"
AMBIGUOUS_DAYS = "dates of which the first number may be the day or the month"
SHORT_YEARS = "dates whose years have two digits, which do not say the century"
OTHER_DATES = "dates in forms of which one may be read in two ways, or by no column"
AMBIGUOUS = "numbers in which a mark may be of decimals or of thousands, as in 1.250 or 1,250"
UNITS = "numbers with different units or signs next to them, or with such as >3"
SPELLED = "numbers written as text"
MIXED = "values of mixed types, or of a type that no column describes"
EMPTY = "no value in any row"
CONSTANT = "one value in every row, which says nothing of the label"

NUMBERS = "numbers of many different values"
WITH_CODES = "numbers, but for cells that look like codes for a missing one"
UP_TO_NINE = "whole numbers up to 9, the last of which may be codes for no answer: numbers alone do not say which"
TRUTHS = "the numbers 0 and 1 alone, taken for no and yes"
NAMED_CODES = "few different whole numbers under a name of codes: their order was taken to mean nothing"
FEW_NUMBERS = "few different whole numbers, each in many rows, taken for codes whose order means nothing"
WRITTEN = "numbers, written in one way"
WRITTEN_WITH_CODES = "numbers, written in one way, but for cells that look like codes for a missing one"
SYNONYMS = f"at most {MAX_LISTED} different values, some of which are written in several ways"
LEVELS = "the values that its type lists, which may come from the rows"
DECLARED = "declared in the file: the values that the column's type lists"
FEW = f"at most {MAX_LISTED} different values"

CLASSES = "the column to predict"
TWO_CLASSES = "two numbers alone, so classes to predict"
CODES_TO_PREDICT = "few different whole numbers, each in many rows or under a name of codes, so classes to predict"
FEW_TO_PREDICT = "few different whole numbers that come back, taken for classes to predict"
FRACTIONS = "numbers with fractions, so a number to predict and no class"
MANY_TO_PREDICT = "whole numbers of many different values, taken for a number to predict"
"""Why the column to predict holds classes, or numbers."""

FROM_LABELS = "from the dictionary: values that are declared in the file"
OPEN_BOUNDS = "from the dictionary, which has no bounds"
FROM_NAME = "from the dictionary: its name is that of an identifier, which names single people"
UNLISTED_TEXTS = "from the dictionary, which lists no values of these texts"
"""Reasons of a draft of which no row was read."""

_LISTING = (
    "a [[column]] with buckets = 256, which lists none of them. Or list those that are possible, or prefixes from "
    'their documentation with match = "prefix", and write other = true for the rest.'
)
_AS_NUMBER = "To predict the number itself, write [target] in place of [label], with low and high in place of classes."
WAYS = {
    CODES_TO_PREDICT: _AS_NUMBER,
    FEW_TO_PREDICT: _AS_NUMBER,
    MANY_TO_PREDICT: "If each is a class of its own, write [label] in place of [target], and classes = [...] for low "
    "and high. Else write bounds that are known without the table.",
    FROM_LABELS: "Check that the list is of what is possible, and not of what was found.",
    OPEN_BOUNDS: "Write low and high from what the column means, or release them: tacit schema learn --schema.",
    UNLISTED_TEXTS: f"If they are codes, write {_LISTING}",
    CODES_OR_PERSONS: f"If they are codes, write {_LISTING}",
    CODES: f"Write {_LISTING}",
    CHAPTERS: "Where finer groups matter, add their beginnings from the code book, such as I21 as well as I.",
    LACKING_PERSONS: "Give each row its person's, and name the column under [identifier].",
    BROKEN_PERSONS: "Read the column as text or whole numbers, and name it under [identifier].",
    TIME: "Write the day alone in the table, as 2020-12-31: then it is a column of dates.",
    FORMS_OF_DAYS: "Check the formats in dates, and write bounds that are known without the table.",
    WRITTEN_DAYS: "Check the format in dates, and write bounds that are known without the table.",
    AMBIGUOUS_DAYS: 'Write a [[column]] with dates = "%d/%m/%Y" or dates = "%m/%d/%Y", and dates as low and high.',
    SHORT_YEARS: 'Write a [[column]] with dates = "%d.%m.%y" or similar, and bounds that say which years are meant.',
    OTHER_DATES: 'Write a [[column]] with the forms that cells have, as dates = "%d.%m.%Y or %Y-%m-%d", and dates as '
    "low and high. Or write cells as 2020-12-31 in the table.",
    AMBIGUOUS: 'Write a [[column]] with low and high, and decimal = "," or thousands = ",", or the same with ".".',
    UNITS: "Write all in one unit in the table: then it is numeric, with signs that name the unit.",
    WRITTEN: "Check how numbers are written, and write bounds that are known without the table.",
    WRITTEN_WITH_CODES: "Check missing_codes and how numbers are written.",
    SYNONYMS: "Check that what is replaced means the same, and list what is possible.",
    LEVELS: "List what is possible: libraries make such types of the values that rows have.",
    SPELLED: "Make the column one of numbers.",
    MIXED: "Make them all text or all numbers.",
    CONSTANT: "If other values are possible, write a [[column]] that says which.",
    UP_TO_NINE: 'If the scale ends at 6, write high = 6, missing_codes = [7, 8, 9] and missing = "indicator".',
    WITH_CODES: "Check missing_codes.",
}
"""What to do about a reason, where there is more to say than of any entry of its kind. A reason is published with the
schema, so it holds no advice; drafts and reviews show the two beside each other."""
