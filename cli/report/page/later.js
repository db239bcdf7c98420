// Builds the parts of the page that stand in it as text (figures/parts.ts): a section when it is opened, the rows of the medians when
// they are filtered, sorted or saved, and everything in the browser's pauses, before printing, and before the page is searched.

/** After loading, before the first part is built unasked: whoever clicks at once does not wait for it. */
const patience_ms = 400;

const parsed = (later) => {
  const holder = document.createElement("template");
  holder.innerHTML = later.textContent;
  return holder.content;
};

/** Reports it by a `built` event at the section. */
function buildSection(section) {
  const later = section.querySelector(":scope > noscript.later");
  if (!later) return;
  later.replaceWith(parsed(later));
  section.dispatchEvent(new Event("built", { bubbles: true }));
}

/** Adds the table's further rows; `setUp` is called with each before it is laid out. */
function buildRows(later, setUp = () => {}) {
  const rows = [...parsed(later).querySelectorAll("tbody tr")];
  for (const row of rows) setUp(row);
  later
    .closest("figure")
    .querySelector("tbody")
    .append(...rows);
  later.remove();
}

function build(later) {
  const section = later.closest("details.group");
  if (section) buildSection(section);
  else buildRows(later);
}

function buildWithin(root) {
  for (const later of all("noscript.later", root)) build(later);
}

/** Not every browser reports its pauses: there a part is built in each turn. */
const inPause = (go) =>
  globalThis.requestIdleCallback ? requestIdleCallback(go) : setTimeout(go, 0, { timeRemaining: () => 0 });

function buildInPauses() {
  const waiting = all("noscript.later");
  const go = (pause) => {
    do {
      const later = waiting.shift();
      if (later?.isConnected) build(later);
    } while (waiting.length > 0 && pause.timeRemaining() > 10);
    if (waiting.length > 0) inPause(go);
  };
  if (waiting.length > 0) inPause(go);
}

function setUpLater() {
  // A click on a summary comes before its section opens: no empty one is ever drawn.
  document.addEventListener("click", (event) => {
    const summary = event.target.closest?.("details.group > summary");
    if (summary) buildSection(summary.parentElement);
  });
  document.addEventListener(
    "toggle",
    ({ target }) => target.matches("details.group[open]") && buildSection(target),
    true,
  );
  document.addEventListener("keydown", ({ key, ctrlKey, metaKey }) => {
    if (key === "F3" || ((ctrlKey || metaKey) && key.toLowerCase() === "f")) buildWithin(document);
  });
  addEventListener("beforeprint", () => buildWithin(document));
  addEventListener("load", () => setTimeout(buildInPauses, patience_ms));
}

setUpLater();
