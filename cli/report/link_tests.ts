// The self-test of each link of a sweep: what was asked of it, what was measured before the loads, within which tolerance.
// Draws given rows; measures nothing.
import { html, type Markup } from "../../extension/figures/markup.ts";
import type { SelftestLink, SelftestRow } from "../../schemas/generated/selftest.ts";
import { count } from "../base/numbers.ts";
import { rowText } from "../load/selftest/format.ts";
import type { LinkTest } from "../results/store/results.ts";

/** More would make the report long and nobody wiser: those that are out stand first. */
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

/** Open where the link is out: nobody needs to read what passed. */
function linkMarkup({ test, machine }: LinkTest, severalMachines: boolean): Markup {
  const { link, outcome, rows, measurements, scheduling } = test;
  const measured = rows.filter((row) => row.outcome !== "not-measured").length;
  const told = outcome === "out" ? html`<b class="warning">out of tolerance</b>` : html`within tolerance`;
  const heads = ["asked", "measured", "tolerance"].map((head) => html`<th scope="col" class="num">${head}</th>`);
  const how = [
    measurements > 1 && `measured ${measurements} times, the last is shown`,
    scheduling !== null && scheduling !== "fifo" && `the shaper ran without real-time scheduling (${scheduling})`,
    severalMachines && machine,
  ].filter((part) => part !== false);
  return html`<details${outcome === "out" && html` open`}><summary>${link}: ${told} <small>(${count(measured, "quantity", "quantities")})</small></summary>${how.length > 0 && html`<p class="soft">${how.join("; ")}.</p>`}<div class="scroll"><table class="facts"><thead><tr><th scope="col">quantity</th>${heads}<th scope="col">unit</th><th scope="col" class="num">packets</th><th scope="col">outcome</th></tr></thead><tbody>${rows.map(rowMarkup)}</tbody></table></div></details>`;
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
  const passed = shown.slice(out.length, maxLinks).map((test) => linkMarkup(test, severalMachines));
  const hidden =
    shown.length > maxLinks &&
    html`<p>and ${String(shown.length - maxLinks)} more, all within tolerance or like those above.</p>`;
  const folded =
    passed.length > 0 &&
    html`<details class="passed"><summary>${count(tests.length - out.length, "link")} within tolerance: asked and measured</summary>${out.length === 0 && how}${passed}${hidden}</details>`;
  return html`<p>${summary}</p>${out.length > 0 && how}${failed}${folded}`;
}
