// Pages of live servers, behind a link, recorded there, and then loaded live and replayed in turn over the same link and lane: how far
// the replay behaves as the live page did. Which pages and servers those are is decided by its callers. The bars are for a replay that is
// told what its servers are like; beside it stands one that is told nothing, as a recording says nothing of this.
import { join } from "node:path";
import { UserError } from "../../cli/base/errors.ts";
import { plainLanes } from "../../cli/base/lanes.ts";
import { median } from "../../cli/base/quantile.ts";
import { labCommand, spkiList } from "../../cli/load/lab.ts";
import { laneOriginOptions } from "../../cli/load/lane_origins.ts";
import { coverageOf } from "../../cli/load/metrics/coverage.ts";
import { recordedRequestsOf } from "../../cli/load/recorded_requests_of.ts";
import { type ReplayReport, readReplayReport } from "../../cli/load/reports.ts";
import { servingArguments } from "../../cli/load/serving/arguments.ts";
import { type ServingChoice, settleServing } from "../../cli/load/serving/serving.ts";
import type { RecordedRequests } from "../../cli/recording/archive/recorded_requests.ts";
import { type Measurement, measurement } from "./bench.ts";
import { type Cell, fidelityTable, type LoadPair, pltDifference } from "./fidelity_table.ts";
import { type LiveSites, link, makePlace, type Place, type PlainLane, recordLive } from "./live_place.ts";
import { withPrograms } from "./live_programs.ts";
import { type SeenLoad, seenLoad } from "./seen_load.ts";

const blocks = 6;
/**
 * What a recording cannot tell of its servers and who ran them can. nginx gives the kernel all that a socket takes. Over h2 it goes
 * nearly by the browser's priorities, which Chromium sends as RFC 7540 has them, too (in ngx_http_v2.h, frames queue by rank). Caddy's h3
 * (quic-go) knows none: it sends responses in turns, and begins with 32 packets.
 */
const likeServers: Readonly<Record<PlainLane, ServingChoice>> = {
  h1: { transport: { tcp: { bounds_unsent: false } } },
  h2: { transport: { tcp: { bounds_unsent: false } } },
  h3: { priorities: "none", transport: { quic: { initial_window_packets: 32 } } },
};

interface Pair extends LoadPair {
  /** Replayed by default: by the browser's priorities, and so on. */
  readonly usual: SeenLoad;
  readonly report: ReplayReport | null;
  readonly recorded: RecordedRequests | null;
}

/** Live and replayed loads in turn. The first pair reads programs and files from the disk. */
async function loadInTurn(place: Place, url: string, lane: PlainLane): Promise<Pair[]> {
  const { home, within, trustedKeys, scratch } = place;
  const recording = await recordLive(place, url, lane);
  const { name } = recording;
  const recorded = await recordedRequestsOf(home, recording);
  const reports = { replay: join(scratch, "replay.json"), shaper: join(scratch, "shaper.json") };
  const replayKeys = await spkiList(home);
  const replay = (choice: ServingChoice): Promise<SeenLoad> => {
    const serving = settleServing({ think: "recorded", ...choice });
    const replayOptions = [...servingArguments(serving), ...laneOriginOptions(lane)];
    const lab = labCommand({ home, recording: name, link, reports, replayOptions });
    return seenLoad({ url, lane, within: [...lab.replay, ...lab.shaper], spkiList: replayKeys });
  };
  const pairs: Pair[] = [];
  for (let block = 0; block <= blocks; block++) {
    const live = await seenLoad({ url, lane, within, spkiList: trustedKeys.join(",") });
    const usual = await replay({});
    const replayed = await replay(likeServers[lane]);
    if (block > 0) pairs.push({ live, replayed, usual, report: await readReplayReport(reports.replay), recorded });
  }
  return pairs;
}

/** Bodies' bytes of the live page that the replayed one had, too, and the greatest difference of one body; in per cent. */
function bodies({ live, replayed }: Pair): { same: number; difference: number } {
  let same = 0;
  let total = 0;
  let difference = 0;
  for (const [url, live_bytes] of live.bodies) {
    const replayed_bytes = replayed.bodies.get(url) ?? 0;
    total += live_bytes;
    same += Math.min(live_bytes, replayed_bytes);
    if (live_bytes > 0) difference = Math.max(difference, Math.abs(replayed_bytes / live_bytes - 1));
  }
  return { same: (same / total) * 100, difference: difference * 100 };
}

function matchedPercent({ report }: Pair): number {
  const { exact = 0, fuzzy = 0, missed = 0 } = report?.counts ?? {};
  return ((exact + fuzzy) / (exact + fuzzy + missed)) * 100;
}

/** Of the requests that a load is expected to ask for, as reports have it. */
function coveragePercent({ report, recorded }: Pair): number {
  if (recorded === null) return Number.NaN;
  const seqs = (report?.requests ?? []).flatMap(({ seq }) => (seq === null ? [] : [seq]));
  return coverageOf(recorded, { seqs, cached: [], beyond: [], requests: 0 }).requests * 100;
}

/** Of all the page's resources with their headers; in per cent of the live ones. */
function bytesOffPercent({ live, replayed }: Pair): number {
  const sum = ({ resources }: SeenLoad) => [...resources.values()].reduce((total, bytes) => total + bytes, 0);
  return Math.abs(sum(replayed) / sum(live) - 1) * 100;
}

/** Headers are what differs: how a server compresses or chunks is its own matter. */
function bytesOffOfOne({ live, replayed }: Pair): number {
  return Math.max(...[...live.resources].map(([url, bytes]) => Math.abs((replayed.resources.get(url) ?? 0) - bytes)));
}

function compare(cell: Cell<Pair>, within: number): Measurement[] {
  const { pairs } = cell;
  const name = `${cell.page}, ${cell.lane}`;
  const live_ms = pairs.map(({ live }) => live.plt_ms);
  const replayed_ms = pairs.map(({ replayed }) => replayed.plt_ms);
  const difference = Math.abs(pltDifference(cell).percent);
  const byDefault = pltDifference({ ...cell, pairs: pairs.map(({ live, usual }) => ({ live, replayed: usual })) });
  const share = { unit: "%", bar_is: "at least" } as const;
  const connections = pairs.map(({ live, replayed }) => Math.abs(replayed.connections - live.connections));
  return [
    measurement(`${name}: requests matched`, pairs.map(matchedPercent), 99, share),
    measurement(`${name}: coverage of requests`, pairs.map(coveragePercent), 98, share),
    measurement(
      `${name}: bytes of bodies as live`,
      pairs.map((pair) => bodies(pair).same),
      99.9,
      share,
    ),
    measurement(
      `${name}: a body's bytes, greatest difference`,
      pairs.map((pair) => bodies(pair).difference),
      1,
      { unit: "%" },
    ),
    measurement(`${name}: bytes with headers, all resources, difference`, pairs.map(bytesOffPercent), 1, { unit: "%" }),
    measurement(`${name}: a resource's bytes with headers, greatest difference`, pairs.map(bytesOffOfOne), null, {
      unit: "bytes",
    }),
    measurement(`${name}: connections, difference`, connections, 0, { unit: "connections" }),
    measurement(`${name}: PLT, live`, live_ms, null),
    measurement(`${name}: PLT, replayed`, replayed_ms, null),
    measurement(`${name}: median PLT, difference`, [difference], within, { unit: "%" }),
    measurement(`${name}: median PLT, difference where all is by default`, [byDefault.percent], null, { unit: "%" }),
  ];
}

/**
 * The requests that waited most differently for their first byte: a replay waits as long as the server did when it was recorded, and
 * a live server takes longer where it shares the CPUs with the browser.
 */
function waitsApart({ page, lane, pairs }: Cell<Pair>): string {
  const urls = [...(pairs[0]?.live.waits.keys() ?? [])];
  const waitOf = (url: string, which: "live" | "replayed"): number =>
    median(pairs.flatMap((pair) => pair[which].waits.get(url) ?? []));
  const apart = urls
    .map((url) => ({ url, live_ms: waitOf(url, "live"), replayed_ms: waitOf(url, "replayed") }))
    .toSorted((a, b) => Math.abs(b.replayed_ms - b.live_ms) - Math.abs(a.replayed_ms - a.live_ms))
    .slice(0, 3)
    .map(({ url, live_ms, replayed_ms }) => {
      const { pathname, search } = new URL(url);
      return `${`${pathname}${search}`.slice(0, 50)} ${live_ms.toFixed(0)} / ${replayed_ms.toFixed(0)}`;
    });
  return `${page}, ${lane}: first bytes that differ most, ms live / replayed: ${apart.join(", ")}`;
}

export interface LiveAgainstReplay extends LiveSites {
  /** The benchmark's. */
  readonly name: string;
  /** Removed by the caller. */
  readonly scratch: string;
  /** How far the medians of a lane's PLTs may be apart. */
  readonly within_percent: Readonly<Record<PlainLane, number>>;
}

/** `only`: a part of "PAGE, LANE". */
export async function liveAgainstReplay(
  say: (line: string) => void,
  only: string,
  { name, scratch, within_percent, ...sites }: LiveAgainstReplay,
): Promise<Measurement[]> {
  const place = makePlace(scratch, join(scratch, "home"), sites);
  const cells: Cell<Pair>[] = [];
  await withPrograms(sites.programs ?? [], async () => {
    for (const { page, urls } of sites.pages)
      for (const lane of plainLanes) {
        if (!`${page}, ${lane}`.includes(only)) continue;
        say(`${page} over ${lane}: ${blocks} live loads and ${blocks} replayed ones in turn`);
        cells.push({ page, lane, pairs: await loadInTurn(place, urls[lane], lane) });
      }
  });
  if (cells.length === 0) throw new UserError(`${name}: no page and lane is named ${JSON.stringify(only)}`);
  for (const line of fidelityTable(cells)) say(line);
  for (const cell of cells) say(waitsApart(cell));
  return cells.flatMap((cell) => compare(cell, within_percent[cell.lane as PlainLane]));
}
