"use strict";
// Filters, and samples that open under their scenario. Every text becomes a text node: no markup is ever read here.
document.addEventListener("DOMContentLoaded", () => {
  const rows = [...document.querySelectorAll(".row")];
  const form = document.querySelector(".filters");
  const dataOf = (row) => document.getElementById("data-" + row.dataset.row).textContent;

  function make(tag, className, ...children) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    element.append(...children);
    return element;
  }

  // The address: which sample is open, and what is filtered by.
  function readHash() {
    const parts = location.hash.slice(1).split("&").filter(Boolean);
    return new Map(parts.map((part) => [part.split("=", 1)[0], part.slice(part.indexOf("=") + 1)]));
  }
  function anchorIn(hash) {
    return ["s", "v"].filter((key) => hash.has(key)).map((key) => key + "=" + hash.get(key)).join("&");
  }
  function decode(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  }
  function visit(anchor) {
    history.pushState(null, "", "#" + [anchor, ...filterParts()].filter(Boolean).join("&"));
  }

  // Filters.
  const named = () => (form ? [...form.elements].filter((element) => element.name) : []);
  const wordOf = (select) => (select.name === "show" ? select.value : select.selectedOptions[0].textContent);
  const valueOf = (element) => (element.tagName === "SELECT" && element.value ? wordOf(element) : element.value);
  function filterParts() {
    return named().filter((element) => element.value).map((it) => it.name + "=" + encodeURIComponent(valueOf(it)));
  }
  function fillFilters(hash) {
    for (const element of named()) {
      const wanted = hash.has(element.name) ? decode(hash.get(element.name)) : null;
      if (element.tagName !== "SELECT") {
        element.value = wanted ?? "";
        continue;
      }
      const words = [...element.options].map((option) => (element.name === "show" ? option.value : option.textContent));
      element.selectedIndex = wanted === null ? 0 : Math.max(0, words.indexOf(wanted, 1));
    }
  }
  // What the address names and nobody can open.
  function lost() {
    const hash = readHash();
    const row = hash.has("s") && document.getElementById(anchorIn(hash));
    if (row === null) return "; the address names a scenario that is not here";
    const number = row && hash.get("n");
    if (!number || document.getElementById(row.id + "&n=" + number)) return "";
    return "; the address names a sample that is not here";
  }
  function applyFilters() {
    const selects = named().filter((element) => element.tagName === "SELECT" && element.value);
    const text = form.elements.text.value.trim().toLowerCase();
    // The data is JSON: what is looked for is written as it would be there.
    const written = JSON.stringify(text).slice(1, -1).replaceAll("<", "\\u003c");
    let count = 0;
    for (const row of rows) {
      const chosen = selects.every((it) => (row.dataset[it.name] ?? "").split(" ").includes(it.value));
      const shown = chosen && (!text || dataOf(row).toLowerCase().includes(written));
      row.hidden = !shown;
      count += shown;
    }
    form.querySelector(".shown").textContent = `${count} of ${rows.length} scenarios shown` + lost();
  }

  // One sample at a time, under its scenario.
  let opened = null;
  function close() {
    if (!opened) return;
    opened.panel.remove();
    opened.link.removeAttribute("aria-current");
    opened = null;
  }
  function open(row, wanted, { focus }) {
    close();
    const [facts, brief, samples] = JSON.parse(dataOf(row));
    const sample = samples.find(([number]) => number === wanted) ?? samples.find(([, , status]) => status !== "passed") ?? samples[0];
    const link = (sample && document.getElementById(row.id + "&n=" + sample[0])) || row.querySelector("h3 a");
    const panel = makePanel(facts, brief, sample, { all: wanted === undefined });
    link.setAttribute("aria-current", "true");
    row.hidden = false;
    row.append(panel);
    opened = { row, panel, link };
    if (focus) {
      panel.querySelector("h4").focus({ preventScroll: true });
      if (panel.getBoundingClientRect().top > innerHeight * 0.6) row.scrollIntoView({ block: "start" });
    }
  }
  function makePanel(facts, brief, sample, { all }) {
    const title = make("h4", "", sample ? sample[1] : "no sample");
    title.tabIndex = -1;
    const panel = make("section", "panel");
    panel.setAttribute("aria-label", sample ? sample[1] : "scenario");
    const next = make("button", "", "Next that did not pass");
    next.type = "button";
    next.addEventListener("click", openNext);
    const shut = make("button", "", "Close");
    shut.type = "button";
    shut.addEventListener("click", leave);
    if (sample) title.prepend(sign(sample[2], sample[3]), " ");
    panel.append(make("header", "", title, next, shut));
    if (sample) panel.append(...aboutSample(sample));
    const about = make("details", "about", make("summary", "", "About the scenario"), definitions("", facts));
    about.open = all || !sample;
    const asked = brief.map(([name, text]) => makeExhibit("seed", name, [], "", [["", text]]));
    panel.append(...(asked.length ? [make("h5", "", "What was asked and expected"), ...asked] : []));
    if (sample) panel.append(...evidence(sample));
    panel.append(about);
    return panel;
  }
  function sign(status, glyph) {
    const mark = make("span", "sign " + status, glyph);
    mark.setAttribute("aria-hidden", "true");
    return mark;
  }
  function definitions(className, pairs) {
    return make("dl", className, ...pairs.map(([name, said]) => make("div", "", make("dt", "", name), make("dd", "", said))));
  }
  function aboutSample([, , , , facts, lines]) {
    return [definitions("facts", facts), ...lines.map((line) => make("p", "why", line))];
  }
  function evidence([, , , , , , evaluations, exhibits]) {
    const parts = [];
    if (evaluations.length) {
      const checks = evaluations.map(([status, glyph, name, message]) =>
        make("li", "", sign(status, glyph), make("span", "", make("b", "", name), make("span", "spoken", ", " + status + ": "), make("span", "said", message))));
      parts.push(make("h5", "", "Evaluations"), make("ul", "checks", ...checks));
    }
    if (exhibits.length) parts.push(make("h5", "", "What happened"), ...exhibits.map((exhibit) => makeExhibit(...exhibit)));
    return parts;
  }
  function makeExhibit(kind, title, details, at, texts) {
    const who = make("div", "who", make("b", "", title));
    for (const detail of details) who.append(" ", make("span", "detail", detail));
    if (at) who.append(" ", make("span", "at", at));
    const body = make("div", "");
    for (const [name, text] of texts) {
      if (name) body.append(make("span", name === "error" ? "part wrong" : "part", name));
      body.append(make("pre", "", text));
    }
    return make("div", "exhibit " + kind.replaceAll(" ", "-"), who, body);
  }
  function openNext() {
    const bad = [...document.querySelectorAll(".row:not([hidden]) a.cell:is(.failed, .error)")];
    const after = bad.find((cell) => opened.link.compareDocumentPosition(cell) & Node.DOCUMENT_POSITION_FOLLOWING);
    const link = after ?? bad[0];
    if (link) follow(link, { scroll: true });
  }
  function leave() {
    const { link } = opened;
    close();
    visit("");
    if (form) applyFilters();
    link.focus();
  }
  function follow(link, { scroll }) {
    const row = link.closest(".row") ?? document.getElementById(link.hash.slice(1).replace(/&n=\d+$/, ""));
    const number = /&n=(\d+)$/.exec(link.hash);
    visit(link.hash.slice(1));
    if (form) applyFilters();
    open(row, number ? Number(number[1]) : undefined, { focus: true });
    if (scroll) row.scrollIntoView({ block: "start" });
  }

  function obeyHash() {
    const hash = readHash();
    const filtered = named().some((element) => hash.has(element.name));
    if (filtered || !hash.has("s")) fillFilters(hash);
    if (form) applyFilters();
    const row = document.getElementById(anchorIn(hash));
    if (!row?.matches(".row")) return close();
    open(row, hash.has("n") ? Number(hash.get("n")) : undefined, { focus: true });
    row.scrollIntoView({ block: "start" });
  }

  // Arrow keys go from cell to cell, Escape closes what is open.
  function move(cell, key) {
    const cells = [...cell.parentElement.querySelectorAll("a.cell")];
    const place = cells.indexOf(cell);
    if (key === "ArrowRight") return cells[place + 1];
    if (key === "ArrowLeft") return cells[place - 1];
    const shown = rows.filter((row) => !row.hidden && row.querySelector("a.cell"));
    const row = shown[shown.indexOf(cell.closest(".row")) + (key === "ArrowDown" ? 1 : -1)];
    const others = row ? [...row.querySelectorAll("a.cell")] : [];
    return others[Math.min(place, others.length - 1)];
  }
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && opened && !event.target.matches("input, select")) leave();
    if (!event.key.startsWith("Arrow") || !event.target.matches("a.cell") || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    move(event.target, event.key)?.focus();
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#s="]');
    if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    follow(link, { scroll: !link.closest(".row") });
  });
  addEventListener("hashchange", obeyHash);
  addEventListener("popstate", obeyHash);

  if (form) {
    let waiting = 0;
    const changed = () => {
      applyFilters();
      const anchor = anchorIn(readHash());
      const number = readHash().get("n");
      const open = anchor && number ? anchor + "&n=" + number : anchor;
      history.replaceState(null, "", "#" + [open, ...filterParts()].filter(Boolean).join("&"));
    };
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("change", changed);
    form.addEventListener("input", (event) => {
      if (event.target.tagName === "SELECT") return;
      clearTimeout(waiting);
      waiting = setTimeout(changed, 150);
    });
    form.addEventListener("reset", () => setTimeout(changed));
    form.hidden = false;
  }
  obeyHash();
  // A browser goes to the element that the address names once more when all is loaded.
  addEventListener("load", () => setTimeout(() => opened?.panel.querySelector("h4").focus({ preventScroll: true })));
});
