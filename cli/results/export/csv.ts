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

const column = (name: string, meaning: string, value: Column["value"], film?: Column["film"]): Column =>
  film ? { name, meaning, value, film } : { name, meaning, value };

/** What loads and filmed loads of a cell have in common. */
const ofCell = (name: string, meaning: string, of: (cell: Cell) => CsvValue): Column => {
  const value = (_: unknown, cell: Cell | undefined) => (cell ? of(cell) : null);
  return column(name, meaning, value, value);
};

const ofTerms = (name: string, meaning: string, of: (terms: Terms) => CsvValue): Column => {
  const value = (_: unknown, __: unknown, terms: Terms) => of(terms);
  return column(name, meaning, value, value);
};

/** Of servers. Later ones have their columns at the end. */
const settingsWithPlace = new Set(["origins", "think", "extra_rtt", "chain", "priorities", "early_hints", "tls"]);

function settingColumns(wanted: (name: string) => boolean): Column[] {
  return serverSettings.flatMap(({ name, column: meaning }) => {
    if (meaning === undefined || !wanted(name)) return [];
    const text = (value: Serving[typeof name]): CsvValue =>
      typeof value === "object" ? (Object.values(value)[0] ?? null) : value;
    return [ofTerms(name, meaning, (terms) => text(terms[name]))];
  });
}

/** Before it was noted of cells, a trial load may have decided so against the plan's silence. */
function wasPinned(_: unknown, cell: Cell | undefined, terms: Terms): boolean | null {
  if (cell?.pinned_ms !== undefined) return cell.pinned_ms !== null;
  return terms.pin_time ? true : null;
}

type OwnField = { [Name in keyof Load]: Load[Name] extends CsvValue ? Name : never }[keyof Load] & string;

/** What a load has under the column's name. */
const own = (name: OwnField, meaning: string): Column => column(name, meaning, (load) => load[name]);

const metric = (name: LoadMetric): Column => own(name, loadMetrics[name].meaning);

const filmMetric = (name: FilmMetric): Column =>
  column(
    name,
    filmMetrics[name].meaning,
    () => null,
    (film) => film[name],
  );

/** New ones are appended, those of metrics by themselves: readers by place keep working. */
const firstColumns: readonly Column[] = [
  column("load_id", "number of the load in the results; empty: filmed loads have none", (load) => load.id),
  column(
    "page",
    "name of the recording",
    (load) => load.page,
    (_, cell) => cell?.page ?? null,
  ),
  {
    ...own("lane", "lane the load was held to: h1, h2, h3, h3-0rtt, ..."),
    film: (_, cell) => cell?.lane ?? null,
  },
  { ...own("link", "the emulated link, short form"), film: (_, cell) => cell?.link ?? null },
  ofCell("down_bps", "rate towards the browser in bit/s; empty: unlimited", (cell) => cell.link_profile.down.rate_bps),
  ofCell("up_bps", "rate from the browser in bit/s; empty: unlimited", (cell) => cell.link_profile.up.rate_bps),
  ofCell("rtt_ms", "minimum round trip of the link", (cell) => cell.link_profile.rtt_ms),
  ofCell("loss_down", "share of packets lost towards the browser, 0 to 1", (cell) => cell.link_profile.down.loss),
  ofCell("loss_up", "the same from the browser", (cell) => cell.link_profile.up.loss),
  own("block", "repetition, from 0; its loads ran next to each other"),
  own("attempt", "try at this load, from 0"),
  own("position", "place in the planned order, from 0"),
  column(
    "status",
    "valid, invalid (not what was asked) or failed (no end)",
    (load) => load.status,
    (film) => film.status,
  ),
  column(
    "averaged",
    "true if the load enters medians of the page load time: valid ones, and those that timed out",
    (load) => counted(load) !== null,
    () => false,
  ),
  column(
    "reasons",
    "why it is not valid; several are joined by |",
    (load) => load.reasons.join(" | "),
    (film) => film.reasons.join(" | "),
  ),
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
  own("browser_version", "of Chromium, or Firefox and its version; empty: unknown"),
  own("browser_sha256", "of the browser's program"),
  ofCell("host", "machine that ran it; empty: not noted", ({ host }) => host?.name ?? null),
  ofCell("host_cpu", "its processor", ({ host }) => host?.facts.cpu ?? null),
  ofCell("host_cpus", "how many CPUs it has", ({ host }) => host?.facts.cpus ?? null),
  ofCell("host_kernel", "its Linux", ({ host }) => host?.facts.kernel ?? null),
  ofCell("host_browser", "versions of browsers that it ran, with | between", ({ host }) =>
    host ? keptBrowsers(host.facts.versions).join(" | ") || null : null,
  ),
  ofCell("recording_digest", "SHA-256 of the recording", (cell) => cell.recording_digest),
  ...settingColumns((name) => settingsWithPlace.has(name)),
  column(
    "pin_time",
    "true if its clock was set and its random numbers seeded, as the plan or a trial load said; empty: not noted",
    wasPinned,
    wasPinned,
  ),
  ofTerms("transport", "stock, tuned or custom", ({ transport }) => transport.preset),
  ofTerms(
    "tcp_congestion",
    "congestion control of the servers' TCP",
    ({ transport }) => transport.tcp.congestion_control,
  ),
  ofTerms("quic_congestion", "the same of their QUIC", ({ transport }) => transport.quic.congestion_control),
  column(
    "filmed",
    "true for a further load that was filmed, which takes time; in no average",
    () => false,
    () => true,
  ),
  { ...metric("speed_index_ms"), meaning: filmMetrics.speed_index_ms.meaning, film: (film) => film.speed_index_ms },
  filmMetric("visually_complete_85_ms"),
  filmMetric("visually_complete_95_ms"),
  filmMetric("visually_complete_100_ms"),
  ofTerms(
    "dilation",
    "how many times slower time passed in the lab (sweeps of earlier versions); times are undilated",
    ({ dilation }) => dilation,
  ),
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
  column(
    "user_timings",
    "the page's marks and measures (User Timing), as JSON by mark:NAME and measure:NAME, in ms",
    ({ user_timings }) => (user_timings === undefined ? null : JSON.stringify(user_timings)),
  ),
  ...allFactors.map((factor) =>
    ofCell(
      factor,
      `${factor} by the plan's name, of a sweep that compares ${factorFacts[factor].several}; empty: of any other`,
      (cell) => factorsOf(cell.lane)[factor] ?? null,
    ),
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
