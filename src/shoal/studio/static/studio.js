// What pages do beyond forms: numbers in the reader's format, live parts, keys, cuts, dragging.
"use strict";

const body = document.body;

// -- numbers and dates as the reader writes them ------------------------------------------------

const language = navigator.language || "en";
const whole = new Intl.NumberFormat(language, { maximumSignificantDigits: 15 });
const part = new Intl.NumberFormat(language, { maximumSignificantDigits: 4 });
const share = new Intl.NumberFormat(language, { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });
const moment = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });

// Numbers in sentences and beside charts, written as English does, each kept as exact as it is.
function inWords(text) {
  return text.replace(/\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+/g, (found) => {
    const digits = (found.split(".")[1] || "").length;
    const value = Number(found.replaceAll(",", ""));
    return new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
  });
}

function localize(root) {
  for (const node of root.querySelectorAll(".figures:not([data-said]), text.tick:not([data-said])")) {
    node.dataset.said = "";
    node.textContent = inWords(node.textContent);
  }
  for (const node of root.querySelectorAll("data.number")) {
    const value = Number(node.value);
    if (Number.isFinite(value)) node.textContent = (Number.isInteger(value) ? whole : part).format(value);
  }
  for (const node of root.querySelectorAll("data.percent")) {
    const value = Number(node.value);
    if (Number.isFinite(value)) node.textContent = value > 0 && value < 0.001 ? `<${share.format(0.001)}` : share.format(value);
  }
  for (const node of root.querySelectorAll("time[datetime]")) {
    const value = new Date(node.dateTime);
    if (!Number.isNaN(value.valueOf())) node.textContent = moment.format(value);
  }
}

// -- parts that change while work goes on -------------------------------------------------------

let pending = null;
let asked = 0; // pages asked for, so that only the newest answer is shown
let acted = 0; // what the reader did and was answered: a page asked for before that is old
let waiting = 0; // answers to the reader that are on their way

function refreshSoon() {
  clearTimeout(pending);
  pending = setTimeout(refresh, 150);
}

// A button that is replaced between press and release is never clicked, a value is never dropped.
let held = false, dragged = false;
function release() { held = false; dragged = false; }
document.addEventListener("pointerdown", () => { held = true; dragged = false; }, true);
for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => setTimeout(() => { held = false; }), true);
document.addEventListener("dragstart", () => { dragged = true; });
for (const end of ["dragend", "drop"]) document.addEventListener(end, release);
window.addEventListener("blur", release);
document.addEventListener("htmx:beforeSend", () => { waiting += 1; });
document.addEventListener("htmx:afterRequest", () => { waiting = Math.max(0, waiting - 1); acted += 1; });

// Chromium keeps in place what is seen; while the old page stands below the new one, that is the old
// one, and long pages would be at their end afterwards.
document.addEventListener("htmx:beforeSwap", () => { document.documentElement.style.overflowAnchor = "none"; });
document.addEventListener("htmx:afterSettle", () => { document.documentElement.style.overflowAnchor = ""; });

// What an action led to may stand far above its button: an error, or the part that its form names.
let partToShow = "";
document.addEventListener("htmx:beforeRequest", (event) => { partToShow = event.target.dataset.shows || ""; });
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target.id !== "main") return;
  const place = document.getElementById("failed") || document.getElementById(partToShow);
  partToShow = "";
  place?.scrollIntoView({ block: "center" });
});

function isBusy(node) {
  const active = document.activeElement;
  if (node.contains(active) && active.matches("input, select, textarea, .cut")) return true;
  const answers = [...node.querySelectorAll("form.answers :is(input, textarea), form[data-draft] input")];
  return node.querySelector(".dragging") || answers.some(isTyped);
}

async function refresh() {
  const mine = ++asked, before = acted;
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } }).catch(() => null);
  if (!answer) { showGone(true); return; }
  if (!answer.ok && answer.status !== 422) return;
  const text = await answer.text();
  if (mine !== asked) return;
  if (held || dragged || waiting || acted !== before) { refreshSoon(); return; }
  const fresh = new DOMParser().parseFromString(text, "text/html");
  localize(fresh);
  const ids = [...document.querySelectorAll("[data-part]")].map((node) => node.id).join();
  const freshParts = [...fresh.querySelectorAll("[data-part]")];
  const main = document.getElementById("main");
  if (freshParts.map((node) => node.id).join() !== ids && !isBusy(main)) {
    const place = placeOf(main);
    main.replaceWith(document.adoptNode(fresh.getElementById("main")));
    for (const id of ["exposed", "steps"]) swapPart(fresh.getElementById(id));
    htmx.process(document.getElementById("main"));
    prepare(document.getElementById("main"));
    focusAgain(place);
    return;
  }
  freshParts.forEach(swapPart);
}

function swapPart(fresh) {
  const old = fresh && document.getElementById(fresh.id);
  if (!old || old.dataset.seen === fresh.outerHTML || "kept" in old.dataset) return; // kept: as the reader left it
  if (isBusy(old)) { refreshLater(old); return; }
  const html = fresh.outerHTML;
  const open = [...old.querySelectorAll("details")].map((node) => node.open);
  const checked = [...old.querySelectorAll("input[form=bulk]:checked")].map((node) => node.id);
  const place = placeOf(old);
  const next = document.adoptNode(fresh);
  old.replaceWith(next);
  next.dataset.seen = html;
  [...next.querySelectorAll("details")].forEach((node, index) => { if (index in open) node.open = open[index]; });
  for (const id of checked) { const box = document.getElementById(id); if (box) box.checked = true; }
  htmx.process(next);
  prepare(next);
  focusAgain(place);
}

function refreshLater(node) {
  node.addEventListener("focusout", refreshSoon, { once: true });
}

// -- what was typed beside a button, and not sent -----------------------------------------------

function isTyped(field) {
  return field.value !== field.defaultValue && !field.matches("[data-k-range]");
}

function drafts() {
  return [...document.querySelectorAll("form[data-draft]")].filter((form) => [...form.elements].some((field) => field.name && isTyped(field)));
}

function showDrafts() {
  for (const note of document.querySelectorAll("[data-unsent]")) note.hidden = !drafts().includes(note.closest("form"));
}

// It goes along when the reader goes on to another page.
document.addEventListener("click", async (event) => {
  const link = event.target.closest?.("a[href]");
  const typed = link && !link.target && !event.ctrlKey && !event.metaKey && !event.shiftKey ? drafts() : [];
  if (!typed.length) return;
  event.preventDefault();
  for (const form of typed) {
    if (!form.reportValidity()) return;
    const sent = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) }).catch(() => null);
    if (!sent) { showGone(true); return; }
    if (!sent.ok) { form.requestSubmit(); return; } // the page says what is wrong with it
  }
  location.href = link.href;
});

// It stays in its field when something else is done on the page, unless that changed what is set; and
// a form that was refused stays as it was filled in, so that what is wrong can be mended there.
let typedBefore = [], refusedBefore = null;
document.addEventListener("htmx:beforeSwap", (event) => {
  const form = event.detail.requestConfig?.elt, isRefused = event.detail.xhr.status >= 400;
  const left = event.target.id === "main" ? drafts().filter((one) => one !== form) : [];
  typedBefore = left.flatMap((one) => [...one.elements].filter((field) => field.id && isTyped(field)));
  refusedBefore = isRefused && form?.matches("form") ? { form, nth: alike(form).indexOf(form) } : null;
});
document.addEventListener("htmx:afterSettle", () => {
  for (const old of typedBefore.splice(0)) {
    const field = document.getElementById(old.id);
    // where cuts stand is drawn anew
    if (!field || field === old || field.defaultValue !== old.defaultValue || field.closest("[data-bands]")) continue;
    fillField(field, old);
  }
  const old = refusedBefore, fresh = old && alike(old.form)[old.nth];
  refusedBefore = null;
  if (!fresh || fresh === old.form || fresh.elements.length !== old.form.elements.length) return;
  [...fresh.elements].forEach((field, index) => fillField(field, old.form.elements[index]));
});

function alike(form) {
  return [...document.forms].filter((one) => one.getAttribute("action") === form.getAttribute("action"));
}

function fillField(field, old) {
  if (!field.matches("input:not([type=hidden], [type=password]), select, textarea")) return;
  const isSame = field.value === old.value && field.checked === old.checked;
  field.value = old.value;
  if ("checked" in field) field.checked = old.checked;
  if (!isSame) field.dispatchEvent(new Event("input", { bubbles: true }));
}

// -- work in progress ---------------------------------------------------------------------------

const QUIET = new Set(["catalog", "column"]);

function showJobs(jobs) {
  const place = document.getElementById("jobs");
  const shown = jobs.filter((job) => !QUIET.has(job.task));
  const lines = shown.map((job) => {
    const line = document.createElement("div");
    line.className = "job";
    const title = document.createElement("strong");
    title.textContent = job.title;
    const bar = document.createElement("progress");
    bar.setAttribute("aria-label", job.title);
    if (job.total) { bar.max = job.total; bar.value = job.done; }
    const what = document.createElement("span");
    const left = job.seconds_left === null ? "" : body.dataset.left.replace("{time}", spoken(job.seconds_left));
    const count = job.total ? `${whole.format(job.done)} / ${whole.format(job.total)}` : "";
    what.textContent = [job.state === "waiting" ? body.dataset.waiting : job.what, count, left].filter(Boolean).join(" · ");
    const stop = document.createElement("button");
    stop.className = "quiet";
    stop.type = "button";
    stop.id = `cancel-${job.number}`;
    stop.textContent = body.dataset.cancel;
    stop.setAttribute("aria-label", `${body.dataset.cancel}: ${job.title}`);
    stop.addEventListener("click", () => post(`/p/${body.dataset.project}/jobs/cancel`, { number: job.number }));
    line.append(title, bar, what, stop);
    return line;
  });
  const focused = place.contains(document.activeElement) ? document.activeElement.id : "";
  place.replaceChildren(...lines);
  if (focused) (document.getElementById(focused) || document.getElementById("main")).focus({ preventScroll: true });
}

function spoken(seconds) {
  return seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}

function post(address, data) {
  const sent = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(data) };
  return fetch(address, sent).catch(() => showGone(true));
}

const PATIENCE = 4000; // a browser calls again after some three seconds
let silent = null;

function showGone(isGone) {
  clearTimeout(silent);
  silent = null;
  const place = document.getElementById("gone");
  if (place) place.hidden = !isGone;
}

document.addEventListener("htmx:sendError", () => showGone(true));

function listen() {
  if (!body.dataset.project) return;
  const source = new EventSource(`/p/${body.dataset.project}/events`);
  let begun = false;
  source.addEventListener("message", (event) => {
    const message = JSON.parse(event.data);
    if (message.jobs) showJobs(message.jobs);
    if (!begun) { begun = true; refreshSoon(); } // what happened while the page was on its way
    const live = document.getElementById("main").dataset.live.split(" ");
    if (message.changed && ["exposure", "schema", ...live].includes(message.changed)) refreshSoon();
  });
  source.addEventListener("open", () => showGone(false));
  // counted from the first error: every call in vain is another one
  source.addEventListener("error", () => { silent ??= setTimeout(showGone, PATIENCE, true); });
  window.addEventListener("pagehide", () => { clearTimeout(silent); source.close(); });
}

// -- columns: filter, choose, keys --------------------------------------------------------------

const ROLE_KEYS = { i: "identifier", q: "quasi-identifier", s: "sensitive", n: "insensitive", u: "subject", p: "pseudonym", h: "household" };

function filterRows(box) {
  const wanted = box.value.trim().toLowerCase();
  for (const row of document.querySelectorAll(`#${box.dataset.filter} tbody tr`)) {
    const role = row.querySelector(".role");
    const text = `${row.dataset.name} ${role ? role.value : ""}`.toLowerCase();
    row.hidden = !text.includes(wanted);
  }
}

function chooseAll(box) {
  for (const row of document.querySelectorAll(`#${box.dataset.all} tbody tr:not([hidden])`)) {
    row.querySelector("input[type=checkbox]").checked = box.checked;
  }
}

function moveRow(row, step) {
  let next = row;
  do next = step > 0 ? next.nextElementSibling : next.previousElementSibling; while (next && next.hidden);
  next?.focus();
}

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !event.target.matches("input, textarea")) {
    const button = document.getElementById(event.shiftKey ? "redo-button" : "undo-button");
    if (button && !button.disabled) { event.preventDefault(); button.click(); }
    return;
  }
  const row = event.target.closest?.("#columns tbody tr");
  if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
  const inField = event.target.matches("select, input:not([type=checkbox])");
  if (inField) return;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    moveRow(row, event.key === "ArrowDown" ? 1 : -1);
  } else if (event.key === " " && event.target === row) {
    event.preventDefault();
    row.querySelector("input[type=checkbox]").click();
  } else if (event.key === "a") {
    row.querySelector("button[id^=accept-]")?.click();
  } else if (event.key in ROLE_KEYS) {
    const role = row.querySelector(".role");
    if (role && role.value !== ROLE_KEYS[event.key]) {
      role.value = ROLE_KEYS[event.key];
      role.dispatchEvent(new Event("change", { bubbles: true }));
      rowToFocus = row.id;
    }
  }
});

let rowToFocus = "";
document.addEventListener("htmx:afterSettle", () => {
  if (rowToFocus) { document.getElementById(rowToFocus)?.focus(); rowToFocus = ""; }
});

// -- who is exposed at another k, without asking anybody ----------------------------------------

function showExposure(k) {
  const place = document.querySelector("[data-sizes]");
  if (!place || !(k >= 1)) return;
  const total = Number(place.dataset.total) || 1;
  const n = JSON.parse(place.dataset.sizes).reduce((sum, [size, rows]) => sum + (size < k ? rows : 0), 0);
  const big = document.getElementById("now-share");
  big.value = n / total;
  big.textContent = share.format(n / total);
  const sentence = document.getElementById("now-sentence");
  const values = { n: whole.format(n), total: whole.format(total), share: share.format(n / total), k, counts: sentence.dataset.counts };
  sentence.textContent = sentence.dataset.text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

// -- bands: cuts that can be dragged and moved by keys ------------------------------------------

function bands(section) {
  const histogram = section.querySelector(".histogram");
  if (histogram.parentElement.classList.contains("canvas")) return;
  const canvas = document.createElement("div");
  canvas.className = "canvas";
  histogram.replaceWith(canvas);
  canvas.append(histogram);
  const start = Number(section.dataset.start), step = Number(section.dataset.step);
  const width = step * Number(section.dataset.bars);
  const field = document.getElementById("cuts");
  let cuts = JSON.parse(section.querySelector(".cuts").dataset.cuts);

  function write() {
    cuts.sort((a, b) => a[0] - b[0]);
    field.value = cuts.map(([value, levels]) => `${value}:${levels}`).join(", ");
    showDrafts();
  }
  function snapped(value) {
    return Number((Math.round(value / step) * step).toPrecision(12));
  }
  function valueAt(x) {
    const box = canvas.getBoundingClientRect();
    return snapped(start + (x - box.left) / box.width * width);
  }
  function place(handle, cut) {
    handle.style.left = `${(cut[0] - start) / width * 100}%`;
    handle.className = `cut l${cut[1]}`;
    handle.setAttribute("aria-valuenow", cut[0]);
    handle.setAttribute("aria-valuetext", section.dataset.cut.replace("{value}", part.format(cut[0])).replace("{levels}", cut[1]));
    handle.firstElementChild.textContent = `${part.format(cut[0])}${cut[1] > 1 ? " · " + cut[1] : ""}`;
  }
  function change(handle, cut, value) {
    if (value <= start || value >= start + width || cuts.some((other) => other !== cut && other[0] === value)) return;
    cut[0] = value;
    place(handle, cut);
    write();
  }
  function add(cut) {
    const handle = document.createElement("button");
    handle.type = "button";
    handle.setAttribute("role", "slider");
    handle.setAttribute("aria-valuemin", start);
    handle.setAttribute("aria-valuemax", start + width);
    handle.setAttribute("aria-label", document.querySelector("label[for=cuts]").textContent);
    handle.append(document.createElement("span"));
    place(handle, cut);
    handle.addEventListener("pointerdown", (event) => { handle.setPointerCapture(event.pointerId); handle.classList.add("dragging"); });
    handle.addEventListener("pointermove", (event) => { if (handle.hasPointerCapture(event.pointerId)) change(handle, cut, valueAt(event.clientX)); });
    handle.addEventListener("pointerup", () => handle.classList.remove("dragging"));
    handle.addEventListener("keydown", (event) => {
      if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
        change(handle, cut, snapped(cut[0] + (event.key === "ArrowRight" ? step : -step)));
      } else if (event.key === "Enter" || event.key === " ") {
        cut[1] = cut[1] % 4 + 1;
        place(handle, cut);
        write();
      } else if (event.key === "Delete" || event.key === "Backspace") {
        cuts = cuts.filter((other) => other !== cut);
        handle.remove();
        write();
      } else return;
      event.preventDefault();
    });
    canvas.append(handle);
    return handle;
  }
  cuts.forEach(add);
  canvas.addEventListener("dblclick", (event) => {
    const value = valueAt(event.clientX);
    if (event.target.classList.contains("cut") || cuts.some((cut) => cut[0] === value)) return;
    const cut = [value, 1];
    cuts.push(cut);
    add(cut).focus();
    write();
  });
}

// -- trees: values dragged into groups ----------------------------------------------------------

function trees(section) {
  section.addEventListener("dragstart", (event) => {
    const item = event.target.closest("li[data-value]");
    if (item) { event.dataTransfer.setData("text/plain", item.dataset.value); item.querySelector("input").checked = true; }
  });
  for (const group of section.querySelectorAll("[data-group]")) {
    group.addEventListener("dragover", (event) => { event.preventDefault(); group.classList.add("over"); });
    group.addEventListener("dragleave", () => group.classList.remove("over"));
    group.addEventListener("drop", (event) => {
      event.preventDefault();
      group.classList.remove("over");
      document.getElementById("group").value = group.dataset.group;
      document.getElementById("move").requestSubmit();
    });
  }
}

// -- setting out --------------------------------------------------------------------------------

function prepare(root) {
  localize(root);
  root.querySelectorAll("[data-bands]").forEach(bands);
  root.querySelectorAll("[data-tree]").forEach(trees);
}

document.addEventListener("input", (event) => {
  const node = event.target;
  if (node.matches("[data-filter]")) filterRows(node);
  else if (node.matches("[data-k-range]")) { document.getElementById("k").value = node.value; showExposure(Number(node.value)); }
  else if (node.matches("[data-k]")) showExposure(Number(node.value));
  showDrafts();
});
document.addEventListener("change", (event) => { if (event.target.matches("[data-all]")) chooseAll(event.target); });
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
  const before = button.textContent;
  button.textContent = body.dataset.copied;
  setTimeout(() => { button.textContent = before; }, 1500);
});
document.addEventListener("htmx:afterSwap", (event) => prepare(event.detail.elt.isConnected ? event.detail.elt : document));
document.addEventListener("htmx:oobAfterSwap", (event) => prepare(event.detail.target.parentElement || document));

prepare(document);
document.querySelector(".steps [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
listen();
