// What a report is made of, read from the results: all rows, and the page loads of the loads that are shown in detail.
// Chooses which loads those are; draws nothing.

import type { LaneLabel } from "../../schemas/generated/lane_label.ts";
import type { LoadFacts, PageLoad } from "../../schemas/generated/page_load.ts";
import { median } from "../base/quantile.ts";
import { isUserTiming, type UserTimingName } from "../base/user_timing_name.ts";
import type { Answer } from "../results/answer/answer.ts";
import { type ReadSweep, storedAnswer } from "../results/answer/stored_answer.ts";
import { referencesIn } from "../results/store/reference_sweeps.ts";
import type { Cell, Film, FilmedLoad, LinkTest, Load, Results, Sweep, Unmatched } from "../results/store/results.ts";
import { type MetricChoice, metricChoices, samplesOf, usualMetric } from "../results/verdict/compared_metric.ts";
import { isValid } from "../results/verdict/sample.ts";
import type { HostReference } from "./hosts.ts";
import { mostUserTimings } from "./metric_switch.ts";
import { type RequestTraits, requestTraits } from "./page_traits.ts";

/** What a load ran with, and the label of its lane: several lanes with settings of their own are one lane to the load. */
export type ShownFacts = LoadFacts & { readonly label: LaneLabel };

export interface ReportData {
  readonly version: string;
  /** What the report begins with. */
  readonly answer: Answer;
  readonly sweep: Sweep;
  readonly cells: readonly Cell[];
  /** By what lanes are compared. */
  readonly metric: MetricChoice;
  /** With the metric's time as their `plt_ms` (samplesOf): what is compared. */
  readonly loads: readonly Load[];
  /** By which other metrics the loads can be compared, where the page has room for them: what of the data these change. */
  readonly otherMetrics: readonly Pick<ReportData, "metric" | "loads" | "answer">[];
  /** As they are stored. */
  readonly stored: readonly Load[];
  /** Of the links, before their loads. */
  readonly linkTests: readonly LinkTest[];
  /** Requests that were not matched exactly, over all loads. */
  readonly unmatched: readonly Unmatched[];
  /** Of cells, where loads were filmed. */
  readonly films: readonly Film[];
  readonly filmedLoads: readonly FilmedLoad[];
  /** Where several machines ran the sweep: their loads of the reference cells. */
  readonly references?: readonly HostReference[];
  /** By id: the page loads that may be drawn as waterfalls, in the order in which they should be. */
  readonly details: ReadonlyMap<number, PageLoad>;
  /** By id: what the load closest to its cell's median, or else one that was left out, ran with. */
  readonly facts: ReadonlyMap<number, ShownFacts>;
  /** By page, where a load of it was valid. */
  readonly requestTraits: ReadonlyMap<string, RequestTraits>;
}

/** One page on one link, over all its lanes: what a section of the report is about. */
export interface Group {
  readonly page: string;
  readonly link: string;
  readonly cells: readonly Cell[];
  readonly loads: readonly Load[];
}

const maxDrawnGroups = 60;
/** With more pages on links each metric's maps and medians would make a file that opens slowly: `--metric` writes one for each. */
const maxGroupsByMetric = maxDrawnGroups;
const maxGroupsWithFacts = 400;
const maxPagesWithTraits = 1000;

export function groupsOf(cells: readonly Cell[], loads: readonly Load[]): Group[] {
  const keyOf = (of: { page: string; link: string }): string => JSON.stringify([of.page, of.link]);
  const byGroup = Map.groupBy(loads, keyOf);
  return [...Map.groupBy(cells, keyOf)].map(([key, group]) => {
    const [first] = group as [Cell, ...Cell[]];
    return { page: first.page, link: first.link, cells: group, loads: byGroup.get(key) ?? [] };
  });
}

/** The valid load whose PLT is closest to the median of these; the earlier one of two. */
export function typicalLoad<T extends Load>(loads: readonly T[]): T | null {
  const valid = loads.filter(isValid) as (T & { plt_ms: number })[];
  if (valid.length === 0) return null;
  const middle = median(valid.map((load) => load.plt_ms));
  return valid.reduce((best, load) => (Math.abs(load.plt_ms - middle) < Math.abs(best.plt_ms - middle) ? load : best));
}

/** Indices 0 to n - 1 so that any beginning of them is spread over all: first, last, middle, quarters, ... */
export function spreadOrder(n: number): number[] {
  const order = new Set<number>();
  if (n > 0) order.add(0).add(n - 1);
  for (let parts = 2; order.size < n; parts *= 2) {
    for (let part = 1; part < parts; part++) order.add(Math.round((part * (n - 1)) / parts));
  }
  return [...order];
}

/** The page's marks and measures that most loads have. */
function userTimingsIn(loads: readonly Load[]): MetricChoice[] {
  const counts = new Map<UserTimingName, number>();
  for (const { user_timings = {} } of loads)
    for (const name of Object.keys(user_timings).filter(isUserTiming)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, mostUserTimings)
    .map(([name]) => name);
}

/** All by which lanes can be compared but `chosen`: at least two lanes have a valid load with it. */
function otherMetrics(results: Results, read: ReadSweep, chosen: MetricChoice): ReportData["otherMetrics"] {
  const { stored } = read;
  return [...metricChoices, ...userTimingsIn(stored)].flatMap((metric) => {
    const loads = samplesOf(stored, metric);
    const lanes = new Set(loads.filter(isValid).map(({ lane }) => lane));
    return metric === chosen || lanes.size < 2 ? [] : [{ metric, loads, answer: storedAnswer(results, read, metric) }];
  });
}

/** Reads what a report on a sweep needs. `wanted`: by what it compares lanes; default: what the sweep was run for. */
export function gatherReport(results: Results, sweepId: number, version: string, wanted?: MetricChoice): ReportData {
  const sweep = results.sweep(sweepId);
  const cells = results.cellsOf(sweepId);
  const metric = wanted ?? sweep.plan.metric ?? usualMetric;
  const stored = results.loadsOf(sweepId);
  const read = { sweep, cells, stored };
  const loads = samplesOf(stored, metric);
  const groups = groupsOf(cells, loads);
  const details = new Map<number, PageLoad>();
  const facts = new Map<number, ShownFacts>();
  const traits = new Map<string, RequestTraits>();
  const noteTraits = (page: string, pageLoad: PageLoad): void => {
    const found = traits.has(page) ? null : requestTraits(pageLoad);
    if (found) traits.set(page, found);
  };
  spreadOrder(groups.length).forEach((index, rank) => {
    const group = groups[index];
    if (!group || rank >= maxGroupsWithFacts) return;
    for (const [, laneLoads] of Map.groupBy(group.loads, (load) => load.lane)) {
      const shown = typicalLoad(laneLoads) ?? laneLoads.at(-1);
      if (!shown) continue;
      const pageLoad = results.harOf(shown.id);
      facts.set(shown.id, { ...pageLoad.log._trilane, label: shown.lane });
      if (isValid(shown)) noteTraits(group.page, pageLoad);
      if (rank < maxDrawnGroups && isValid(shown)) details.set(shown.id, pageLoad);
    }
  });
  for (const [page, pageLoads] of Map.groupBy(loads, (load) => load.page)) {
    const shown = traits.has(page) || traits.size >= maxPagesWithTraits ? undefined : pageLoads.find(isValid);
    if (shown) noteTraits(page, results.harOf(shown.id));
  }
  const [linkTests, unmatched] = [results.linkTestsOf(sweepId), results.unmatchedOf(sweepId)];
  const [films, filmedLoads] = [results.filmsOf(sweepId), results.filmedLoadsOf(sweepId)];
  const references = referencesIn(results, sweepId);
  return {
    version,
    answer: storedAnswer(results, read, metric),
    otherMetrics: groups.length > maxGroupsByMetric ? [] : otherMetrics(results, read, metric),
    sweep,
    cells,
    metric,
    loads,
    stored,
    linkTests,
    unmatched,
    films,
    filmedLoads,
    references,
    details,
    facts,
    requestTraits: traits,
  };
}
