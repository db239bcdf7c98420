// What every report is in: one HTML file that needs nothing else, not even a network, with the styles and scripts of cli/report/page.
// Knows no sweep.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { coloursCss } from "../../extension/figures/colours.ts";
import { html, Markup } from "../../extension/figures/markup.ts";
import { hatchPatterns } from "../../extension/figures/phase_shapes.ts";
import { metricSwitchCss } from "./metric_switch.ts";

/** Without comments that have lines of their own, and without indentation: every report has them in it. */
const compact = (source: string): string =>
  source.replaceAll(/^\s*(?:\/\*(?:(?!\*\/)[\s\S])*\*\/|\/\/.*)\s*$/gm, "").replaceAll(/^\s+/gm, "");
const textOf = (path: string): string => compact(readFileSync(join(import.meta.dirname, path), "utf8"));
const partOf = (name: string): string => textOf(join("page", name));
const look = textOf("../../extension/figures/look.css");
const css = look + partOf("report.css") + partOf("print.css") + coloursCss() + metricSwitchCss;
const script = [
  "later.js",
  "report.js",
  "linked.js",
  "narrow.js",
  "moment.js",
  "film.js",
  "zoom.js",
  "film_file.js",
  "figure_files.js",
]
  .map(partOf)
  .join("");
const sha256 = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
// Nothing may be loaded or run but what stands here, whatever a recorded page's URLs contain.
const policy = `default-src 'none'; img-src data:; style-src ${sha256(css)}; script-src ${sha256(script)}; base-uri 'none'; form-action 'none'`;

// Stepped over: tags, drawings, whose text does not break, and commands, configurations and outputs, which are copied.
const beforeUnit =
  /<(svg|code|pre)\b[\s\S]*?<\/\1>|<[^>]*>|(?<=\bn) (?== \d)|(?<=\bn =) (?=\d)|(?<=\d) (?=(?:%|[mµ]?s|min|h|[kMGT]?(?:B|bit\/s))(?![\w/]))/g;

/** A number and its unit stand in one line, and so does `n = 5`. */
const withWholeQuantities = ({ text }: Markup): Markup =>
  new Markup(text.replace(beforeUnit, (found) => (found === " " ? "\u00a0" : found)));

export interface Section {
  readonly id: string;
  /** In the table of contents. */
  readonly name: string;
  readonly heading: string;
  /** Null: there is nothing to show, and no section. */
  readonly body: Markup | null;
  /** For who looks for the evidence: closed until it is opened, or a link leads there. */
  readonly isClosed?: boolean;
}

function sectionMarkup({ id, heading, body, isClosed = false }: Section): Markup {
  const inner = isClosed
    ? html`<details class="evidence"><summary><h2>${heading}</h2></summary>${body}</details>`
    : html`<h2>${heading}</h2>${body}`;
  return html`<section id="${id}">${withWholeQuantities(inner)}</section>\n`;
}

export interface Page {
  readonly title: string;
  readonly version: string;
  readonly header: Markup;
  /** The first screen: the answer, and what goes with it. */
  readonly first: Markup;
  /** All that follows, in its order. */
  readonly sections: readonly Section[];
}

/** The document's text. */
export function pageFrame({ title, version, header, first, sections }: Page): string {
  const shown = sections.filter(({ body }) => body !== null);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Trilane ${version}">
<title>${title}</title>
<style>${new Markup(css)}</style>
</head>
<body>
${hatchPatterns()}
<header>${withWholeQuantities(header)}</header>
<main>
${withWholeQuantities(first)}
<nav class="contents" aria-label="Contents">${shown.map(({ id, name }) => html`<a href="#${id}">${name}</a>`)}</nav>
${shown.map(sectionMarkup)}</main>
<script>${new Markup(script)}</script>
</body>
</html>
`.text;
}
