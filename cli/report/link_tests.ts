// The self-test of each link of a sweep: what was planned, what was measured before the loads, within which tolerance.
// Draws given rows; measures nothing.
import { coordinate, html, type Markup } from "../../extension/figures/markup.ts";
import type { SelftestLink, SelftestRow } from "../../schemas/generated/selftest.ts";
import { count } from "../base/numbers.ts";
import { rowText } from "../load/selftest/format.ts";
import type { LinkTest } from "../results/store/results.ts";
import { savedFigure } from "./figures/figure_file.ts";

/** More would make the report long and no one wiser: those that are out stand first. */
const maxLinks = 200;

function outcomeMarkup(row: SelftestRow): Markup {
  if (row.outcome === "not-measured") return html`<td>not measured: ${row.reason}</td>`;
  return row.outcome === "out" ? html`<td class="warning"><b>out</b></td>` : html`<td>within</td>`;
}

function rowMarkup(row: SelftestRow): Markup {
  const { asked, measured, tolerance, unit } = rowText(row);
  const tolerated = row.tolerance === null ? "–" : `± ${tolerance}`;
  return html`<tr><th scope="row">${row.quantity} ${row.direction}</th><td class="num">${asked}</td><td class="num">${measured}</td><td class="num">${tolerated}</td><td>${unit}</td><td class="num">${row.n > 0 ? String(row.n) : "–"}</td>${outcomeMarkup(row)}</tr>`;
}

function howMeasured({ measurements, scheduling }: SelftestLink, machine: string | null): string {
  const parts = [
    measurements > 1 && `measured ${measurements} times, the last is shown`,
    scheduling !== null && scheduling !== "fifo" && `the shaper ran without real-time scheduling (${scheduling})`,
    machine,
  ];
  return parts.filter((part) => part !== false && part !== null).join("; ");
}

const barWidth = 320;
const barHeight = 20;

/** One bar for a link: its tolerance from end to end, a tick for each quantity where it lies. */
function tickBar({ link, rows }: SelftestLink): Markup {
  const measured = rows.filter((row) => row.outcome !== "not-measured");
  const ticks = measured.map((row) => {
    const { asked, measured: found, tolerance, unit } = rowText(row);
    const off = row.tolerance ? ((row.measured ?? 0) - (row.asked ?? 0)) / row.tolerance : 0;
    const x = coordinate(barWidth / 2 + Math.max(-1, Math.min(1, off)) * (barWidth / 2 - 4));
    return html`<line class="tick" x1="${x}" x2="${x}" y1="3" y2="${barHeight - 3}"><title>${row.quantity} ${row.direction}: ${found} ${unit}, asked ${asked} ± ${tolerance}, ${count(row.n, "packet")}</title></line>`;
  });
  const label = `${link}: ${count(measured.length, "quantity", "quantities")} between the ends of their tolerances`;
  return html`<svg class="dw" width="${barWidth}" height="${barHeight}" viewBox="0 0 ${barWidth} ${barHeight}" role="img" aria-label="${label}"><rect class="tolerance" x="4" y="6" width="${barWidth - 8}" height="${barHeight - 12}"/><line class="zero" x1="${barWidth / 2}" x2="${barWidth / 2}" y1="1" y2="${barHeight - 1}"/>${ticks}</svg>`;
}

/** The links within tolerance. What could not be measured is named with its reason; all numbers are in the CSV. */
function ticksFigure(tests: readonly LinkTest[], severalMachines: boolean): Markup {
  const lines = tests.map(({ test, machine }) => {
    const unmeasured = new Set(
      test.rows.flatMap(({ quantity, reason }) => (reason === null ? [] : [`${quantity} not measured: ${reason}`])),
    );
    const notes = [howMeasured(test, severalMachines ? machine : null), ...unmeasured].filter(Boolean);
    return html`<tr><th scope="row">${test.link}</th><td>${tickBar(test)}${notes.length > 0 && html`<small>${notes.join("; ")}</small>`}</td></tr>`;
  });
  const figure = html`<figure class="selftest"><div class="scroll"><table class="facts"><tbody>${lines}</tbody></table></div><figcaption>A tick for each quantity: middle, as asked; ends, its tolerance. A tick’s note has its numbers; the CSV has all.</figcaption></figure>`;
  return savedFigure(figure, {
    name: ["selftest"],
    columns: [
      "link",
      "machine",
      "quantity",
      "direction",
      "unit",
      "asked",
      "measured",
      "tolerance",
      "packets",
      "outcome",
    ],
    rows: tests.flatMap(({ test, machine }) =>
      test.rows.map(({ quantity, direction, unit, asked, measured, tolerance, n, outcome }) => [
        ...[test.link, machine, quantity, direction, unit, asked, measured, tolerance, n, outcome],
      ]),
    ),
  });
}

/** A link that is out of tolerance, number by number. */
function linkMarkup({ test, machine }: LinkTest, severalMachines: boolean): Markup {
  const { link, rows } = test;
  const how = howMeasured(test, severalMachines ? machine : null);
  const heads = ["asked", "measured", "tolerance"].map((head) => html`<th scope="col" class="num">${head}</th>`);
  return html`<details open><summary>${link}: <b class="warning">out of tolerance</b></summary>${how !== "" && html`<p class="soft">${how}.</p>`}<div class="scroll"><table class="facts"><thead><tr><th scope="col">quantity</th>${heads}<th scope="col">unit</th><th scope="col" class="num">packets</th><th scope="col">outcome</th></tr></thead><tbody>${rows.map(rowMarkup)}</tbody></table></div></details>`;
}

/** Links that are out of tolerance. */
function linksOut(tests: readonly LinkTest[]): SelftestLink[] {
  return tests.map(({ test }) => test).filter((test) => test.outcome === "out");
}

/** Null where the sweep ran without one. */
export function linkTestSection(tests: readonly LinkTest[]): Markup | null {
  if (tests.length === 0) return null;
  const out = linksOut(tests);
  const shown = [
    ...tests.filter(({ test }) => test.outcome === "out"),
    ...tests.filter(({ test }) => test.outcome !== "out"),
  ];
  const severalMachines = new Set(tests.map(({ machine }) => machine)).size > 1;
  const summary =
    out.length === 0
      ? html`${tests.length === 1 ? "The link was" : `All ${tests.length} links were`} what was asked, within the tolerances below.`
      : html`<span class="warning">${String(out.length)} of ${count(tests.length, "link")} out of tolerance</span>: loads over ${out.length === 1 ? "it" : "them"} do not count.`;
  const how = html`<p class="soft">Measured on this machine before the loads, in labs like theirs with a probe at each end. Rate: of IP packets while the link was busy. Delay: median one-way time of small packets, transmission included. Lateness: how much longer the 99th percentile took. Queue: capacity in full packets. The tolerance covers the link's permitted error and the uncertainty of so few packets.</p>`;
  const failed = shown.slice(0, Math.min(out.length, maxLinks)).map((test) => linkMarkup(test, severalMachines));
  const passed = shown.slice(out.length, maxLinks);
  const hidden =
    shown.length > maxLinks &&
    html`<p>and ${String(shown.length - maxLinks)} more, all within tolerance or like those above.</p>`;
  const folded =
    passed.length > 0 &&
    html`<details class="passed"><summary>${count(tests.length - out.length, "link")} within tolerance</summary>${out.length === 0 && how}${ticksFigure(passed, severalMachines)}${hidden}</details>`;
  return html`<p>${summary}</p>${out.length > 0 && how}${failed}${folded}`;
}
