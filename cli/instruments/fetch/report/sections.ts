// The parts of a report of fetches that are distributions, comparisons of hosts, and how it was done. Assembles; figures draw, numbers are
// cli/instruments/fetch/answer's.
import { html, type Markup } from "../../../../extension/figures/markup.ts";
import { confidence, minimumUnits } from "../../../base/interval.ts";
import { laneTitle } from "../../../base/lanes.ts";
import { count } from "../../../base/numbers.ts";
import { linksOf } from "../../../engine/export.ts";
import { builtLater } from "../../../report/figures/parts.ts";
import { commandLine, definitionsTable, environmentTable, linkList } from "../../../report/instrument_report.ts";
import { ruleSentence } from "../../../results/answer/rule_outcome.ts";
import { hostEffects, pairsOf } from "../answer/host_effects.ts";
import { type Fetched, hostOf, variantsOf } from "../metrics/fetched.ts";
import { type Quantity, quantities } from "../metrics/quantities.ts";
import type { AutonomousSystems } from "../prefixes/read_prefixes.ts";
import { cdfOf, groupsOf, hostCdf, sizesOf } from "./curves_of.ts";
import type { FetchReportData } from "./fetch_data.ts";
import { hostEffectsTable } from "./host_effects_table.ts";
import { quantityCdf } from "./quantity_cdf.ts";
import { sizePlot } from "./size_plot.ts";
import { systemText } from "./systems_section.ts";

const mostFigures = 24;

function figures(all: readonly Markup[]): Markup | null {
  if (all.length === 0) return null;
  const left = all.length - mostFigures;
  return html`<div class="side-by-side">${all.slice(0, mostFigures)}</div>${left > 0 && html`<p class="soft">${count(left, "more figure")} are not drawn; their numbers are in the tables.</p>`}`;
}

/** Distributions of numbers of connections or of first bytes: by link and version of IP. */
export function distributionSection(timed: readonly Fetched[], shown: readonly Quantity[]): Markup | null {
  return figures(
    groupsOf(timed)
      .flatMap((group) => shown.flatMap((quantity) => cdfOf(quantity, group) ?? []))
      .map(quantityCdf),
  );
}

/** Name resolution, and the certificates of hosts. */
export function hostSection(timed: readonly Fetched[]): Markup | null {
  const dns = groupsOf(timed).flatMap((group) => cdfOf("dns_ms", group) ?? []);
  const certificates = hostCdf("certificate_bytes", timed);
  return figures([...dns, ...(certificates ? [certificates] : [])].map(quantityCdf));
}

/** Throughput and download time: by size where there are several, else as distributions. */
export function deliverySection(timed: readonly Fetched[]): Markup | null {
  const shown = ["throughput_bps", "download_ms"] as const;
  return figures(
    groupsOf(timed).flatMap((group) =>
      shown.flatMap((quantity) => {
        const plot = sizesOf(quantity, group);
        if (plot) return [sizePlot(plot)];
        const cdf = cdfOf(quantity, group);
        return cdf ? [quantityCdf(cdf)] : [];
      }),
    ),
  );
}

/** Over versions of IP each at most as many pairs as people read. */
const mostPairs = 8;

/** Null with one host: the table of all lanes has it. */
export function helpedHostsSection(timed: readonly Fetched[], systems: AutonomousSystems | null): Markup | null {
  const addresses = new Map(timed.map(({ object, record }) => [hostOf(object), record.address]));
  if (addresses.size < 2) return null;
  const system = systems && ((host: string): string => systemText(systems, addresses.get(host) ?? ""));
  const shown = ["first_byte_ms", "download_ms"] as const;
  const effects = pairsOf(variantsOf(timed))
    .slice(0, mostPairs)
    .flatMap((pair) => shown.map((quantity) => hostEffects(timed, pair, quantity)))
    .filter(({ hosts }) => hosts.length > 0);
  if (effects.length === 0) return null;
  return html`${effects.map((each, index) => {
    const table = hostEffectsTable(each, system);
    const { pair, quantity } = each;
    return html`<details class="group"${index === 0 && html` open`}><summary><b>${pair.lane.lane}</b> over <b>${pair.over.lane}${pair.over.tls === "1.2" && " with TLS 1.2"}</b> <small>${quantities[quantity].noun}</small></summary>${index === 0 ? table : builtLater(table)}</details>`;
  })}`;
}

export function methodSection({ sweep, cells, timed, counted }: FetchReportData): Markup {
  const { plan, seed } = sweep;
  const lanes = [...new Set(variantsOf(timed).map(({ lane }) => lane))];
  return html`<p>${commandLine(sweep)}</p><p>${plan.until ? "At most " : ""}${count(plan.repetitions, "repetition")} of each object over ${lanes.map((lane, index) => html`${index > 0 && ", "}<b>${lane}</b> (${laneTitle(lane)})`)}, interleaved, seed ${String(seed)}.${ruleSentence(plan, "each lane’s time against another’s", "fetches")} One object at a time, over a connection of its own, by trilane-fetch: nghttp2 and quiche over one BoringSSL. Over a 0-RTT lane a first connection, which is in no time here, gets the ticket.${counted.length > 0 && ` System calls were counted in ${count(counted.length, "fetch", "fetches")} of their own.`}</p>
${linkList(linksOf(cells))}
<h3>Definitions</h3><p>Intervals are of ${String(confidence * 100)} %, from order statistics, whatever the numbers’ distribution; fewer than ${String(minimumUnits)} have none. Of ${String(minimumUnits)} hosts (or objects) or more each counts once, with the median of its fetches; of fewer each fetch counts, and an interval is of these hosts alone. One against another is the median of the ratios of pairs (the same object in one block; of five objects or more each counts once), with the interval of its order statistics and a sign test that also weighs pairs lying apart from 1; what the answer compares is corrected together (Holm 1979).</p>
<details><summary>Every number</summary>${definitionsTable("number", quantities)}</details>
${environmentTable(sweep)}`;
}
