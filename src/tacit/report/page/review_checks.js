"use strict";
// What the fields of an entry must not contradict, as the schema has it. `get` returns a field, `box` where it is typed.
// Nothing that a schema admits is refused; how texts are read as numbers and dates is left to `tacit schema check`.

const isDate = ([, word]) => DATE.test(word);
const size = ([, word]) => (DATE.test(word) ? Date.parse(word) : Number(word));
const isWord = (value) => sort(value) === "text" && !isDate(value);

const refuse = (holds, message, box) => { if (holds) throw new Refused(message, box); };

function checkNumeric(get, box) {
  const [low, high] = [get("low"), get("high")];
  refuse(isDate(low) !== isDate(high), "Write both bounds as numbers, or both as dates.", box("high"));
  refuse(!(size(low) < size(high)) || !Number.isFinite(size(high) - size(low)), "Write a low below high.", box("high"));
  const isWithin = (value) => isDate(value) === isDate(low) && size(value) >= size(low) && size(value) <= size(high);
  for (const [name, what] of [["missing", "A missing cell must count as a value"], ["center", "The center must be"], ["below_counts", "A cell below a limit must count as a value"]]) {
    refuse(get(name) && !isWord(get(name)) && !isWithin(get(name)), `${what} within the bounds.`, box(name));
  }
  const steps = [low, ...(get("cuts")?.list || []), high];
  refuse(steps.some((each, at) => at && !(isDate(each) === isDate(low) && size(steps[at - 1]) < size(each))), "Write cut points that increase, between the bounds.", box("cuts"));
  refuse(get("missing_codes") && !get("missing"), "Say what cells with these codes count as.", box("missing"));
  const codes = get("missing_codes")?.list || [];
  refuse(codes.length > 100 || new Set(codes.map((each) => each[0])).size < codes.length, "Write at most 100 codes, each once.", box("missing_codes"));
  refuse(get("scale")?.[1] === "log" && isDate(low), "Dates have no logarithmic scale: untick it.", box("log"));
  refuse(get("whole") && isDate(low), "Days are whole anyway: untick it.", box("whole"));
  refuse(get("whole") && ![low, high].every((each) => Number.isInteger(size(each))), "Write whole bounds, or untick that numbers are whole.", box("low"));
  checkNotation(get, box);
}

function checkNotation(get, box) {
  const isOfDates = isDate(get("low")) || get("date_part") || get("dates");
  refuse((get("decimal")?.[1] || ".") === get("thousands")?.[1], "Marks of decimals and of thousands must differ.", box("thousands"));
  refuse(get("below_counts") && !get("below"), "Say the mark of a limit, or empty this.", box("below_counts"));
  refuse(get("date_part") && isDate(get("low")), "A part of a date has numbers as bounds, such as 1 and 12.", box("low"));
  refuse(get("dates") && !get("date_part") && !isDate(get("low")), "Dates have dates as bounds, such as 2020-12-31; or choose a part of the date.", box("low"));
  for (const name of ["decimal", "thousands", "signs", "negatives", "below"]) {
    refuse(isOfDates && get(name), "This is of numbers only, and the cells are dates: leave it out.", box(name));
  }
  checkPairs(get, box);
}

function checkPairs(get, box) {
  const pairs = get("replace")?.pairs || [];
  const keys = new Set(pairs.map(([key]) => key));
  refuse(keys.size < pairs.length || keys.has(""), "Write each text once.", box("replace"));
  refuse(pairs.some(([, by]) => keys.has(by[1])), "A text that is put in a place is replaced itself: write what each is read as in the end.", box("replace"));
  return pairs;
}

const nameOfValue = ([, word]) => word;

function checkReplaced(get, box, values, { prefixes = false, missing = false } = {}) {
  const pairs = checkPairs(get, box);
  const names = new Set(values.map(nameOfValue));
  const isNumbers = values.length > 0 && sort(values[0]) === "number";
  const isListed = (word) => !values.length || names.has(word) || (isNumbers && values.some((each) => number(word) && Number(each[1]) === Number(word)))
    || (missing && !word) || (prefixes && values.some((each) => word.startsWith(each[1])));
  refuse(pairs.some(([key]) => names.has(key)), "A value that is listed is not replaced: untick it, or leave this out.", box("replace"));
  refuse(pairs.some(([, by]) => !isListed(by[1])), "Texts are read as values that are listed: add them.", box("replace"));
}

const STANDS_ALONE = [["other", "untick that what is not listed counts"], ["missing", "let an empty cell be refused"], ["prefix", "untick the beginnings of cells"], ["center", "say no typical category"]];

// Buckets take any text, so that no list is published beside them.
function checkBuckets(get, box) {
  const size = Number(get("buckets")[1]);
  refuse(!(size >= 2 && size <= 65534), "Write a whole number of buckets from 2 to 65534, or none.", box("buckets"));
  refuse(get("categories"), "A column has a list or buckets, not both. Empty Buckets for the list; or untick all that is listed, and empty Add, for buckets.", box("buckets"));
  for (const [name, what] of STANDS_ALONE) {
    refuse(get(name === "prefix" ? "match" : name), `Buckets have a place for every text and for empty cells: ${what}, or empty Buckets.`, box(name));
  }
  checkReplaced(get, box, []);
}

function checkCategorical(get, box) {
  const salt = get("salt")?.[1] || "";
  refuse([...salt].length > 1000, "Write a salt of at most 1,000 characters.", box("salt"));
  if (get("buckets")) { checkBuckets(get, box); return; }
  refuse(!get("categories"), "List at least one value, or write a number of buckets.", box("added"));
  refuse(salt, "There is a salt of buckets only: empty it.", box("salt"));
  const categories = get("categories").list;
  const isListed = (value) => categories.some((each) => each[0] === value[0]);
  refuse(get("missing") && !isListed(get("missing")) && !get("other"), "A missing cell must count as a category that is listed; or let what is not listed count as other.", box("missing"));
  refuse(get("center") && !isListed(get("center")), "The typical category must be one that is listed.", box("center"));
  const isPrefix = Boolean(get("match"));
  refuse(isPrefix && categories.some((each) => sort(each) !== "text" || !each[1] || each[1] !== each[1].trim()), "Beginnings of cells are texts without blanks around them.", box("prefix"));
  checkReplaced(get, box, categories, { prefixes: isPrefix, missing: Boolean(get("missing")) });
}

function checkLabel(get, box) {
  const classes = get("classes")?.list || [];
  refuse(classes.length < 2, "List at least two classes.", box("added"));
  refuse(classes.length > 1000 || classes.some(([, word]) => [...word].length > 1000), "List at most 1,000 classes of at most 1,000 characters.", box("added"));
  const positive = get("positive")?.list || [];
  refuse(positive.length === classes.length || positive.some((each) => !classes.some((one) => one[0] === each[0])), "The class made of several has some of the classes, but not all.", box("added"));
  const shares = (get("prevalence")?.list || []).map(size);
  refuse(shares.length && shares.length !== (positive.length ? 2 : classes.length), `Write a share for each ${positive.length ? "of the two classes, False and True" : "class"}, or none.`, box("prevalence"));
  refuse(shares.length && !(shares.every((each) => each > 0) && Math.abs(shares.reduce((sum, each) => sum + each, 0) - 1) < 1e-3), "Write shares above 0 that add to 1.", box("prevalence"));
  const missing = get("missing");
  refuse(missing && missing[1] !== "drop" && !classes.some((each) => each[0] === missing[0]), "A row without a label is left out, or counts as a class that is listed.", box("missing"));
  checkReplaced(get, box, classes, { missing: Boolean(missing) });
}

function checkTarget(get, box) {
  refuse(isDate(get("low")) || isDate(get("high")), "Write numbers as bounds of what is predicted.", box("low"));
  checkNumeric(get, box);
}

const isCount = (value) => !value || isWord(value) || (Number(value[1]) >= 1 && Number(value[1]) <= 10000);

function checkIdentifier(get, box) {
  refuse(!isCount(get("rows")), "Write mean, or a whole number from 1 to 10000.", box("rows"));
}

function checkTable(get, box) {
  refuse(!isCount(get("rows_per_person")), "Write a whole number from 1 to 10000.", box("rows_per_person"));
  refuse(get("rows_per_person") && hasIdentifier(), "A column says which rows are of one person: leave this out.", box("rows_per_person"));
}

const CHECKS = { numeric: checkNumeric, categorical: checkCategorical, label: checkLabel, target: checkTarget, identifier: checkIdentifier, table: checkTable };
