// What a report of flows is made of, read from the results: cells with their runs and summaries, and the records of the runs that are
// drawn. Chooses which those are; draws nothing.

import type { FlowResult, FlowResultFlow } from "../../../../schemas/generated/flow_result.ts";
import type { PageLoad } from "../../../../schemas/generated/page_load.ts";
import { median } from "../../../base/quantile.ts";
import type { Host, LinkTest, Results } from "../../../results/store/results.ts";
import { partsByMix } from "../answer/contrasts.ts";
import { type FlowSummary, summarizeRuns } from "../answer/summary.ts";
import type { FlowRecords } from "../records/flow_records.ts";
import { unpackRecords } from "../records/stored_records.ts";
import {
  type FlowCell,
  type FlowRunRow,
  flowCellsOf,
  flowPageLoadOf,
  flowRunsOf,
  flowSeriesOf,
} from "../store/flow_runs.ts";
import { type FlowSweep, flowSweeps } from "../store/stored_plan.ts";
import { type DrawnGroup, drawnGroups, type MixPart } from "./drawn_groups.ts";
import type { PageDuringFlows } from "./page_row.ts";
import type { FlowPicture } from "./run_figure.ts";
import { pictureOf } from "./run_picture.ts";

export interface ValidRun extends FlowRunRow {
  readonly result: FlowResult;
}

export interface FlowReportCell {
  readonly cell: FlowCell;
  /** Of each `--flow` of the mix its words. */
  readonly words: readonly string[];
  /** Every attempt. */
  readonly runs: readonly FlowRunRow[];
  readonly valid: readonly ValidRun[];
  readonly summary: FlowSummary;
  /** Page load times of the valid runs, where a page was loaded during the flows. */
  readonly plts_ms: readonly number[];
  /** As flows are drawn in all figures of this cell; empty where no run is valid. */
  readonly groups: readonly DrawnGroup[];
}

export interface FlowReportData {
  readonly version: string;
  readonly sweep: FlowSweep;
  readonly cells: readonly FlowReportCell[];
  readonly linkTests: readonly LinkTest[];
  /** By the cell's number, of those that are drawn over time. */
  readonly pictures: ReadonlyMap<number, FlowPicture>;
  /** Who ran which cells; empty where that was not noted. */
  readonly hosts: readonly Host[];
  /** Of the programs at both ends, as they reported them. */
  readonly programVersions: readonly string[];
}

/** Drawn over time: spread over all cells where there are more. */
const mostPictures = 60;
/** Flows of all runs that a picture's bands are of: a run of hundreds takes a hundred megabytes to draw. */
const mostFlowsOfBands = 240;
const mostRunsOfBands = 12;

/** Written by this program: the name of the schema is the check that matters. */
function resultOf({ result }: FlowRunRow): FlowResult | null {
  const document = result as FlowResult | null;
  return document?.schema === "trilane/flow-result/1" ? document : null;
}

function validRuns(runs: readonly FlowRunRow[]): ValidRun[] {
  return runs.flatMap((run) => {
    const result = run.status === "valid" ? resultOf(run) : null;
    return result ? [{ ...run, result }] : [];
  });
}

/** The flows of each `--flow` of a mix, in the run's order. */
function mixParts(flows: readonly Pick<FlowResultFlow, "flow" | "group">[], words: readonly string[]): MixPart[] {
  return words.map((of, group) => ({
    words: of,
    members: flows.flatMap((flow) => (flow.group === group ? [flow.flow] : [])),
  }));
}

/** What a run is judged by when the one nearest the medians is sought. */
const goodputsOf = ({ result }: ValidRun): (number | null)[] => result.groups.map(({ metrics }) => metrics.goodput_bps);

/** The valid runs, that nearest the medians of their groups' goodputs first. */
export function byNearness(runs: readonly ValidRun[]): ValidRun[] {
  const groups = runs[0]?.result.groups.length ?? 0;
  const medians = Array.from({ length: groups }, (_, group) => {
    const values = runs.flatMap((run) => goodputsOf(run)[group] ?? []);
    return values.length === 0 ? null : median(values);
  });
  const off = (run: ValidRun): number =>
    goodputsOf(run).reduce<number>((sum, value, group) => {
      const middle = medians[group] ?? null;
      if (value === null || middle === null) return sum + 1;
      return sum + (middle === 0 ? 0 : Math.abs(value - middle) / middle);
    }, 0);
  return runs.toSorted((a, b) => off(a) - off(b) || a.id - b.id);
}

/** Where a cell is distinguished from the others. */
function cellTitle({ mix, link, lane }: FlowCell): string {
  return `${mix} over ${link}${lane === null ? "" : `, the page over ${lane}`}`;
}

/** Null: the load event did not come. */
function pltOf({ log }: PageLoad): number | null {
  const plt_ms = log.pages[0]?.pageTimings.onLoad ?? null;
  return plt_ms !== null && plt_ms >= 0 ? plt_ms : null;
}

function pageDuring(load: PageLoad, { start_ns }: FlowRecords, lane: string): PageDuringFlows | null {
  const { _trilane, entries, pages } = load.log;
  if (_trilane.navigation_start_ns === null) return null;
  const plt_ms = pltOf(load);
  return {
    page: pages[0]?.title ?? "page",
    lane,
    entries,
    start_ms: (_trilane.navigation_start_ns - start_ns) / 1e6,
    plt_ms,
  };
}

function pictured(
  results: Results,
  { cell, words, valid }: FlowReportCell,
): { picture: FlowPicture; records: FlowRecords } | null {
  const flows = valid[0]?.result.flows.length ?? 1;
  const most = Math.max(1, Math.min(mostRunsOfBands, Math.floor(mostFlowsOfBands / flows)));
  const drawn = byNearness(valid).flatMap((run) => {
    const series = flowSeriesOf(results, run.id);
    return series ? [{ run, series }] : [];
  });
  const [front, ...others] = drawn
    .slice(0, most)
    .map(({ run, series }) => ({ run, records: unpackRecords(series, `flow run ${run.id}`) }));
  if (!front) return null;
  const load = cell.lane === null ? null : flowPageLoadOf(results, front.run.id);
  const picture = pictureOf({
    title: cellTitle(cell),
    parts: mixParts(front.run.result.flows, words),
    runs: [front.records, ...others.map(({ records }) => records)],
    ofRuns: valid.length,
    shown: `run ${front.run.block + 1}`,
    goodput_bps: front.run.result.flows.map(({ metrics }) => metrics.goodput_bps),
    page: load && cell.lane !== null ? pageDuring(load, front.records, cell.lane) : null,
  });
  return { picture, records: front.records };
}

function pltOfRun(results: Results, { id }: ValidRun): number | null {
  const load = flowPageLoadOf(results, id);
  return load && pltOf(load);
}

/** Reads what a report on a sweep of flows needs. UserError where the sweep is of pages. */
export function gatherFlowReport(results: Results, sweepId: number, version: string): FlowReportData {
  const sweep = results.sweepOf(flowSweeps, sweepId);
  const wordsOf = partsByMix(sweep.plan);
  const byCell = Map.groupBy(flowRunsOf(results, sweepId), ({ cell }) => cell);
  const cells = flowCellsOf(results, sweepId).map((cell): FlowReportCell => {
    const runs = byCell.get(cell.id) ?? [];
    const valid = validRuns(runs);
    const words = wordsOf.get(cell.mix) ?? [];
    const first = valid[0]?.result;
    return {
      cell,
      words,
      runs,
      valid,
      summary: summarizeRuns(valid.map(({ result }) => result)),
      plts_ms: cell.lane === null ? [] : valid.flatMap((run) => pltOfRun(results, run) ?? []),
      groups: first ? drawnGroups(first.flows, mixParts(first.flows, words)) : [],
    };
  });
  const pictures = new Map<number, FlowPicture>();
  const programVersions = new Set<string>();
  const step = Math.max(1, cells.length / mostPictures);
  for (let index = 0; Math.floor(index * step) < cells.length; index++) {
    const cell = cells[Math.floor(index * step)];
    const drawn = cell && pictured(results, cell);
    if (!cell || !drawn) continue;
    pictures.set(cell.cell.id, drawn.picture);
    for (const version of [drawn.records.near.version, drawn.records.shaper.version]) programVersions.add(version);
  }
  const linkTests = results.linkTestsOf(sweepId);
  const hosts = results.hostsOf(sweepId);
  return { version, sweep, cells, linkTests, hosts, pictures, programVersions: [...programVersions] };
}
