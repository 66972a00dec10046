/* Confide in the browser: perturb a record in the page, keep it, send it. No dependencies.

     const client = new Confide.Client("https://answers.example.org/");
     await client.load();                                   // the scheme, from GET scheme.json
     const sent = await client.send({age: 41, sex: "F"});   // or ["milk", "bread"] for a scheme over items

   Only the perturbed record leaves the page. It is kept in local storage before it is sent, and sent again as it is
   whenever the same person submits again: one draw, however often it travels. A fresh draw must be asked for.

   Every draw is exact. Parameters are decimals and mean what is written: a number's shortest decimal text (which is
   what the scheme file shows) becomes a fraction of two big integers, and random bits from crypto.getRandomValues
   decide against that fraction. No floating-point number decides anything. */
"use strict";

const Confide = (() => {
  const { add, cellsOf, designs, epsilonOf, fraction, over, readScheme, times, whole } = ConfideRules;

  // -- exact draws ---------------------------------------------------------------------------------------------------

  const pool = new Uint32Array(512);
  let left = 0;

  function word() {
    if (left === 0) {
      crypto.getRandomValues(pool);
      left = pool.length;
    }
    left -= 1;
    const drawn = pool[left];
    pool[left] = 0; // a used word is not left lying about
    return drawn;
  }

  /* Uniform on 0..bound-1: as many bits as bound-1 has, drawn again while they make bound or more. */
  function below(bound) {
    if (bound < 1n) throw new Error("nothing to draw from");
    const bits = bound === 1n ? 0 : (bound - 1n).toString(2).length;
    const mask = (1n << BigInt(bits)) - 1n;
    for (;;) {
      let drawn = 0n;
      for (let have = 0; have < bits; have += 32) drawn = (drawn << 32n) | BigInt(word());
      drawn &= mask;
      if (drawn < bound) return drawn;
    }
  }

  const chance = (p) => below(p[1]) < p[0];

  const drawn = designs.draws({ below, chance });

  /* One of several outcomes by its share of their sum: a column of thirds as decimals may miss 1 by a little. */
  function pick(fractions) {
    const denominator = fractions.reduce((most, f) => (f[1] > most ? f[1] : most), 1n); // all are powers of ten
    const shares = fractions.map((f) => f[0] * (denominator / f[1]));
    let drawn = below(shares.reduce((sum, share) => sum + share, 0n));
    return shares.findIndex((share) => (drawn -= share) < 0n);
  }

  // -- the schemes: positions of ones in, positions of ones out; or value codes in, value codes out -----------------

  /* Mask and Emask: a 1 stays with p, a 0 with q. */
  function flip(ones, n, p, q) {
    const held = new Set(ones);
    const found = [];
    for (let i = 0; i < n; i += 1) if (held.has(i) ? chance(p) : !chance(q)) found.push(i);
    return found;
  }

  /* Cut-and-Paste: j of 0..K, then j of the record's own items (all, if it has fewer); any other item with rho. */
  function cutAndPaste(ones, n, K, rho) {
    const rest = [...ones];
    const j = Math.min(Number(below(BigInt(K) + 1n)), rest.length);
    const pasted = new Set();
    for (let i = 0; i < j; i += 1) pasted.add(rest.splice(Number(below(BigInt(rest.length))), 1)[0]);
    const found = [];
    for (let i = 0; i < n; i += 1) if (pasted.has(i) || chance(rho)) found.push(i);
    return found;
  }

  const join = (codes, fields) =>
    codes.reduce((cell, code, i) => cell * BigInt(fields[i].values.length) + BigInt(code), 0n);

  function split(cell, fields) {
    const codes = [];
    for (let i = fields.length - 1; i >= 0; i -= 1) {
      const size = BigInt(fields[i].values.length);
      codes.unshift(Number(cell % size));
      cell /= size;
    }
    return codes;
  }

  /* Gamma-diagonal: the record stays with gamma x + r, x = 1/(gamma + n - 1); else it becomes any other, all alike.
     r is 0 for alpha = 0, else this draw's own, on a grid of 2^64 + 1 points from -alpha gamma x to alpha gamma x. */
  function gammaDiagonal(codes, fields, gamma, alpha) {
    const n = cellsOf(fields);
    let keep = over(gamma, add(gamma, whole(n - 1n)));
    if (alpha[0] > 0n) {
      const half = 1n << 63n;
      const at = [below(2n * half + 1n) - half, half];
      keep = times(keep, add(whole(1), times(alpha, at)));
    }
    if (chance(keep)) return [...codes];
    const own = join(codes, fields);
    const other = below(n - 1n);
    return split(other < own ? other : other + 1n, fields);
  }

  /* Matrix: row v, column u holds the chance that u becomes v; one matrix for whole records, or one for each field. */
  function throughMatrices(codes, fields, matrices, joint) {
    const column = (matrix, u) => matrix.map((row) => fraction(row[u]));
    if (joint) return split(BigInt(pick(column(matrices[0], Number(join(codes, fields))))), fields);
    return codes.map((code, i) => pick(column(matrices[i], code)));
  }

  // -- a scheme as it came over the wire ----------------------------------------------------------------------------

  class Scheme {
    /* `text` is the scheme's JSON as the collector publishes it; refused unless every part of it is in order. */
    constructor(text) {
      this.text = text;
      this.data = readScheme(text);
      this.kind = this.data.scheme;
      this.fields = this.data.fields ?? null;
      this.items = this.data.items ?? null;
      this.binary = ["mask", "emask", "cut-and-paste"].includes(this.kind);
      this.blocks = designs.isBlocks(this.kind);
      this.columns = this.fields
        ? this.fields.flatMap((field) => field.values.map((value) => `${field.name}=${value}`))
        : this.items;
    }

    /* ln gamma: the largest ratio of two truths' chances to give the same record. Worked out here, not asked of the
       collector. */
    get epsilon() {
      return epsilonOf(this.data);
    }

    /* Throw unless the scheme's gamma is at most `maxGamma`. */
    check(maxGamma) {
      if (!(this.epsilon <= Math.log(maxGamma) + 1e-9)) throw new WeakScheme(maxGamma);
    }

    /* The true record as positions or codes. It never leaves the page; messages name fields, not answers. */
    encode(record) {
      if (!this.fields) return this.#positions(record);
      const extra = Object.keys(record).find((name) => !this.fields.some((field) => field.name === name));
      if (extra !== undefined) throw new Error(`${extra} is not a field of this scheme`);
      const codes = this.fields.map((field) => codeOf(field, this.#answered(record[field.name])));
      if (!this.binary) return codes;
      let start = 0;
      return codes.map((code, i) => {
        start += i ? this.fields[i - 1].values.length : 0;
        return start + code;
      });
    }

    /* A question left out is answered by the value the scheme has for it, if it has one. */
    #answered(value) {
      const missing = value === undefined || value === null || String(value).trim() === "";
      return missing ? (this.data.skipped ?? value) : value;
    }

    #positions(record) {
      const positions = [...new Set(record)].map((item) => this.items.indexOf(String(item)));
      if (positions.includes(-1)) throw new Error("an item is not one of this scheme's items");
      const most = this.data.max_length;
      if (most !== null && most !== undefined && positions.length > most)
        throw new Error(`more than ${most} items; the promise of this scheme holds for at most ${most}`);
      return positions.sort((a, b) => a - b);
    }

    /* One perturbed record as it goes over the wire, by a new draw. */
    draw(record) {
      const codes = this.encode(record);
      const given = this.data;
      if (this.kind === "mask") return flip(codes, this.columns.length, fraction(given.p), fraction(given.p));
      if (this.kind === "emask") return flip(codes, this.columns.length, fraction(given.p), fraction(given.q));
      if (this.kind === "cut-and-paste")
        return cutAndPaste(codes, this.columns.length, given.K, fraction(given.rho));
      if (this.kind === "gamma-diagonal")
        return gammaDiagonal(codes, this.fields, fraction(given.gamma), fraction(given.alpha ?? 0));
      if (this.kind === "randomized-response") return drawn.byField(codes, given);
      if (this.blocks) return drawn.draw(codes, given);
      return throughMatrices(codes, this.fields, given.matrices, given.joint);
    }

    /* A wire record as combinations of [field, value], all that it names; null where an answer names none. */
    pairs(wire) {
      if (this.blocks) return designs.pairs(wire, this.data);
      const ofColumn = (i) => {
        const field = this.fields.find((one) => (i -= one.values.length) < 0);
        return [field.name, field.values[i + field.values.length]];
      };
      if (this.binary) return wire.map((i) => [ofColumn(i)]);
      return [wire.map((code, i) => [this.fields[i].name, this.fields[i].values[code]])];
    }

    /* A wire record in words: the columns that hold a 1, or "field: value". */
    words(wire) {
      if (this.binary) return wire.map((i) => this.columns[i]);
      if (this.blocks) return designs.words(wire, this.data);
      return wire.map((code, i) => `${this.fields[i].name}: ${this.fields[i].values[code]}`);
    }
  }

  const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

  /* A number goes into its bin, an edge into the bin below it; otherwise a value is looked up. */
  function codeOf(field, value) {
    const text = String(value === undefined || value === null ? "" : value).trim();
    let code = field.values.indexOf(text);
    if (code < 0 && field.edges && DECIMAL.test(text) && Number.isFinite(Number(text)))
      code = field.edges.filter((edge) => edge < Number(text)).length;
    if (code < 0) throw new Error(`${field.name}: ${text === "" ? "an answer is missing" : "not a possible answer"}`);
    return code;
  }

  // -- keeping and sending ------------------------------------------------------------------------------------------

  class Client {
    /* `url` is the collector's address, ending in a slash; `storage` keeps the one perturbed record. Nothing is drawn
       by a scheme whose gamma is above `maxGamma`. Several people at one device have a `person` each, a text of any kind. */
    constructor(url = "./", { storage, maxGamma = 1000, person = "" } = {}) {
      this.maxGamma = maxGamma;
      this.url = new URL(url, document.baseURI);
      this.storage = storage || localStorage;
      this.key = `confide kept ${this.url}${person === "" ? "" : ` person ${person}`}`;
    }

    /* Fetch the scheme and its fingerprint, which is the SHA-256 of its text. */
    async load() {
      if (!globalThis.crypto || !crypto.subtle)
        throw new Error("this page was not opened over https, so it could have been tampered with on its way");
      const answer = await fetch(new URL("scheme.json", this.url), { credentials: "omit", cache: "no-store" });
      if (!answer.ok) throw new Error(`the collector did not give its scheme (${answer.status})`);
      this.scheme = new Scheme(await answer.text());
      const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(this.scheme.text));
      this.fingerprint = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
      return this.scheme;
    }

    /* What is kept: {scheme, submission, record, draws: fingerprints of every draw so far}, or null. */
    kept() {
      const text = this.storage.getItem(this.key);
      if (text === null) return null;
      try {
        return JSON.parse(text);
      } catch {
        throw new Error("the record this browser kept is damaged; clear this site's data only if you never sent it");
      }
    }

    /* Send the kept record; draw one first if there is none. `fresh: true` draws anew, which adds to what the
       collector can learn: gammas of all draws multiply. A kept record of another scheme is not replaced unasked.
       `code` is that of a personal link, where the collector gives each person one. */
    async send(record, { fresh = false, code = "" } = {}) {
      const kept = await locked(this.key, () => this.#keep(record, fresh));
      const { scheme, submission } = kept;
      const body = padded(JSON.stringify({ scheme, submission, records: [kept.record], ...(code && { code }) }));
      const headers = { "Content-Type": "application/json" };
      const asked = { method: "POST", body, headers, credentials: "omit", referrerPolicy: "no-referrer" };
      let answer;
      try {
        answer = await fetch(new URL("records", this.url), asked);
      } catch (error) {
        throw new NotSent(`the collector does not answer (${error.message})`, "offline");
      }
      const said = await answer.json().catch(() => ({}));
      if (!answer.ok) {
        const line = said.error || `the collector refused the record (${answer.status})`;
        throw new NotSent(line, said.why || (answer.status === 503 ? "busy" : "refused"));
      }
      return { ...kept, body, state: said.state };
    }

    /* Kept before it is sent: a page that closes in between sends the same record next time. */
    #keep(record, fresh) {
      const kept = this.kept();
      if (kept && !fresh) {
        if (kept.scheme === this.fingerprint) return kept;
        throw new SchemeChanged();
      }
      this.scheme.check(this.maxGamma);
      const drawn = {
        scheme: this.fingerprint,
        submission: uuid(),
        record: this.scheme.draw(record),
        draws: [...(kept ? kept.draws : []), this.fingerprint],
      };
      this.storage.setItem(this.key, JSON.stringify(drawn));
      return drawn;
    }
  }

  class SchemeChanged extends Error {
    constructor() {
      super(
        "the collector has changed its scheme since you answered; a second answer adds to what it can learn " +
          "about you (the gammas multiply), so none was sent"
      );
    }
  }

  class WeakScheme extends Error {
    constructor(maxGamma) {
      super(`this collector's scheme protects too little: its gamma is above ${maxGamma}, so nothing was drawn or sent`);
    }
  }

  /* The record is kept and can be sent again. `why`: "offline", "busy", "refused", or what the collector says. */
  class NotSent extends Error {
    constructor(line, why) {
      super(line);
      this.why = why;
    }
  }

  /* Blanks up to the next half kilobyte: who watches the line learns nothing from the length of an answer. */
  const padded = (text) => text.padEnd(Math.ceil(text.length / 512) * 512);

  /* Two tabs must not draw two records. */
  const locked = (name, work) => (navigator.locks ? navigator.locks.request(name, async () => work()) : work());

  function uuid() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  }

  return { Client, NotSent, Scheme, SchemeChanged, WeakScheme, below, chance, fraction };
})();

globalThis.Confide = Confide;
