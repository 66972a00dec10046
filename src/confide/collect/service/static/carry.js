/* A personal link has its code behind the "#", which no request shows: links from page to page carry it on. */
"use strict";

for (const link of document.querySelectorAll("a[data-carry]")) {
  if (location.hash.length > 1) link.href += location.hash;
}
