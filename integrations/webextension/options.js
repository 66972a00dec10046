"use strict";

const field = (name) => document.getElementById(name);

chrome.storage.local.get(["address", "key"]).then(({ address, key }) => {
  field("address").value = address || "http://127.0.0.1:8002";
  field("key").value = key || "";
});

field("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  await chrome.storage.local.set({ address: field("address").value.replace(/\/$/, ""), key: field("key").value.trim() });
  field("done").textContent = "Kept.";
});
