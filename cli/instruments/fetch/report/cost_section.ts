// The part of a report of fetches on what they cost both ends: CPU time, context switches and cycles, throughput against the CPU, and
// system calls where they were counted. Assembles; numbers are cli/results/fetch's.

import { html, type Markup } from "../../../../extension/figures/markup.ts";
import { count, formatSize } from "../../../base/numbers.ts";
import { savedFigure } from "../../../report/figures/figure_file.ts";
import { readingKey } from "../../../report/figures/parts.ts";
import { type CountedCalls, countedCalls } from "../answer/call_shares.ts";
import { summarizeQuantity } from "../answer/quantity_summary.ts";
import { type Fetched, variantKey, variantName, variantsOf } from "../metrics/fetched.ts";
import { type Quantity, quantities } from "../metrics/quantities.ts";
import { type CostDots, cpuScatter, type ScatterData } from "./cpu_scatter.ts";
import { groupsOf } from "./curves_of.ts";
import { linkName, variantClass } from "./fetch_words.ts";
import { summaryTable, variantRows } from "./summary_table.ts";

// System calls of fetches that strace counted, by name: their share of the time in the kernel and how many there were, of the client and
// of a lab's server. Takes counts, computes none.

/** Of each table: the rest comes to little. */
const mostCalls = 8;
const percent = (share: number): string => (share * 100 >= 0.05 ? `${(share * 100).toFixed(1)} %` : "< 0.1 %");
const perMegabyte = (calls: number, body_bytes: number): string =>
  body_bytes > 0 ? String(Number((calls / (body_bytes / 1e6)).toPrecision(3))) : "–";

/** Null: none were counted. */
export function callsTable(counted: readonly CountedCalls[]): Markup | null {
  if (counted.length === 0) return null;
  const variants = counted.map(({ variant }) => variant);
  const hasLinks = new Set(counted.map(({ link }) => link)).size > 1;
  const tables = counted.map(({ variant, link, end, fetches, body_bytes, calls, seconds }) => {
    const shown = calls.slice(0, mostCalls);
    const rest = calls.slice(mostCalls);
    const others = rest.length > 0 && {
      share: rest.reduce((sum, { share }) => sum + share, 0),
      calls: rest.reduce((sum, each) => sum + each.calls, 0),
    };
    const title = [
      `${end === "client" ? "Client" : "Server"}, ${variantName(variant, variants)}`,
      hasLinks && linkName(link),
    ];
    const rows = shown.map(
      ({ name, share, calls: number }) =>
        html`<tr><th scope="row"><code>${name}</code></th><td class="num" data-sort="${String(share)}">${percent(share)}</td><td class="num">${perMegabyte(number, body_bytes)}</td></tr>`,
    );
    const last =
      others &&
      html`<tr class="sum"><th scope="row">${count(rest.length, "other")}</th><td class="num">${percent(others.share)}</td><td class="num">${perMegabyte(others.calls, body_bytes)}</td></tr>`;
    return html`<div class="scroll"><table class="facts"><caption>${title.filter((part) => part !== false).join(" · ")}: ${count(fetches, "fetch", "fetches")}, ${formatSize(body_bytes)}, ${(seconds * 1000).toPrecision(3)} ms in the kernel.</caption><thead><tr><th scope="col">call</th><th scope="col" class="num">share of time</th><th scope="col" class="num">per MB</th></tr></thead><tbody>${rows}</tbody>${last && html`<tfoot>${last}</tfoot>`}</table></div>`;
  });
  const figure = html`<figure><figcaption>System calls by their share of the time in the kernel, and how many there were for each MB of bodies. Of fetches of their own: strace slows what it counts, so these are in no other number here.</figcaption>${readingKey("Time: of the CPU in the kernel, as strace -c counts it. Client: all of trilane-fetch, its start and end included. Server: all of trilane-replay, or of the server in front of it, its requests to trilane-replay included.")}<div class="side-by-side">${tables}</div></figure>`;
  return savedFigure(figure, {
    name: ["system-calls"],
    columns: [
      "end",
      "over",
      "link",
      "fetches",
      "body_bytes",
      "call",
      "calls",
      "errors",
      "milliseconds",
      "share_percent",
    ],
    rows: counted.flatMap(({ variant, link, end, fetches, body_bytes, calls }) =>
      calls.map((each) => [
        ...[end, variantName(variant, variants), link, fetches, body_bytes],
        ...[each.name, each.calls, each.errors, each.seconds * 1000, each.share * 100],
      ]),
    ),
  });
}

const client: readonly Quantity[] = ["client_cpu_ms", "client_cpu_per_mb_ms", "client_switches", "client_cycles"];
const server: readonly Quantity[] = ["server_cpu_ms", "server_cpu_per_mb_ms", "server_switches", "server_cycles"];
const mostFigures = 8;

function dotOf(fetched: Fetched, end: ScatterData["end"]): CostDots["dots"] {
  const throughput_bps = quantities.throughput_bps.value(fetched);
  const cpu_ms = quantities[end === "client" ? "client_cpu_ms" : "server_cpu_ms"].value(fetched);
  const { download_ms } = fetched.record;
  if (throughput_bps === null || cpu_ms === null || !download_ms) return [];
  return [{ object: fetched.object, throughput_bps, cpu_use: cpu_ms / download_ms }];
}

/** Of each link, one end: what differs in the version of IP lies in one figure. */
function scattersOf(timed: readonly Fetched[], end: ScatterData["end"]): ScatterData[] {
  return groupsOf(timed).flatMap(({ of, fetched }): ScatterData[] => {
    const variants = variantsOf(fetched);
    const series = variants.map((variant): CostDots => {
      const own = fetched.filter((each) => variantKey(each) === variantKey(variant));
      const dots = own.flatMap((each) => dotOf(each, end));
      return { name: variantName(variant, variants), className: variantClass(variant, variants), dots };
    });
    const withDots = series.filter(({ dots }) => dots.length > 0);
    return withDots.length === 0 ? [] : [{ end, of, series: withDots }];
  });
}

const hasAny = (timed: readonly Fetched[], shown: readonly Quantity[]): boolean =>
  shown.some((quantity) => timed.some((each) => quantities[quantity].value(each) !== null));

/** Null: nothing was fetched. */
export function costSection(timed: readonly Fetched[], counted: readonly Fetched[]): Markup | null {
  const all = [...client, ...(hasAny(timed, server) ? server : [])];
  const shown = all.filter((quantity) => hasAny(timed, [quantity]));
  const scatters = (["client", "server"] as const).flatMap((end) => scattersOf(timed, end)).slice(0, mostFigures);
  const table =
    hasAny(timed, client) &&
    summaryTable({
      ...{ name: "cost", shown, ...variantRows(timed) },
      caption:
        "What a fetch cost the client, and the server where it is a lab’s: CPU time in user mode and in the kernel, context switches, cycles. Work that the kernel does in interrupts counts for whom it interrupts.",
    });
  const missing = all
    .filter((quantity) => !shown.includes(quantity))
    .map((quantity) => `${quantities[quantity].title}: ${summarizeQuantity(timed, quantity).reason}.`);
  const calls = callsTable(countedCalls(counted));
  if (!table && !calls) return null;
  return html`${table}${table && missing.length > 0 && html`<p class="soft">Unavailable: ${missing.join(" ")}</p>`}${scatters.length > 0 && html`<div class="side-by-side">${scatters.map(cpuScatter)}</div>`}${calls}`;
}
