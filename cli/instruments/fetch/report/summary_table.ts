// Medians of fetches over each thing that they were fetched over, with 95 % intervals, as one table. Takes fetches, sums them up by
// cli/results/fetch.
import { html, type Markup } from "../../../../extension/figures/markup.ts";
import { savedFigure } from "../../../report/figures/figure_file.ts";
import { linkCell, readingKey } from "../../../report/figures/parts.ts";
import { exactEnds, medianCell } from "../../../report/instrument_report.ts";
import { type QuantitySummary, summarizeQuantity } from "../answer/quantity_summary.ts";
import { type Fetched, type Variant, variantKey, variantName, variantsOf } from "../metrics/fetched.ts";
import { type Quantity, quantities } from "../metrics/quantities.ts";
import { linkName, unitCount } from "./fetch_words.ts";

/** One row's fetches. */
export interface SummaryRow {
  /** Cells before the numbers. */
  readonly names: readonly string[];
  readonly fetched: readonly Fetched[];
}

/** Rows of each link and each thing that was fetched over; names of the link where there are several. */
export function variantRows(fetched: readonly Fetched[]): { readonly heads: string[]; readonly rows: SummaryRow[] } {
  const links = [...new Set(fetched.map(({ link }) => link))];
  const variants = variantsOf(fetched);
  const rows = links.flatMap((link) =>
    variants.flatMap((variant: Variant): SummaryRow[] => {
      const own = fetched.filter((each) => each.link === link && variantKey(each) === variantKey(variant));
      const names = [variantName(variant, variants), ...(links.length > 1 ? [linkName(link)] : [])];
      return own.length === 0 ? [] : [{ names, fetched: own }];
    }),
  );
  return { heads: ["over", ...(links.length > 1 ? ["link"] : [])], rows };
}

export interface SummaryTable {
  /** Of its file. */
  readonly name: string;
  readonly caption: string;
  readonly heads: readonly string[];
  readonly rows: readonly SummaryRow[];
  readonly shown: readonly Quantity[];
  /** So many rows at most; all are in the CSV. */
  readonly most?: number;
}

const valueCell = (summary: QuantitySummary, quantity: Quantity): Markup =>
  medianCell(summary, quantities[quantity].unit, unitCount(summary.n, summary.unit));

const failed = (fetched: readonly Fetched[]): number => fetched.filter(({ record }) => record.error !== null).length;

export function summaryTable({ name, caption, heads, rows, shown, most = 200 }: SummaryTable): Markup {
  const summaries = rows.map(({ fetched }) => shown.map((quantity) => summarizeQuantity(fetched, quantity)));
  const body = rows.slice(0, most).map(({ names, fetched }, index) => {
    const [first = "", ...others] = names;
    const left = failed(fetched);
    const cells = shown.map((quantity, column) => valueCell(summaries[index]?.[column] as QuantitySummary, quantity));
    return html`<tr><th scope="row">${first}</th>${others.map((each) => linkCell(each))}<td class="num" data-sort="${String(fetched.length)}">${String(fetched.length)}${left > 0 && html`<small>${String(left)} failed</small>`}</td>${cells}</tr>`;
  });
  const figure = html`<figure class="flow-cells"><figcaption>${caption}${rows.length > most && ` The first ${most} of ${rows.length} rows; all are in its CSV.`}</figcaption>${readingKey("Median, below it the 95 % interval. –: unavailable; its note has the reason, a number’s note how many it is of.")}<div class="scroll"><table class="sortable"><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}<th scope="col" class="num">fetches</th>${shown.map((quantity) => html`<th scope="col" class="num" title="${quantities[quantity].meaning}">${quantities[quantity].title}</th>`)}</tr></thead><tbody>${body}</tbody></table></div></figure>`;
  return savedFigure(figure, {
    name: [name],
    columns: [...heads, "fetches", "failed", ...shown.flatMap((each) => [each, `${each}_low`, `${each}_high`])],
    rows: rows.map(({ names, fetched }, index) => [
      ...names,
      ...[fetched.length, failed(fetched)],
      ...(summaries[index] ?? []).flatMap(exactEnds),
    ]),
  });
}
