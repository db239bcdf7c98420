// Whether a replayed page behaves as the live one did: pages of installed documentation, served by nginx (h1, h2) and
// Caddy (h3) behind a link, are recorded there, and then loaded live and replayed in turn over the same link and lane.
import { existsSync, mkdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Recording } from "../../cli/archive/archive.ts";
import { withArchive } from "../../cli/archive/client.ts";
import { UserError } from "../../cli/errors.ts";
import { plainLanes } from "../../cli/lanes.ts";
import { formatLink, type LinkProfile, parseLink } from "../../cli/link/link.ts";
import { labCommand, spkiList } from "../../cli/measure/lab.ts";
import { laneOriginOptions } from "../../cli/measure/lane_origins.ts";
import { type ReplayReport, readReplayReport } from "../../cli/measure/reports.ts";
import { programPath } from "../../cli/programs.ts";
import { recordPage } from "../../cli/record/record_page.ts";
import { storeRecorded } from "../../cli/record/store.ts";
import { readTrustedKeys } from "../../cli/record/words.ts";
import { servingArguments } from "../../cli/serving/arguments.ts";
import { settleServing } from "../../cli/serving/serving.ts";
import { makeLiveSite, noLiveSite } from "../e2e/live_site.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";
import { type Cell, fidelityTable, type LoadPair, pltDifference } from "./fidelity_table.ts";
import { type SeenLoad, seenLoad } from "./seen_load.ts";

const blocks = 6;
const link = parseLink("10mbit/50ms");
/** Recorded through the same link, whose queue drops nothing then: a retransmission would be taken for the server's time. */
const recordingLink = parseLink("10mbit/50ms,queue=1000p");
/** Debian's python3-doc, which the set-up of the tests does not install. */
const documentation = "/usr/share/doc/python3.11/html";
const pages = ["tutorial/index.html", "library/json.html", "whatsnew/3.11.html"] as const;
const nameserver = "203.0.113.53";
type PlainLane = (typeof plainLanes)[number];
/** What a recording cannot tell of its servers and who ran them can: nginx gives the kernel all that a socket takes. */
const serving = settleServing({ think: "recorded", transport: { tcp: { bounds_unsent: false } } });
const hostOf: Record<PlainLane, string> = { h1: "docs.test", h2: "docs.test", h3: "docs-h3.test" };

interface Pair extends LoadPair {
  readonly report: ReplayReport | null;
}

interface Place {
  readonly scratch: string;
  readonly home: string;
  /** What a browser that meets the live servers over the link is started by. */
  readonly within: readonly string[];
  /** And what the recorder's is started by. */
  readonly recordedWithin: readonly string[];
  readonly trustedKeys: readonly string[];
}

const circumstances = { bench: "fidelity" };

async function record({ home, recordedWithin, trustedKeys }: Place, url: string, lane: PlainLane): Promise<Recording> {
  const within = recordedWithin;
  const options = { lane, scroll: false, quiet_ms: 1000, timeout_ms: 60_000, trustedKeys, addresses: [], within };
  return await recordPage({ ...options, url }, (page) =>
    withArchive(home, async (archive) => {
      const name = `${lane}-${new URL(url).pathname.replaceAll(/\W+/g, "-")}`;
      return (await storeRecorded(archive, page, { name, url, replace: false, behindLink: true, circumstances }))
        .recording;
    }),
  );
}

/** Live and replayed loads in turn. The first pair reads programs and files from the disk. */
async function loadInTurn(place: Place, url: string, lane: PlainLane): Promise<Pair[]> {
  const { home, within, trustedKeys, scratch } = place;
  const { name } = await record(place, url, lane);
  const reports = { replay: join(scratch, "replay.json"), shaper: join(scratch, "shaper.json") };
  const replayOptions = [...servingArguments(serving), ...laneOriginOptions(lane)];
  const lab = labCommand({ home, recording: name, link, reports, replayOptions });
  const replayKeys = await spkiList(home);
  const pairs: Pair[] = [];
  for (let block = 0; block <= blocks; block++) {
    const live = await seenLoad({ url, lane, within, spkiList: trustedKeys.join(",") });
    const replayed = await seenLoad({ url, lane, within: [...lab.replay, ...lab.shaper], spkiList: replayKeys });
    if (block > 0) pairs.push({ live, replayed, report: await readReplayReport(reports.replay) });
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

/** Of all the page's resources with their headers; in per cent of the live ones. */
function bytesOffPercent({ live, replayed }: Pair): number {
  const sum = ({ resources }: SeenLoad) => [...resources.values()].reduce((total, bytes) => total + bytes, 0);
  return Math.abs(sum(replayed) / sum(live) - 1) * 100;
}

/** Headers are what differs: how a server compresses or chunks is its own matter. */
function bytesOffOfOne({ live, replayed }: Pair): number {
  return Math.max(...[...live.resources].map(([url, bytes]) => Math.abs((replayed.resources.get(url) ?? 0) - bytes)));
}

function compare(cell: Cell<Pair>): Measurement[] {
  const { pairs } = cell;
  const name = `${cell.page}, ${cell.lane}`;
  const live_ms = pairs.map(({ live }) => live.plt_ms);
  const replayed_ms = pairs.map(({ replayed }) => replayed.plt_ms);
  const difference = Math.abs(pltDifference(cell).percent);
  const share = { unit: "%", bar_is: "at least" } as const;
  const connections = pairs.map(({ live, replayed }) => Math.abs(replayed.connections - live.connections));
  return [
    measurement(`${name}: requests matched`, pairs.map(matchedPercent), 99, share),
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
    measurement(`${name}: median PLT, difference`, [difference], 5, { unit: "%" }),
  ];
}

export const bench: Bench = async (say, only) => {
  const why = noLiveSite(["nginx", "caddy"]);
  if (why) throw new UserError(`fidelity: ${why}`);
  if (!existsSync(documentation)) throw new UserError(`fidelity: no ${documentation}: apt install python3-doc`);
  const scratch = await mkdtemp(join(tmpdir(), "trilane-bench-"));
  try {
    const folder = join(scratch, "site");
    mkdirSync(folder);
    const site = makeLiveSite(folder, [
      { hosts: ["docs.test"], address: "203.0.113.1", root: documentation, program: "nginx" },
      { hosts: ["docs-h3.test"], address: "203.0.113.2", root: documentation, program: "caddy" },
    ]);
    const through = (of: LinkProfile) => [
      ...[...site.words, programPath("trilane-shaper"), "--link", formatLink(of), "--nameserver", nameserver],
      "--",
    ];
    const place: Place = {
      scratch,
      home: join(scratch, "home"),
      within: through(link),
      recordedWithin: through(recordingLink),
      trustedKeys: readTrustedKeys(site.authority),
    };
    const cells: Cell<Pair>[] = [];
    for (const page of pages)
      for (const lane of plainLanes) {
        if (!`${page}, ${lane}`.includes(only)) continue;
        say(`${page} over ${lane}: ${blocks} live loads and ${blocks} replayed ones in turn`);
        cells.push({ page, lane, pairs: await loadInTurn(place, `https://${hostOf[lane]}/${page}`, lane) });
      }
    if (cells.length === 0) throw new UserError(`fidelity: no page and lane is named ${JSON.stringify(only)}`);
    for (const line of fidelityTable(cells)) say(line);
    return cells.flatMap(compare);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
};
