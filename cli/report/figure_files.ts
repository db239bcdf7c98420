// The figures of a report as files, made without a browser: the data as CSV, byte for byte what the report's own buttons save, and the
// drawings as SVG that needs nothing else. (The buttons' SVG has the words around drawings too, laid out by the browser, and so differs with its
// fonts.) Takes them from the report's text; draws nothing itself. A figure that is a table has CSV only.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";
import { coloursCss } from "../../extension/figures/colours.ts";
import { html, Markup } from "../../extension/figures/markup.ts";
import { hatchPatterns } from "../../extension/figures/phase_shapes.ts";
import { plainCss } from "./figures/plain_css.ts";

export interface FigureFile {
  /** Of letters, digits, dots, hyphens and underscores, unlike any other's. */
  readonly name: string;
  readonly text: string;
}

const look = readFileSync(join(import.meta.dirname, "../../extension/figures/look.css"), "utf8");
const reportCss = readFileSync(join(import.meta.dirname, "page", "report.css"), "utf8");
const css = look + reportCss + coloursCss();

/** Between drawings, and around them. */
const gap = 10;
const headingHeight = 20;
/** Without its ending: with a number behind, still a name that any tar can hold. */
const longestName = 85;

interface Drawing {
  readonly classes: string;
  readonly label: string;
  readonly width: number;
  readonly height: number;
  readonly viewBox: string;
  readonly content: string;
}

/** An attribute's value, escaped as it stands there. */
const attribute = (attributes: string, name: string): string =>
  new RegExp(`(?:^| )${name}="([^"]*)"`).exec(attributes)?.[1] ?? "";

function drawingsOf(markup: string): Drawing[] {
  return [...markup.matchAll(/<svg ([^>]*)>(.*?)<\/svg>/gs)].map(([, attributes = "", content = ""]) => ({
    classes: attribute(attributes, "class"),
    label: attribute(attributes, "aria-label"),
    width: Number(attribute(attributes, "width")),
    height: Number(attribute(attributes, "height")),
    viewBox: attribute(attributes, "viewBox"),
    // Its links lead to places in the report.
    content: content.replaceAll(/<a(?: [^>]*)?>/g, "<g>").replaceAll("</a>", "</g>"),
  }));
}

const classesIn = (markup: string): Set<string> =>
  new Set([...markup.matchAll(/ class="([^"]*)"/g)].flatMap(([, names = ""]) => names.split(/\s+/).filter(Boolean)));

/** Marks in the rows of a table are no drawing by themselves. */
const isInTable = ({ classes }: Drawing): boolean => classes.split(" ").includes("dw");

function svgOf(drawings: readonly Drawing[], classes: string, caption: string): string {
  // A single drawing's caption says what it is; of several each has its own words.
  const titled = drawings.filter(({ classes: of }) => !of.includes("legend")).length > 1;
  let y = 0;
  const parts = drawings.map(({ classes: own, label, width, height, viewBox, content }) => {
    const heading = titled && label !== "" && !own.includes("legend");
    const at = y + (heading ? headingHeight : 0);
    y = at + height + gap;
    const words = heading ? `<text class="lane" x="0" y="${at - 7}">${label.split(/[:;]/)[0]}</text>` : "";
    return `${words}<svg class="${own}" x="0" y="${at}" width="${width}" height="${height}" viewBox="${viewBox}">${content}</svg>`;
  });
  const body = `<g class="${classes}">${parts.join("\n")}</g>`;
  const patterns = body.includes("url(#hatch-") ? (/<defs>.*<\/defs>/s.exec(hatchPatterns().text)?.[0] ?? "") : "";
  const [width, height] = [Math.max(...drawings.map((each) => each.width)) + 2 * gap, y - gap + 2 * gap];
  const style = plainCss(css, classesIn(patterns + body));
  return html`<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="${-gap} ${-gap} ${width} ${height}" width="${width}" height="${height}">
<desc>${new Markup(caption)}</desc>
<style>${new Markup(style.replaceAll("&", "&amp;").replaceAll("<", "&lt;"))}</style>
${new Markup(patterns)}<rect fill="#ffffff" x="${-gap}" y="${-gap}" width="${width}" height="${height}"/>
${new Markup(body)}
</svg>
`.text;
}

/** Without its tags, still escaped. */
const wordsOf = (markup: string): string =>
  markup
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();

/** Which no other figure has, also where names are compared without their case. */
function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted || "figure";
  for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${wanted || "figure"}-${number}`;
  taken.add(name.toLowerCase());
  return name;
}

/** Of the text of a report, as buildReport makes it, in the order in which they stand there. */
export function figureFiles(report: string): FigureFile[] {
  const legends = new Map(
    [...report.matchAll(/<svg [^>]*\bid="([^"]+)"[^>]*>.*?<\/svg>/gs)].map(([markup, id = ""]) => [id, markup]),
  );
  const names = new Set<string>();
  return [...report.matchAll(/<figure ([^>]*data-csv="[^>]*)>(.*?)<\/figure>/gs)].flatMap(
    ([, attributes = "", content = ""]) => {
      const name = freeName(attribute(attributes, "data-file").replace(/^\.+/, "").slice(0, longestName), names);
      const csv = inflateRawSync(Buffer.from(attribute(attributes, "data-csv"), "base64")).toString("utf8");
      const legend = legends.get(attribute(attributes, "data-legend")) ?? "";
      const drawings = drawingsOf(content + legend).filter((drawing) => !isInTable(drawing));
      const caption = wordsOf(/<figcaption>(.*?)<\/figcaption>/s.exec(content)?.[1] ?? "");
      const svg = drawings.length > 0 && [
        { name: `${name}.svg`, text: svgOf(drawings, attribute(attributes, "class"), caption) },
      ];
      return [{ name: `${name}.csv`, text: csv }, ...(svg || [])];
    },
  );
}
