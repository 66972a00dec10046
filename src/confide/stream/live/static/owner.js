// The owner's page: what raw counts would give away, and what is left of it after sanitising.
"use strict";

const KEPT = 40;
const views = [];
const at = (id) => document.getElementById(id);

function row(cells) {
  const tr = document.createElement("tr");
  for (const [text, label, kind] of cells) {
    const td = document.createElement("td");
    td.dataset.label = label; // stands beside the number where there is no room for a head
    if (kind) td.className = kind;
    td.textContent = text;
    tr.append(td);
  }
  return tr;
}

const shown = (x) => (x === null ? "–" : x.toLocaleString("en", { maximumFractionDigits: 1 }));

function draw() {
  const now = views[views.length - 1];
  at("raw").textContent = shown(now.raw);
  at("error").textContent = shown(now.error);
  at("needed").textContent = shown(now.needed);
  at("rows").replaceChildren(...[...views].reverse().map((v) => row([
    [shown(v.release), "release", "number"],
    [shown(v.raw), "rare patterns, raw", "number"],
    [shown(v.error), "squared error left", "number"],
    [shown(v.frequent), "frequent", "number"],
    [shown(v.published), "published", "number"],
  ])));
  at("patterns").replaceChildren(...now.patterns.map((p) => row([
    [p.has.join(", "), "has"],
    [p.lacks.join(", "), "has not"],
    [shown(p.count), "true count", "number"],
    [shown(p.estimate), "estimate", "number"],
  ])));
}

const source = new EventSource("releases");
source.onmessage = (event) => {
  views.push(JSON.parse(event.data));
  if (views.length > KEPT) views.shift();
  at("status").textContent = "Live.";
  requestAnimationFrame(draw);
};
source.addEventListener("end", () => { source.close(); at("status").textContent = "The run has ended."; });
