// A film in a size and at an interval to choose, and below its pictures how much of the page was there: visual progress, as
// cli/load/metrics/visual_progress.ts computes it of the film's pictures. Takes pictures and times from the figure
// (extension/figures/filmstrip.ts); without this script it shows what stands there.

const filmGap = 6;
/** Of what a page has of the browser's window. */
const filmAspect = 625 / 1366;
const filmIntervals_ms = [20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];
const mostFilmColumns = 60;
/** How wide pictures are that fit the page, px: seen, and three lanes of them in one look. */
const filmWidths = { least: 96, greatest: 140 };
const filmSizes = { "fit the page": null, medium: 200, large: 400 };
const progressHeight = 92;
const filmPaperFrom = 250;

const svgElement = (name, attributes, text) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.append(text);
  return element;
};

const filmTime = (time_ms) =>
  time_ms < 10_000 ? `${Math.round(time_ms)} ms` : `${Number((time_ms / 1000).toPrecision(3))} s`;

/** A film as its figure has it. `shownAt`: the number of the picture that a lane showed; -1: none yet. */
function filmOf(figure) {
  const svg = figure.querySelector("svg");
  const lanes = all(":scope > g[data-times]", svg).map((row) => {
    const times = row.dataset.times.split(" ").map(Number);
    return {
      row,
      name: row.querySelector("text.lane").textContent,
      times,
      plt_ms: row.dataset.plt === "" ? null : Number(row.dataset.plt),
      pictures: all("image", row),
      shownAt: (time_ms) => times.findLastIndex((time) => time <= time_ms),
    };
  });
  return { svg, lanes, end_ms: Math.max(1, ...lanes.flatMap(({ times, plt_ms }) => [times.at(-1), plt_ms ?? 0])) };
}

/** Of 1, 2 or 5 times a power of ten: an end comes within `most` steps. */
function roundFilmStep(end_ms, most) {
  const power = 10 ** Math.floor(Math.log10(end_ms / most));
  return power * [1, 2, 5, 10].find((factor) => factor * power * most >= end_ms * (1 - 1e-9));
}

/** From 0 to the first at which every lane shows its last picture. */
const filmInstants = (end_ms, step_ms) =>
  Array.from({ length: Math.ceil(end_ms / step_ms - 1e-9) + 1 }, (_, index) => index * step_ms);

/** Where things are: names of lanes stand beside the pictures, on a narrow screen above them. */
function filmPlaces({ end_ms }, { step_ms: given_ms, across: chosen }) {
  const narrow = isNarrow.matches;
  const [left, room] = narrow ? [0, 366] : [96, 864];
  const step_ms = given_ms ?? roundFilmStep(end_ms, narrow ? 3 : 7);
  const instants = filmInstants(end_ms, step_ms);
  const fitting = room / instants.length - filmGap;
  const across = chosen ?? Math.max(narrow ? 78 : filmWidths.least, Math.min(filmWidths.greatest, fitting));
  const high = Math.round(across * filmAspect);
  const above = narrow ? 16 : 0;
  return { left, step_ms, instants, across, high, above, top: 22, row: above + high + filmGap + 14 };
}

function drawFilmLane({ row, name, plt_ms, pictures, shownAt }, places, y) {
  const { left, instants, across, high, above } = places;
  const top = y + above;
  for (const picture of pictures) {
    picture.setAttribute("width", across);
    picture.setAttribute("height", high);
  }
  for (const cell of all(":scope > g", row)) cell.remove();
  const head = row.querySelector("text.lane");
  head.setAttribute("y", above ? y + 11 : y + high / 2);
  const loaded = plt_ms === null ? -1 : instants.findIndex((time_ms) => time_ms >= plt_ms);
  instants.forEach((time_ms, column) => {
    const shown = shownAt(time_ms);
    if (shown < 0) return;
    const x = left + column * (across + filmGap);
    const before = column === 0 ? shown : shownAt(instants[column - 1]);
    const cell = svgElement("g", {});
    const place = { x, y: top, width: across, height: high };
    cell.append(
      svgElement("use", { href: `#${pictures[shown].id}`, x, y: top }),
      svgElement("rect", { class: before >= 0 && before !== shown ? "film changed" : "film", ...place }),
      svgElement("title", {}, `${name} at ${filmTime(time_ms)}${before === shown && column > 0 ? ", as before" : ""}`),
    );
    // Of the last picture it would be cut.
    const isLast = column > 0 && column === instants.length - 1;
    const mark = { class: isLast ? "axis end" : "axis", x: isLast ? x + across : x, y: top + high + 12 };
    if (column === loaded) cell.append(svgElement("text", mark, `loaded ${filmTime(plt_ms)}`));
    row.append(cell);
  });
}

async function filmImage(picture) {
  const image = new Image();
  image.src = picture.getAttribute("href");
  await image.decode();
  return image;
}

/** One channel after the other: how many pixels have each value, without the paper's. */
async function filmHistogram(picture) {
  const image = await filmImage(picture);
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  const histogram = new Uint32Array(3 * 256);
  for (let at = 0; at < data.length; at += 4) {
    const [red, green, blue] = [data[at], data[at + 1], data[at + 2]];
    if (red >= filmPaperFrom && green >= filmPaperFrom && blue >= filmPaperFrom) continue;
    histogram[red]++;
    histogram[256 + green]++;
    histogram[512 + blue]++;
  }
  return histogram;
}

/** By picture, from 0 to 1; null: the page never changed what was shown. */
async function filmProgress({ pictures }) {
  const histograms = [];
  for (const picture of pictures) histograms.push(await filmHistogram(picture));
  const [first, last] = [histograms[0], histograms.at(-1)];
  const wanted = last.map((pixels, value) => Math.abs(pixels - first[value]));
  const total = wanted.reduce((sum, pixels) => sum + pixels, 0);
  if (total === 0) return null;
  return histograms.map((shown) => {
    const made = wanted.reduce(
      (sum, pixels, value) => sum + Math.min(pixels, Math.abs(shown[value] - first[value])),
      0,
    );
    return Math.floor((made / total) * 100) / 100;
  });
}

/** Below the pictures, under the same instants. */
function drawProgress({ svg, lanes, end_ms }, progress, { left, step_ms, across }, top) {
  const group = svgElement("g", { class: "progress" });
  const [from, to] = [top + 20, top + progressHeight - 10];
  const at = (time_ms) => left + (time_ms / step_ms) * (across + filmGap);
  const height = (share) => to - share * (to - from);
  const right = at(end_ms) + 1;
  group.append(svgElement("text", { class: "axis", x: 0, y: top + 10 }, "Visual progress"));
  for (const share of [0, 0.5, 1]) {
    group.append(svgElement("line", { class: "grid", x1: left, x2: right, y1: height(share), y2: height(share) }));
    const place = left > 0 ? { class: "axis end", x: left - 6 } : { class: "axis", x: right + 4 };
    group.append(svgElement("text", { ...place, y: height(share) + 4 }, `${share * 100} %`));
  }
  lanes.forEach(({ row, name, times }, index) => {
    const shares = progress[index];
    if (!shares) return;
    const line = shares.map((share, picture) => `H${at(times[picture]).toFixed(1)}V${height(share).toFixed(1)}`);
    const reached = (least) => filmTime(times[shares.findIndex((share) => share >= least)] ?? times.at(-1));
    const drawn = svgElement("g", { class: row.getAttribute("class") });
    drawn.append(
      svgElement("path", { class: "cdf", d: `M${at(0)} ${height(0)}${line.join("")}H${right.toFixed(1)}` }),
      svgElement("title", {}, `${name}: half of the page is there at ${reached(0.5)}, 85 % at ${reached(0.85)}`),
    );
    group.append(drawn);
  });
  svg.append(group);
}

const progressOfFigure = new WeakMap();

async function drawFilm(figure, choice) {
  const film = filmOf(figure);
  const { svg, lanes, end_ms } = film;
  const places = filmPlaces(film, choice);
  const { left, step_ms, instants, across, top, row } = places;
  for (const drawn of all(":scope > text.axis, :scope > .progress, :scope > line.moment", svg)) drawn.remove();
  instants.forEach((time_ms, column) => {
    svg.prepend(svgElement("text", { class: "axis", x: left + column * (across + filmGap), y: 14 }, filmTime(time_ms)));
  });
  lanes.forEach((lane, index) => {
    drawFilmLane(lane, places, top + index * row);
  });
  const below = top + lanes.length * row;
  const fits = left + instants.length * (across + filmGap);
  const width = Math.max(fits, left + (end_ms / step_ms) * (across + filmGap) + 44);
  Object.assign(svg.dataset, { zero: left, ms: (across + filmGap) / step_ms });
  const isFitting = choice.across === undefined && width <= (isNarrow.matches ? 420 : 980);
  const size = { width: isFitting ? Math.max(width, left > 0 ? 960 : 366) : width, height: below + progressHeight };
  for (const [name, value] of Object.entries({ viewBox: `0 0 ${size.width} ${size.height}`, ...size }))
    svg.setAttribute(name, value);
  svg.classList.toggle("large", !isFitting);
  svg.classList.toggle("fitted", isFitting);
  svg.style.width = isFitting ? "" : `${width}px`;
  const progress = progressOfFigure.get(figure) ?? Promise.all(lanes.map(filmProgress));
  progressOfFigure.set(figure, progress);
  const shares = await progress;
  if (!svg.querySelector(":scope > .progress")) drawProgress(film, shares, places, below);
  redrawMoment(svg);
}

function filmChoice(name, words, options, chosen) {
  const label = document.createElement("label");
  const select = document.createElement("select");
  select.name = name;
  for (const [text, value] of options) select.append(new Option(text, value));
  select.addEventListener("change", chosen);
  label.append(words, " ", select);
  return { label, select };
}

function setUpFilm(figure) {
  if (figure.querySelector(".film-choices")) return;
  const { end_ms } = filmOf(figure);
  const redraw = () =>
    drawFilm(figure, {
      across: filmSizes[size.select.value] ?? undefined,
      step_ms: interval.select.value === "" ? undefined : Number(interval.select.value),
    });
  const size = filmChoice(
    "size",
    "Size",
    Object.keys(filmSizes).map((name) => [name, name]),
    redraw,
  );
  const fitting = filmIntervals_ms.filter((step) => step < end_ms && end_ms / step < mostFilmColumns);
  const interval = filmChoice(
    "interval",
    "A picture every",
    [["fit the page", ""], ...fitting.map((ms) => [filmTime(ms), ms])],
    redraw,
  );
  const row = document.createElement("p");
  row.className = "film-choices";
  row.append(size.label, interval.label);
  figure.querySelector(".scroll").after(row);
  // What scrolls is reached by keys.
  Object.assign(figure.querySelector(".scroll"), { tabIndex: 0, role: "group", ariaLabel: "Film" });
  isNarrow.addEventListener("change", redraw);
  return redraw();
}

/** Its pictures are decoded when the browser has time for it. */
function setUpFilms(root) {
  for (const figure of all("figure.filmstrip", root)) inPause(() => setUpFilm(figure));
}

document.addEventListener("built", ({ target }) => setUpFilms(target));
addEventListener("load", () => setUpFilms(document));
