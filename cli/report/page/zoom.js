// Zoom into the time axis of waterfalls and of the link below them, both at once: by buttons, by keys at the drawing (+, -, 0, arrows to
// the sides) and by Ctrl and the wheel. Boxes and lines are moved and stretched, letters are not; the line at a moment (moment.js) stays
// at its time.

const zoomStep = 1.6;
const greatestZoom = 200;
/** By drawing, before any zoom: where 0 ms is and how long a millisecond; where its lines and letters are. */
const unzoomed = new WeakMap();

function unzoomedOf(svg) {
  const known = unzoomed.get(svg);
  if (known) return known;
  const places = (selector, name) => all(selector, svg).map((element) => ({ element, x: numberOf(element, name) }));
  const ticks = all(":scope > text.mid", svg);
  const found = {
    zero: Number(svg.dataset.zero),
    ms: Number(svg.dataset.ms),
    lines: places(".mark, .loadevent", "x1"),
    names: places(".markname", "x"),
    tickHeights: [...new Set(ticks.map((tick) => tick.getAttribute("y")))],
  };
  unzoomed.set(svg, found);
  return found;
}

/** The whole axis from 0 to 1; a window of it is what is shown. */
const wholeAxis = { from: 0, to: 1 };
const windowOf = new WeakMap();

/** At most some eight, at round times. */
function zoomTicks(from_ms, to_ms) {
  const step = roundFilmStep(to_ms - from_ms, 8);
  const first = Math.ceil(from_ms / step - 1e-9);
  return Array.from({ length: Math.floor(to_ms / step + 1e-9) - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
}

function drawTicks(svg, { tickHeights }, at, ticks) {
  for (const old of all(":scope > text.mid", svg)) old.remove();
  for (const y of tickHeights)
    for (const tick of ticks) svg.append(svgElement("text", { class: "axis mid", x: at(tick), y }, String(tick)));
  for (const lane of all(":scope > g", svg)) {
    const old = all(":scope > .grid", lane);
    if (old.length === 0) continue;
    const [y1, y2] = ["y1", "y2"].map((name) => old[0].getAttribute(name));
    old[0].replaceWith(
      ...ticks.map((tick) => svgElement("line", { class: "grid", x1: at(tick), x2: at(tick), y1, y2 })),
    );
    for (const line of old.slice(1)) line.remove();
  }
}

let clips = 0;

/** Nothing that is stretched leaves the axis. Given in the units of what it clips. */
function clipOf(svg, x, width) {
  const clip = svg.querySelector(":scope > clipPath") ?? svgElement("clipPath", { id: `zoom-${++clips}` });
  clip.replaceChildren(svgElement("rect", { x, width, y: -10, height: svg.viewBox.baseVal.height + 20 }));
  svg.append(clip);
  return `url(#${clip.id})`;
}

function drawZoomed(svg, { from, to }) {
  const whole = unzoomedOf(svg);
  const { left, right } = timeAxis;
  const [start, times] = [left + from * (right - left), 1 / (to - from)];
  const moved = (x) => left + (x - start) * times;
  const isWithin = (x) => x >= left - 0.5 && x <= right + 0.5;
  const [zero, ms] = [moved(whole.zero), whole.ms * times];
  Object.assign(svg.dataset, { zero, ms, left });
  const clip = times === 1 ? null : clipOf(svg, start, (right - left) / times);
  for (const path of all("g > path", svg)) {
    if (clip === null) for (const name of ["transform", "clip-path"]) path.removeAttribute(name);
    else set(path, { transform: `matrix(${times} 0 0 1 ${left - start * times} 0)`, "clip-path": clip });
  }
  for (const { element, x } of whole.lines)
    set(element, { x1: moved(x), x2: moved(x), visibility: isWithin(moved(x)) ? "visible" : "hidden" });
  for (const { element, x } of whole.names)
    set(element, { x: moved(x), visibility: isWithin(moved(x)) ? "visible" : "hidden" });
  const at_ms = (x) => (x - zero) / ms;
  drawTicks(svg, whole, (time_ms) => zero + time_ms * ms, zoomTicks(at_ms(left), at_ms(right)));
  svg.classList.toggle("zoomed", clip !== null);
  redrawMoment(svg);
}

/** Of a page on a link: its waterfalls and its link. */
const zoomedTogether = (figure) =>
  all("figure.waterfall svg.wide, figure.overtime svg.wide", figure.parentElement).filter((svg) => svg.dataset.zero);

function zoomTo(figure, { from, to }) {
  const span = Math.min(1, to - from);
  const start = Math.min(Math.max(0, from), 1 - span);
  const window = { from: start, to: start + span };
  windowOf.set(figure, window);
  for (const svg of zoomedTogether(figure)) drawZoomed(svg, window);
}

const shownOf = (figure) => windowOf.get(figure) ?? wholeAxis;

/** `about`: the share of the drawing's axis that stays where it is. */
function zoomBy(figure, factor, about = 0.5) {
  const { from, to } = shownOf(figure);
  const span = Math.min(1, Math.max(1 / greatestZoom, (to - from) / factor));
  const still = from + about * (to - from);
  zoomTo(figure, { from: still - about * span, to: still + (1 - about) * span });
}

function panBy(figure, share) {
  const { from, to } = shownOf(figure);
  const by = (to - from) * share;
  zoomTo(figure, { from: from + by, to: to + by });
}

/** Where the line is, if it is seen; else the middle. */
function lineShare(figure) {
  const line = figure.querySelector("line.moment");
  const x = line ? (numberOf(line, "x1") - timeAxis.left) / (timeAxis.right - timeAxis.left) : 0.5;
  return x >= 0 && x <= 1 ? x : 0.5;
}

const zoomKeys = {
  "+": (figure) => zoomBy(figure, zoomStep, lineShare(figure)),
  "=": (figure) => zoomBy(figure, zoomStep, lineShare(figure)),
  "-": (figure) => zoomBy(figure, 1 / zoomStep, lineShare(figure)),
  0: (figure) => zoomTo(figure, wholeAxis),
  ArrowLeft: (figure) => panBy(figure, -0.2),
  ArrowRight: (figure) => panBy(figure, 0.2),
};

const zoomButtons = [
  ["Zoom in", "+"],
  ["Zoom out", "-"],
  ["Whole load", "0"],
];

function addZoomButtons(root) {
  for (const figure of all("figure.waterfall", root)) {
    if (!figure.querySelector("svg.wide[data-zero]") || figure.querySelector(".zoom")) continue;
    const row = document.createElement("p");
    row.className = "zoom";
    for (const [name, key] of zoomButtons) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.addEventListener("click", () => zoomKeys[key](figure));
      row.append(button);
    }
    figure.querySelector(".scroll").before(row);
  }
}

const waterfallAt = (target) => target.closest?.("figure.waterfall svg.wide[data-zero]");

function setUpZoom() {
  document.addEventListener("keydown", (event) => {
    const svg = event.ctrlKey || event.metaKey || event.altKey ? null : waterfallAt(event.target);
    const act = zoomKeys[event.key];
    if (!svg || !act) return;
    event.preventDefault();
    act(svg.closest("figure"));
  });
  const wheel = (event) => {
    const svg = event.ctrlKey ? waterfallAt(event.target) : null;
    if (!svg) return;
    event.preventDefault();
    const box = svg.getBoundingClientRect();
    const x = svg.viewBox.baseVal.x + ((event.clientX - box.left) * svg.viewBox.baseVal.width) / box.width;
    const about = Math.min(1, Math.max(0, (x - timeAxis.left) / (timeAxis.right - timeAxis.left)));
    zoomBy(svg.closest("figure"), event.deltaY < 0 ? zoomStep : 1 / zoomStep, about);
  };
  document.addEventListener("wheel", wheel, { passive: false });
  document.addEventListener("built", ({ target }) => addZoomButtons(target));
  addZoomButtons(document);
}

setUpZoom();
