// The owner's page: what raw counts would give away, and what is left of it after sanitising.
"use strict";

const KEPT = 40;
const views = [];
const at = (id) => document.getElementById(id);

function row(cells) {
  const tr = document.createElement("tr");
  for (const [text, kind] of cells) {
    const td = document.createElement("td");
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
  at("rows").replaceChildren(...[...views].reverse().map((v) => row(
    [v.release, v.raw, v.error, v.frequent, v.published].map((x) => [shown(x), "number"]),
  )));
  at("patterns").replaceChildren(...now.patterns.map((p) => row(
    [[p.has.join(", ")], [p.lacks.join(", ")], [shown(p.count), "number"], [shown(p.estimate), "number"]],
  )));
}

const source = new EventSource("releases");
source.onmessage = (event) => {
  views.push(JSON.parse(event.data));
  if (views.length > KEPT) views.shift();
  at("status").textContent = "Live.";
  requestAnimationFrame(draw);
};
source.addEventListener("end", () => { source.close(); at("status").textContent = "The run has ended."; });
