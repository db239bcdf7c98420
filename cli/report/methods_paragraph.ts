// The paragraph for a paper's methods section: what was loaded, over what, with what, and how it was summed up. Plain text, made of
// what the loads themselves recorded: where they are not what the plan requested, it says what happened. Judges nothing.
import type { LoadFacts } from "../../schemas/generated/page_load.ts";
import { browserInWords, keptBrowsers } from "../base/browser_words.ts";
import { isLane, isRepeat, laneFamily, laneTitle } from "../base/lanes.ts";
import { count } from "../base/numbers.ts";
import { extremes, median } from "../base/quantile.ts";
import { linkSentence } from "../link/label.ts";
import { trafficSentence } from "../load/cross_traffic.ts";
import { labsWords } from "../load/lab.ts";
import { linkIsOut } from "../load/selftest/format.ts";
import { settleServing } from "../load/serving/serving.ts";
import { servingTerms } from "../load/serving/terms.ts";
import { hadRenoForCubic } from "../results/answer/dilated_sweeps.ts";
import { firstLook, futilityThreshold, lastLook, nominalLevel } from "../results/stats/sequential.ts";
import { browserNames, browsersOf, unreportedWords } from "../results/verdict/browsers.ts";
import { comparedMetric, usualMetric } from "../results/verdict/compared_metric.ts";
import { untilWords } from "../results/verdict/load_stopping_outcome.ts";
import { leaning, manyPages } from "../results/verdict/pooled_cells.ts";
import { counted, isValid, sortLanes, timedOut } from "../results/verdict/sample.ts";
import { reasonKind } from "../results/verdict/verdict.ts";
import type { ReportData, ShownFacts } from "./data.ts";
import { field } from "./figures/unknown_json.ts";
import { hostsOf } from "./hosts.ts";
import { citation } from "./method.ts";

/** More are counted, not named. */
const mostNamed = 8;

function listed(names: readonly string[], noun: string): string {
  return names.length <= mostNamed ? `${count(names.length, noun)} (${names.join(", ")})` : count(names.length, noun);
}

/** What all loads say alike, else all that they say. */
function alike<Of>(facts: readonly Of[], text: (facts: Of) => string): string {
  return [...new Set(facts.map(text))].join(" or ");
}

function machineSentence(data: ReportData, facts: readonly LoadFacts[]): string {
  const hosts = hostsOf(data.cells).length;
  const known = browserNames(browsersOf(data.loads));
  const unreported = unreportedWords(data.loads);
  const noted = alike(facts, ({ environment: { versions } }) => browserInWords(keptBrowsers(versions)[0] ?? "unknown"));
  const machine = alike(facts, ({ environment: e }) => `${e.cpu}, ${count(e.cpus, "CPU")}, Linux ${e.kernel}`);
  const pairs = hosts > 1 ? "; lanes of a page on a link always on one of them" : "";
  return `Pages were loaded in ${known.length > 0 ? known.join(" or ") : noted}${unreported === null ? "" : ` (${unreported})`}, headless, on ${hosts > 1 ? `${hosts} machines` : "one machine"} (${machine})${pairs}.`;
}

/** What each lane is, and whether the load that counts found anything that an earlier one left. */
function laneSentences(lanes: readonly string[], facts: readonly LoadFacts[]): string {
  const titles = lanes.map((lane) => `${lane} is ${laneTitle(lane)}`).join("; ");
  const repeats = lanes.filter(isRepeat);
  const fresh = "a first visit with a fresh profile";
  if (repeats.length === 0) return `Lanes: ${titles}. Each load is ${fresh}.`;
  const visits = facts.flatMap(({ repeat }) => repeat ?? []);
  const cache = alike(visits, (visit) => visit.cache);
  const kept = cache === "" ? "" : `, the first one's cache, cookies and storage ${cache}`;
  const first = repeats.length < lanes.length ? `; on the other lanes ${fresh}` : "";
  return `Lanes: ${titles}. Each load on ${repeats.join(" and ")} is the second visit of one profile, on new connections${kept}${first}.`;
}

/** Of lanes without settings of their own all loads report both transports alike. */
const isAbout = (label: string, kind: "tcp" | "quic"): boolean =>
  isLane(label) || (kind === "quic") === (laneFamily(label) === "h3");

/** As `alike`, with the lanes of which each is said where lanes have settings of their own. */
function alikeByLane(facts: readonly ShownFacts[], text: (facts: LoadFacts) => string): string {
  if (facts.every(({ label }) => isLane(label))) return alike(facts, text);
  const lanesOf = (group: readonly ShownFacts[]): string => sortLanes(group.map(({ label }) => label)).join(", ");
  return [...Map.groupBy(facts, text)].map(([said, group]) => `${said} (${lanesOf(group)})`).join(" or ");
}

function serverSentences(facts: readonly ShownFacts[]): string {
  const products = ["quiche", "nghttp2", "boringssl"].flatMap((name) => {
    const versions = new Set(facts.flatMap(({ environment }) => environment.versions[name] ?? []));
    return versions.size === 0 ? [] : [`${name} ${[...versions].join(" or ")}`];
  });
  const replayed = facts.filter(({ replay }) => replay !== null);
  const side = (kind: "tcp" | "quic"): string =>
    alikeByLane(
      replayed.filter(({ label }) => isAbout(label, kind)),
      ({ replay }) => {
        const transport = field(replay, "transport", kind);
        const control = String(field(transport, "congestion_control") ?? "unknown");
        const window = String(field(transport, "initial_window_packets") ?? "unknown");
        return `${control}, initial window ${window} packets, ${field(transport, "pacing") === true ? "paced" : "not paced"}`;
      },
    );
  // What carries it is reported as the servers reported it.
  const terms = alike(facts, ({ serving }) =>
    servingTerms(settleServing(serving))
      .filter(([name]) => name !== "transports")
      .map(([name, value]) => `${name}: ${value}`)
      .join("; "),
  );
  // Where lanes have settings of their own, one of the two may be no lane's.
  const [tcp, quic] = [side("tcp"), side("quic")];
  const ran = [tcp && `TCP ran ${tcp}`, quic && `QUIC ${tcp ? "" : "ran "}${quic}`].filter(Boolean).join("; ");
  const transports = ran === "" ? "" : ` ${ran}.`;
  const isLive = facts.some(({ server }) => server?.live);
  const live = isLive
    ? "The live servers of the pages were reached through the link; their software and transport settings are not known."
    : "";
  if (isLive && replayed.length === 0) return live;
  return `${live && `${live} `}Recordings were replayed from local servers (${products.join(", ") || "versions unknown"}; ${terms}).${transports}`;
}

/** Rounded up, because it is a bound. */
const upTo = (value: number, digits: number): string =>
  (Math.ceil(value * 10 ** digits) / 10 ** digits).toFixed(digits);

function linkSentences(data: ReportData): string {
  const profiles = new Map(data.cells.map((cell) => [cell.link, cell.link_profile]));
  const [only] = profiles.values();
  const links = profiles.size === 1 && only ? `one link (${linkSentence(only)})` : listed([...profiles.keys()], "link");
  const tests = data.linkTests.filter(({ test }) => profiles.has(test.link));
  if (tests.length === 0) return `A user-space shaper emulated ${links}; no link was measured beforehand.`;
  const errors = (quantity: string, relative: boolean): number[] =>
    tests.flatMap(({ test }) =>
      test.rows.flatMap((row) =>
        row.quantity === quantity && typeof row.asked === "number" && typeof row.measured === "number"
          ? [Math.abs(row.measured - row.asked) / (relative && row.asked !== 0 ? row.asked : 1)]
          : [],
      ),
    );
  const delay = extremes(errors("delay", false))?.greatest;
  const rate = extremes(errors("rate", true))?.greatest;
  const offBy = [
    ...(delay === undefined ? [] : [`one-way delays within ${upTo(delay, 3)} ms`]),
    ...(rate === undefined ? [] : [`rates within ${upTo(rate * 100, 2)} %`]),
  ];
  const found = offBy.length === 0 ? "" : ` (${offBy.join(", ")})`;
  const measured = new Set(tests.map(({ test }) => test.link)).size;
  const which = measured < profiles.size ? `${measured} of them` : measured === 1 ? "it" : "each";
  const was = which === "it" || which === "each" || measured === 1 ? "was" : "were";
  const out = tests.filter(({ test }) => test.outcome === "out").length;
  // The last measurement is kept: loads of an earlier one may have been left out for it.
  const isRepeated =
    tests.some(({ test }) => test.measurements > 1) ||
    data.loads.some(({ reasons }) => reasons.some((reason) => reasonKind(reason) === linkIsOut));
  const last = isRepeated ? " in the last measurement" : "";
  const judged =
    out === 0
      ? `within tolerance${last}`
      : `in ${out} of ${count(tests.length, "case")} out of tolerance${last}, so that no load counted there`;
  return `A user-space shaper emulated ${links}; ${which} ${was} measured before the loads, ${judged}${found}.`;
}

/** `each of the 12 cells (page, link and lane) has 5 valid loads of 5 asked`, or from how many to how many they have. */
function validLoads({ sweep, cells, loads }: ReportData): string {
  const { repetitions, until } = sweep.plan;
  const counts = new Map(cells.map(({ id }) => [id, 0]));
  for (const load of loads) if (isValid(load)) counts.set(load.cell, (counts.get(load.cell) ?? 0) + 1);
  const { least, greatest } = extremes(counts.values()) ?? { least: 0, greatest: 0 };
  const none = [...counts.values()].filter((valid) => valid === 0).length;
  const spread = [
    `median ${median([...counts.values()])}`,
    ...(none > 0 ? [`${none} ${none === 1 ? "has" : "have"} none`] : []),
  ];
  const planned = until ? `, of at most ${repetitions}, ${untilWords(until)}` : ` of ${repetitions} asked`;
  const each = cells.length === 1 ? "the one cell" : `each of the ${cells.length} cells`;
  const loadsEach =
    least === greatest ? count(least, "valid load") : `${least} to ${greatest} valid loads (${spread.join("; ")})`;
  return `${each} (page, link and lane) has ${loadsEach}${planned}`;
}

/** How far what was planned was done, where it was not all. */
function extent({ sweep, cells, loads }: ReportData): string[] {
  const { repetitions, until, time_limit_s } = sweep.plan;
  const planned = cells.length * repetitions;
  const valid = loads.filter(isValid).length;
  const begun = new Set(loads.map(({ cell, block }) => `${cell} ${block}`)).size;
  const most = until ? "at most " : "";
  const limit = time_limit_s === undefined ? "" : ` within ${time_limit_s} s of loads`;
  if (sweep.finished_at === null)
    return [`The sweep is not finished: ${valid} valid loads of ${most}${planned} asked${limit} are here.`];
  if (time_limit_s === undefined) return [];
  if (begun === planned) return [`The limit of ${time_limit_s} s was not reached.`];
  return [
    until
      ? `No block was begun after ${time_limit_s} s of loads, whether enough was known or not.`
      : `The sweep was ended by its limit of ${time_limit_s} s of loads: ${planned - begun} of ${planned} were not begun.`,
  ];
}

function leftOutSentence({ sweep, loads }: ReportData): string {
  const left = loads.filter((load) => counted(load) === null);
  const out = loads.filter(timedOut).length;
  const { timeout_s } = sweep.plan;
  const given = timeout_s === undefined ? "" : ` after ${timeout_s} s`;
  const slower =
    out === 0
      ? ""
      : ` ${count(out, "load")} timed out${given} and ${out === 1 ? "was" : "were"} taken as slower than all others.`;
  const all = count(loads.length, "load");
  if (left.length === 0) return loads.length === 0 ? "No load was tried." : `Of ${all} none was left out.${slower}`;
  const kinds = [...new Set(left.map(({ reasons }) => reasonKind(reasons[0] ?? "no page load time")))];
  const more = kinds.length > 3 ? "; and others" : "";
  const again = loads.filter(({ attempt }) => attempt > 0).length;
  const tries = again === 1 ? "1 was a further try" : `${again} were further tries`;
  return `Of ${all} ${left.length} ${left.length === 1 ? "was" : "were"} left out, because they did not do what was asked (${kinds.slice(0, 3).join("; ")}${more}); ${again === 0 ? "none was tried again" : `${tries} in the place of such`}.${slower}`;
}

function loadSentences(data: ReportData): string {
  const { sweep, cells, filmedLoads } = data;
  const lanes = sortLanes(cells.map(({ lane }) => lane));
  const order = lanes.length > 1 ? "lanes next to each other in blocks, in random order" : "in random order";
  const { labs } = sweep.environment;
  const beside = typeof labs === "string" && labs !== labsWords(1, []) ? `, ${labs}` : "";
  return [
    `Each page was loaded over ${lanes.join(", ")} on each link, ${order} (seed ${sweep.seed})${beside}; ${validLoads(data)}.`,
    ...extent(data),
    leftOutSentence(data),
    ...(filmedLoads.length > 0
      ? [
          `${count(filmedLoads.length, "further load")} ${filmedLoads.length === 1 ? "was" : "were"} filmed, for what the page showed and how fast, and count in nothing else.`,
        ]
      : []),
  ].join(" ");
}

/** Of all looks: the least need not be the first one's. */
function levelsInWords(): string {
  const levels = Array.from({ length: lastLook - firstLook + 1 }, (_, look) => nominalLevel(firstLook + look));
  const { least, greatest } = extremes(levels) ?? { least: Number.NaN, greatest: Number.NaN };
  return [least, greatest].map((level) => Number(level.toPrecision(3))).join(" to ");
}

function statistics({ sweep, cells, metric }: ReportData, pages: number): string {
  const links = new Set(cells.map(({ link }) => link)).size;
  const isSeveral = pages * links > 1;
  const over = isSeveral
    ? " of a page on a link; over several of these it is the geometric mean of their ratios, page by page"
    : "";
  const ofSeveral =
    pages >= manyPages
      ? "for pages like these, from the spread of pages"
      : "for these pages, from these intervals' errors";
  const intervals = [
    "from order statistics on one page and link (Hettmansperger and Sheather 1986)",
    ...(isSeveral
      ? [
          `over several by Student's t, ${ofSeveral}, widened by what medians of few loads may lean by (${leaning} times how much farther they lie off the middle of their 68 % intervals than those of normal noise)`,
        ]
      : []),
  ];
  const { until } = sweep.plan;
  const levels = levelsInWords();
  const looks =
    until && "decided_percent" in until
      ? ` Pairs of lanes were looked at after each block from the ${firstLook}th to the ${lastLook}th, by a test of their medians that holds for lanes of unequal noise, at nominal levels from ${levels}, equivalence by two one-sided tests, so that the chance of a wrong decision over all looks is below 5 % for each pair; a pair was given up when the last look would decide it with a chance below ${futilityThreshold * 100} %. Decisions' figures are of the medians when the loads stopped, and so lean away from 0; their intervals hold for all looks together.`
      : "";
  const { title, noun } = comparedMetric(metric);
  const by = metric === usualMetric ? "" : ` Lanes are compared by ${noun}${noun === title ? "" : ` (${title})`}.`;
  return `Page load time is loadEventEnd - navigationStart (Navigation Timing).${by} Improvement is (a - b) / a of medians${over}; 95 % intervals are ${intervals.join(", ")}.${looks}`;
}

function dilationSentences({ sweep }: ReportData): string[] {
  const { dilate = 1 } = sweep.plan;
  if (dilate === 1) return [];
  const reno = hadRenoForCubic(sweep.plan)
    ? " TCP ran Reno in place of CUBIC, whose growth goes by the kernel's clock."
    : "";
  return [
    `Time was dilated by ${dilate} (Gupta et al., NSDI 2006): the clocks of links, servers and browser ran ${dilate} times slower. The kernel's TCP timers were not dilated, except for the minimum RTO.${reno} Computation on the critical path, of which dilated clocks show 1/${dilate}, was added back to page load times.`,
  ];
}

/** One paragraph, and the sentence to cite. */
export function methodsParagraph(data: ReportData): string {
  const facts = [...data.facts.values()];
  const pages = [...new Set(data.cells.map((cell) => cell.page))];
  const lanes = sortLanes(data.cells.map(({ lane }) => lane));
  const sentences = [
    ...(facts.length > 0 ? [machineSentence(data, facts), serverSentences(facts)] : []),
    laneSentences(lanes, facts),
    linkSentences(data),
    ...dilationSentences(data),
    ...[trafficSentence(data.sweep.plan) ?? []].flat(),
    `The study has ${listed(pages, "page")}.`,
    loadSentences(data),
    statistics(data, pages.length),
    ...(data.sweep.plan.reference ? [`It follows ${data.sweep.plan.reference}.`] : []),
  ];
  return `${sentences.join(" ")}\n\n${citation(data)}`;
}
