// A table that its column heads sort, for rows some of whose values are missing: a dash, and the reason below. Rows and columns in;
// remembers by what it is sorted.
import { type Content, html, type Markup } from "../../figures/markup.ts";
import { find, on, put } from "../put.ts";

export interface Column<Row> {
  readonly title: string;
  /** What the column means, for who points at it; the caption says it to all. */
  readonly meaning?: string;
  readonly isNumber?: boolean;
  /** What it is sorted by; null: missing. */
  readonly value: (row: Row) => number | string | null;
  readonly cell: (row: Row) => Content;
  /** Why it is missing. */
  readonly why?: (row: Row) => string;
}

export interface SortableTable<Row> {
  /** Of this page's tables. */
  readonly name: string;
  readonly label: string;
  readonly caption: Content;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Index of the column and direction; as `rows` are, if absent. */
  readonly sorted?: Sorted;
  /** How many rows are shown at first. */
  readonly shown: number;
}

export interface Sorted {
  readonly column: number;
  readonly descending: boolean;
}

/** Missing values last, in both directions; rows of the same value stay in their order. */
export function sortedRows<Row>(rows: readonly Row[], column: Column<Row>, descending: boolean): Row[] {
  return rows.toSorted((a, b) => {
    const [x, y] = [column.value(a), column.value(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    const order = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
    return descending ? -order : order;
  });
}

/** Reasons numbered as they first come in the rows' own order, so that sorting leaves the numbers alone. */
function reasonsOf<Row>({ rows, columns }: SortableTable<Row>): string[] {
  const missing = rows.flatMap((row) =>
    columns.flatMap(({ value, why }) => (value(row) === null && why ? [why(row)] : [])),
  );
  return [...new Set(missing)];
}

function cellMarkup<Row>(row: Row, column: Column<Row>, place: number, reasons: readonly string[]): Markup {
  const className = column.isNumber ? html` class="num"` : html``;
  const why = column.value(row) === null && column.why ? column.why(row) : null;
  const content =
    why === null
      ? html`${column.cell(row)}`
      : html`<span aria-hidden="true">–<sup>${String(reasons.indexOf(why) + 1)}</sup></span><span class="unseen">unavailable: ${why}</span>`;
  return place === 0 ? html`<th scope="row">${content}</th>` : html`<td${className}>${content}</td>`;
}

export function sortableMarkup<Row>(table: SortableTable<Row>, sorted: Sorted | null, all: boolean): Markup {
  const { name, label, caption, columns, rows, shown } = table;
  const column = sorted ? columns[sorted.column] : undefined;
  const ordered = sorted && column ? sortedRows(rows, column, sorted.descending) : rows;
  const inSight = all ? ordered : ordered.slice(0, shown);
  const reasons = reasonsOf(table);
  const heads = columns.map(({ title, meaning, isNumber }, index) => {
    const order = sorted?.column === index ? (sorted.descending ? "descending" : "ascending") : "none";
    return html`<th scope="col"${isNumber && html` class="num"`} aria-sort="${order}"><button type="button" class="plain sort" data-column="${String(index)}"${meaning && html` title="${meaning}"`}>${title}</button></th>`;
  });
  const body = inSight.map(
    (row) => html`<tr>${columns.map((each, place) => cellMarkup(row, each, place, reasons))}</tr>`,
  );
  const more =
    rows.length > inSight.length &&
    html`<button type="button" class="plain more">Show all ${String(rows.length)}</button>`;
  const notes =
    reasons.length > 0 &&
    html`<ol class="reasons soft" aria-label="Why values are unavailable">${reasons.map((why) => html`<li>${why}</li>`)}</ol>`;
  return html`<div class="scroll sortable" role="region" aria-label="${label}" tabindex="0"><table id="${name}-table"><thead><tr>${heads}</tr></thead><tbody>${body}</tbody></table></div>${more}<p class="soft sideways">More columns to the side.</p><p class="soft">${caption}</p>${notes}`;
}

/** Builds the table in this element. */
export function showSortable<Row>(place: HTMLElement, table: SortableTable<Row>): void {
  let sorted = table.sorted ?? null;
  let all = false;
  const show = (): void => put(place, sortableMarkup(table, sorted, all));
  on(place, "click", ".sort", (button) => {
    const column = Number(button.dataset.column);
    // Of numbers, the largest is what is looked for first.
    const first = table.columns[column]?.isNumber === true;
    sorted = { column, descending: sorted?.column === column ? !sorted.descending : first };
    // Its elements are made anew: the one that was pressed keeps the focus, and the table its place.
    const left = find(".sortable", place).scrollLeft;
    show();
    find(".sortable", place).scrollLeft = left;
    find(`[data-column="${column}"]`, place).focus();
  });
  on(place, "click", ".more", () => {
    all = true;
    show();
    find(".sortable", place).focus();
  });
  show();
}
