// The live page: published values, the bounds of the counts behind them, and how they drift.
"use strict";

const KEPT = 60, SHOWN = 100;
const releases = [];
const at = (id) => document.getElementById(id);

function keyOf(items) {
  return JSON.stringify(items);
}

// Value and bounds of one set over the releases kept; null where it was not published.
function history(key) {
  return releases.map((release) => release.byKey.get(key) || null);
}

function drift(key) {
  const points = history(key);
  const NS = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(NS, "svg");
  svg.setAttribute("viewBox", "0 0 100 24");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("role", "img");
  const known = points.filter((p) => p);
  svg.setAttribute("aria-label", known.length + " releases, from " + known[0][0] + " to " + known[known.length - 1][0]);
  const least = Math.min(...known.map((p) => p[1])), most = Math.max(...known.map((p) => p[2]));
  const x = (i) => (points.length < 2 ? 50 : (100 * i) / (points.length - 1));
  const y = (v) => 22 - (20 * (v - least)) / Math.max(most - least, 1);
  let line = "", upper = "", lower = "", band = "";
  const closeBand = () => {
    if (upper) band += "M" + upper + "L" + lower.split("L").reverse().join("L") + "Z";
    upper = lower = "";
  };
  points.forEach((p, i) => {
    if (!p) { closeBand(); return; }
    line += (i && points[i - 1] ? "L" : "M") + x(i) + " " + y(p[0]);
    upper += (upper ? "L" : "") + x(i) + " " + y(p[2]);
    lower += (lower ? "L" : "") + x(i) + " " + y(p[1]);
  });
  closeBand();
  for (const [name, d] of [["band", band], ["line", line]]) {
    const path = document.createElementNS(NS, "path");
    path.setAttribute("class", name);
    path.setAttribute("d", d);
    svg.append(path);
  }
  return svg;
}

function cell(content, kind, label) {
  const td = document.createElement("td");
  if (kind) td.className = kind;
  if (label) td.dataset.label = label; // stands over the number where there is no room for a head
  td.append(content);
  return td;
}

function draw() {
  const now = releases[releases.length - 1];
  if (!now) return;
  at("release").textContent = now.release.toLocaleString("en");
  const moment = new Date(1000 * now.at);
  at("time").textContent = moment.toLocaleTimeString("en-GB");
  at("time").dateTime = moment.toISOString();
  at("records").textContent = now.records.toLocaleString("en");
  at("sets").textContent = now.itemsets.length.toLocaleString("en");
  const wanted = at("filter").value.trim().toLowerCase();
  const rows = now.itemsets
    .filter(([items]) => !wanted || items.some((item) => item.toLowerCase().includes(wanted)))
    .sort((a, b) => b[1] - a[1])
    .slice(0, SHOWN)
    .map(([items, value, low, high]) => {
      const tr = document.createElement("tr");
      tr.append(
        cell(items.join(", ")),
        cell(value.toLocaleString("en"), "number", "published"),
        cell(low.toLocaleString("en") + " to " + high.toLocaleString("en"), "number", "true count lies in"),
        cell(drift(keyOf(items))),
      );
      return tr;
    });
  at("rows").replaceChildren(...rows);
}

let waiting = false;
function drawSoon() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; draw(); });
}

function take(event) {
  const release = JSON.parse(event.data);
  release.byKey = new Map(release.itemsets.map(([items, ...numbers]) => [keyOf(items), numbers]));
  releases.push(release);
  if (releases.length > KEPT) releases.shift();
  at("status").textContent = "Live.";
  drawSoon();
}

async function start() {
  const run = await (await fetch("run")).json();
  at("promise").textContent = run.promise || "";
  if (run.title) at("title").textContent = document.title = run.title;
  at("limits").replaceChildren(...(run.limits || []).map((text) => {
    const li = document.createElement("li");
    li.textContent = text;
    return li;
  }));
  const source = new EventSource("releases");
  source.onmessage = take;
  source.addEventListener("end", () => { source.close(); at("status").textContent = "The run has ended."; });
  source.onerror = () => { if (source.readyState !== EventSource.CLOSED) at("status").textContent = "Connecting again."; };
  at("filter").addEventListener("input", drawSoon);
}

start();
