// One moment in film, waterfalls and link: a line through all of them. A slider above the waterfalls sets it, by mouse or by keys, and so
// does dragging in a drawing. Drawings that a narrow screen has in another form (narrow.js) have no line.

/** Where 0 ms is, and how long a millisecond, in the drawing's own units. */
const timed = "svg[data-zero]:not(.narrow)";
const svgSpace = "http://www.w3.org/2000/svg";

/** The section of a page on a link that a drawing is of, also if it stands on the first screen. */
const sectionOf = (svg) =>
  svg.closest("details.group") ?? document.getElementById(svg.closest("figure")?.dataset.group ?? "");

/** What shows the same moment. */
const drawingsOf = (section) => all(timed).filter((svg) => sectionOf(svg) === section);

function drawLine(svg, time_ms) {
  let line = svg.querySelector(":scope > line.moment");
  if (!line) {
    line = document.createElementNS(svgSpace, "line");
    line.setAttribute("class", "moment");
    svg.append(line);
  }
  const x = Number(svg.dataset.zero) + time_ms * Number(svg.dataset.ms);
  const { width, height } = svg.viewBox.baseVal;
  // A zoomed drawing's axis begins right of its names.
  line.setAttribute("visibility", x > width || x < Number(svg.dataset.left ?? 0) ? "hidden" : "visible");
  for (const [name, value] of Object.entries({ x1: x, x2: x, y1: 18, y2: height - 18 })) line.setAttribute(name, value);
}

function showMoment(slider) {
  const time_ms = Number(slider.value);
  slider.nextElementSibling.textContent = `${Math.round(time_ms)} ms`;
  for (const svg of drawingsOf(slider.closest("details.group"))) drawLine(svg, time_ms);
}

/** In a drawing that was drawn again. */
// biome-ignore lint/correctness/noUnusedVariables: film.js and zoom.js call it
function redrawMoment(svg) {
  const slider = sectionOf(svg)?.querySelector(".moment-slider input");
  if (slider && Number(slider.value) > 0) drawLine(svg, Number(slider.value));
}

/** In front of each figure of waterfalls that has none yet. */
function addSliders(root) {
  for (const figure of all("figure.waterfall", root)) {
    const svg = figure.querySelector(timed);
    if (!svg || figure.querySelector(".moment-slider")) continue;
    const label = document.createElement("label");
    label.className = "moment-slider";
    const slider = document.createElement("input");
    const { zero, ms } = svg.dataset;
    const end_ms = Math.floor((svg.viewBox.baseVal.width - Number(zero)) / Number(ms));
    Object.assign(slider, {
      type: "range",
      min: 0,
      max: end_ms,
      step: Math.max(1, Math.round(end_ms / 200)),
      value: 0,
    });
    slider.addEventListener("input", () => showMoment(slider));
    label.append("Line at ", slider, document.createElement("output"));
    figure.prepend(label);
  }
}

function setUpMoment() {
  const dragged = (event) => {
    const svg = event.buttons === 1 && event.pointerType !== "touch" ? event.target.closest?.(timed) : null;
    if (!svg) return;
    const slider = sectionOf(svg)?.querySelector(".moment-slider input");
    if (!slider) return;
    const box = svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) * svg.viewBox.baseVal.width) / box.width;
    // It keeps itself within its ends.
    slider.value = String((x - Number(svg.dataset.zero)) / Number(svg.dataset.ms));
    event.preventDefault();
    showMoment(slider);
  };
  document.addEventListener("pointerdown", dragged);
  document.addEventListener("pointermove", dragged);
  document.addEventListener("built", ({ target }) => addSliders(target));
  addSliders(document);
}

setUpMoment();
