// On a search page: sends the query, titles and snippets to our own worker, and moves the results as it says.
"use strict";

const MOST = 200;

// The results of a page, only those that stand beside each other: others are boxes of the engine's own.
function resultsOf(engine) {
  const found = [...document.querySelectorAll(engine.results)].filter((node) => node.querySelector(engine.title));
  const parents = new Map();
  for (const node of found) parents.set(node.parentNode, [...(parents.get(node.parentNode) || []), node]);
  return [...parents.values()].sort((a, b) => b.length - a.length)[0] || [];
}

const textOf = (node, selector) => (node.querySelector(selector)?.textContent || "").trim().slice(0, 2000);

function isOrder(order, count) {
  return Array.isArray(order) && order.length === count && [...order].sort((a, b) => a - b).every((place, i) => place === i);
}

function move(nodes, answer) {
  const places = nodes.map((node) => node.nextSibling); // each node's place is before what follows it
  const parent = nodes[0].parentNode;
  const marks = places.map((next) => parent.insertBefore(document.createComment(""), next));
  answer.order.forEach((number, place) => {
    const node = nodes[number];
    parent.insertBefore(node, marks[place]);
    const words = answer.reasons?.[place];
    if (number > place) node.title = `up ${number - place}${words?.length ? `: ${words.join(", ")}` : ""}`;
  });
  for (const mark of marks) mark.remove();
}

async function orderPage() {
  const engine = ENGINES.find((one) => one.host.test(location.hostname));
  const query = new URLSearchParams(location.search).get("q") || new URLSearchParams(location.search).get("query");
  if (!engine || !query) return "not a search page";
  const nodes = resultsOf(engine).slice(0, MOST);
  if (nodes.length < 2) return "no results found: the page may have changed";
  const results = nodes.map((node) => ({ title: textOf(node, engine.title).slice(0, 300), snippet: textOf(node, engine.snippet) }));
  const answer = await chrome.runtime.sendMessage({ query: query.slice(0, 1000), results });
  if (!answer || answer.error || !isOrder(answer.order, nodes.length)) return answer?.error || "no answer";
  move(nodes, answer);
  return "ordered";
}

orderPage()
  .catch((error) => error.message)
  .then((done) => {
    if (done !== "ordered") console.info(`Confide: the engine's order stays: ${done}`);
    document.documentElement.dataset.confide = done;
  });
