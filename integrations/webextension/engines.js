// Search pages and where their results are: one row each. A page that no longer looks like this keeps its order.
"use strict";

const ENGINES = [
  { host: /(^|\.)duckduckgo\.com$/, results: "article[data-testid=result]", title: "h2", snippet: "[data-result=snippet]" },
  { host: /^(html|lite)\.duckduckgo\.com$/, results: ".result.results_links", title: ".result__title", snippet: ".result__snippet" },
  { host: /(^|\.)bing\.com$/, results: "#b_results > li.b_algo", title: "h2", snippet: ".b_caption p, p" },
  { host: /(^|\.)google\.[a-z.]+$/, results: "#rso .MjjYud, #rso > .g", title: "h3", snippet: ".VwiC3b" },
  { host: /^search\.brave\.com$/, results: "#results > .snippet[data-type=web]", title: ".title", snippet: ".snippet-description, .description" },
  { host: /(^|\.)startpage\.com$/, results: "section .result", title: "h2", snippet: "p.description, p" },
  { host: /(^|\.)mojeek\.com$/, results: "ul.results-standard > li", title: "h2", snippet: "p.s" },
  { host: /(^|\.)ecosia\.org$/, results: "[data-test-id=mainline-result-web]", title: "[data-test-id=result-title]", snippet: "[data-test-id=result-description]" },
];
