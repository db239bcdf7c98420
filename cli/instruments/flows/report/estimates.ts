// What is drawn of several runs of a cell: its groups' goodputs and shares with intervals, the shares over links that differ by their
// buffer only, Jain's index by second. Pure; figures are drawn elsewhere.
import type { FlowResultDirection, FlowResultFlow } from "../../../../schemas/generated/flow_result.ts";
import type { LinkProfile, LinkQueue } from "../../../../schemas/generated/link_profile.ts";
import { linkSentence, queueLabel } from "../../../link/label.ts";
import { bdpQueue_bytes } from "../../../link/link.ts";
import { type FlowMetric, metrics } from "../../../registry/metrics.ts";
import { type RunValue, summarizeMetric } from "../../../results/stats/metric_summary.ts";
import { type DrawnGroup, mostColours } from "./drawn_groups.ts";
import type { FlowReportCell } from "./flow_data.ts";
import type { BarCell, BarsData, Estimate } from "./goodput_bars.ts";
import type { JainLine } from "./jain_over_time.ts";
import { bandOf, medianCurve } from "./run_curves.ts";
import type { SharesData } from "./shares_by_buffer.ts";

type Side = "down" | "up";

/** bit/s of a direction; null: unlimited, or it varies. */
export function capacityOf(link: LinkProfile, side: Side): number | null {
  const { rate_bps, rate_steps, trace } = link[side];
  return rate_steps || trace || link.switch ? null : rate_bps;
}

/** Directions in which flows of the cell send. */
export const sidesOf = ({ groups, valid }: FlowReportCell): Side[] =>
  (["down", "up"] as const).filter((side) =>
    groups.some(({ members }) => members.some((flow) => valid[0]?.result.flows[flow]?.direction === side)),
  );

/** The sum over a group's flows in one run. */
function summed(flows: readonly FlowResultFlow[], { members }: DrawnGroup, metric: FlowMetric): RunValue {
  let value = 0;
  for (const member of members) {
    const flow = flows[member];
    const own = flow?.metrics[metric] ?? null;
    if (own === null) return { reason: flow?.unavailable[metric] ?? "not measured" };
    value += own;
  }
  return { value };
}

/** Over the valid runs of a cell. Shares of several flows are at most 1. */
function estimateOf({ valid }: FlowReportCell, group: DrawnGroup, metric: "goodput_bps" | "share"): Estimate {
  const runs = valid.map(({ result }) => summed(result.flows, group, metric));
  const { median, interval, runs: n } = summarizeMetric(runs, metrics.flow[metric]);
  return { median, interval, n };
}

function barCell(cell: FlowReportCell): BarCell {
  const { mix, link, lane } = cell.cell;
  const bars = cell.groups.map((group) => ({
    number: group.number,
    name: group.name,
    goodput_bps: estimateOf(cell, group, "goodput_bps"),
  }));
  return { mix, link, lane, bars };
}

/** More cells in one figure are not drawn, but spread over all. */
const mostBarCells = 24;

function spread<T>(all: readonly T[], most: number): T[] {
  if (all.length <= most) return [...all];
  return Array.from({ length: most }, (_, index) => all[Math.round((index * (all.length - 1)) / (most - 1))] as T);
}

/** One figure for the links that carry as much, in the order in which they come. */
export function barsOf(cells: readonly FlowReportCell[]): BarsData[] {
  const capacity = (cell: FlowReportCell): number | null => {
    const rates = new Set(sidesOf(cell).map((side) => capacityOf(cell.cell.link_profile, side)));
    return rates.size === 1 ? ([...rates][0] ?? null) : null;
  };
  const drawn = cells.filter(({ valid }) => valid.length > 0);
  return [...Map.groupBy(drawn, capacity)].map(([capacity_bps, of]) => {
    const allCells = of.map(barCell);
    return { capacity_bps, cells: spread(allCells, mostBarCells), allCells };
  });
}

/** Bytes that a queue holds, for sorting; of packets 1500 each. */
function queueSize(link: LinkProfile, side: Side): number {
  const { queue, rate_bps } = link[side];
  const rate = rate_bps ?? 0;
  const size = (of: LinkQueue): number => {
    if ("bytes" in of) return of.bytes;
    if ("packets" in of) return of.packets * 1500;
    if ("bdp" in of) return bdpQueue_bytes(of.bdp, rate, link.rtt_ms);
    return "ms" in of ? (of.ms * rate) / 8000 : Number.POSITIVE_INFINITY;
  };
  return size(queue);
}

/** Mixes that ran over links which differ by the size of their buffer only. */
export function sharesOf(cells: readonly FlowReportCell[]): SharesData[] {
  const withoutQueue = ({ cell }: FlowReportCell): string => {
    const { down, up, ...rest } = cell.link_profile;
    const bare = ({ queue: _, ...direction }: LinkProfile[Side]): object => direction;
    return JSON.stringify([cell.mix, cell.lane, rest, bare(down), bare(up)]);
  };
  // Flows of one --flow are alike: their shares say nothing of the buffer.
  const candidates = cells.filter((cell) => cell.words.length > 1 && sidesOf(cell).length === 1);
  return [...Map.groupBy(candidates, withoutQueue).values()].flatMap((alike): SharesData[] => {
    const [first] = alike;
    const side = first && sidesOf(first)[0];
    if (!first || !side || alike.length < 2) return [];
    const sorted = alike.toSorted(
      (a, b) => queueSize(a.cell.link_profile, side) - queueSize(b.cell.link_profile, side),
    );
    const { mix, link_profile, lane } = first.cell;
    return [
      {
        mix: `${mix}${lane === null ? "" : `, the page over ${lane}`}`,
        links: linkSentence(link_profile).split(", ").slice(0, 2).join(", "),
        flows: first.groups.map(({ number, name }) => ({ number, name })),
        buffers: sorted.map((cell) => ({
          buffer: queueLabel(cell.cell.link_profile[side].queue),
          link: cell.cell.link,
          shares: first.groups.map((group) => estimateOf(cell, group, "share")),
        })),
      },
    ];
  });
}

/** The direction whose fairness is drawn: the first with two flows or more. */
function fairSide({ valid }: FlowReportCell): Side | null {
  const result = valid[0]?.result;
  return (["down", "up"] as const).find((side) => (result?.[side]?.flows ?? 0) > 1) ?? null;
}

function jainLine(cell: FlowReportCell, side: Side, number: number): JainLine | null {
  const ofRuns = cell.valid.flatMap(({ result }): FlowResultDirection["jain_by_second"][] => {
    const seconds = result[side]?.jain_by_second ?? [];
    return seconds.length > 0 ? [seconds] : [];
  });
  const last = Math.max(-1, ...ofRuns.flatMap((seconds) => seconds.map(([second]) => second)));
  if (last < 0) return null;
  const bins = { length_ms: 1000, count: last + 1 };
  const curves = ofRuns.map((seconds) => {
    const value = new Float64Array(bins.count).fill(Number.NaN);
    for (const [second, index] of seconds) value[second] = index;
    return { time_ms: value.map((_, second) => (second + 0.5) * bins.length_ms), value };
  });
  const { mix, lane } = cell.cell;
  const name = `${mix}${lane === null ? "" : `, the page over ${lane}`}`;
  return { number, mix: name, index: medianCurve(curves, bins), band: bandOf(curves, bins), runs: ofRuns.length };
}

/** For each link a line for each mix, of the first eight. */
export function jainOf(
  cells: readonly FlowReportCell[],
): { readonly link: string; readonly lines: readonly JainLine[] }[] {
  return [...Map.groupBy(cells, ({ cell }) => cell.link)].flatMap(([link, on]) => {
    const lines = on
      .flatMap((cell) => {
        const side = fairSide(cell);
        return side ? [{ cell, side }] : [];
      })
      .slice(0, mostColours)
      .flatMap(({ cell, side }, index) => jainLine(cell, side, index + 1) ?? []);
    return lines.length === 0 ? [] : [{ link, lines }];
  });
}
