// Loads as CSV (RFC 4180, UTF-8, one header line): one row per load attempt, then one per filmed load. The columns are documented here, once, for
// `trilane export --help` and the report.
import { computedMetrics, pageMetrics, videoMetrics, visualMetrics } from "../../../extension/capture/metric_facts.ts";
import type { SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { keptBrowsers } from "../../base/browser_words.ts";
import { allFactors, factorFacts } from "../../base/factors.ts";
import { factorsOf } from "../../base/lanes.ts";
import { type Serving, settleServing } from "../../load/serving/serving.ts";
import { serverSettings } from "../../load/serving/settings.ts";
import { servedInDilatedTime } from "../answer/dilated_sweeps.ts";
import type { Cell, FilmedLoad, Load } from "../store/results.ts";
import { counted, isValid } from "../verdict/sample.ts";
import { type CsvValue, csvLine } from "./csv_column.ts";
import { type FilmMetric, filmMetrics, type LoadMetric, loadMetrics } from "./metric_words.ts";

/** What all loads of a sweep have in common. */
type Terms = Serving & { readonly dilation: number };

interface Column {
  readonly name: string;
  readonly meaning: string;
  readonly value: (load: Load, cell: Cell | undefined, terms: Terms) => CsvValue;
  /** Of a filmed load, where it has one. */
  readonly film?: (film: FilmedLoad, cell: Cell | undefined, terms: Terms) => CsvValue;
}

/** What loads and filmed loads of a cell have in common. */
function fromCell(of: (cell: Cell) => CsvValue): Pick<Column, "value" | "film"> {
  const value = (_: unknown, cell: Cell | undefined) => (cell ? of(cell) : null);
  return { value, film: value };
}

function fromTerms(of: (terms: Terms) => CsvValue): Pick<Column, "value" | "film"> {
  const value = (_: unknown, __: unknown, terms: Terms) => of(terms);
  return { value, film: value };
}

/** Of servers. Later ones have their columns at the end. */
const settingsWithPlace = new Set(["origins", "think", "extra_rtt", "chain", "priorities", "early_hints", "tls"]);

function settingColumns(wanted: (name: string) => boolean): Column[] {
  return serverSettings.flatMap(({ name, column: meaning }) => {
    if (meaning === undefined || !wanted(name)) return [];
    const text = (value: Serving[typeof name]): CsvValue =>
      typeof value === "object" ? (Object.values(value)[0] ?? null) : value;
    return [{ name, meaning, ...fromTerms((terms) => text(terms[name])) }];
  });
}

/** Before it was noted of cells, a trial load may have decided so against the plan's silence. */
function wasPinned(_: unknown, cell: Cell | undefined, terms: Terms): boolean | null {
  if (cell?.pinned_ms !== undefined) return cell.pinned_ms !== null;
  return terms.pin_time ? true : null;
}

type OwnField = { [Name in keyof Load]: Load[Name] extends CsvValue ? Name : never }[keyof Load] & string;

/** What a load has under the column's name. */
const own = (name: OwnField, meaning: string): Column => ({ name, meaning, value: (load) => load[name] });

const metric = (name: LoadMetric): Column => own(name, loadMetrics[name].meaning);

const filmMetric = (name: FilmMetric): Column => ({
  name,
  meaning: filmMetrics[name].meaning,
  value: () => null,
  film: (film) => film[name],
});

/** New ones are appended, those of metrics by themselves: readers by place keep working. */
const firstColumns: readonly Column[] = [
  {
    name: "load_id",
    meaning: "number of the load in the results; empty: filmed loads have none",
    value: (load) => load.id,
  },
  { name: "page", meaning: "name of the recording", value: (load) => load.page, film: (_, cell) => cell?.page ?? null },
  {
    ...own("lane", "lane the load was held to: h1, h2, h3, h3-0rtt, ..."),
    film: (_, cell) => cell?.lane ?? null,
  },
  { ...own("link", "the emulated link, short form"), film: (_, cell) => cell?.link ?? null },
  {
    name: "down_bps",
    meaning: "rate towards the browser in bit/s; empty: unlimited",
    ...fromCell((cell) => cell.link_profile.down.rate_bps),
  },
  {
    name: "up_bps",
    meaning: "rate from the browser in bit/s; empty: unlimited",
    ...fromCell((cell) => cell.link_profile.up.rate_bps),
  },
  { name: "rtt_ms", meaning: "minimum round trip of the link", ...fromCell((cell) => cell.link_profile.rtt_ms) },
  {
    name: "loss_down",
    meaning: "share of packets lost towards the browser, 0 to 1",
    ...fromCell((cell) => cell.link_profile.down.loss),
  },
  { name: "loss_up", meaning: "the same from the browser", ...fromCell((cell) => cell.link_profile.up.loss) },
  own("block", "repetition, from 0; its loads ran next to each other"),
  own("attempt", "try at this load, from 0"),
  own("position", "place in the planned order, from 0"),
  {
    name: "status",
    meaning: "valid, invalid (not what was asked) or failed (no end)",
    value: (load) => load.status,
    film: (film) => film.status,
  },
  {
    name: "averaged",
    meaning: "true if the load enters medians of the page load time: valid ones, and those that timed out",
    value: (load) => counted(load) !== null,
    film: () => false,
  },
  {
    name: "reasons",
    meaning: "why it is not valid; several are joined by |",
    value: (load) => load.reasons.join(" | "),
    film: (film) => film.reasons.join(" | "),
  },
  own("started_at", "ISO 8601, UTC"),
  own("wall_ms", "the load's whole cost, lab and browser included"),
  { ...metric("plt_ms"), film: (film) => film.plt_ms },
  metric("ttfb_ms"),
  metric("dcl_ms"),
  metric("fcp_ms"),
  metric("lcp_ms"),
  metric("cls"),
  metric("tbt_ms"),
  metric("network_ms"),
  metric("computation_ms"),
  metric("optimal_ms"),
  metric("browser_cpu_ms"),
  metric("server_cpu_ms"),
  metric("shaper_cpu_ms"),
  metric("requests"),
  metric("bytes"),
  metric("connections"),
  own("matched", "requests answered with their own recorded response"),
  own("fuzzy", "requests answered with that of another query, scheme or port"),
  own("missed", "requests not in the recording"),
  own("failed", "requests that failed"),
  own("off_lane", "requests on another protocol than the lane's"),
  own("browser_version", "of Chromium, or Firefox and its version; empty: not told"),
  own("browser_sha256", "of the browser's program"),
  { name: "host", meaning: "machine that ran it; empty: not noted", ...fromCell(({ host }) => host?.name ?? null) },
  { name: "host_cpu", meaning: "its processor", ...fromCell(({ host }) => host?.facts.cpu ?? null) },
  { name: "host_cpus", meaning: "how many CPUs it has", ...fromCell(({ host }) => host?.facts.cpus ?? null) },
  { name: "host_kernel", meaning: "its Linux", ...fromCell(({ host }) => host?.facts.kernel ?? null) },
  {
    name: "host_browser",
    meaning: "versions of browsers that it ran, with | between",
    ...fromCell(({ host }) => (host ? keptBrowsers(host.facts.versions).join(" | ") || null : null)),
  },
  { name: "recording_digest", meaning: "SHA-256 of the recording", ...fromCell((cell) => cell.recording_digest) },
  ...settingColumns((name) => settingsWithPlace.has(name)),
  {
    name: "pin_time",
    meaning:
      "true if its clock was set and its random numbers seeded, as the plan or a trial load said; empty: not noted",
    value: wasPinned,
    film: wasPinned,
  },
  { name: "transport", meaning: "stock, tuned or custom", ...fromTerms(({ transport }) => transport.preset) },
  {
    name: "tcp_congestion",
    meaning: "congestion control of the servers' TCP",
    ...fromTerms(({ transport }) => transport.tcp.congestion_control),
  },
  {
    name: "quic_congestion",
    meaning: "the same of their QUIC",
    ...fromTerms(({ transport }) => transport.quic.congestion_control),
  },
  {
    name: "filmed",
    meaning: "true for a further load that was filmed, which takes time; in no average",
    value: () => false,
    film: () => true,
  },
  { ...metric("speed_index_ms"), meaning: filmMetrics.speed_index_ms.meaning, film: (film) => film.speed_index_ms },
  filmMetric("visually_complete_85_ms"),
  filmMetric("visually_complete_95_ms"),
  filmMetric("visually_complete_100_ms"),
  {
    name: "dilation",
    meaning: "how many times slower time passed in the lab (sweeps of earlier versions); times are undilated",
    ...fromTerms(({ dilation }) => dilation),
  },
  own("coverage_requests", "share of the recorded requests before the recorded load event that it asked for, 0 to 1"),
  own("coverage_bytes", "the same of their bytes"),
  own("beyond_reports", "beacons, pings and reports that are not in the recording"),
  own("beyond_other", "other requests that the recording has no answer to"),
  own("beyond_failed", "requests that failed when recorded, and failed again"),
  own("disturbance_ms", "what the machine may have added to it, at most, beyond a calm machine's"),
  own("disturbance_link_ms", "of it, at the link"),
  own("disturbance_cpu_ms", "of it, without a CPU"),
  own("tolerated_ms", "up to where it counts"),
  {
    name: "timed_out_after_ms",
    meaning:
      "of a load that timed out, how long it was given: medians take it, whatever plt_ms is, as slower than all others",
    value: (load) => (isValid(load) ? null : (counted(load)?.plt_ms ?? null)),
  },
];
const firstNames = new Set(firstColumns.map(({ name }) => name));
export const columns: readonly Column[] = [
  ...firstColumns,
  ...[...pageMetrics, ...computedMetrics].filter((name) => !firstNames.has(name)).map(metric),
  ...visualMetrics.filter((name) => !firstNames.has(name)).map(filmMetric),
  ...videoMetrics.map(metric),
  {
    name: "user_timings",
    meaning: "the page's marks and measures (User Timing), as JSON by mark:NAME and measure:NAME, in ms",
    value: ({ user_timings }) => (user_timings === undefined ? null : JSON.stringify(user_timings)),
  },
  ...allFactors.map(
    (factor): Column => ({
      name: factor,
      meaning: `${factor} by the plan's name, of a sweep that compares ${factorFacts[factor].several}; empty: of any other`,
      ...fromCell((cell) => factorsOf(cell.lane)[factor] ?? null),
    }),
  ),
  ...settingColumns((name) => !settingsWithPlace.has(name)),
];

/** Lines with their ends, the header first. */
export function* csvLines(
  { serving, dilate = 1 }: Pick<SweepPlan, "serving" | "dilate">,
  cells: readonly Cell[],
  loads: readonly Load[],
  filmedLoads: readonly FilmedLoad[] = [],
): Generator<string> {
  const settled: Terms = { ...servedInDilatedTime(settleServing(serving), dilate), dilation: dilate };
  const byId = new Map(cells.map((cell) => [cell.id, cell]));
  yield csvLine(columns.map(({ name }) => name));
  for (const load of loads) {
    const cell = byId.get(load.cell);
    yield csvLine(columns.map(({ value }) => value(load, cell, settled)));
  }
  for (const film of filmedLoads) {
    const cell = byId.get(film.cell);
    if (cell) yield csvLine(columns.map((column) => column.film?.(film, cell, settled) ?? null));
  }
}
