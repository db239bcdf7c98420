// Each figure as a file: SVG that needs no style sheet, PNG of it, its data as CSV. All is made in the page, of what it
// shows, without a network; in the colours of paper also where the screen is dark.

const svgNamespace = "http://www.w3.org/2000/svg";
/** Dots of a PNG for each of the page's. */
const pngScale = 3;
/** What browsers draw on one canvas. */
const mostPixels = 16_000;
/** Around a figure. */
const margin = 8;

const paintStyles = ["fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray", "opacity"];
const textStyles = ["font-family", "font-size", "font-weight", "font-style", "text-anchor"];
const unstyled = { fill: "rgb(0, 0, 0)", stroke: "none", "stroke-width": "1px", "stroke-dasharray": "none" };
const unwanted = ["class", "role", "tabindex", "data-page", "data-link", "aria-label", "aria-hidden", "aria-live"];

/** Runs `work` as on paper: the rules for dark screens do not hold meanwhile. */
function onPaper(work) {
  const dark = [...document.styleSheets]
    .flatMap((sheet) => [...sheet.cssRules])
    .filter((rule) => rule instanceof CSSMediaRule && rule.media.mediaText.includes("prefers-color-scheme: dark"));
  const before = dark.map((rule) => rule.media.mediaText);
  for (const rule of dark) rule.media.mediaText = "not all";
  try {
    return work();
  } finally {
    for (const [index, rule] of dark.entries()) rule.media.mediaText = before[index];
  }
}

/** Colours with alpha are CSS's; SVG's readers know an opacity. */
function setPaint(element, name, value) {
  const alpha = /^rgba\((.+), ([\d.]+)\)$/.exec(value);
  if (!alpha) return element.setAttribute(name, value.replace(/^url\(".*#/, "url(#").replace(/"\)$/, ")"));
  element.setAttribute(name, alpha[2] === "0" ? "none" : `rgb(${alpha[1]})`);
  if (alpha[2] !== "0") element.setAttribute(`${name}-opacity`, alpha[2]);
}

/** Gives a copy the looks of what is on the page, as attributes. */
function setLooks(original, copy) {
  const style = getComputedStyle(original);
  const isText = original.localName === "text" || original.localName === "tspan";
  for (const name of isText ? ["fill", ...textStyles] : paintStyles) {
    const value = style.getPropertyValue(name);
    const opaque = name.endsWith("opacity") && value === "1";
    const strokeless = name.startsWith("stroke-") && style.stroke === "none";
    if (value && value !== unstyled[name] && !opaque && !strokeless) setPaint(copy, name, value);
  }
  for (const name of unwanted) copy.removeAttribute(name);
}

/** A drawing as it looks here, with no need of the page. */
function looksOf(original) {
  if (original.matches(".hit, line.moment") || getComputedStyle(original).display === "none") return null;
  const copy = original.localName === "a" ? document.createElementNS(svgNamespace, "g") : original.cloneNode(false);
  if (!["a", "title", "svg", "g", "defs"].includes(original.localName)) setLooks(original, copy);
  for (const name of unwanted) copy.removeAttribute(name);
  for (const child of original.childNodes) {
    const kept = child.nodeType === Node.ELEMENT_NODE ? looksOf(child) : child.cloneNode();
    if (kept) copy.append(kept);
  }
  return copy;
}

/** The words of a figure outside of its drawings, line by line where they stand. */
function* linesOf(figure, skipped) {
  const walker = document.createTreeWalker(figure, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || parent.closest(skipped) || parent.closest("[hidden]")) continue;
    const lines = new Map();
    for (const word of node.data.matchAll(/\S+/g)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const box = range.getBoundingClientRect();
      if (box.width === 0) continue;
      const line = lines.get(Math.round(box.top));
      if (line) line.words.push(word[0]);
      else lines.set(Math.round(box.top), { words: [word[0]], box, parent });
    }
    yield* lines.values();
  }
}

function lineText({ words, parent }) {
  const style = getComputedStyle(parent);
  const text = document.createElementNS(svgNamespace, "text");
  for (const name of textStyles.slice(0, 4)) text.setAttribute(name, style.getPropertyValue(name));
  setPaint(text, "fill", style.color);
  text.textContent = words.join(" ");
  return text;
}

/** What is drawn with, of what other drawings of the page define. */
function definitionsFor(root) {
  const defs = document.createElementNS(svgNamespace, "defs");
  for (const id of new Set([...root.outerHTML.matchAll(/url\(#([\w-]+)\)/g)].map(([, name]) => name))) {
    const original = document.getElementById(id);
    if (original && !root.querySelector(`#${CSS.escape(id)}`)) defs.append(looksOf(original));
  }
  return defs;
}

/** Where something stands on the page, and what it is in the file. */
function* partsOf(figure) {
  for (const svg of figure.querySelectorAll("svg")) {
    const seen = svg.getClientRects().length > 0 && !svg.closest("[hidden]");
    if (seen) yield { box: svg.getBoundingClientRect(), element: looksOf(svg), isDrawing: true };
  }
  const skipped = "svg, figcaption, .readout, .files, .zoom, details:not([open])";
  for (const line of linesOf(figure, skipped)) yield { box: line.box, element: lineText(line), isDrawing: false };
}

function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes))
    element.setAttribute(name, typeof value === "number" ? String(Math.round(value * 10) / 10) : value);
}

/** A figure as one SVG: all its drawings and words where they stand, on white. */
function figureSvg(figure) {
  return onPaper(() => {
    const parts = [...partsOf(figure)];
    const left = Math.min(...parts.map(({ box }) => box.left));
    const top = Math.min(...parts.map(({ box }) => box.top));
    const root = document.createElementNS(svgNamespace, "svg");
    let [right, bottom] = [0, 0];
    const place = ({ box, element, isDrawing }, x, y) => {
      if (isDrawing) setAttributes(element, { x, y, width: box.width, height: box.height });
      // Letters stand in the middle of their line.
      else
        setAttributes(element, {
          x,
          y: y + box.height / 2 + Number.parseFloat(element.getAttribute("font-size")) * 0.35,
        });
      [right, bottom] = [Math.max(right, x + box.width), Math.max(bottom, y + box.height)];
      root.append(element);
    };
    for (const part of parts) place(part, part.box.left - left, part.box.top - top);
    const legend = document.getElementById(figure.dataset.legend ?? "");
    if (legend)
      place({ box: legend.getBoundingClientRect(), element: looksOf(legend), isDrawing: true }, 0, bottom + 6);
    const [width, height] = [Math.ceil(right) + 2 * margin, Math.ceil(bottom) + 2 * margin];
    const paper = document.createElementNS(svgNamespace, "rect");
    const fill = getComputedStyle(document.body).backgroundColor;
    setAttributes(paper, { fill, x: -margin, y: -margin, width, height });
    const caption = document.createElementNS(svgNamespace, "desc");
    caption.textContent = figure.querySelector("figcaption")?.textContent ?? "";
    root.prepend(caption, definitionsFor(root), paper);
    setAttributes(root, { viewBox: `${-margin} ${-margin} ${width} ${height}`, width, height });
    return { text: new XMLSerializer().serializeToString(root), width, height };
  });
}

async function figurePng(figure) {
  const { text, width, height } = figureSvg(figure);
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await picture.decode();
  const scale = Math.min(pngScale, mostPixels / width, mostPixels / height);
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  if (!blob) throw new Error("this browser cannot draw a picture so large");
  return blob;
}

async function figureCsv(figure) {
  const packed = Uint8Array.from(atob(figure.dataset.csv), (letter) => letter.charCodeAt(0));
  const text = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Blob([await new Response(text).arrayBuffer()], { type: "text/csv;charset=utf-8" });
}

const figureFiles = {
  svg: (figure) => new Blob([figureSvg(figure).text], { type: "image/svg+xml;charset=utf-8" }),
  png: figurePng,
  csv: figureCsv,
};
/** film_file.js: the name that people share. */
const filmFiles = { ...figureFiles, "animated.png": filmApng };

function saveFile(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 30_000);
}

function addFileButtons(figure) {
  if (figure.querySelector(":scope > .files")) return;
  const row = document.createElement("p");
  row.className = "files";
  row.append("Save ");
  const message = document.createElement("span");
  message.setAttribute("role", "status");
  for (const [kind, make] of Object.entries(figure.matches(".filmstrip") ? filmFiles : figureFiles)) {
    const button = document.createElement("button");
    button.type = "button";
    const word = kind === "animated.png" ? "Animated PNG" : kind.toUpperCase();
    button.textContent = word;
    button.setAttribute("aria-label", `Save ${figure.dataset.file} as ${word}`);
    button.addEventListener("click", async () => {
      message.textContent = "";
      try {
        buildWithin(figure);
        saveFile(await make(figure), `${figure.dataset.file}.${kind}`);
      } catch (error) {
        message.textContent = `Not saved: ${error.message}`;
      }
    });
    row.append(button);
  }
  row.append(message);
  figure.append(row);
}

/** Figures in closed sections get theirs when these are opened: there are hundreds. */
function setUpFigureFiles() {
  const addWithin = (root) => {
    for (const figure of root.querySelectorAll("figure[data-csv]"))
      if (!figure.parentElement.closest("details:not([open])")) addFileButtons(figure);
  };
  addWithin(document);
  document.addEventListener("toggle", (event) => event.target.open && addWithin(event.target), true);
}

setUpFigureFiles();
