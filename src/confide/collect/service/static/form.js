/* The sample form: one control for each field of the scheme, or a list of items to tick. What is typed here is handed to
   confide.js and nowhere else. */
"use strict";

(() => {
  const at = (id) => document.getElementById(id);
  const client = new Confide.Client("./");
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

  // -- controls ------------------------------------------------------------------------------------------------------

  function ranges(edges) {
    const between = edges.slice(1).map((edge, i) => `above ${edges[i]} up to ${edge}`);
    return [`up to ${edges[0]}`, ...between, `above ${edges[edges.length - 1]}`].join("; ");
  }

  function control(field, i) {
    const id = `field-${i}`;
    const box = made("div", { className: "field" }, made("label", { className: "name", htmlFor: id }, field.name));
    if (field.edges) {
      box.append(made("input", { id, type: "number", step: "any", inputMode: "decimal", required: true }));
      box.append(made("p", { className: "hint" }, `Only the range counts: ${ranges(field.edges)}.`));
    } else {
      const options = field.values.map((value) => made("option", { value }, value));
      box.append(made("select", { id, required: true }, made("option", { value: "" }, "Choose…"), ...options));
    }
    return box;
  }

  function itemList(items, most) {
    const search = made("input", { id: "search", type: "search", placeholder: `Search ${items.length} items` });
    search.setAttribute("aria-label", "Search the items");
    const labels = items.map((item) => made("label", {}, made("input", { type: "checkbox", value: item }), item));
    const list = made("div", { className: "items" }, ...labels);
    const hint = made("p", { className: "hint" });
    const count = () => {
      const ticked = list.querySelectorAll("input:checked").length;
      const limit = most === null || most === undefined ? "" : ` of at most ${most}`;
      hint.textContent = `${ticked}${limit} ticked`;
      for (const box of list.querySelectorAll("input:not(:checked)")) box.disabled = limit !== "" && ticked >= most;
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
    const legend = made("legend", {}, "Which of these apply to you?");
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
    if (kept === null) {
      at("send").textContent = emptyMeant ? "None applies: draw and send" : "Draw and send";
      return;
    }
    const draws = kept.draws.length + 1;
    const same = kept.draws.every((scheme) => scheme === client.fingerprint);
    const total = same && promise ? readable(promise.epsilon * draws) : null;
    at("price").textContent =
      `A new record is draw number ${draws} about you. Anyone who compares them learns more: the gammas of all draws ` +
      (total ? `multiply, to ${total} instead of ${readable(promise.epsilon)}.` : "multiply.");
    at("send").textContent = at("fresh").checked ? "Draw a new record and send" : "Send the same record again";
    if (kept.scheme !== client.fingerprint) {
      at("kept").className = "note warn";
      at("send").textContent = "Draw a new record and send";
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
      trouble(new Error("Please answer every question."));
      missing.focus();
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
      trouble(new Error("Nothing is ticked. If none of these applies to you, press the button again."));
      return;
    }
    at("send").disabled = true;
    at("working").textContent = "Sending…";
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

  function showSent(sent) {
    const words = client.scheme.words(sent.record);
    at("state").textContent = sent.state === "stored" ? "Thank you. Your record is stored." : "This record was stored before.";
    const shown = words.slice(0, 40).map((text) => made("li", {}, text));
    if (words.length === 0) shown.push(made("li", {}, "an empty record"));
    if (words.length > 40) shown.push(made("li", {}, `and ${words.length - 40} more`));
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
      showKept();
    } catch (error) {
      trouble(error);
    }
  }

  start();
})();
