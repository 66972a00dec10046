/* Schemes whose devices answer one block of the fields: what makes one a scheme, its gamma, and its draws. Served in
   confide.js before rules.js, which hands in its exact numbers. The rules are those of confide.collect.designs. */
"use strict";

const ConfideDesigns = (tools) => {
  const { add, fraction, isList, isNumber, isObject, log, over, refuse, rest, times, whole } = tools;
  const MOST_CELLS = 1 << 20;
  const MOST_BLOCKS = 4096;
  const MOST_WEIGHT = 2 ** 40;
  const PRIME = 2147483647;
  const BILLION = 10n ** 9n;

  const isWhole = (value, least, most) => Number.isSafeInteger(value) && value >= least && value <= most;

  // -- rules ---------------------------------------------------------------------------------------------------------

  function checkGamma(gamma) {
    if (!isNumber(gamma) || !(gamma > 1)) refuse("gamma must be a number above 1");
  }

  function isPrime(number) {
    if (!isWhole(number, 2, PRIME)) return false;
    for (let divisor = 2; divisor * divisor <= number; divisor += 1) if (number % divisor === 0) return false;
    return true;
  }

  /* The whole number whose square is the largest up to n. */
  function rootOf(n) {
    let low = 0n;
    let high = 1n;
    while (high * high <= n) high *= 2n;
    while (high - low > 1n) {
      const middle = (low + high) / 2n;
      if (middle * middle <= n) low = middle;
      else high = middle;
    }
    return low;
  }

  /* The root of gamma in whole billionths, rounded down, as in Python. */
  const root = (gamma) => [rootOf((gamma[0] * BILLION * BILLION) / gamma[1]), BILLION];

  const unaryChances = (gamma, symmetric) => {
    if (!symmetric) return [[1n, 2n], over(whole(1), add(whole(1), gamma))];
    const r = root(gamma);
    return [over(r, add(whole(1), r)), over(whole(1), add(whole(1), r))];
  };

  const LAWS = {
    "k-ary": { entries: [], check() {} },
    unary: {
      entries: ["symmetric"],
      check(block, cells, gamma) {
        if (typeof block.symmetric !== "boolean") refuse("symmetric must be true or false");
        if (block.symmetric && root(gamma)[0] <= BILLION) refuse("gamma leaves nothing for two chances");
      },
    },
    hashing: {
      entries: ["buckets", "prime"],
      check(block, cells) {
        if (!isWhole(block.buckets, 2, MOST_CELLS)) refuse("buckets must be a whole number of 2 or more");
        if (!isPrime(block.prime) || block.prime < cells) refuse("prime must be a prime number, large enough");
      },
    },
    "subset-selection": {
      entries: ["chosen"],
      check(block, cells) {
        if (!isWhole(block.chosen, 1, cells - 1)) refuse("chosen must be 1 or more, and not all");
      },
    },
  };

  function cellsOf(fields) {
    const cells = fields.reduce((product, field) => product * field.values.length, 1);
    if (cells > MOST_CELLS) refuse("a subset of the fields has too many combinations");
    return cells;
  }

  function lawOf(law) {
    if (typeof law !== "string" || !Object.hasOwn(LAWS, law)) refuse("an answer of an unknown law");
    return LAWS[law];
  }

  /* The blocks of a scheme, each with its law, its entries and the places of its fields. */
  function blocksOf(data) {
    const everything = data.fields.map((_, i) => i);
    if (data.scheme === "unary-encoding")
      return [{ law: "unary", places: everything, weight: 1, symmetric: data.symmetric ?? false }];
    if (data.scheme === "local-hashing")
      return [{ law: "hashing", places: everything, weight: 1, buckets: data.buckets, prime: data.prime }];
    if (data.scheme === "subset-selection")
      return [{ law: "subset-selection", places: everything, weight: 1, chosen: data.chosen }];
    if (data.scheme === "basket-question") return [{ ...data, places: [], weight: 1 }];
    return data.blocks.map((block) => ({
      ...block,
      places: block.fields.map((name) => data.fields.findIndex((field) => field.name === name)),
    }));
  }

  function checkBlocks(data) {
    for (const block of blocksOf(data)) {
      const cells = cellsOf(block.places.map((i) => data.fields[i]));
      lawOf(block.law).check(block, cells, fraction(data.gamma));
    }
  }

  function checkDesign(data) {
    if (!isList(data.blocks) || data.blocks.length < 1 || data.blocks.length > MOST_BLOCKS) refuse("it has no blocks");
    const names = data.fields.map((field) => field.name);
    const asked = new Set();
    for (const block of data.blocks) {
      if (!isObject(block)) refuse("a block is not an object");
      const entries = ["fields", "law", "weight", ...lawOf(block.law).entries];
      const given = Object.keys(block);
      if (given.length !== entries.length || given.some((key) => !entries.includes(key)))
        refuse("a block has fields, law, weight, and the entries of its law");
      if (!isList(block.fields) || block.fields.length < 1) refuse("a block asks for no field");
      const places = block.fields.map((name) => (typeof name === "string" ? names.indexOf(name) : -1));
      if (places.includes(-1)) refuse("a block asks for something that is not a field");
      if (places.some((place, i) => i > 0 && places[i - 1] >= place)) refuse("the fields of a block are out of order");
      if (!isWhole(block.weight, 1, MOST_WEIGHT)) refuse("a weight must be a whole number of 1 or more");
      places.forEach((place) => asked.add(place));
    }
    if (asked.size < names.length) refuse("a field is asked for by no block");
    const skipped = data.skipped ?? null;
    if (skipped !== null && (typeof skipped !== "string" || data.fields.some((field) => !field.values.includes(skipped))))
      refuse("skipped must be a value of every field");
    checkBlocks(data);
  }

  /* ln gamma of a block, from the chances it draws by. */
  function epsilonOf(block, gamma) {
    if (block.law !== "unary") return log(gamma);
    const [p, q] = unaryChances(gamma, block.symmetric);
    return log(over(times(p, rest(q)), times(q, rest(p))));
  }

  // -- questions about baskets: one of the asked sets, drawn after padding, or how many there are -----------------------

  const MOST_PAD = 1024;
  const setsOf = (data) => data.sets ?? data.items.map((_, i) => [i]);
  const valuesOf = (data) => data.pad + (data.asks === "sample" ? setsOf(data).length : 1);

  /* The gamma of the answer's own law: whoever draws one of `pad` slots first may answer about it more truly. */
  function innerGamma(data) {
    const gamma = fraction(data.gamma);
    if (data.law !== "k-ary" || data.asks !== "sample") return gamma;
    return add(whole(1), times(whole(data.pad), add(gamma, [-1n, 1n])));
  }

  function checkBasket(data) {
    const { asks, items, law, pad, sets } = data;
    if (!isList(items)) refuse("it names no items");
    tools.checkBindings({ items });
    checkGamma(data.gamma);
    if (asks !== "sample" && asks !== "count") refuse("it asks for something unknown");
    if (law !== "k-ary" && law !== "hashing") refuse("an answer of an unknown law");
    if (!isWhole(pad, 1, MOST_PAD)) refuse("pad must be a whole number of 1 or more");
    const rising = (one) => one.every((i, k) => isWhole(i, 0, items.length - 1) && (k === 0 || one[k - 1] < i));
    if (sets !== null) {
      if (!isList(sets) || sets.length < 1) refuse("no sets are asked for");
      if (!sets.every((one) => isList(one) && one.length > 0 && rising(one))) refuse("an asked set is not in order");
      if (new Set(sets.map((one) => one.join())).size < sets.length) refuse("a set is asked for twice");
    }
    if (setsOf(data).length + pad > MOST_CELLS) refuse("it asks for too many items");
    const entries = ["buckets", "prime"].filter((key) => Object.hasOwn(data, key));
    if (entries.length !== (law === "hashing" ? 2 : 0)) refuse("it has not the entries of its law");
    lawOf(law).check(data, valuesOf(data), fraction(data.gamma));
  }

  const basket = {
    required: ["items", "sets", "gamma", "pad", "asks", "law"],
    optional: ["buckets", "prime"],
    check: checkBasket,
    epsilon: (data) => {
      const inner = innerGamma(data);
      const drawn = data.asks === "sample" && data.law === "k-ary";
      return log(drawn ? over(add(inner, whole(data.pad - 1)), whole(data.pad)) : inner);
    },
  };

  const kind = (required, optional, check) => ({
    required: ["fields", "gamma", ...required],
    optional,
    check(data) {
      tools.checkFields(data.fields);
      checkGamma(data.gamma);
      check(data);
    },
    epsilon: (data) => Math.max(...blocksOf(data).map((block) => epsilonOf(block, fraction(data.gamma)))),
  });

  const kinds = {
    "unary-encoding": kind([], ["symmetric"], (data) => {
      if (Object.hasOwn(data, "symmetric") && typeof data.symmetric !== "boolean") refuse("symmetric must be true or false");
      checkBlocks(data);
    }),
    "local-hashing": kind(["buckets", "prime"], [], checkBlocks),
    "subset-selection": kind(["chosen"], [], checkBlocks),
    "sampled-design": kind(["blocks"], ["skipped"], checkDesign),
    "basket-question": basket,
    "randomized-response": {
      required: ["fields", "gamma", "gammas"],
      optional: [],
      check({ fields, gamma, gammas }) {
        tools.checkFields(fields);
        checkGamma(gamma);
        if (!isList(gammas) || gammas.length !== fields.length) refuse("give a gamma for each field");
        gammas.forEach(checkGamma);
        const product = gammas.reduce((all, g) => times(all, fraction(g)), whole(1));
        if (tools.less(fraction(gamma), product)) refuse("the gammas of the fields multiply to more than gamma");
      },
      epsilon: ({ gammas }) => log(gammas.reduce((all, g) => times(all, fraction(g)), whole(1))),
    },
  };

  // -- draws: the combined value of a block's fields in, the numbers of an answer out --------------------------------

  function draws({ below, chance }) {
    const pick = (n) => Number(below(BigInt(n)));

    function kary(value, size, gamma) {
      if (chance(over(gamma, add(gamma, whole(size - 1))))) return value;
      const other = pick(size - 1);
      return other < value ? other : other + 1;
    }

    function unary(value, size, gamma, symmetric) {
      const [p, q] = unaryChances(gamma, symmetric);
      const found = [];
      for (let i = 0; i < size; i += 1) if (chance(i === value ? p : q)) found.push(i);
      return found;
    }

    /* a * value stays below 2^53: values are below 2^20, a below 2^31. */
    function hashed(value, gamma, { buckets, prime }) {
      const a = pick(prime - 1) + 1;
      const b = pick(prime);
      return [a, b, kary(((a * value + b) % prime) % buckets, buckets, gamma)];
    }

    function subset(value, size, gamma, chosen) {
      const weight = times(gamma, whole(chosen));
      const own = chance(over(weight, add(weight, whole(size - chosen))));
      const wanted = own ? chosen - 1 : chosen;
      const others = new Set();
      for (let top = size - 1 - wanted; top < size - 1; top += 1) {
        const drawn = pick(top + 1);
        others.add(others.has(drawn) ? top : drawn);
      }
      const found = [...others].map((other) => (other < value ? other : other + 1));
      return (own ? [...found, value] : found).sort((one, other) => one - other);
    }

    function answer(block, value, size, gamma) {
      if (block.law === "k-ary") return [kary(value, size, gamma)];
      if (block.law === "unary") return unary(value, size, gamma, block.symmetric);
      if (block.law === "hashing") return hashed(value, gamma, block);
      return subset(value, size, gamma, block.chosen);
    }

    /* One answer as it goes over the wire: the number of the question, drawn whatever the record, then its numbers. */
    function draw(codes, data) {
      if (data.scheme === "basket-question") return basketAnswer(codes, data);
      const blocks = blocksOf(data);
      let left = below(blocks.reduce((sum, block) => sum + BigInt(block.weight), 0n));
      const question = blocks.findIndex((block) => (left -= BigInt(block.weight)) < 0n);
      const block = blocks[question];
      const size = block.places.reduce((product, i) => product * data.fields[i].values.length, 1);
      const value = block.places.reduce((cell, i) => cell * data.fields[i].values.length + codes[i], 0);
      return [question, ...answer(block, value, size, fraction(data.gamma))];
    }

    /* `ones` are the positions of the basket's items. */
    function basketAnswer(ones, data) {
      const has = new Set(ones);
      const held = setsOf(data).flatMap((one, number) => (one.every((i) => has.has(i)) ? [number] : []));
      let value = Math.min(held.length, data.pad);
      if (data.asks === "sample") {
        const slot = pick(Math.max(held.length, data.pad));
        value = slot < held.length ? held[slot] : setsOf(data).length + slot;
      }
      return [0, ...answer(data, value, valuesOf(data), innerGamma(data))];
    }

    const byField = (codes, { fields, gammas }) =>
      codes.map((code, i) => kary(code, fields[i].values.length, fraction(gammas[i])));

    return { byField, draw };
  }

  function basketWords(wire, data) {
    if (data.law === "hashing") return [`group ${wire[3]} of ${data.buckets}, by a sorting drawn for you`];
    if (data.asks === "count") return [`how many apply: ${wire[1]}${wire[1] === data.pad ? " or more" : ""}`];
    const one = setsOf(data)[wire[1]];
    return [one === undefined ? "a blank" : one.map((i) => data.items[i]).join(", ")];
  }

  /* An answer in words: the fields that were asked for, and what was sent of them. */
  function words(wire, data) {
    if (data.scheme === "basket-question") return basketWords(wire, data);
    const block = blocksOf(data)[wire[0]];
    const names = block.places.map((i) => data.fields[i].name).join(", ");
    if (block.law === "hashing") return [`${names}: group ${wire[3]} of ${block.buckets}, by a sorting drawn for you`];
    return wire.slice(1).map((cell) => {
      const values = [];
      for (let rest = cell, k = block.places.length - 1; k >= 0; k -= 1) {
        const { values: known } = data.fields[block.places[k]];
        values.unshift(known[rest % known.length]);
        rest = Math.floor(rest / known.length);
      }
      return `${names}: ${values.join(", ")}`;
    });
  }

  /* What an answer names: for each combination that was sent, its [field, value]; null for an answer that is a group. */
  function pairs(wire, data) {
    if (data.scheme === "basket-question") return null;
    const block = blocksOf(data)[wire[0]];
    if (block.law === "hashing") return null;
    return wire.slice(1).map((cell) => {
      const found = [];
      for (let rest = cell, k = block.places.length - 1; k >= 0; k -= 1) {
        const { name, values } = data.fields[block.places[k]];
        found.unshift([name, values[rest % values.length]]);
        rest = Math.floor(rest / values.length);
      }
      return found;
    });
  }

  const isBlocks = (name) => name !== "randomized-response" && Object.hasOwn(kinds, name);

  return { draws, isBlocks, kinds, pairs, words };
};

