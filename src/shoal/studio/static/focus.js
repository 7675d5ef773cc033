// Whoever works by keyboard stays where they are when that place is drawn anew: browsers go on at the
// end of the page once the focused element is gone.
"use strict";

const REACHED = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]";
let sought = null; // what is not there while its part is worked out, and what has the focus meanwhile

function wordOf(node) {
  const hidden = [...(node.form?.querySelectorAll("input[type=hidden]") || [])].map((field) => field.value);
  return [node.tagName, node.name, node.href, node.form?.getAttribute("action"), node.textContent, ...hidden].join("|");
}

function alikeBy(word) {
  return [...document.querySelectorAll(REACHED)].filter((node) => !node.disabled && node.getClientRects().length && wordOf(node) === word);
}

function placeOf(root) {
  const active = document.activeElement;
  if (sought && sought.at !== active) sought = null;
  if (!root.contains(active)) return null;
  if (sought) return sought.place;
  const word = wordOf(active), around = [];
  for (let node = active.parentElement; node; node = node.parentElement) if (node.id) around.push(node.id);
  return { id: active.id, word, nth: alikeBy(word).indexOf(active), around };
}

// To the same element; else, until it is there, to the nearest part around it.
function focusAgain(place) {
  if (!place || document.activeElement !== document.body) return;
  const own = place.id && document.getElementById(place.id);
  const same = own && !own.disabled ? own : alikeBy(place.word)[place.nth];
  const at = same || place.around.map((id) => document.getElementById(id)).find(Boolean);
  if (!at) return;
  if (!at.matches(REACHED)) at.tabIndex = -1;
  at.focus({ preventScroll: true });
  sought = same ? null : { place, at };
}

let placeBefore = null;
document.addEventListener("htmx:beforeSwap", (event) => { placeBefore = placeOf(event.target); });
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target.id !== "main" && !event.target.matches("tr[id]")) return;
  focusAgain(placeBefore);
  placeBefore = null;
});
