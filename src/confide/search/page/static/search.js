// The search page. Everything strangers wrote (titles, snippets, addresses) is put in as text, never as markup.
"use strict";

const KEY = location.pathname.split("/")[1]; // in the address of the page, and in a header of what it asks
const $ = (id) => document.getElementById(id);
const state = { mode: "side", hide: new Set(), asked: "", ranking: null, order: new Map(), turn: 0, listing: 0, tree: [] };

// minDetail on a slider: 0 is everything, then 0.1% to 100% by equal factors.
const detailOf = (place) => (place <= 0 ? 0 : Number(Math.pow(10, -3 + place / 100).toPrecision(3)));
const placeOf = (detail) => (detail <= 0 ? 0 : Math.max(1, Math.round(100 * (Math.log10(detail) + 3))));
const percent = (share) => `${(100 * share).toLocaleString("en", { maximumFractionDigits: share < 0.01 ? 2 : 1 })}%`;

function make(tag, text, kind) {
  const made = document.createElement(tag);
  if (text !== undefined && text !== null) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

function wish(ask) {
  return {
    min_detail: detailOf(Number($("detail").value)),
    weight: $("auto").checked ? null : Number($("weight").value) / 100,
    hide: [...state.hide],
    query: ask ? $("query").value : state.asked,
    related: $("related").checked,
    ask,
  };
}

async function post(path, body) {
  const answer = await fetch(`api/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-confide-key": KEY },
    body: JSON.stringify(body),
  });
  const data = await answer.json();
  if (!answer.ok) throw new Error(data.error || `HTTP ${answer.status}`);
  return data;
}

function say(text, bad) {
  $("status").textContent = text;
  $("status").classList.toggle("bad", Boolean(bad));
}

// -- what is exposed ---------------------------------------------------------------------------------------------

function row(node) {
  const made = make("div", null, "row");
  const name = make("span", node.label, "name");
  const hide = make("button", "hide", "hide");
  hide.type = "button";
  hide.disabled = node.hidden;
  hide.addEventListener("click", () => {
    if (state.hide.has(node.id)) state.hide.delete(node.id);
    else state.hide.add(node.id);
    $("keep").hidden = !state.canSave || state.hide.size === 0;
    look(false);
  });
  made.append(name, make("span", percent(node.share), "share"), hide);
  return made;
}

function branch(node) {
  const item = make("li");
  item.dataset.id = node.id;
  const line = row(node);
  const open = make("button", node.children.length ? "+" : "", "open");
  open.type = "button";
  open.disabled = node.children.length === 0;
  line.prepend(open);
  item.append(line);
  if (node.children.length) {
    open.setAttribute("aria-expanded", "false");
    open.setAttribute("aria-label", `below ${node.label}`);
    open.addEventListener("click", () => {
      let inner = item.querySelector(":scope > ul");
      if (!inner) {
        inner = make("ul");
        inner.append(...node.children.map(branch));
        if (node.more) inner.append(make("li", `and ${node.more.toLocaleString("en")} smaller`, "muted"));
        item.append(inner);
      } else {
        inner.hidden = !inner.hidden;
      }
      open.textContent = inner.hidden ? "+" : "−";
      open.setAttribute("aria-expanded", String(!inner.hidden));
      paint();
    });
  }
  if (node.hidden) item.dataset.always = "1";
  return item;
}

// The tree shows the heaviest interests; a filter, or an order by share or effect, finds any of them in a flat list.
async function interests() {
  const filter = $("filter").value.trim();
  const by = $("by").value;
  const turn = ++state.listing;
  if (!filter && by === "tree") {
    $("tree").replaceChildren(...state.tree.map(branch));
    $("listed").hidden = true;
    paint();
    return;
  }
  try {
    const data = await post("list", { filter, by: by === "tree" ? "share" : by });
    if (turn !== state.listing) return;
    const largest = Math.max(...data.interests.map((one) => one.effect), 1e-12);
    $("tree").replaceChildren(
      ...data.interests.map((one) => {
        const item = make("li");
        item.dataset.id = one.id;
        if (one.hidden) item.dataset.always = "1";
        const line = row(one);
        if (by === "effect") line.querySelector(".share").textContent = `effect ${Math.round((100 * one.effect) / largest)}`;
        line.querySelector(".name").title = one.branch;
        line.append(...one.words.map(takeOut));
        item.append(line);
        return item;
      }),
    );
    const shown = data.interests.length;
    $("listed").textContent = `${data.count.toLocaleString("en")} interest${data.count === 1 ? "" : "s"}${shown < data.count ? `, the first ${shown} are shown` : ""}`;
    $("listed").hidden = false;
    paint();
  } catch (error) {
    say(error.message, true);
  }
}

// -- taking a word out -------------------------------------------------------------------------------------------

function takeOut(word) {
  const button = make("button", "×", "out");
  button.type = "button";
  button.title = state.canSave ? `take “${word}” out of your profile for good` : `take “${word}” out until this page ends`;
  button.setAttribute("aria-label", button.title);
  button.addEventListener("click", async () => {
    try {
      draw(await post("drop", { word }));
      await look(false);
      say(`“${word}” is out${state.canSave ? " for good" : " until this page ends; start it with --save to keep that"}.`);
    } catch (error) {
      say(error.message, true);
    }
  });
  return button;
}

function paint() {
  for (const item of $("tree").querySelectorAll("li[data-id]")) {
    const id = item.dataset.id;
    const above = [...state.hide].some((one) => id === one || id.startsWith(`${one}.`));
    const hidden = above || item.dataset.always === "1" || item.closest("li[data-always]") !== null;
    const kind = hidden ? "hidden" : state.exposed && state.exposed.has(id) ? "sent" : "kept";
    const name = item.querySelector(":scope > .row > .name");
    name.className = `name ${kind}`;
    name.title = { sent: "exposed", kept: "stays on this machine", hidden: "hidden by you" }[kind];
    const hide = item.querySelector(":scope > .row > .hide");
    hide.textContent = state.hide.has(id) ? "show" : "hide";
    hide.setAttribute("aria-label", `${hide.textContent} ${name.textContent} (${name.title})`);
    hide.disabled = hidden && !state.hide.has(id);
  }
}

// The page begins with what leaves this machine: the words themselves, in one sentence.
function leaves(data) {
  const box = $("leaves");
  const asked = $("query").value.trim() || state.asked;
  const query = asked ? make("em", asked) : "your query";
  const count = data.pairs.reduce((sum, pair) => sum + pair.term.split("/").length, 0);
  const words = `${count} ${count === 1 ? "word" : "words"}`;
  if (state.remote) {
    box.replaceChildren(query, ` and ${count ? `these ${words} go` : "nothing of your profile go"}${count || !asked ? "" : "es"} to ${data.sees.to}`);
  } else if (state.offline) {
    box.replaceChildren("Nothing leaves this machine: ", query, ` is looked up in the ${data.sees.to}`);
  } else {
    box.replaceChildren("Only ", query, ` leaves this machine, to ${data.sees.to}`);
  }
  const ratio = data.exp_ratio.toFixed(2);
  $("ratio").textContent = ratio;
  $("ratio").dataset.value = data.exp_ratio;
  $("ratio-line").textContent = state.remote
    ? `Of ${state.interests} interests ${data.pairs.length}, each with a weight: expRatio`
    : `${state.whole ? "All your words order the results, here. " : ""}A service would be sent ${words}: expRatio`;
}

function exposure(data) {
  state.exposed = new Set(data.exposed);
  leaves(data);
  $("sees-to").textContent = `To ${data.sees.to}, when you press Search${state.remote ? "" : ": the query, and nothing of your profile"}.`;
  $("sees").textContent = data.sees.body || "(no query yet)";
  $("pairs").replaceChildren(...data.pairs.slice(0, 300).map((pair) => make("li", `${pair.term} ${pair.weight.toFixed(3)}`)));
  paint();
}

// -- results -----------------------------------------------------------------------------------------------------

function card(link, place, shown) {
  const item = make("li", null, "result");
  item.dataset.engineRank = link.engine_rank;
  const moved = link.engine_rank - link.rank;
  if (shown.moved) {
    item.append(why(link, moved));
  }
  const title = make("p", null, "title");
  if (/^https?:\/\//.test(link.url)) {
    const anchor = make("a", link.title);
    anchor.href = link.url;
    anchor.rel = "noopener noreferrer";
    anchor.referrerPolicy = "no-referrer";
    title.append(place ? `${place}. ` : "", anchor);
  } else {
    title.textContent = `${place ? `${place}. ` : ""}${link.title}`;
  }
  item.append(title, make("p", link.url, "where"), make("p", link.snippet, "snippet"));
  if (shown.marks) item.append(marks(link));
  return item;
}

// "up 9: bike, ride", and one click takes a word out.
function why(link, moved) {
  const words = link.reasons || [];
  const text = moved > 0 ? `up ${moved}` : moved < 0 ? `down ${-moved}` : "same";
  const line = make("p", moved > 0 && words.length ? `${text}: ` : text, `moved ${moved > 0 ? "up" : ""}`);
  if (moved > 0 && !words.length && state.ranking.strength) line.append(": like others that moved up");
  if (moved > 0) {
    for (const word of words) {
      const one = make("span", word, "why");
      one.append(takeOut(word));
      line.append(one);
    }
  }
  return line;
}

function marks(link) {
  const row = make("div", null, "marks");
  const given = state.ranking.relevant[link.engine_rank - 1];
  for (const [text, value] of [["relevant", true], ["not relevant", false]]) {
    const button = make("button", text);
    button.type = "button";
    button.setAttribute("aria-pressed", String(given === value));
    button.setAttribute("aria-label", `${text}: ${link.title}`);
    button.addEventListener("click", async () => {
      const mark = state.ranking.relevant[link.engine_rank - 1] === value ? null : value;
      try {
        const data = await post("judge", { query: state.asked, rank: link.engine_rank, relevant: mark, wish: wish(false) });
        state.ranking.relevant = data.relevant;
        for (const other of row.children) {
          const on = mark !== null && (other.textContent === "relevant") === mark;
          other.setAttribute("aria-pressed", String(on));
        }
        judged(data);
      } catch (error) {
        say(error.message, true);
      }
    });
    row.append(button);
  }
  return row;
}

function judged(data) {
  const count = state.ranking.relevant.filter((mark) => mark !== null).length;
  let text = `${count} of ${state.ranking.relevant.length} judged.`;
  if (data.own_precision !== null && data.own_precision !== undefined) {
    text += ` Average precision over ${data.queries} judged quer${data.queries === 1 ? "y" : "ies"}: `;
    text += `engine ${data.engine_precision.toFixed(3)}, yours ${data.own_precision.toFixed(3)}.`;
  }
  say(text);
}

function list(links, shown) {
  const made = make("ol");
  made.append(...links.map((link, i) => card(link, shown.places ? i + 1 : 0, shown)));
  return made;
}

// A random order that stays while one query is judged: neither the engine's nor yours may hint at an answer.
function shuffled(links) {
  if (!state.order.has(state.asked)) {
    const draws = new Uint32Array(links.length);
    crypto.getRandomValues(draws);
    state.order.set(state.asked, new Map(links.map((link, i) => [link.engine_rank, draws[i]])));
  }
  const order = state.order.get(state.asked);
  return [...links].sort((a, b) => order.get(a.engine_rank) - order.get(b.engine_rank));
}

function results() {
  const box = $("results");
  if (!state.ranking) {
    box.replaceChildren();
    return;
  }
  const own = state.ranking.results;
  const theirs = [...own].sort((a, b) => a.engine_rank - b.engine_rank);
  if (state.mode === "judge") {
    box.replaceChildren(list(shuffled(own), { marks: true }));
    judged(state.ranking);
  } else if (state.mode === "merged") {
    box.replaceChildren(list(own, { places: true, moved: true }));
  } else {
    const columns = make("div", null, "columns");
    for (const [heading, links, name] of [["The engine's order", theirs, "engine"], ["Your order", own, "own"]]) {
      const column = make("section");
      column.id = `${name}-order`;
      column.append(make("h3", heading), list(links, { places: true, moved: name === "own" }));
      columns.append(column);
    }
    box.replaceChildren(columns);
  }
}

async function look(ask) {
  const turn = ++state.turn;
  if (ask) {
    state.asked = $("query").value.trim();
    say("Asking ...");
  }
  try {
    const data = await post("view", wish(ask));
    if (turn !== state.turn) return; // a newer answer is on its way
    exposure(data);
    if (data.error) {
      say(data.error, true);
      state.ranking = null;
    } else {
      state.ranking = data.ranking;
      if (data.ranking) {
        const found = data.ranking.results.length;
        const moved = data.ranking.results.filter((link) => link.rank !== link.engine_rank).length;
        const notes = data.ranking.notes.map((note) => `${note.charAt(0).toUpperCase()}${note.slice(1)}.`);
        say([found ? `${found} results, ${moved} moved; ${state.weightName} ${data.ranking.weight}.` : "Nothing was found.", ...notes].join(" "));
      } else if (state.asked) {
        say("Press Search.");
      }
    }
    results();
  } catch (error) {
    if (turn === state.turn) say(error.message, true);
  }
}

// -- starting ----------------------------------------------------------------------------------------------------

function values() {
  const detail = detailOf(Number($("detail").value));
  $("detail-value").textContent = detail === 0 ? "0" : percent(detail);
  $("detail").setAttribute("aria-valuetext", $("detail-value").textContent);
  $("weight").disabled = $("auto").checked;
  $("weight-value").textContent = $("auto").checked ? "auto" : (Number($("weight").value) / 100).toFixed(2);
}

function pick(mode) {
  state.mode = mode;
  for (const button of document.querySelectorAll("[data-mode]")) button.setAttribute("aria-pressed", String(button.dataset.mode === mode));
}

function draw(about) {
  state.interests = about.interests.toLocaleString("en");
  state.remote = about.remote;
  state.canSave = about.can_save;
  state.offline = about.offline;
  state.whole = about.whole;
  state.weightName = about.weight_name;
  state.tree = about.tree;
  $("engine").textContent = `searches ${about.engine}; your profile: ${about.documents.toLocaleString("en")} documents`;
  $("words").open = about.remote;
  $("service-title").textContent = about.remote ? "What the service is sent" : "If a service ordered for you";
  interests();
}

async function start() {
  if (window.matchMedia("(max-width: 40rem)").matches) pick("merged"); // side by side needs room
  const about = await post("about", {});
  draw(about);
  $("detail").value = placeOf(about.min_detail);
  if (about.weight !== null) {
    $("weight").value = String(Math.round(100 * about.weight));
    $("auto").checked = false;
  }
  values();
  for (const id of ["detail", "weight", "auto", "related"]) {
    $(id).addEventListener("input", () => {
      values();
      look(false);
    });
  }
  $("form").addEventListener("submit", (event) => {
    event.preventDefault();
    look(true);
  });
  $("filter").addEventListener("input", interests);
  $("by").addEventListener("input", interests);
  for (const button of document.querySelectorAll("[data-mode]")) {
    button.addEventListener("click", () => {
      pick(button.dataset.mode);
      results();
    });
  }
  $("keep").addEventListener("click", async () => {
    try {
      const kept = await post("keep", wish(false));
      state.hide.clear();
      $("keep").hidden = true;
      draw(kept);
      look(false);
    } catch (error) {
      say(error.message, true);
    }
  });
  $("ask-worth").addEventListener("click", worth);
  document.addEventListener("keydown", (event) => {
    const typing = /^(input|textarea|select)$/i.test(event.target.tagName) && event.target.type !== "range";
    if (event.key === "/" && !typing) {
      event.preventDefault();
      $("query").focus();
      $("query").select();
    }
  });
  const asked = new URLSearchParams(location.search).get("q");
  if (asked) {
    $("query").value = asked;
    history.replaceState(null, "", location.pathname); // the query does not stay in the address
    look(true);
  } else {
    $("query").focus();
    look(false);
  }
}

async function worth() {
  const box = $("worth");
  try {
    const data = await post("worth", wish(false));
    if (!data.queries) {
      box.replaceChildren(make("p", "Judge some results first: mark at least one as relevant.", "muted"));
      return;
    }
    const table = make("table");
    const head = make("tr");
    head.append(make("th", "branch"), make("th", "gain"), make("th", "exposes"));
    table.append(head);
    for (const one of data.branches) {
      const row = make("tr");
      row.append(make("td", one.label), make("td", one.gain.toFixed(3)), make("td", percent(Math.max(0, one.price))));
      table.append(row);
    }
    box.replaceChildren(make("p", `From ${data.queries} judged quer${data.queries === 1 ? "y" : "ies"}.`, "muted"), table);
  } catch (error) {
    box.replaceChildren(make("p", error.message, "muted"));
  }
}

start().catch((error) => say(error.message, true));
