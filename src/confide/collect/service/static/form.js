/* The form: questions.js makes the controls, or a list of items to tick. What is typed here is handed to confide.js and
   nowhere else. After loading, nothing is asked of the network until the person sends. */
"use strict";

(() => {
  const at = (id) => document.getElementById(id);
  const settings = JSON.parse(document.body.dataset.settings);
  const { bounds, privacy, words } = settings;
  const people = `confide people ${new URL("./", document.baseURI)}`;
  const code = settings.links ? location.hash.slice(1) : ""; // of a personal link: no request shows what is behind "#"
  const person = () => (settings.links ? code : localStorage.getItem(people) || "");
  let client = new Confide.Client("./", { person: person() });
  let promise = null;
  let form = null; // the questions, for a scheme over fields
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

  const filled = (text, values) => text.replace(/\{(\w+)\}/g, (whole, key) => String(values[key] ?? whole));

  /* A word of the form, in the person's language, with what it is about filled in. */
  const say = (name, values = {}) => filled(words[name], values);

  // -- a list of items -----------------------------------------------------------------------------------------------

  function itemList(items, most) {
    const search = made("input", { id: "search", type: "search", placeholder: say("search", { n: items.length }) });
    search.setAttribute("aria-label", say("search", { n: items.length }));
    const labels = items.map((item) => made("label", {}, made("input", { type: "checkbox", value: item }), item));
    const list = made("div", { className: "items", tabIndex: 0, role: "group" }, ...labels);
    list.setAttribute("aria-label", say("which"));
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
    if (scheme.fields) {
      form = ConfideQuestions({ scheme, questions: settings.questions, bounds, say });
      form.build(at("fields"));
    } else at("fields").replaceChildren(itemList(scheme.items, scheme.data.max_length));
  }

  const answers = () =>
    form ? form.answers() : [...document.querySelectorAll(".items input:checked")].map((box) => box.value);

  // -- states --------------------------------------------------------------------------------------------------------

  /* gamma from its logarithm, rounded up: 361, 33,800, 1.1 x 10^9. */
  function readable(epsilon) {
    const power = Math.floor(epsilon / Math.LN10);
    const lead = Math.exp(epsilon - power * Math.LN10) * (1 - 1e-9); // 1 to 10, less what rounding may have added
    if (power < 6) {
      const rounded = Math.ceil(lead * 1000) * 10 ** power;
      return (rounded / 1000).toLocaleString(settings.language, { maximumSignificantDigits: 4 });
    }
    const up = Math.ceil(lead * 10) / 10;
    return up >= 10 ? `1.0 x 10^${power + 1}` : `${up.toFixed(1)} x 10^${power}`;
  }

  function showKept() {
    const kept = client.kept();
    at("kept").hidden = kept === null;
    at("fields").hidden = kept !== null && !at("fresh").checked; // a kept record is sent as it is, nothing is asked
    if (at("consent")) at("consent").hidden = at("fields").hidden;
    at("send").className = at("fields").hidden ? "quiet" : ""; // nobody has to send again
    if (kept === null) {
      at("send").textContent = say(emptyMeant ? "send none" : "send");
      return;
    }
    const draws = kept.draws.length + 1;
    const same = kept.draws.every((scheme) => scheme === client.fingerprint);
    at("price").textContent =
      same && promise
        ? filled(privacy["price in all"], {
            draws,
            total: readable(promise.epsilon * draws),
            gamma: readable(promise.epsilon),
          })
        : filled(privacy.price, { draws });
    at("send").textContent = say(at("fresh").checked ? "send fresh" : "send again");
    if (kept.scheme !== client.fingerprint) {
      at("kept").className = "note warn";
      at("send").textContent = say("send fresh");
      at("send").disabled = !at("fresh").checked;
      at("kept").querySelector("strong").textContent = privacy.changed;
      at("kept").querySelector("p").textContent = privacy["changed text"];
      at("anew").open = true;
    }
  }

  /* What went wrong, in the person's language where it is one of the usual things. */
  function inPlainWords(error) {
    if (!(error instanceof Confide.NotSent)) return error.message;
    if (error.why === "paused" || error.why === "closed")
      return `${say(`${error.why} heading`)}. ${say(`${error.why} text`)}`;
    if (["offline", "busy", "link used", "link needed"].includes(error.why)) return say(error.why);
    return say("refused", { reason: error.message });
  }

  function trouble(text, place = at("form")) {
    place.after(at("trouble"));
    at("trouble").textContent = text;
    at("trouble").hidden = false;
  }

  /* Say what must be done first, where it is to be done, and go there. */
  function demand(text, control) {
    trouble(text, control.closest(".field, .agree") ?? at("form"));
    control.focus();
    at("trouble").scrollIntoView({ block: "nearest" });
  }

  async function submit(event) {
    event.preventDefault();
    at("trouble").hidden = true;
    at("done").hidden = true;
    const fresh = at("fresh").checked;
    const drawing = fresh || client.kept() === null;
    if (drawing) {
      const missing = form?.firstMissing();
      if (missing) return demand(missing.said, missing.control);
      if (at("agreed") && !at("agreed").checked) return demand(say("agree first"), at("agreed"));
      if (at("weak")) {
        if (!at("accept").checked) return demand(privacy["weak first"], at("accept"));
        client.maxGamma = Infinity;
      }
      if (!form && answers().length === 0 && !emptyMeant) {
        emptyMeant = true;
        showKept();
        return trouble(say("nothing ticked"));
      }
    }
    at("send").disabled = true;
    at("working").textContent = say("sending");
    try {
      const sent = await client.send(answers(), { fresh, code });
      clear();
      at("fields").dispatchEvent(new Event("change"));
      showSent(sent);
    } catch (error) {
      trouble(inPlainWords(error));
    }
    at("working").textContent = "";
    at("send").disabled = false;
    return showKept();
  }

  /* The answers have done their work; the next person at this device need not see them. */
  function clear() {
    at("form").reset();
    form?.show();
    at("fresh").checked = false;
    emptyMeant = false;
    at("anew").open = false;
  }

  /* What left the device, in the words of the questions. */
  function inWords(record) {
    const { scheme } = client;
    if (!form) return scheme.words(record);
    const text = (name, value) => {
      const question = form.ofField(name);
      return form.spoken(question)[scheme.fields.find((field) => field.name === name).values.indexOf(value)];
    };
    const together = (pairs) =>
      pairs.map(([name, value]) => `${form.ofField(name).text} ${text(name, value)}`).join(" · ");
    const plain = settings.questions.every((question) => question.plain);
    if (plain && scheme.blocks) return scheme.words(record);
    if (plain) return scheme.pairs(record).flatMap((pairs) => pairs.map(([name, value]) => `${name}: ${text(name, value)}`));
    const pairs = scheme.pairs(record);
    if (pairs === null) return [say("no words")];
    if (!scheme.blocks) return pairs.flatMap((one) => one.map((pair) => together([pair])));
    return pairs.length === 0 ? [say("no words")] : pairs.map(together);
  }

  /* Another person at this device draws and keeps a record of their own. */
  async function another() {
    const next = Number(localStorage.getItem(people) || 1) + 1;
    localStorage.setItem(people, String(next));
    client = new Confide.Client("./", { person: String(next) });
    await client.load();
    clear();
    for (const id of ["done", "trouble"]) at(id).hidden = true;
    showKept();
    at("fields").querySelector("input, select")?.focus();
  }

  async function showCount() {
    const answer = await fetch("count");
    if (!answer.ok) return;
    const { records } = await answer.json();
    const n = records.toLocaleString(settings.language);
    at("count").textContent = records < 5 ? say("so far few") : say("so far", { n });
    at("count").hidden = false;
  }

  function showSent(sent) {
    const texts = inWords(sent.record);
    at("state").textContent = say(sent.state === "stored" ? "thanks" : "thanks again");
    const shown = texts.slice(0, 40).map((text) => made("li", {}, text));
    if (texts.length === 0) shown.push(made("li", {}, say("empty")));
    if (texts.length > 40) shown.push(made("li", {}, say("more", { n: texts.length - 40 })));
    at("sent").replaceChildren(...shown);
    at("wire").textContent = sent.body.trimEnd();
    at("done").hidden = false;
    at("done").focus();
  }

  async function start() {
    try {
      if (!globalThis.crypto || !crypto.subtle) return trouble(privacy.tampered);
      build(await client.load());
      promise = await (await fetch("promise.json")).json();
      at("send").disabled = false;
      at("fresh").addEventListener("change", showKept);
      // at the first letter: at "change" a button would move away from beneath the mouse that presses it
      at("form").addEventListener("input", () => (at("trouble").hidden = true));
      at("form").addEventListener("submit", submit);
      at("another")?.addEventListener("click", () => another().catch((error) => trouble(inPlainWords(error))));
      showKept();
      if (settings.links && code === "") {
        at("form").hidden = true; // what is filled in could not be sent
        trouble(say("link needed"));
      }
      return await showCount().catch(() => {}); // a page without it is whole
    } catch (error) {
      return trouble(inPlainWords(error));
    }
  }

  start();
})();
