// The part of a report of fetches on what they cost both ends: CPU time, context switches and cycles, throughput against the CPU, and
// system calls where they were counted. Assembles; numbers are cli/results/fetch's.
import { html, type Markup } from "../../../../extension/figures/markup.ts";
import { countedCalls } from "../answer/call_shares.ts";
import { summarizeQuantity } from "../answer/quantity_summary.ts";
import { type Fetched, variantKey, variantName, variantsOf } from "../metrics/fetched.ts";
import { type Quantity, quantities } from "../metrics/quantities.ts";
import { callsTable } from "./calls_table.ts";
import { type CostDots, cpuScatter, type ScatterData } from "./cpu_scatter.ts";
import { groupsOf } from "./curves_of.ts";
import { variantClass } from "./fetch_words.ts";
import { summaryTable, variantRows } from "./summary_table.ts";

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
