// What of a plan contradicts itself: each is one line that names the thing and the remedy, before anything runs. What single
// words may be is the schema's; whether pages and links are there is pages.ts's and cli/link's.
import { isDeepStrictEqual } from "node:util";
import type { PlanLink, PlanPage, SweepPlan } from "../../../schemas/generated/sweep_plan.ts";
import { UserError } from "../../base/errors.ts";
import { liveServer } from "../../base/factors.ts";
import { allLanes, factorsOf, isOverTcp, type Lane, labelParts, laneFacts, laneOf } from "../../base/lanes.ts";
import {
  isStockServing,
  laneServing,
  rateControllers,
  type Serving,
  settleServing,
  stockServing,
  type Transport,
} from "../../load/serving/serving.ts";
import { blocksPerPair } from "../../results/compare/interleaved.ts";
import { isOfVideo } from "../../results/verdict/compared_metric.ts";
import { lanePairs } from "../../results/verdict/sample.ts";
import { guessWall_ms, type PageSize } from "./estimate.ts";
import { isPattern } from "./page_patterns.ts";
import type { PlannedCell } from "./plan.ts";
import type { Plan } from "./plan_document.ts";
import { untilFault } from "./until.ts";
import { leastVideo_bytes, videoNamed, videoOf } from "./video_pages.ts";

type Terms = Pick<
  SweepPlan,
  | "lanes"
  | "settings"
  | "serving"
  | "until"
  | "repetitions"
  | "warm_cache"
  | "interleaved"
  | "browser"
  | "browsers"
  | "servers"
  | "pages"
  | "links"
  | "cross_traffic"
  | "dilate"
  | "films"
  | "metric"
>;

const isOverQuic = (lane: Lane): boolean => laneFacts[lane].protocols.includes("h3");
const hasTlsOverTcp = (lane: Lane): boolean => isOverTcp(lane) && !laneFacts[lane].clear;

/** Settings of a protocol that none of the lanes has; `place`: where the plan has them. */
function transportFault(lanes: readonly Lane[], transport: Transport, place: string): string | null {
  const isStock = (part: "tcp" | "quic"): boolean => isDeepStrictEqual(transport[part], stockServing.transport[part]);
  if (isStock("quic") && !isStock("tcp") && !lanes.some(isOverTcp))
    return `${place}.tcp is of lanes over TCP, and there is none: take it out, or add lane h1 or h2`;
  if (isStock("tcp") && !isStock("quic") && !lanes.some(isOverQuic))
    return `${place}.quic is of lanes over QUIC, and there is none: take it out, or add lane h3`;
  const { congestion_control, pacing } = transport.quic;
  if (!pacing && congestion_control in rateControllers)
    return `${place}.quic: ${congestion_control} sets the rate of pacing, which is off: turn pacing on, or take another controller`;
  return null;
}

/** What is set for servers or visits that no lane has. */
function servingFault({ lanes: labels, warm_cache }: Terms, { tls, transport }: Serving): string | null {
  const lanes = labels.map(laneOf);
  // Early data over TCP came with TLS 1.3: without it no load of that lane can be valid.
  const early = lanes.find((lane) => hasTlsOverTcp(lane) && laneFacts[lane].repeat);
  if (tls === "1.2" && early)
    return `lane ${early} needs TLS 1.3: leave the lane out, or take serving.tls "both" or "1.3"`;
  if (tls !== "both" && !lanes.some(hasTlsOverTcp))
    return `serving.tls is of TLS over TCP, which no lane has: take it out, or add lane h1 or h2`;
  const fault = transportFault(lanes, transport, "serving.transport");
  if (fault !== null) return fault;
  if (warm_cache && !lanes.some((lane) => laneFacts[lane].repeat))
    return "warm_cache is of repeat visits, and no lane is one: take it out, or add lane h2-0rtt or h3-0rtt";
  return null;
}

/** Labels of lanes and the settings that they name belong together, and no two lanes are one. */
function settingsFault(plan: Terms): string | null {
  const { lanes, settings = {} } = plan;
  const names = Object.keys(settings);
  const labels = lanes.map((label) => ({ label, parts: labelParts(label) }));
  for (const { label, parts } of labels) {
    if (parts === null) return `lanes: ${label} is no lane with settings: begin it with one of ${allLanes.join(", ")}`;
    if (parts.settings !== null && !names.includes(parts.settings))
      return `lanes: ${label} names settings that the plan has not: add "${parts.settings}" to settings`;
  }
  for (const name of names) {
    const own = labels.flatMap(({ parts }) => (parts?.settings === name ? [parts.lane] : []));
    if (own.length === 0) return `settings.${name} is of no lane: take it out, or add lane h2:${name}`;
    const { transport } = settleServing({ transport: settings[name] ?? {} });
    const fault = transportFault(own, transport, `settings.${name}`);
    if (fault !== null) return fault;
  }
  for (const [index, { label, parts }] of labels.entries()) {
    const isSame = (other: (typeof labels)[number]): boolean =>
      other.parts?.lane === parts?.lane &&
      isDeepStrictEqual(other.parts?.factors, parts?.factors) &&
      isDeepStrictEqual(laneServing(plan, other.label), laneServing(plan, label));
    const same = labels.slice(0, index).find(isSame);
    if (same) return `lanes: ${label} has the same settings as ${same.label}: name one of them`;
  }
  return null;
}

/** Lanes name browsers that the plan has, and no browser is named in two ways. */
function browsersFault({ lanes, browser, browsers = {}, interleaved }: Terms): string | null {
  const names = Object.keys(browsers);
  if (names.length > 0 && browser !== undefined) return "browser is one and browsers are several: take one of them out";
  if (names.length > 0 && interleaved?.of === "browsers")
    return "browsers and interleaved both name browsers: take one of them out";
  for (const label of lanes) {
    const { browser: own } = factorsOf(label);
    if (own !== undefined && !names.includes(own))
      return `lanes: ${label} names a browser that the plan has not: add "${own}" to browsers`;
  }
  const unused = names.find((name) => !lanes.some((label) => factorsOf(label).browser === name));
  return unused === undefined ? null : `browsers.${unused} loads no lane: take it out, or add lane h2@${unused}`;
}

/** A server that is defined serves a lane. Whether one can is its program's matter (cli/load/servers). */
function serversFault({ lanes, servers = {} }: Terms): string | null {
  const unused = Object.keys(servers).find((name) => !lanes.some((label) => factorsOf(label).server === name));
  if (unused !== undefined) return `servers.${unused} serves no lane: take it out, or add lane h2+${unused}`;
  const both = Object.entries(servers).find(
    ([, { program, command, live }]) => [program, command, live].filter((each) => each !== undefined).length > 1,
  );
  if (both) return `servers.${both[0]} is two of program, command and live: take one of them out`;
  const neither = Object.entries(servers).find(
    ([, { program, command, live }]) => program === undefined && command === undefined && live === undefined,
  );
  return neither ? `servers.${neither[0]} has no program, command or live: add one` : null;
}

/** What only servers of ours can do. */
function liveFault({ lanes, servers = {}, cross_traffic, settings }: Terms, serving: Serving): string | null {
  const isLive = (label: Terms["lanes"][number]): boolean => servers[factorsOf(label).server ?? ""]?.live !== undefined;
  const live = lanes.find(isLive);
  const named = Object.keys(servers).find((name) => (servers[name]?.live !== undefined) !== (name === liveServer));
  if (named !== undefined) return `servers.${named}: live servers, and only these, are called ${liveServer}: rename it`;
  if (live === undefined) return null;
  if (cross_traffic)
    return `cross_traffic ends at a server of ours, and those of ${live} are live: take one of them out`;
  if (settings !== undefined || !isStockServing(serving))
    return `serving: the servers of ${live} are live and serve as they do: take settings of serving and transport out`;
  return null;
}

/** What a rule asks for that it cannot get. */
function stoppingFault(terms: Terms): string | null {
  const { lanes } = terms;
  const alone = `lanes, and ${lanes.length < 2 ? "there is one" : "no two of these are"}: add a lane`;
  return untilFault(terms, lanePairs(lanes).length, alone);
}

/** Two versions run in each block, neither is stopped before the other, and of both there are as many loads. */
function interleavedFault({ interleaved, until, repetitions, pages, links }: Terms): string | null {
  if (!interleaved) return null;
  if (until) return "until: stops lanes one by one, and interleaved versions are loaded alike: take one of them out";
  if (interleaved.of === "browsers")
    return repetitions % blocksPerPair === 0
      ? null
      : `repetitions counts the loads of both browsers: take an even number, as ${repetitions + 1}`;
  const { of } = interleaved;
  const versions = of === "pages" ? pages : links;
  const isOne = (version: PlanPage | PlanLink): boolean =>
    typeof version === "string" ? of === "links" || !isPattern(version) : "synth" in version;
  if (versions.length === 2 && versions.every(isOne)) return null;
  return `interleaved ${of} are two: name two ${of} (and no ${of === "pages" ? "pattern" : "grid"})`;
}

/** Flows run once: from before the page's one navigation on. */
function trafficFault({ cross_traffic, lanes }: Terms): string | null {
  if (!cross_traffic) return null;
  const repeated = lanes.find((lane) => laneFacts[laneOf(lane)].repeat);
  if (repeated === undefined) return null;
  return `cross_traffic is of one navigation, and lane ${repeated} has two: take one of them out`;
}

/** Plans of earlier versions may ask for it. */
const dilationFault = ({ dilate = 1 }: Terms): string | null =>
  dilate > 1
    ? "dilate: this version cannot slow time down, and loads count on a busy machine without: take it out"
    : null;

/** Null: its recording is not known yet. */
type PlaysVideo = (page: PlanPage) => boolean | null;

const madePlaysVideo: PlaysVideo = (page) => (typeof page === "string" ? null : videoNamed(page.synth) !== null);

/** Films of whole videos are none that a report could show. */
function videoFault(
  { pages, films = 0, metric }: Pick<Terms, "pages" | "films" | "metric">,
  playsVideo: PlaysVideo,
): string | null {
  const playing = pages.find((page) => playsVideo(page) === true);
  if (playing === undefined)
    return metric !== undefined && isOfVideo(metric) && pages.every((page) => playsVideo(page) === false)
      ? `metric ${metric} is of videos, and no page plays one: take it out, or add a page such as {"synth": "video-30s-2000k"}`
      : null;
  const video = pageNameOf(playing);
  if (films > 0) return `${video} is too long to be filmed: take it or films out`;
  return metric === "si" ? `${video} is too long to be filmed: take another metric than si` : null;
}

const pageNameOf = (page: PlanPage): string => (typeof page === "string" ? page : page.synth);

/** UserError, naming `source`. */
export function refuseContradictions(plan: Terms, serving: Serving, source: string): void {
  const fault =
    dilationFault(plan) ??
    settingsFault(plan) ??
    browsersFault(plan) ??
    serversFault(plan) ??
    liveFault(plan, serving) ??
    servingFault(plan, serving) ??
    stoppingFault(plan) ??
    interleavedFault(plan) ??
    trafficFault(plan) ??
    videoFault(plan, madePlaysVideo);
  if (fault !== null) throw new UserError(`plan ${source}: ${fault}`);
}

/** The same of what recordings show: whether they play videos. `sizes`: of the pages, as far as they are known. UserError. */
export function refuseVideoContradictions(
  plan: Pick<Plan, "name" | "pages" | "films" | "metric">,
  sizes: ReadonlyMap<string, PageSize>,
): void {
  const fault = videoFault(plan, (page) => {
    const size = sizes.get(pageNameOf(page));
    return size ? videoOf(size) !== null : madePlaysVideo(page);
  });
  if (fault !== null) throw new UserError(`plan ${plan.name}: ${fault}`);
}

/** No load on the link is faster: bytes over rate, and one round trip. `whole`: what it waits for, where that is known. */
function least_ms({ link_profile: { down, rtt_ms } }: PlannedCell, whole: PageSize | undefined): number {
  const { rate_bps, rate_steps, trace } = down;
  return rtt_ms + (rate_bps === null || rate_steps || trace || !whole ? 0 : (whole.body_bytes * 8000) / rate_bps);
}

/** UserError for a time in which no load can end. `sizes`: of the pages, as far as they are known. */
export function refuseTooShort(
  { name, pages, timeout_s, time_limit_s }: Pick<Plan, "name" | "pages" | "timeout_s" | "time_limit_s">,
  cells: readonly PlannedCell[],
  sizes: ReadonlyMap<string, PageSize>,
): void {
  // The load event waits for all of a synthetic page; of a recording it may not.
  const whole = new Set(pages.flatMap((page) => (typeof page === "string" ? [] : [page.synth])));
  for (const cell of cells) {
    const video = videoOf(sizes.get(cell.page));
    const size = video ? { exchanges: 0, body_bytes: leastVideo_bytes(video) } : sizes.get(cell.page);
    const needed_s = least_ms(cell, whole.has(cell.page) ? size : undefined) / 1000;
    const given_s = timeout_s + (video?.clip_s ?? 0);
    if (needed_s < given_s) continue;
    throw new UserError(
      `plan ${name}: no load of ${cell.page} over ${cell.link} ends within ${given_s} s: raise timeout_s (--timeout) above ${Math.ceil(needed_s - (video?.clip_s ?? 0))}, or leave the link out`,
    );
  }
  if (time_limit_s === undefined) return;
  const guesses_ms = cells.flatMap(({ page, link_profile }) => {
    const size = sizes.get(page);
    return size ? [guessWall_ms(size, link_profile)] : [];
  });
  const shortest_s = guesses_ms.reduce((least, guess) => Math.min(least, guess), Number.POSITIVE_INFINITY) / 1000;
  // A guess may be wrong by so much, not more.
  if (Number.isFinite(shortest_s) && time_limit_s < shortest_s / 2)
    throw new UserError(
      `plan ${name}: time_limit_s ${time_limit_s} is over before one load is, the shortest takes about ${shortest_s.toFixed(1)} s: raise it`,
    );
}
