/* What makes a scheme a scheme, in the page as in Python: a collector may publish anything, so a scheme is checked as a
   whole before anything is drawn by it, and its gamma is worked out here. Served as the first part of confide.js.

   Numbers are decimals and mean what is written: a number's shortest decimal text becomes a fraction of two big integers.
   The rules, one by one, are those of confide.collect.schemes; one file of schemes, good and forged, tests both sides. */
"use strict";

const ConfideRules = (() => {
  // -- exact numbers: a fraction is [numerator, denominator], big integers, denominator above 0 ---------------------

  function fraction(number) {
    const parts = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(String(number));
    if (!parts) throw new Error(`${number} is not a decimal number`);
    const decimals = parts[3] || "";
    const power = Number(parts[4] || 0) - decimals.length;
    const digits = BigInt(parts[1] + parts[2] + decimals);
    return power >= 0 ? [digits * 10n ** BigInt(power), 1n] : [digits, 10n ** BigInt(-power)];
  }

  const add = (a, b) => [a[0] * b[1] + b[0] * a[1], a[1] * b[1]];
  const times = (a, b) => [a[0] * b[0], a[1] * b[1]];
  const over = (a, b) => times(a, [b[1], b[0]]);
  const whole = (n) => [BigInt(n), 1n];
  const less = (a, b) => a[0] * b[1] < b[0] * a[1];
  const rest = (a) => [a[1] - a[0], a[1]]; // 1 - a

  /* n/d as an ordinary number, with all the digits that one has. */
  function quotient(n, d) {
    const size = (big) => big.toString().replace("-", "").length;
    const places = size(d) - size(n) + 20;
    const found = places >= 0 ? (n * 10n ** BigInt(places)) / d : n / (d * 10n ** BigInt(-places));
    return Number(`${found}e${-places}`);
  }

  function logOf(big) {
    const text = big.toString();
    return Math.log(Number(text.slice(0, 18))) + Math.max(text.length - 18, 0) * Math.LN10;
  }

  /* ln of a fraction above 0, of any size; close to 1 as exact as elsewhere. */
  function log([n, d]) {
    if (n < 2n * d && d < 2n * n) return n === d ? 0 : Math.log1p(quotient(n - d, d));
    return logOf(n) - logOf(d);
  }

  // -- parts of a scheme ---------------------------------------------------------------------------------------------

  const MOST_VALUES = 1 << 20;
  const MOST_ROWS = 1024;
  const LARGEST = 2 ** 53; // beyond it whole numbers are not what they say
  const SMALLEST_PIVOT = 1e-12;
  const BLANK = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
  const AROUND = new RegExp(`^${BLANK}|${BLANK}$`);

  function refuse(what) {
    throw new Error(`the collector's scheme is not one to answer by: ${what}; nothing was drawn or sent`);
  }

  const isList = Array.isArray;
  const isNumber = (value) => typeof value === "number" && Math.abs(value) <= LARGEST; // false for NaN
  const isObject = (value) => typeof value === "object" && value !== null && !isList(value);
  const isLabel = (value) =>
    typeof value === "string" && value !== "" && !AROUND.test(value) && !/\p{Surrogate}/u.test(value);
  const repeats = (values) => new Set(values).size < values.length;

  function probability(name, value) {
    if (!isNumber(value) || !(value > 0 && value < 1)) refuse(`${name} must lie strictly between 0 and 1`);
  }

  /* A key given twice is read differently by different readers. In JSON, text followed by a colon is a key. */
  function parsed(text) {
    const data = JSON.parse(text);
    let written = 0;
    for (const found of text.matchAll(/"(?:[^"\\]|\\.)*"([\t\n\r ]*:)?/g)) if (found[1]) written += 1;
    const keys = (value) =>
      typeof value !== "object" || value === null
        ? 0
        : Object.values(value).reduce((sum, part) => sum + keys(part), isList(value) ? 0 : Object.keys(value).length);
    if (keys(data) !== written) refuse("a key is given twice");
    return data;
  }

  function checkField(field) {
    const known = ["name", "values", "edges"];
    if (!isObject(field) || Object.keys(field).some((key) => !known.includes(key)))
      refuse("a field has name, values and, for a number, edges; nothing else");
    const { name, values, edges = null } = field;
    if (!isList(values) || (edges !== null && !isList(edges))) refuse("values and edges of a field must be lists");
    if (!isLabel(name)) refuse("a field has no name, or one with blanks around it");
    if (values.length < 2 || values.length > MOST_VALUES) refuse("a field needs two values or more");
    if (!values.every(isLabel)) refuse("a value is not text, is empty, or has blanks around it");
    if (repeats(values)) refuse("a field lists a value twice");
    if (edges === null) return;
    if (!edges.every(isNumber)) refuse("edges must be finite numbers");
    if (edges.some((edge, i) => i > 0 && edges[i - 1] >= edge)) refuse("edges must rise");
    if (edges.length + 1 !== values.length) refuse("the edges of a field make another number of bins than its values");
  }

  function checkFields(fields) {
    if (!isList(fields)) refuse("fields must be a list");
    if (fields.length < 1 || fields.length > MOST_VALUES) refuse("no fields are declared");
    fields.forEach(checkField);
    if (repeats(fields.map((field) => field.name))) refuse("two fields have the same name");
  }

  /* Of the schemes over items: a universe, and how long a true record may be. */
  function checkBindings({ items = null, fields = null, max_length: most = null }) {
    if (items !== null && (!isList(items) || !items.every(isLabel))) refuse("items must be a list of labels");
    if (fields !== null) checkFields(fields);
    if (items === null && fields === null) refuse("it names neither items nor fields");
    if (items !== null && fields !== null) refuse("it names items and fields, which bring their own");
    const universe = items ?? fields.flatMap((field) => field.values.map((value) => `${field.name}=${value}`));
    if (universe.length === 0) refuse("it names no items");
    if (repeats(universe)) refuse("two items have the same label");
    if (most === null) return;
    if (!Number.isSafeInteger(most) || most < 1) refuse("max_length must be a whole number of 1 or more");
    if (most > universe.length) refuse("max_length is longer than the universe");
    if (fields !== null && most !== fields.length) refuse("with fields a record holds one item of each");
  }

  /* Entry [v][u] is the chance that u becomes v: each column a law, no entry 0, and what was true can be estimated. */
  function checkMatrix(rows, size) {
    if (size > MOST_ROWS) refuse(`a matrix has at most ${MOST_ROWS} rows`);
    if (!isList(rows) || rows.length !== size || rows.some((row) => !isList(row) || row.length !== size))
      refuse("a matrix does not fit its field");
    if (!rows.every((row) => row.every(isNumber))) refuse("an entry of a matrix is not a number");
    if (rows.some((row) => row.some((entry) => !(entry > 0)))) refuse("an entry of a matrix is not above 0");
    for (let u = 0; u < size; u += 1) {
      const [sum, unit] = total(rows.map((row) => fraction(row[u])));
      const off = sum > unit ? sum - unit : unit - sum;
      if (off * 10n ** 10n > unit) refuse("a column of a matrix does not add up to 1");
    }
    if (isSingular(rows, size)) refuse("a matrix cannot be inverted");
  }

  /* Their denominators are powers of ten. */
  function total(fractions) {
    const unit = fractions.reduce((most, f) => (f[1] > most ? f[1] : most), 1n);
    return [fractions.reduce((sum, f) => sum + f[0] * (unit / f[1]), 0n), unit];
  }

  /* Gauss with the largest pivot of each column: the same sums in the same order as in Python. */
  function isSingular(rows, size) {
    const a = rows.map((row) => Float64Array.from(row));
    for (let k = 0; k < size; k += 1) {
      let best = k;
      for (let i = k + 1; i < size; i += 1) if (Math.abs(a[i][k]) > Math.abs(a[best][k])) best = i;
      if (Math.abs(a[best][k]) < SMALLEST_PIVOT) return true;
      [a[k], a[best]] = [a[best], a[k]];
      for (let i = k + 1; i < size; i += 1) {
        const factor = a[i][k] / a[k][k];
        for (let j = k + 1; j < size; j += 1) a[i][j] -= factor * a[k][j];
      }
    }
    return false;
  }

  const cellsOf = (fields) => fields.reduce((product, field) => product * BigInt(field.values.length), 1n);

  // -- the schemes ---------------------------------------------------------------------------------------------------

  const BINDINGS = ["items", "fields", "max_length"];

  const exact = { add, fraction, less, log, over, rest, times, whole };
  const designs = ConfideDesigns({ ...exact, checkBindings, checkFields, isList, isNumber, isObject, refuse });

  const KINDS = {
    ...designs.kinds,
    mask: {
      required: ["p"],
      optional: BINDINGS,
      check(data) {
        probability("p", data.p);
        if (data.p === 0.5) refuse("p = 0.5 erases the data");
        checkBindings(data);
      },
      epsilon: (data) => flipEpsilon(data, data.p, data.p),
    },
    emask: {
      required: ["p", "q"],
      optional: BINDINGS,
      check(data) {
        probability("p", data.p);
        probability("q", data.q);
        const [sum, one] = add(fraction(data.p), fraction(data.q));
        if (sum === one) refuse("p + q = 1 erases the data");
        checkBindings(data);
      },
      epsilon: (data) => flipEpsilon(data, data.p, data.q),
    },
    "cut-and-paste": {
      required: ["K", "rho"],
      optional: BINDINGS,
      check(data) {
        if (!Number.isSafeInteger(data.K) || data.K < 1 || data.K > 1000) refuse("K must be a whole number from 1 to 1000");
        probability("rho", data.rho);
        checkBindings(data);
      },
      epsilon: cutEpsilon,
    },
    "gamma-diagonal": {
      required: ["fields", "gamma"],
      optional: ["alpha"],
      check({ fields, gamma, alpha = 0 }) {
        checkFields(fields);
        if (!isNumber(gamma) || !(gamma > 1)) refuse("gamma must be a number above 1");
        if (!isNumber(alpha) || !(alpha >= 0)) refuse("alpha must be a number of 0 or more");
        const most = over(whole(cellsOf(fields) - 1n), fraction(gamma));
        if (alpha > 1 || less(most, fraction(alpha))) refuse("alpha would make chances negative");
      },
      epsilon: ({ gamma }) => log(fraction(gamma)),
    },
    matrix: {
      required: ["fields", "matrices", "joint"],
      optional: [],
      check({ fields, matrices, joint }) {
        checkFields(fields);
        if (typeof joint !== "boolean") refuse("joint must be true or false");
        const sizes = joint ? [cellsOf(fields)] : fields.map((field) => BigInt(field.values.length));
        if (!isList(matrices) || matrices.length !== sizes.length) refuse("give one matrix each");
        matrices.forEach((rows, i) => checkMatrix(rows, Number(sizes[i])));
      },
      epsilon: ({ matrices }) => matrices.reduce((sum, rows) => sum + matrixEpsilon(rows), 0),
    },
  };

  /* Two records of up to L items differ in at most L of each kind, and in no more items than there are. */
  function flipEpsilon({ items, fields, max_length: most }, keepsOne, keepsZero) {
    const [p, q] = [fraction(keepsOne), fraction(keepsZero)];
    const weights = [Math.abs(log(over(p, rest(q)))), Math.abs(log(over(q, rest(p))))];
    if (fields) return fields.length * (weights[0] + weights[1]);
    const longest = most ?? items.length;
    return longest * Math.max(...weights) + Math.min(longest, items.length - longest) * Math.min(...weights);
  }

  /* Likeliest is a record within what is seen, least likely one that shares nothing with it; see the Python scheme. */
  function cutEpsilon({ K, rho, items, fields, max_length: most }) {
    const within = (m) => {
      const cut = Math.min(K, m);
      let sum = (K + 1 - cut) / (K + 1);
      for (let w = 0; w < cut; w += 1) sum += rho ** (cut - w) / (K + 1);
      return Math.log(sum) - cut * Math.log(rho);
    };
    if (fields) return within(fields.length) + Math.log(K + 1);
    const [n, longest] = [items.length, most ?? items.length];
    const apart = within(Math.min(longest, n - 1)) + Math.log(K + 1);
    return longest >= n ? Math.max(apart, within(n)) : apart;
  }

  function matrixEpsilon(rows) {
    const sums = rows.map((_, u) => quotient(...total(rows.map((row) => fraction(row[u])))));
    const worst = (row) => {
      const law = row.map((entry, u) => entry / sums[u]);
      return Math.log(Math.max(...law) / Math.min(...law));
    };
    return rows.reduce((most, row) => Math.max(most, worst(row)), 0);
  }

  /* The data of a scheme's JSON; throws unless Python would take it too. */
  function readScheme(text) {
    const data = parsed(text);
    if (!isObject(data) || data.confide !== "scheme" || data.version !== 1)
      throw new Error("this is not a scheme of version 1; fetch a newer confide.js from the collector");
    const kind = Object.hasOwn(KINDS, data.scheme) ? KINDS[data.scheme] : null;
    if (kind === null || typeof data.scheme !== "string")
      throw new Error("unknown scheme; fetch a newer confide.js from the collector");
    const given = Object.keys(data).filter((key) => !["confide", "version", "scheme"].includes(key));
    if (kind.required.some((key) => !given.includes(key))) refuse("an entry is missing");
    if (given.some((key) => ![...kind.required, ...kind.optional].includes(key))) refuse("it has an unknown entry");
    kind.check(data);
    return data;
  }

  const epsilonOf = (data) => KINDS[data.scheme].epsilon(data);

  return { add, cellsOf, designs, epsilonOf, fraction, over, readScheme, times, whole };
})();

