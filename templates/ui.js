"use strict";
// Pages that keep up with a run: fetched again, and changed where they differ, so that focus, filters and what is open
// stay. Texts come as parsed HTML of our own server, in which scripts do not run.
document.addEventListener("DOMContentLoaded", () => {
  const EVERY = 2000;
  const LINKS = { run: "/run?id=", scenario: "/scenario?id=" };
  const OURS = ["hidden", "aria-current", "open"];

  // What a panel of the report names becomes a link where there is a page of it.
  function link(panel) {
    for (const name of panel.querySelectorAll("dt")) {
      const value = name.nextElementSibling;
      if (!(name.textContent in LINKS) || value.firstElementChild) continue;
      const way = document.createElement("a");
      way.href = LINKS[name.textContent] + encodeURIComponent(value.textContent);
      way.textContent = value.textContent;
      value.replaceChildren(way);
    }
  }
  const matrix = document.querySelector(".matrix");
  if (matrix) {
    new MutationObserver(() => matrix.querySelectorAll(".panel").forEach(link)).observe(matrix, { childList: true, subtree: true });
    matrix.querySelectorAll(".panel").forEach(link);
  }

  // Make an element like another one. What is in both stays the same node, wherever it has moved to: it is found again
  // by its id or key, else as the nth of its kind and class; a text by what it follows.
  const isOurs = (node) => node.nodeType === 1 && node.matches(".matrix .row > .panel");
  function byKey(nodes) {
    const found = new Map();
    let before = "";
    for (const node of nodes) {
      const own = node.id || node.dataset?.key || (node.localName === "option" ? node.value : "");
      const kind = node.nodeType === 1 ? [node.nodeName, own ? "=" + own : node.classList[0] ?? ""] : [node.nodeName, before];
      let nth = 0;
      while (found.has(JSON.stringify([...kind, nth]))) nth++;
      const key = JSON.stringify([...kind, nth]);
      found.set(key, node);
      if (node.nodeType === 1) before = key;
    }
    return found;
  }
  function copyAttributes(old, fresh) {
    for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) && !OURS.includes(name)) old.removeAttribute(name);
    for (const { name, value } of fresh.attributes) if (!OURS.includes(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  function morph(old, fresh) {
    if (old.nodeType !== 1) {
      if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
      return;
    }
    copyAttributes(old, fresh);
    if (old.matches("output, .live")) return;
    const known = byKey([...old.childNodes].filter((node) => !isOurs(node)));
    const wanted = byKey(fresh.childNodes);
    // What goes, goes first, so that nothing that stays has to move, which would take the focus from it.
    for (const [key, node] of known) if (!wanted.has(key)) node.remove();
    let place = old.firstChild;
    for (const [key, node] of wanted) {
      while (place && isOurs(place)) place = place.nextSibling;
      const found = known.get(key);
      if (found !== place || !found) old.insertBefore(found ?? node, place);
      else place = place.nextSibling;
      if (found) morph(found, node);
    }
  }
  // What the report's script was started on. A page with other rows has to start it anew.
  const startedOn = (page) => [...page.querySelectorAll(".matrix > .row")].map((row) => row.id).sort().join("\n");

  const bar = document.querySelector(".live");
  if (!bar) return;
  const said = bar.querySelector(".said");
  const button = bar.querySelector("button");
  const form = document.querySelector(".filters:not([method])");
  let tag = null;
  let paused = false;
  let waiting = 0;
  function say(word) {
    said.textContent = word;
    bar.dataset.state = word;
  }
  function take(text) {
    const fresh = new DOMParser().parseFromString(text, "text/html");
    if (startedOn(fresh) !== startedOn(document)) {
      location.reload();
      return false;
    }
    const focused = document.activeElement;
    morph(document.getElementById("main"), fresh.getElementById("main"));
    for (const data of fresh.querySelectorAll('script[type="application/json"]')) {
      const old = document.getElementById(data.id);
      if (old) old.textContent = data.textContent;
    }
    if (focused.isConnected && focused !== document.activeElement) focused.focus({ preventScroll: true });
    document.title = fresh.title;
    form?.dispatchEvent(new Event("change"));
    if (fresh.body.hasAttribute("data-live")) return true;
    document.getElementById("news").textContent = "The run has ended: " + fresh.title;
    return false;
  }
  async function look() {
    const began = performance.now();
    let goesOn = true;
    try {
      const answer = await fetch(location.href.split("#")[0], { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store" });
      if (answer.status !== 304) {
        if (!answer.ok) throw new Error(answer.statusText);
        tag = answer.headers.get("ETag");
        goesOn = take(await answer.text());
      }
      say(goesOn ? "live" : "ended");
    } catch {
      say("not reached");
    }
    if (goesOn) plan(Math.max(EVERY, 5 * (performance.now() - began)));
    else button.hidden = true;
  }
  function plan(milliseconds) {
    clearTimeout(waiting);
    if (!paused && !document.hidden) waiting = setTimeout(look, milliseconds);
  }
  button.addEventListener("click", () => {
    paused = !paused;
    button.setAttribute("aria-pressed", String(paused));
    say(paused ? "paused" : "live");
    plan(0);
  });
  document.addEventListener("visibilitychange", () => plan(0));
  bar.hidden = false;
  plan(EVERY);
});
