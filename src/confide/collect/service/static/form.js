/* The sample form: one control for each field of the scheme, or a list of items to tick. What is typed here is handed to
   confide.js and nowhere else. */
"use strict";

(() => {
  const at = (id) => document.getElementById(id);
  const words = JSON.parse(document.body.dataset.words);
  const bounds = JSON.parse(document.body.dataset.bounds);
  const people = `confide people ${new URL("./", document.baseURI)}`;
  let client = new Confide.Client("./", { person: localStorage.getItem(people) || "" });
  let promise = null;
  let emptyMeant = false; // nothing ticked may be the answer, but it takes a second click to say so

  function made(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name in element) element[name] = value;
      else element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  }

  /* A word of the form, in the owner's language, with what it is about filled in. */
  const say = (name, values = {}) => words[name].replace(/\{(\w+)\}/g, (whole, key) => String(values[key] ?? whole));

  // -- controls ------------------------------------------------------------------------------------------------------

  const isWhole = (field) => field.edges.every(Number.isInteger);

  /* The values of a field as people say them: "31 to 50", not "(30,50]"; names that the owner gave stay. */
  function spoken(field) {
    if (!field.edges) return field.values;
    const { edges, values } = field;
    const last = edges.length - 1;
    const usual = values.every((value, i) =>
      value === (i === 0 ? `<=${edges[0]}` : i > last ? `>${edges[last]}` : `(${edges[i - 1]},${edges[i]}]`)
    );
    if (!usual) return values;
    const { min, max } = bounds[field.name] ?? {};
    return values.map((_, i) => {
      if (isWhole(field)) {
        const low = i > 0 ? edges[i - 1] + 1 : Number.isInteger(min) && min <= edges[0] ? min : null;
        const high = i <= last ? edges[i] : Number.isInteger(max) && max > edges[last] ? max : null;
        if (low === null) return say("up to", { high });
        if (high === null) return say("or more", { low });
        return low === high ? String(low) : say("from to", { low, high });
      }
      if (i === 0) return say("up to", { high: edges[0] });
      return i > last ? say("above", { low: edges[last] }) : say("above up to", { low: edges[i - 1], high: edges[i] });
    });
  }

  function numeric(field, id) {
    const { min, max } = bounds[field.name] ?? {};
    const input = made("input", { id, type: "number", inputMode: isWhole(field) ? "numeric" : "decimal", required: true });
    input.step = isWhole(field) ? "1" : "any";
    if (min !== undefined && min !== null) input.min = min;
    if (max !== undefined && max !== null) input.max = max;
    return input;
  }

  function control(field, i) {
    const id = `field-${i}`;
    const maySkip = (client.scheme.data.skipped ?? null) !== null;
    const box = made("div", { className: "field" }, made("label", { className: "name", htmlFor: id }, field.name));
    if (field.edges) {
      box.append(numeric(field, id));
      box.append(made("p", { className: "hint" }, say("only the range", { ranges: spoken(field).join("; ") })));
    } else {
      const options = field.values.map((value) => made("option", { value }, value));
      box.append(made("select", { id, required: !maySkip }, made("option", { value: "" }, say("choose")), ...options));
    }
    return box;
  }

  function itemList(items, most) {
    const search = made("input", { id: "search", type: "search", placeholder: say("search", { n: items.length }) });
    search.setAttribute("aria-label", say("search", { n: items.length }));
    const labels = items.map((item) => made("label", {}, made("input", { type: "checkbox", value: item }), item));
    const list = made("div", { className: "items" }, ...labels);
    const hint = made("p", { className: "hint" });
    const count = () => {
      const ticked = list.querySelectorAll("input:checked").length;
      const limited = most !== null && most !== undefined;
      hint.textContent = say(limited ? "ticked of" : "ticked", { n: ticked, most });
      for (const box of list.querySelectorAll("input:not(:checked)")) box.disabled = limited && ticked >= most;
    };
    at("fields").addEventListener("change", () => {
      emptyMeant = false;
      count();
      showKept();
    });
    search.addEventListener("input", () => {
      const wanted = search.value.trim().toLowerCase();
      for (const label of labels) label.hidden = !label.textContent.toLowerCase().includes(wanted);
    });
    count();
    const legend = made("legend", {}, say("which"));
    return made("fieldset", { className: "field" }, legend, ...(items.length > 12 ? [search] : []), list, hint);
  }

  function build(scheme) {
    if (scheme.fields) at("fields").replaceChildren(...scheme.fields.map(control));
    else at("fields").replaceChildren(itemList(scheme.items, scheme.data.max_length));
  }

  function answers(scheme) {
    if (!scheme.fields) return [...document.querySelectorAll(".items input:checked")].map((box) => box.value);
    return Object.fromEntries(scheme.fields.map((field, i) => [field.name, at(`field-${i}`).value]));
  }

  function firstMissing(scheme) {
    if (!scheme.fields) return null;
    return scheme.fields.map((_, i) => at(`field-${i}`)).find((control) => !control.checkValidity()) || null;
  }

  // -- states --------------------------------------------------------------------------------------------------------

  /* gamma from its logarithm, rounded up: 361, 33,800, 1.1 x 10^9. */
  function readable(epsilon) {
    const power = Math.floor(epsilon / Math.LN10);
    const lead = Math.exp(epsilon - power * Math.LN10) * (1 - 1e-9); // 1 to 10, less what rounding may have added
    if (power < 6) return (Math.ceil(lead * 1000) * 10 ** power / 1000).toLocaleString("en", { maximumSignificantDigits: 4 });
    const up = Math.ceil(lead * 10) / 10;
    return up >= 10 ? `1.0 x 10^${power + 1}` : `${up.toFixed(1)} x 10^${power}`;
  }

  function showKept() {
    const kept = client.kept();
    at("kept").hidden = kept === null;
    at("fields").hidden = kept !== null && !at("fresh").checked; // a kept record is sent as it is, nothing is asked
    if (at("consent")) at("consent").hidden = at("fields").hidden;
    if (kept === null) {
      at("send").textContent = say(emptyMeant ? "send none" : "send");
      return;
    }
    const draws = kept.draws.length + 1;
    const same = kept.draws.every((scheme) => scheme === client.fingerprint);
    const total = same && promise ? readable(promise.epsilon * draws) : null;
    at("price").textContent =
      `A new record is draw number ${draws} about you. Anyone who compares them learns more: the gammas of all draws ` +
      (total ? `multiply, to ${total} instead of ${readable(promise.epsilon)}.` : "multiply.");
    at("send").textContent = say(at("fresh").checked ? "send fresh" : "send again");
    if (kept.scheme !== client.fingerprint) {
      at("kept").className = "note warn";
      at("send").textContent = say("send fresh");
      at("send").disabled = !at("fresh").checked;
      at("kept").querySelector("strong").textContent = "The questions have changed since you answered.";
      at("kept").querySelector("p").textContent =
        "Your device keeps the record it drew for the earlier scheme. A second answer adds to what can be learned about you.";
      at("anew").open = true;
    }
  }

  function trouble(error) {
    at("trouble").textContent = error.message;
    at("trouble").hidden = false;
  }

  async function submit(event) {
    event.preventDefault();
    at("trouble").hidden = true;
    at("done").hidden = true;
    const fresh = at("fresh").checked;
    const drawing = fresh || client.kept() === null;
    const missing = drawing ? firstMissing(client.scheme) : null;
    if (missing) {
      trouble(new Error(whatIsMissing(missing)));
      missing.focus();
      return;
    }
    if (drawing && at("agreed") && !at("agreed").checked) {
      trouble(new Error(say("agree first")));
      at("agreed").focus();
      return;
    }
    if (drawing && at("weak")) {
      if (!at("accept").checked) {
        trouble(new Error("This is weak protection. Please read the box above and tick it if you accept this."));
        at("accept").focus();
        return;
      }
      client.maxGamma = Infinity;
    }
    if (drawing && !client.scheme.fields && answers(client.scheme).length === 0 && !emptyMeant) {
      emptyMeant = true;
      showKept();
      trouble(new Error(say("nothing ticked")));
      return;
    }
    at("send").disabled = true;
    at("working").textContent = say("sending");
    try {
      const sent = await client.send(answers(client.scheme), { fresh });
      at("form").reset(); // the answers have done their work; the next person at this device need not see them
      at("fields").dispatchEvent(new Event("change"));
      at("fresh").checked = false;
      emptyMeant = false;
      at("anew").open = false;
      showSent(sent);
    } catch (error) {
      trouble(error);
    }
    at("working").textContent = "";
    at("send").disabled = false;
    showKept();
  }

  function inWords(record) {
    const { scheme } = client;
    if (!scheme.fields || scheme.blocks) return scheme.words(record);
    const columns = scheme.fields.flatMap((field) => spoken(field).map((value) => `${field.name}: ${value}`));
    if (scheme.binary) return record.map((i) => columns[i]);
    return record.map((code, i) => `${scheme.fields[i].name}: ${spoken(scheme.fields[i])[code]}`);
  }

  function whatIsMissing(control) {
    if (control.type !== "number" || control.validity.valueMissing) {
      if (!control.validity.badInput) return say("answer all");
    }
    const name = client.scheme.fields[Number(control.id.slice("field-".length))].name;
    const { min, max } = control;
    return say("number", { name, bounds: min !== "" && max !== "" ? say("bounds", { min, max }) : "" });
  }

  /* Another person at this device draws and keeps a record of their own. */
  async function another() {
    const next = Number(localStorage.getItem(people) || 1) + 1;
    localStorage.setItem(people, String(next));
    client = new Confide.Client("./", { person: String(next) });
    await client.load();
    at("form").reset();
    at("fresh").checked = false;
    for (const id of ["done", "trouble"]) at(id).hidden = true;
    showKept();
    at("fields").querySelector("input, select")?.focus();
  }

  async function showCount() {
    const answer = await fetch("count");
    if (!answer.ok) return;
    const { records } = await answer.json();
    at("count").textContent = records < 5 ? say("so far few") : say("so far", { n: records.toLocaleString() });
    at("count").hidden = false;
  }

  function showSent(sent) {
    const texts = inWords(sent.record);
    at("state").textContent = say(sent.state === "stored" ? "thanks" : "thanks again");
    const shown = texts.slice(0, 40).map((text) => made("li", {}, text));
    if (texts.length === 0) shown.push(made("li", {}, say("empty")));
    if (texts.length > 40) shown.push(made("li", {}, say("more", { n: texts.length - 40 })));
    at("sent").replaceChildren(...shown);
    const body = { scheme: sent.scheme, submission: sent.submission, records: [sent.record] };
    at("wire").textContent = JSON.stringify(body);
    at("done").hidden = false;
    at("done").focus();
  }

  async function start() {
    try {
      build(await client.load());
      promise = await (await fetch("promise.json")).json();
      at("send").disabled = false;
      at("fresh").addEventListener("change", showKept);
      at("form").addEventListener("submit", submit);
      at("another").addEventListener("click", () => another().catch(trouble));
      showKept();
      showCount().catch(() => {}); // a page without it is whole
    } catch (error) {
      trouble(error);
    }
  }

  start();
})();
