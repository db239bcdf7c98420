// The part of a report of fetches by autonomous system: medians of each, and the distributions of those with most hosts. There is none
// without a file of prefixes. Assembles; numbers are cli/results/fetch's.
import { html, type Markup } from "../../../../extension/figures/markup.ts";
import { count } from "../../../base/numbers.ts";
import { type Fetched, servingHost, variantKey, variantName, variantsOf } from "../metrics/fetched.ts";
import type { Quantity } from "../metrics/quantities.ts";
import type { AutonomousSystems } from "../prefixes/read_prefixes.ts";
import { cdfOf, groupsOf } from "./curves_of.ts";
import { quantityCdf } from "./quantity_cdf.ts";
import { type SummaryRow, summaryTable } from "./summary_table.ts";

const shown: readonly Quantity[] = ["established_ms", "first_byte_ms", "download_ms", "throughput_bps", "rtt_min_ms"];
const mostDrawn = 4;

/** `AS64500 Example, EX`; empty: of no known system. */
export function systemText(systems: AutonomousSystems, address: string): string {
  const system = systems.systemOf(address);
  if (system === null) return "";
  const name = systems.nameOf(system);
  return name === null ? system : `${system} ${name}`;
}

interface OfSystem {
  readonly name: string;
  readonly fetched: readonly Fetched[];
  readonly hosts: number;
}

function bySystem(timed: readonly Fetched[], systems: AutonomousSystems): OfSystem[] {
  const withAddress = timed.filter(({ record }) => record.address !== null);
  const grouped = Map.groupBy(withAddress, ({ record }) => systemText(systems, record.address ?? "") || "in no prefix");
  return [...grouped]
    .map(([name, fetched]) => ({ name, fetched, hosts: new Set(fetched.map(servingHost)).size }))
    .sort((a, b) => b.hosts - a.hosts || (a.name < b.name ? -1 : 1));
}

/** Null: no file of prefixes was given, or no fetch has an address. */
export function systemsSection(timed: readonly Fetched[], systems: AutonomousSystems | null): Markup | null {
  const all = systems ? bySystem(timed, systems) : [];
  if (!systems || all.length === 0) return null;
  const variants = variantsOf(timed);
  const rows = all.flatMap(({ name, fetched, hosts }) =>
    variants.flatMap((variant): SummaryRow[] => {
      const own = fetched.filter((each) => variantKey(each) === variantKey(variant));
      return own.length === 0 ? [] : [{ names: [name, String(hosts), variantName(variant, variants)], fetched: own }];
    }),
  );
  const table = summaryTable({
    ...{ name: "autonomous-systems", heads: ["autonomous system", "hosts", "over"], rows, shown, most: 60 },
    caption: `By the autonomous system that announces the server’s address, those with most hosts first (${count(systems.prefixes, "prefix", "prefixes")} in the file).`,
  });
  const drawn = all
    .filter(({ name }) => name !== "in no prefix")
    .slice(0, mostDrawn)
    .flatMap(({ name, fetched }) =>
      groupsOf(fetched).flatMap((group) => cdfOf("established_ms", { ...group, of: [name, ...group.of] }) ?? []),
    );
  return html`${table}${drawn.length > 0 && html`<div class="side-by-side">${drawn.map(quantityCdf)}</div>`}`;
}
