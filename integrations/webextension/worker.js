// Asks the program on this machine; the key is in this extension's own storage, where no page can read it.
"use strict";

const MOST_MILLISECONDS = 3000;

async function order(asked) {
  const { address = "http://127.0.0.1:8002", key = "" } = await chrome.storage.local.get(["address", "key"]);
  if (!key) return { error: "no key yet; open the extension's options" };
  const answer = await fetch(`${address}/api/order`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-confide-key": key },
    body: JSON.stringify(asked),
    credentials: "omit",
    cache: "no-store",
    signal: AbortSignal.timeout(MOST_MILLISECONDS),
  });
  const data = await answer.json();
  return answer.ok ? data : { error: data.error || `HTTP ${answer.status}` };
}

chrome.runtime.onMessage.addListener((asked, sender, reply) => {
  if (sender.id !== chrome.runtime.id || !sender.tab) return false;
  order(asked).then(reply, () => reply({ error: "the program does not answer; is confide search serve running?" }));
  return true;
});
