#!/usr/bin/env bash
# pyspark 4.3.0, DataFrame.mapInPandas with its defaults; pandas 3.1.1, pyarrow 26.0.1; needs Java 17 or later.
#
# Expected: a bigint column that a function passes on has the numbers that it had, or the job ends with an error; of a
# function that reads one column, other columns of the frame change nothing.
# Seen: in a frame of numbers alone, a batch with a null has doubles, and an identifier of 2**53 + 5 beside the null comes
# back as another one, also under spark.sql.execution.pandas.convertToArrowArraySafely. In a batch without a null it is
# exact. With one text column more in the frame it is exact everywhere: pyspark.sql.conversion converts a struct in one of
# two ways, by whether all its types are on a list; texts and decimals are not, and the other way keeps whole numbers.
# So which people are joined to others' predictions depends on where a batch ends and on what else the frame has.
# spark.sql.execution.pythonUDF.pandas.preferIntExtensionDtype mends it for some numbers alone: where the largest of a batch
# is even, odd ones are rounded all the same, by pandas.
set -euo pipefail
cd "$(mktemp -d)"
python3 -m venv venv
venv/bin/python -m pip install --quiet --disable-pip-version-check pyspark==4.3.0 pandas==3.1.1 pyarrow==26.0.1 numpy==2.4.6
cat > pass_on.py <<'PY'
from pyspark.sql import SparkSession

SAFELY = "spark.sql.execution.pandas.convertToArrowArraySafely"
EXTENSION = "spark.sql.execution.pythonUDF.pandas.preferIntExtensionDtype"
FIRST = 2**53 + 1
settings = {"spark.ui.enabled": "false", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
builder = SparkSession.builder.master("local[1]").config("spark.sql.execution.arrow.maxRecordsPerBatch", "2")
for name, value in settings.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
ODD, EVEN = [0, 2, 4, None], [0, 2, 5, None]


def passed_on(numbers, *columns):
    """Return the identifiers less the first one, as a function that changes nothing passes them on."""
    persons = [(None if number is None else FIRST + number,) for number in numbers]
    frame = spark.createDataFrame(persons, "person bigint").coalesce(1)
    frame = frame.selectExpr("person", *columns)
    found = frame.mapInPandas(lambda batches: (batch[["person"]] for batch in batches), "person bigint").collect()
    return [None if row.person is None else row.person - FIRST for row in found]


numbers, text = passed_on(ODD, "1 as age"), passed_on(ODD, "1 as age", "'a' as sky")
spark.conf.set(SAFELY, "true")
safely = passed_on(ODD, "1 as age")
spark.conf.set(EXTENSION, "true")
spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "4")
odd, even = passed_on(ODD, "1 as age"), passed_on(EVEN, "1 as age")
print("a frame of numbers:", numbers, "converted safely:", safely, "with a text column:", text)
print("extension types, largest odd:", odd, "largest even:", even)
assert numbers == safely == [0, 2, 3, None], "identifiers beside a null are exact, or refused"
assert text == odd == ODD
assert even == [-1, 3, 5, None], "extension types are exact"
PY
PYSPARK_PYTHON="$PWD/venv/bin/python" venv/bin/python -W ignore pass_on.py 2> errors.txt || { tail -20 errors.txt; exit 1; }
