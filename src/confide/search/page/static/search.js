// The search page. Everything strangers wrote (titles, snippets, addresses) is put in as text, never as markup.
"use strict";

const KEY = location.pathname.split("/")[1]; // in the address of the page, and in a header of what it asks
const $ = (id) => document.getElementById(id);
const state = { mode: "side", hide: new Set(), asked: "", ranking: null, order: new Map(), turn: 0 };

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
    alpha: $("auto").checked ? null : Number($("alpha").value) / 100,
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

function branch(node) {
  const item = make("li");
  item.dataset.id = node.id;
  const row = make("div", null, "row");
  const open = make("button", node.children.length ? "+" : "", "open");
  open.type = "button";
  open.disabled = node.children.length === 0;
  const name = make("span", node.label, "name");
  const hide = make("button", "hide", "hide");
  hide.type = "button";
  hide.disabled = node.hidden;
  row.append(open, name, make("span", percent(node.share), "share"), hide);
  item.append(row);
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
  hide.addEventListener("click", () => {
    if (state.hide.has(node.id)) state.hide.delete(node.id);
    else state.hide.add(node.id);
    $("keep").hidden = !state.canSave || state.hide.size === 0;
    look(false);
  });
  return item;
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

function exposure(data) {
  state.exposed = new Set(data.exposed);
  $("ratio").textContent = `${Math.round(100 * data.exp_ratio)}%`;
  $("ratio").dataset.value = data.exp_ratio;
  $("bar").style.width = `${100 * data.exp_ratio}%`;
  $("counted").textContent = `expRatio ${data.exp_ratio.toFixed(3)}; ${data.pairs.length} of ${state.interests} interests`;
  $("sees-to").textContent = state.remote
    ? `To the wrapper ${data.sees.to}, when you press Search:`
    : `To ${data.sees.to}, when you press Search: the query, and nothing of your profile.`;
  $("sees").textContent = data.sees.body || "(no query yet)";
  $("pairs-title").textContent = state.remote
    ? "The pairs in it:"
    : "Results are ordered here. A wrapper that ran elsewhere would get these pairs:";
  $("pairs").replaceChildren(...data.pairs.slice(0, 300).map((pair) => make("li", `${pair.term} ${pair.weight.toFixed(3)}`)));
  paint();
}

// -- results -----------------------------------------------------------------------------------------------------

function card(link, place, shown) {
  const item = make("li", null, "result");
  item.dataset.engineRank = link.engine_rank;
  const moved = link.engine_rank - link.rank;
  if (shown.moved) {
    const text = moved > 0 ? `up ${moved}` : moved < 0 ? `down ${-moved}` : "same";
    item.append(make("span", text, `moved ${moved > 0 ? "up" : ""}`));
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
        say([found ? `${found} results, ${moved} moved; alpha ${data.ranking.alpha}.` : "Nothing was found.", ...data.ranking.notes].join(" "));
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
  $("alpha").disabled = $("auto").checked;
  $("alpha-value").textContent = $("auto").checked ? "automatic" : (Number($("alpha").value) / 100).toFixed(2);
}

function pick(mode) {
  state.mode = mode;
  for (const button of document.querySelectorAll("[data-mode]")) button.setAttribute("aria-pressed", String(button.dataset.mode === mode));
}

function draw(about) {
  state.interests = about.interests.toLocaleString("en");
  state.remote = about.remote;
  state.canSave = about.can_save;
  $("engine").textContent = `searches ${about.engine}; your profile: ${about.documents.toLocaleString("en")} documents`;
  $("tree").replaceChildren(...about.tree.map(branch));
}

async function start() {
  if (window.matchMedia("(max-width: 40rem)").matches) pick("merged"); // side by side needs room
  const about = await post("about", {});
  draw(about);
  $("detail").value = placeOf(about.min_detail);
  values();
  for (const id of ["detail", "alpha", "auto", "related"]) {
    $(id).addEventListener("input", () => {
      values();
      look(false);
    });
  }
  $("form").addEventListener("submit", (event) => {
    event.preventDefault();
    look(true);
  });
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
