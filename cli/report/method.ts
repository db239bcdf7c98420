// What was left out and why, and how it was done: machine, versions, transports, seeds, command lines, definitions.

import { html, type Markup } from "../../extension/figures/markup.ts";
import type { LoadFacts } from "../../schemas/generated/page_load.ts";
import { confidence, minimumUnits } from "../base/interval.ts";
import { isRepeat, labelParts, laneFacts } from "../base/lanes.ts";
import { middleCut } from "../base/middle_cut.ts";
import { count, formatSize } from "../base/numbers.ts";
import { median } from "../base/quantile.ts";
import { shellWord } from "../base/shell_word.ts";
import { deviceIn, deviceWords, usualDevice, warmCacheWords } from "../browser/device.ts";
import { quiet_ms, quietAtMost_ms } from "../load/quiet_page.ts";
import { notedCache, notedDevice } from "../results/store/page_devices.ts";
import { browserNames, browsersOf, unreportedWords } from "../results/verdict/browsers.ts";
import { comparedMetric, usualMetric } from "../results/verdict/compared_metric.ts";
import { untilWords } from "../results/verdict/load_stopping_outcome.ts";
import { leaning, manyPages } from "../results/verdict/pooled_cells.ts";
import { isValid, sortLanes } from "../results/verdict/sample.ts";
import { equivalence_percent, reasonKind } from "../results/verdict/verdict.ts";
import { congestionNotes } from "./congestion_notes.ts";
import type { ReportData, ShownFacts } from "./data.ts";
import { field, numberAt } from "./figures/unknown_json.ts";
import { lanesNote } from "./lanes_note.ts";
import { serverDifferences } from "./server_differences.ts";
import { servingTables } from "./serving_table.ts";
import { variants } from "./variants.ts";

// How long the server itself took for a request on each protocol, so that a reader sees that it favours no lane.

/** Medians further apart than this are said to be so: the product's bar. */
export const fairWithin_us = 50;
/** Of fewer requests than this a median is no ground for a comparison. */
export const enoughRequests = 20;

const protocols = ["h1", "h2", "h3"] as const;

const microseconds = (time_us: number): string => `${time_us < 10 ? time_us.toFixed(1) : time_us.toFixed(0)} µs`;

interface ServerTimes {
  readonly protocol: string;
  readonly requests: number;
  readonly waited: number;
  readonly median_us: number;
  readonly p90_us: number;
}

function timesOf(facts: readonly LoadFacts[], protocol: string): ServerTimes[] {
  const loads = facts.flatMap(({ replay }) => {
    const at = (key: string): number | null => numberAt(replay, "server_time", protocol, key);
    const [median_ns, p90_ns, requests, waited] = [at("median_ns"), at("p90_ns"), at("requests"), at("waited")];
    return median_ns === null || p90_ns === null || requests === null
      ? []
      : [{ median_ns, p90_ns, requests, waited: waited ?? 0 }];
  });
  if (loads.length === 0) return [];
  const sum = (of: (load: (typeof loads)[number]) => number): number => loads.reduce((all, load) => all + of(load), 0);
  return [
    {
      protocol,
      requests: sum((load) => load.requests),
      waited: sum((load) => load.waited),
      median_us: median(loads.map((load) => load.median_ns)) / 1000,
      p90_us: median(loads.map((load) => load.p90_ns)) / 1000,
    },
  ];
}

function verdict(times: readonly ServerTimes[]): string {
  if (times.length < 2) return "";
  if (times.some(({ requests }) => requests < enoughRequests)) return "; too few requests to compare the protocols";
  const medians_us = times.map(({ median_us }) => median_us);
  const apart_us = Math.max(...medians_us) - Math.min(...medians_us);
  const apart = `; the protocols are ${microseconds(apart_us)} apart`;
  return apart_us <= fairWithin_us
    ? `${apart}, within the ${fairWithin_us} µs allowed`
    : `${apart}, more than the ${fairWithin_us} µs allowed: the server favours one`;
}

/** One sentence, over the loads that reported it; null where none did. */
export function serverTimeNote(facts: readonly LoadFacts[]): string | null {
  const times = protocols.flatMap((protocol) => timesOf(facts, protocol));
  if (times.length === 0) return null;
  const lines = times.map(({ protocol, requests, waited, median_us, p90_us }) => {
    const others = waited > 0 ? `, ${waited} after a wait for the link` : "";
    return `${protocol} ${microseconds(median_us)} (nine in ten within ${microseconds(p90_us)}; ${count(requests, "request")}${others})`;
  });
  return `${lines.join(", ")}${verdict(times)}`;
}

// Which programs served in front of trilane-replay: version, build, configuration, and what CPU time they took. Nothing if none did.

const cpuWords = (facts: readonly ShownFacts[]): string => {
  const times_ms = facts.flatMap(({ server }) => server?.cpu_ms ?? []);
  return times_ms.length === 0 ? "not known" : `${median(times_ms).toFixed(1)} ms`;
};

function serverRow(name: string, facts: readonly ShownFacts[]): Markup {
  const lanes = sortLanes(facts.map(({ label }) => label)).map((label) => {
    const own = facts.filter((each) => each.label === label);
    return `${labelParts(label)?.lane ?? label} ${cpuWords(own)}`;
  });
  const version = variants(facts, ({ server }) =>
    server?.live ? "live servers" : `${server?.program ?? "a command"} ${server?.version ?? ""}`.trim(),
  );
  return html`<tr><th scope="row">${name}</th><td>${version}</td><td>${lanes.join(", ")}</td></tr>`;
}

function configurationOf(name: string, facts: readonly ShownFacts[]): Markup {
  const texts = new Set(
    facts.flatMap(({ server }) => (server ? [`# ${server.command}\n${server.configuration ?? ""}`] : [])),
  );
  return html`<details><summary>Build and configuration of ${name}</summary><p>Build: ${variants(facts, ({ server }) => server?.build ?? "it does not say")}</p>${[...texts].map((text) => html`<pre>${text}</pre>`)}</details>`;
}

export function serversSection(facts: readonly ShownFacts[]): Markup | null {
  const served = Map.groupBy(
    facts.filter(({ server }) => server),
    ({ server }) => server?.name ?? "",
  );
  if (served.size === 0) return null;
  const rows = [...served].map(([name, of]) => serverRow(name, of));
  const programs = [...served].filter(([, of]) => !of.some(({ server }) => server?.live));
  return html`<h3>Servers in the lanes</h3>${programs.length > 0 && html`<p>A lane such as h2+nginx was served by that program: it ended TLS and HTTP on the recorded addresses and fetched from trilane-replay, which has bodies and think times. Its own buffers, pacing and priorities applied; congestion control and initial window were trilane-replay’s. Lanes without a server’s name were served by trilane-replay alone.</p>`}${programs.length < served.size && html`<p>Lanes with +live were loaded from the page’s own servers. Their software and settings are not known, and their lanes are verified by the browser’s word alone.</p>`}
<div class="scroll"><table class="facts"><thead><tr><th scope="col">server</th><th scope="col">program</th><th scope="col">CPU time of a load, by lane</th></tr></thead><tbody>${rows}</tbody></table></div>${programs.map(([name, of]) => configurationOf(name, of))}`;
}

// What each lane made of what was recorded over http://.

const originsOf = ({ replay }: LoadFacts, name: string): unknown => field(replay, "origins", name);
const numberOf = (facts: LoadFacts, name: string): number => {
  const value = originsOf(facts, name);
  return typeof value === "number" ? value : 0;
};

/** null where all was recorded over https://. */
export function clearOriginsNote(facts: readonly LoadFacts[]): Markup | null {
  const concerned = facts.filter((each) => numberOf(each, "http_exchanges") > 0);
  if (concerned.length === 0) return null;
  const pages = [...new Set(concerned.map(({ page }) => page))].sort();
  const exchanges = pages.map((page) =>
    Math.max(...concerned.filter((each) => each.page === page).map((each) => numberOf(each, "http_exchanges"))),
  );
  const recorded = pages
    .slice(0, 20)
    .map((page, index) => `${page} (${count(exchanges[index] ?? 0, "exchange")})`)
    .join(", ");
  const served = (how: string): string =>
    sortLanes(
      concerned
        // Where all is in clear, that is said of the lane (lanes_note.ts).
        .filter((each) => originsOf(each, "http") === how && !laneFacts[each.lane].clear)
        .map(({ lane }) => lane),
    ).join(", ");
  const [clear, upgraded] = [served("clear"), served("upgraded")];
  const redirects = Math.max(...concerned.map((each) => numberOf(each, "redirects_left_out")));
  return html`<p>Recorded in part over http://: ${recorded}${pages.length > 20 && ", …"}.${clear && ` On ${clear} these origins stay in clear.`}${upgraded && ` On ${upgraded} they are upgraded to https://, because browsers speak these protocols only over TLS; a header in documents says so.`}${redirects > 0 && ` There ${count(redirects, "redirect")} from http:// to https:// of one page ${redirects === 1 ? "is" : "are"} left out.`}${clear && upgraded && " So these lanes differ by more than the protocol: in clear there are no handshakes of TLS, and redirects to https:// take their round trips."}</p>`;
}

const maxReasons = 60;
const maxDevices = 20;
const maxEmptyCells = 200;

function missingCells(data: ReportData): string[] {
  const byCell = Map.groupBy(data.loads, (load) => load.cell);
  return data.cells.flatMap((cell) => {
    const loads = byCell.get(cell.id) ?? [];
    if (loads.some(isValid)) return [];
    const why = loads.at(-1)?.reasons[0] ?? "not loaded yet";
    return [
      `${cell.page} over ${cell.link}, ${cell.lane}: ${count(loads.length, "load")}, none valid (${middleCut(why, 160)})`,
    ];
  });
}

/** What reasons of one kind say beyond their kind: a few of them, shortened. */
function details(reasons: readonly string[]): Markup | null {
  const rests = [...new Set(reasons.map((reason) => reason.split(": ").slice(1).join(": ")))].filter(Boolean);
  if (rests.length === 0) return null;
  return html`<br><small>${rests.slice(0, 3).map((rest, index) => `${index > 0 ? "; " : ""}${middleCut(rest, 120)}`)}${rests.length > 3 && "; …"}</small>`;
}

/** Null where every load counts. */
export function excludedSection(data: ReportData): Markup | null {
  const excluded = data.loads.filter((load) => !isValid(load));
  const empty = missingCells(data);
  if (excluded.length === 0 && empty.length === 0) return null;
  const lanes = sortLanes(data.cells.map((cell) => cell.lane));
  const byReason = Map.groupBy(
    excluded.flatMap((load) =>
      (load.reasons.length > 0 ? load.reasons : ["no page load time"]).map((reason) => ({ load, reason })),
    ),
    ({ load, reason }) => JSON.stringify([load.status, reasonKind(reason)]),
  );
  const rows = [...byReason.values()]
    .toSorted((a, b) => b.length - a.length)
    .slice(0, maxReasons)
    .map((group) => {
      const first = group[0];
      // A load may have two reasons of one kind, one for each direction of its link.
      const loads = [...new Set(group.map(({ load }) => load))];
      const ids = loads.slice(0, 5).map((load) => load.id);
      return html`<tr><td class="status">${first?.load.status}</td><td class="reason">${reasonKind(first?.reason ?? "")}${details(group.map(({ reason }) => reason))}</td>${lanes.map((lane) => html`<td class="num">${String(loads.filter((load) => load.lane === lane).length)}</td>`)}<td>${ids.join(", ")}${loads.length > ids.length && ", …"}</td></tr>`;
    });
  const table =
    excluded.length > 0 &&
    html`<p class="soft">${count(excluded.length, "load")} of ${String(data.loads.length)} ${excluded.length === 1 ? "is" : "are"} not valid. Invalid: it ended, but not as requested. Failed: it did not end. Both are retried, up to ${count(data.sweep.plan.retries ?? 0, "time")} or as the plan allows if the machine disturbed it; what timed out is not: it counts as slower than all others.</p><div class="scroll"><table><thead><tr><th scope="col">status</th><th scope="col">reason</th>${lanes.map((lane) => html`<th scope="col" class="num">${lane}</th>`)}<th scope="col">loads</th></tr></thead><tbody>${rows}</tbody></table></div>`;
  const cells =
    empty.length > 0 &&
    html`<p>Without a valid load:</p><ul>${empty.slice(0, maxEmptyCells).map((line) => html`<li>${line}</li>`)}</ul>`;
  return html`${table}${cells}${empty.length > maxEmptyCells && html`<p>and ${String(empty.length - maxEmptyCells)} more.</p>`}`;
}

function environmentRows(facts: readonly LoadFacts[]): Markup {
  const row = (name: string, text: (facts: LoadFacts) => string): Markup =>
    html`<tr><th scope="row">${name}</th><td>${variants(facts, text)}</td></tr>`;
  const serverTime = serverTimeNote(facts);
  return html`${row("machine", ({ environment: e }) => `${e.cpu}, ${count(e.cpus, "CPU")}, ${formatSize(e.memory_bytes)} of memory, ${e.architecture}`)}${row("kernel", ({ environment: e }) => e.kernel)}${row(
    "versions",
    ({ environment: e }) =>
      Object.entries(e.versions)
        .map(([name, version]) => `${name} ${version}`)
        .join(", "),
  )}${serverTime && html`<tr><th scope="row">server’s own time</th><td>${serverTime}. From what a response waited for (its request’s last byte, think time, room on its connection) to its first byte out.</td></tr>`}`;
}

/** Of every load, not of the shown ones alone. */
function browserRow(data: ReportData): Markup | null {
  const browsers = browsersOf(data.loads);
  if (browsers.length === 0) return null;
  const rows = browserNames(browsers).map((name, index) => {
    const { loads = 0, sha256 = null } = browsers[index] ?? {};
    return html`${index > 0 && html`<br>`}${name}, ${count(loads, "load")}${sha256 !== null && html`, SHA-256 of its program <code>${sha256}</code>`}`;
  });
  const unreported = unreportedWords(data.loads);
  return html`<tr><th scope="row">browser</th><td>${rows}${unreported !== null && html`<br>${unreported}`}</td></tr>`;
}

/** Of a page without a row: the usual one. */
export function deviceRow(pages: Iterable<string>, environment: ReportData["sweep"]["environment"]): Markup {
  const others = [...pages].flatMap((page) => {
    const noted = notedDevice(page, environment);
    const urls = notedCache(page, environment);
    const words = [
      ...(noted === null ? [] : [deviceWords(deviceIn(noted))]),
      ...(urls === 0 ? [] : [warmCacheWords(urls)]),
    ];
    return words.length === 0 ? [] : [{ page, words: words.join("; ") }];
  });
  const { width, height } = usualDevice;
  const usual = `window of ${width}x${height} pixels, one device pixel for each of CSS, en-US, light colours`;
  const shown = others.slice(0, maxDevices).map(({ page, words }) => html`<br>${page}: ${words}`);
  const more = others.length - maxDevices;
  return html`<tr><th scope="row">device</th><td>${usual}${others.length > 0 && html`, but of`}${shown}${more > 0 && html`<br>and ${count(more, "other page")}`}</td></tr>`;
}

/** Whole for the first lane; of the others what differs. */
function commandLines(facts: readonly ShownFacts[]): Markup {
  const byLane = new Map(facts.map((each): [string, ShownFacts] => [each.label, each]));
  const known = new Map<string, { readonly lane: string; readonly words: readonly string[] }>();
  const without = (words: readonly string[], others: readonly string[]): string[] =>
    words.filter((word) => !others.includes(word));
  return html`${sortLanes(byLane.keys()).map((lane) => {
    const lines = byLane.get(lane)?.environment.command_lines;
    if (!lines) return null;
    const text = (["replay", "shaper", "browser"] as const).map((name) => {
      const line = lines[name];
      const first = known.get(name);
      known.set(name, first ?? { lane, words: line });
      if (!first) return line.map(shellWord).join(" ");
      const [less, more] = [without(first.words, line), without(line, first.words)];
      const changes = [
        ...less.map((word) => `without ${shellWord(word)}`),
        ...more.map((word) => `with ${shellWord(word)}`),
      ];
      return `${line[0] ?? ""} as ${first.lane}${changes.length > 0 ? `, ${changes.join(", ")}` : ""}`;
    });
    return html`<h4>${lane}</h4><pre>${text.filter(Boolean).join("\n\n")}</pre>`;
  })}`;
}

export function methodSection(data: ReportData): Markup {
  const { sweep } = data;
  const facts = [...data.facts.values()];
  const settings = sweep.plan;
  const lanes = sortLanes(data.cells.map(({ lane }) => lane));
  const repeats = lanes.filter(isRepeat);
  const recordings = new Map(data.cells.map((cell) => [cell.page, cell.recording_digest]));
  const shownRecordings = [...recordings].slice(0, 100);
  return html`<table class="facts"><caption>Of the ${count(facts.length, "load")} shown.</caption><tbody><tr><th scope="row">command</th><td><code>${sweep.command.join(" ")}</code></td></tr><tr><th scope="row">began, ended</th><td>${sweep.created_at}, ${sweep.finished_at ?? "not finished"}</td></tr><tr><th scope="row">plan</th><td>${settings.until ? `at most ${settings.repetitions}` : settings.repetitions} valid loads asked of each cell${settings.until ? `, ${untilWords(settings.until)}` : ""}, up to ${settings.retries ?? 0} retries, time-out ${settings.timeout_s ?? 0} s, lanes interleaved block by block</td></tr>${settings.reference && html`<tr><th scope="row">reference</th><td>${settings.reference}</td></tr>`}<tr><th scope="row">seed</th><td>${String(sweep.seed)} (order of loads, packet loss, intervals)</td></tr>${data.linkTests.length === 0 && html`<tr><th scope="row">self-test of the links</th><td>none: this sweep ran without one. <code>trilane selftest</code> measures links at any time.</td></tr>`}${browserRow(data)}${deviceRow(recordings.keys(), sweep.environment)}${facts.length > 0 && environmentRows(facts)}</tbody></table>
${serversSection(facts)}${serverDifferences(data)}${servingTables(facts.filter(({ server }) => !server))}
${congestionNotes(facts)}${clearOriginsNote(facts)}${lanesNote(lanes, facts)}
<h3>Definitions</h3>
<ul>
<li>Page load time (PLT) is loadEventEnd − navigationStart of Navigation Timing, ${repeats.length < lanes.length && "of a first visit with a fresh browser profile"}${repeats.length > 0 && repeats.length < lanes.length && ", "}${repeats.length > 0 && html`on ${repeats.join(" and ")} of the second visit of one profile`}.</li>
${data.metric !== usualMetric && html`<li>Lanes are compared by ${comparedMetric(data.metric).noun}; PLT<sub>a</sub> and PLT<sub>b</sub> below are its times. A valid load without it is in no comparison.</li>`}
<li>Improvement of b over a is (PLT<sub>a</sub> − PLT<sub>b</sub>) / PLT<sub>a</sub> × 100, of the medians of a page's loads on a link; over several, the geometric mean of their ratios, page by page.</li>
<li>${watchedWords(data, facts)}</li>
<li>Intervals are of ${String(confidence * 100)} %: on one page and link from order statistics, which assume no distribution (Hettmansperger and Sheather 1986); over several Student's. With fewer than ${String(manyPages)} pages they hold for these pages, with more for pages like these. Both are widened by ${String(leaning)} times how far medians lie off the middle of their own 68 % intervals. It takes ${String(minimumUnits)} valid loads of a lane on one page and link, or three pages or links.</li>
<li>Faster or slower: the interval excludes 0, and a test of the medians, corrected for all comparisons reported together (Holm), rejects that there is no difference.</li>
<li>“Equally fast” and “no difference larger than ${String(equivalence_percent)} %”: the interval lies within ±${String(equivalence_percent)} %.</li>
<li>A load that timed out is taken as slower than all others. If at least half of a lane's loads did, its median is a lower bound, and a difference “at least” or “at most” so large.</li>
<li>Why each of these: <code>docs/research.md</code>, “Intervals and tests”.</li>
</ul>
<details><summary>Command lines of one load of each lane</summary>${commandLines(facts)}</details>
<details><summary>Recordings (SHA-256)</summary><table><tbody>${shownRecordings.map(([page, digest]) => html`<tr><th scope="row">${page}</th><td><code>${digest}</code></td></tr>`)}</tbody></table>${recordings.size > shownRecordings.length && html`<p>and ${String(recordings.size - shownRecordings.length)} more, see the CSV.</p>`}</details>`;
}

/** The sentence to cite. */
export function citation(data: ReportData): string {
  const digest = data.sweep.plan_digest.slice(0, 12);
  return `Trilane ${data.version}, sweep “${data.sweep.name}” (plan ${digest}, seed ${data.sweep.seed}), ${data.sweep.created_at.slice(0, 10)}, ${count(data.loads.length, "load")}.`;
}

/** Until when metrics were watched that do not end with the load event. */
function watchedWords({ sweep }: ReportData, facts: readonly LoadFacts[]): string {
  const watched = facts.flatMap((each) => each.watched ?? []);
  if (watched.length === 0) return "LCP, CLS and TBT are of what happened until some frames after the load event.";
  const restless = watched.filter(({ quiet }) => !quiet).length;
  const atLeast = sweep.plan.settle_ms ? `, at least ${sweep.plan.settle_ms} ms after the load event (--settle)` : "";
  const never =
    restless > 0 ? ` ${restless} of the ${watched.length} loads shown here did not come to rest by then.` : "";
  return `LCP, CLS and TBT are of what happened until the page was quiet: no request under way and no task of 50 ms or more for ${quiet_ms} ms${atLeast}, at most ${quietAtMost_ms / 1000} s.${never} LCP ends at the first input; CLS is the largest session window; TBT counts from the first contentful paint. INP is absent: no user interacts with the page.`;
}
