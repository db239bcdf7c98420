// What makes a figure one that can be saved: its file's name and its data as CSV, packed into the figure itself. The page's
// script (page/figure_files.js) unpacks them, and draws SVG and PNG from what it shows.
import { deflateRawSync } from "node:zlib";
import { html, Markup } from "../../../extension/figures/markup.ts";
import { type CsvValue, csvLine } from "../../results/export/csv_column.ts";

interface FigureData {
  /** What the figure is of, in words that make the file's name. */
  readonly name: readonly string[];
  /** With units. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly CsvValue[])[];
}

/** Thousandths are finer than anything that is measured here, and a third of the digits. What is infinite is not known, and empty. */
function rounded(value: CsvValue): CsvValue {
  if (typeof value !== "number") return value;
  return Number.isFinite(value) ? Number(value.toFixed(3)) : null;
}

/** RFC 4180, as the loads' own CSV. */
export function figureCsv({ columns, rows }: FigureData): string {
  return [columns, ...rows].map((row) => csvLine(row.map(rounded))).join("");
}

function fileName(words: readonly string[]): string {
  return words
    .join("-")
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 100);
}

/** The figure, which must begin with its element, with what it needs to be saved. */
export function savedFigure(figure: Markup, data: FigureData): Markup {
  const packed = deflateRawSync(figureCsv(data), { level: 9 }).toString("base64");
  const attributes = html` data-file="${fileName(data.name)}" data-csv="${packed}"`;
  return new Markup(figure.text.replace(/^<figure/, () => `<figure${attributes.text}`));
}
