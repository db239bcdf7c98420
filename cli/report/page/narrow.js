// Waterfalls, the link below them and distributions on a narrow screen: the same drawings without their columns of names, which
// stand in the rows instead, in letters of a size to read. On a wide screen each is what it was.

/** As in extension/figures/waterfall.ts and distribution.ts: where what is drawn begins and ends. */
const timeAxis = { left: 328, right: 948 };
const dotsAxis = { left: 104, right: 728 };
const edge = 6;
/** What a line of letters takes above its row. */
const rowOfText = 19;

const set = (element, attributes) => {
  for (const [name, value] of Object.entries(attributes)) element?.setAttribute(name, value);
};
const numberOf = (element, name) => Number(element.getAttribute(name));

function crop(svg, { left, right }, height) {
  const width = right - left + 2 * edge;
  set(svg, { viewBox: `${left - edge} -4 ${width} ${height + 4}`, width, height: height + 4 });
}

/** Boxes as extension/figures/waterfall.ts draws them, each moved down by what its row of letters, and those before it, take. */
function movedBoxes(path, moved) {
  return path.replaceAll(/M(\S+) ([-\d.]+)h/g, (_, x, y) => `M${x} ${Math.round(moved(Number(y)) * 10) / 10}h`);
}

/** One lane from `y` on; where it ends. */
function narrowLane(lane, y) {
  const { body, row, rows } = Object.fromEntries(
    Object.entries(lane.dataset).map(([name, value]) => [name, Number(value)]),
  );
  const top = y + 50;
  const pitch = row + rowOfText;
  const indexAt = (at) => Math.min(rows - 1, Math.max(0, Math.floor((at - body) / row)));
  const moved = (at) => at - body + top + (indexAt(at) + 1) * rowOfText;
  set(lane.querySelector(".swatch"), { x: timeAxis.left, y: y + 6 });
  set(lane.querySelector(".lane"), { x: timeAxis.left + 20, y: y + 18 });
  set(lane.querySelector(".aside"), { x: timeAxis.left, y: y + 40 });
  for (const path of lane.querySelectorAll("path")) set(path, { d: movedBoxes(path.getAttribute("d"), moved) });
  for (const line of lane.querySelectorAll(".grid, .mark, .loadevent")) set(line, { y1: top, y2: top + rows * pitch });
  for (const name of lane.querySelectorAll(".markname")) set(name, { y: top + rows * pitch + 14 });
  lane.querySelectorAll(".hit").forEach((hit, index) => {
    set(hit, { y: top + index * pitch, height: pitch });
  });
  for (const label of lane.querySelectorAll(".url, .conn")) {
    // Its line stands up to 4 below the middle of its row, and below 0 of no row.
    const at = top + indexAt(numberOf(label, "y") - 5) * pitch + rowOfText - 3;
    const isName = label.classList.contains("url");
    set(label, isName ? { x: timeAxis.left, y: at } : { x: timeAxis.right, y: at, "text-anchor": "end" });
  }
  return top + rows * pitch + 24;
}

function narrowWaterfall(svg) {
  const heads = [...svg.children].filter((child) => child.localName === "text");
  const bottom = Math.max(...heads.map((text) => numberOf(text, "y")));
  let y = 32;
  for (const lane of svg.querySelectorAll(":scope > g[data-rows]")) y = narrowLane(lane, y);
  for (const text of heads) {
    const at = numberOf(text, "y");
    if (!text.matches(".mid, .end")) text.remove();
    else set(text, { y: at < 20 ? 18 : at < bottom ? y + 14 : y + 36 });
  }
  crop(svg, timeAxis, y + 46);
}

function narrowLink(svg) {
  for (const strip of svg.querySelectorAll(":scope > g")) {
    const [name, aside] = ["text.lane", "text.axis:not(.end)"].map((part) => strip.querySelector(part));
    const [rate, ...others] = strip.querySelectorAll("text.end");
    set(name, { x: timeAxis.left });
    set(aside, { x: timeAxis.left + (name.textContent.length > 8 ? 200 : 96) });
    aside.textContent = `${rate.textContent}; ${aside.textContent.replace(/ packets? dropped/, " dropped").replace("at most", "≤")}`;
    for (const text of [rate, ...others]) text.remove();
  }
  const unit = svg.querySelector(":scope > text.end");
  for (const text of svg.querySelectorAll(":scope > text"))
    set(text, { y: numberOf(text, "y") + (text === unit ? 16 : 6) });
  crop(svg, timeAxis, svg.viewBox.baseVal.height + 18);
}

function narrowDistribution(svg) {
  const more = 34;
  const lanes = [...svg.querySelectorAll(":scope > g:not(.gain)")];
  // Its lines would have to follow the lanes, which move apart; the answer says the same above.
  svg.querySelector(":scope > .gain")?.remove();
  lanes.forEach((lane, index) => {
    const [name, aside, rest] = ["text.lane", "text.aside", "text.axis"].map((part) => lane.querySelector(part));
    const at = numberOf(name, "y") - 28;
    set(lane, { transform: `translate(0 ${(index + 1) * more})` });
    set(name, { x: dotsAxis.left, y: at });
    set(aside, { x: dotsAxis.left + (name.textContent.length > 4 ? 160 : 60), y: at });
    set(rest, { x: dotsAxis.right, y: at, "text-anchor": "end" });
  });
  const further = lanes.length * more;
  for (const line of svg.querySelectorAll(":scope > .grid")) set(line, { y2: numberOf(line, "y2") + further });
  for (const text of svg.querySelectorAll(":scope > text")) {
    set(text, { y: numberOf(text, "y") + further + 4 });
    // At the ends there is no room for half of it.
    const x = numberOf(text, "x");
    if (x < dotsAxis.left + 20) text.classList.remove("mid");
    else if (x > dotsAxis.right - 20) text.classList.replace("mid", "end");
  }
  crop(svg, dotsAxis, svg.viewBox.baseVal.height + further + 8);
}

/** As in cli/instruments/flows/report/run_figure.ts; what is plotted becomes narrower, letters do not. */
const flowsAxis = { left: 58, right: 730 };
function narrowFlows(svg) {
  const [width, right] = [480, 450];
  const by = (right - flowsAxis.left) / (flowsAxis.right - flowsAxis.left);
  const moved = (x) => (x <= flowsAxis.left ? x : flowsAxis.left + (x - flowsAxis.left) * by);
  for (const plotted of svg.querySelectorAll(".plotted"))
    set(plotted, { transform: `translate(${flowsAxis.left * (1 - by)} 0) scale(${by} 1)` });
  for (const line of svg.querySelectorAll(".grid:not(.plotted *)")) set(line, { x2: moved(numberOf(line, "x2")) });
  for (const more of svg.querySelectorAll(".more")) more.remove();
  for (const text of svg.querySelectorAll("text:not(.tag)")) set(text, { x: moved(numberOf(text, "x")) });
  for (const point of svg.querySelectorAll("circle")) set(point, { cx: moved(numberOf(point, "cx")) });
  for (const tag of svg.querySelectorAll(".tag")) set(tag, { x: numberOf(tag, "x") + right - flowsAxis.right });
  for (const leader of svg.querySelectorAll(".leader"))
    set(leader, {
      d: leader
        .getAttribute("d")
        .replaceAll(
          /([ML])(\S+) /g,
          (_, kind, x) => `${kind}${kind === "L" ? Number(x) + right - flowsAxis.right : moved(Number(x))} `,
        ),
    });
  const height = svg.viewBox.baseVal.height;
  set(svg, { viewBox: `0 0 ${width} ${height}`, width, height });
}

/** One below the other. */
function narrowFlowLegend(svg) {
  const [width, height] = [480, 20];
  [...svg.children].forEach((item, index) => {
    set(item, { transform: `translate(0 ${index * height})` });
  });
  set(svg, { viewBox: `0 0 ${width} ${svg.children.length * height}`, width, height: svg.children.length * height });
}

/** In two rows. `step`: as in extension/figures/phase_shapes.ts. */
function narrowLegend(svg) {
  const [step, height] = [82, 18];
  const inRow = Math.ceil(svg.viewBox.baseVal.width / step / 2);
  for (const item of svg.children)
    if (numberOf(item, "x") >= inRow * step)
      set(item, { x: numberOf(item, "x") - inRow * step, y: numberOf(item, "y") + height });
  set(svg, { viewBox: `0 0 ${inRow * step} ${2 * height}`, width: inRow * step, height: 2 * height });
}

const narrowed = [
  ["figure.waterfall svg.wide", narrowWaterfall],
  ["figure.waterfall svg.legend", narrowLegend],
  ["figure.overtime svg.wide", narrowLink],
  ["figure.flows svg.wide", narrowFlows],
  ["figure.flows svg.flow-names", narrowFlowLegend],
  ["figure.flows svg.legend:not(.flow-names)", narrowLegend],
  ["figure.distribution svg.wide", narrowDistribution],
];
const isNarrow = matchMedia("screen and (max-width: 640px)");
/** By the narrow drawing: the wide one. */
const wideOf = new Map();

function narrowWithin(root) {
  if (!isNarrow.matches) return;
  for (const [selector, narrow] of narrowed)
    for (const wide of all(selector, root)) {
      if (wide.classList.contains("narrow")) continue;
      const svg = wide.cloneNode(true);
      svg.classList.add("narrow");
      narrow(svg);
      wide.replaceWith(svg);
      wideOf.set(svg, wide);
    }
}

function widen() {
  for (const [svg, wide] of wideOf) svg.replaceWith(wide);
  wideOf.clear();
}

isNarrow.addEventListener("change", () => (isNarrow.matches ? narrowWithin(document) : widen()));
document.addEventListener("built", ({ target }) => narrowWithin(target));
narrowWithin(document);
