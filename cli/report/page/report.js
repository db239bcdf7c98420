// The report's comforts: filter, sorting, read-outs and arrow keys. The page says all it has to say without this.

const all = (selector, root = document) => [...root.querySelectorAll(selector)];

const filtered = "details.group, table.medians tbody tr, #decisions tbody tr, #matching tr[data-page]";
const chosenIn = (form) =>
  Object.fromEntries(["page", "link", "lane", "host", "type"].map((name) => [name, form.elements[name].value]));

const nothingPaled = '["","",""]';
let paledFor = nothingPaled;

/** Pales what is drawn within `root` of other lanes, hosts and types. */
function paleWithin(root, { lane, host, type }) {
  for (const drawn of all("svg g[class^='lane-']", root))
    drawn.classList.toggle("other", lane !== "" && !drawn.classList.contains(`lane-${lane}`));
  for (const row of all(".waterfall .hit", root)) {
    const is = (name, value) => value === "" || row.getAttribute(name) === value;
    const fits = is("data-host", host) && is("data-type", type);
    row.classList.toggle("other", !fits);
  }
}

function paleOthers(chosen) {
  // Tens of thousands of requests may be drawn: untouched where nothing changes for them.
  const key = JSON.stringify([chosen.lane, chosen.host, chosen.type]);
  if (key === paledFor) return;
  paledFor = key;
  paleWithin(document, chosen);
}

/** Shows the sections and rows of the chosen page, link, lane and host. */
function applyFilter(form) {
  const chosen = chosenIn(form);
  const sections = all("details.group");
  const fits = ({ page, link, lanes, host }) =>
    (chosen.page === "" || page === chosen.page) &&
    (chosen.link === "" || link === undefined || link === chosen.link) &&
    (chosen.lane === "" || lanes === undefined || lanes.split(" ").includes(chosen.lane)) &&
    (chosen.host === "" || host === undefined || host === chosen.host);
  const choose = (item) => {
    item.hidden = !fits(item.dataset);
  };
  for (const later of all("#medians noscript.later")) buildRows(later, choose);
  for (const item of all(filtered)) choose(item);
  paleOthers(chosen);
  const shown = sections.filter((section) => !section.hidden);
  document.querySelector("#filtered").textContent = `${shown.length} of ${sections.length} shown`;
  if (shown.length <= 2) for (const section of shown) openSection(section);
}

function openSection(section) {
  buildSection(section);
  section.open = true;
}

let steppedTo = null;

/** From the open section to the one before or after it among those shown: that one opens, this one closes. */
function step(direction) {
  const sections = all("details.group").filter((section) => !section.hidden);
  const from = sections.includes(steppedTo) && steppedTo.open ? steppedTo : sections.find((section) => section.open);
  const to = from ? sections[sections.indexOf(from) + direction] : sections.at(direction > 0 ? 0 : -1);
  if (!to) return;
  if (from) from.open = false;
  openSection(to);
  to.scrollIntoView();
  steppedTo = to;
}

function setUpFilter() {
  const form = document.querySelector("form.filter");
  if (!form) return;
  document.addEventListener("built", ({ target }) => paledFor !== nothingPaled && paleWithin(target, chosenIn(form)));
  form.hidden = false;
  form.addEventListener("change", () => applyFilter(form));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => applyFilter(form)));
  form.elements.previous.addEventListener("click", () => step(-1));
  form.elements.next.addEventListener("click", () => step(1));
  // A heat map's cell chooses its link; the page stays unless the map is of another one.
  for (const cell of all("svg.heat a")) {
    cell.addEventListener("click", () => {
      const target = document.getElementById(cell.getAttribute("href").slice(1));
      if (!target?.dataset.link) return;
      const page = cell.closest("figure").dataset.page;
      if (page !== undefined) form.elements.page.value = page;
      form.elements.link.value = target.dataset.link;
      applyFilter(form);
      openSection(target);
    });
  }
  document.querySelector("#filtered").textContent =
    `${all("details.group").length} of ${all("details.group").length} shown`;
}

function setUpSorting() {
  for (const table of all("table.sortable")) {
    const heads = all("thead th", table);
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const rising = head.getAttribute("aria-sort") !== "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", rising ? "ascending" : "descending");
        buildWithin(table.parentElement);
        const body = table.tBodies[0];
        const keyOf = (row) => row.cells[column].dataset.sort ?? row.cells[column].textContent;
        const rows = [...body.rows].sort((a, b) => {
          const [x, y] = [keyOf(a), keyOf(b)];
          // What is unknown stays at the end, whichever way the rest is sorted.
          if (x === "" || y === "") return Number(x === "") - Number(y === "");
          const order = x.localeCompare(y, "en", { numeric: true });
          const byNumber = Number(x) - Number(y);
          return (rising ? 1 : -1) * (Number.isNaN(byNumber) ? order : byNumber);
        });
        body.append(...rows);
      });
    });
  }
}

/** Shows in the figure's read-out what is pointed at or focused. */
function setUpReadouts() {
  const tell = ({ target }) => {
    const title = target.closest?.("a, .hit")?.querySelector("title");
    const figure = target.closest?.("figure.heatmaps, figure.waterfall");
    if (title && figure) figure.querySelector(".readout").textContent = title.textContent;
  };
  document.addEventListener("mouseover", tell);
  document.addEventListener("focusin", tell);
}

/** One tab stop for each map; the arrow keys go from cell to cell. */
function setUpHeatMapKeys() {
  for (const map of all("svg.heat")) {
    const cells = all("a", map);
    const place = (cell) => {
      const box = cell.querySelector("rect");
      return { x: Number(box.getAttribute("x")), y: Number(box.getAttribute("y")) };
    };
    for (const [index, cell] of cells.entries()) cell.setAttribute("tabindex", index === 0 ? "0" : "-1");
    map.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      const from = event.target.closest("a");
      if (!step || !from) return;
      event.preventDefault();
      const at = place(from);
      const ahead = cells
        .map((cell) => ({ cell, ...place(cell) }))
        .filter(({ x, y }) =>
          step[0] === 0 ? x === at.x && (y - at.y) * step[1] > 0 : y === at.y && (x - at.x) * step[0] > 0,
        )
        .sort((a, b) => Math.abs(a.x - at.x) + Math.abs(a.y - at.y) - Math.abs(b.x - at.x) - Math.abs(b.y - at.y));
      if (ahead.length === 0) return;
      from.setAttribute("tabindex", "-1");
      ahead[0].cell.setAttribute("tabindex", "0");
      ahead[0].cell.focus();
    });
  }
}

function setUpWaterfallKeys() {
  document.addEventListener("keydown", (event) => {
    const figure = event.target.closest?.("figure.waterfall svg.wide")?.closest("figure");
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    const rows = figure && step ? all(".hit", figure) : [];
    if (rows.length === 0) return;
    event.preventDefault();
    const from = rows.findIndex((row) => row.classList.contains("at"));
    const to = rows[Math.max(0, Math.min(rows.length - 1, from + step))];
    rows[from]?.classList.remove("at");
    to.classList.add("at");
    markSameRequest(to);
    figure.querySelector(".readout").textContent = to.querySelector("title").textContent;
  });
}

function openTarget() {
  const find = () => document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!find()) buildWithin(document);
  const target = find();
  if (!target) return;
  const own = target.querySelector(":scope > details.evidence");
  for (let part = own ?? target; part; part = part.parentElement) if (part.matches("details")) openSection(part);
  target.scrollIntoView();
}

setUpFilter();
setUpSorting();
setUpReadouts();
setUpHeatMapKeys();
setUpWaterfallKeys();
addEventListener("hashchange", openTarget);
// Paper shows the evidence, too.
addEventListener("beforeprint", () => {
  for (const part of all("details.evidence")) part.open = true;
});
if (location.hash) openTarget();
