import { type Lane, laneFacts, laneOf } from "../../../cli/base/lanes.ts";
import { type RandomSource, randomSource } from "../../../cli/base/random.ts";
import { version } from "../../../cli/base/version.ts";
import { parseLink } from "../../../cli/link/link.ts";
import { type NewSweep, openResults } from "../../../cli/results/store/results.ts";
import type { HarEntry, PageLoad } from "../../../schemas/generated/page_load.ts";
import type { ShaperTimeline } from "../../../schemas/generated/shaper_report.ts";
import { harEntry } from "../../har_entry.ts";
import { tempFolder } from "../../temp_folder.ts";
import { pageLoad } from "../sweep/page_load.ts";

export interface FixtureOutcome {
  readonly status: "valid" | "invalid" | "failed";
  readonly reasons: readonly string[];
}

export interface Fixture {
  readonly name: string;
  readonly pages: readonly string[];
  readonly links: readonly string[];
  readonly lanes?: readonly Lane[];
  readonly repetitions: number;
  /** The page's requests, by default 23 of them on two hosts. */
  readonly urls?: readonly string[];
  readonly plt_ms?: (of: { page: number; link: string; lane: Lane }) => number;
  /** What the replay made of a request, by default an exact match. */
  readonly match?: (url: string) => Match;
  /** What an attempt came to; by default valid. */
  readonly outcome?: (of: { page: string; link: string; lane: Lane; block: number; attempt: number }) => FixtureOutcome;
  readonly finished?: boolean;
  /** When loads were enough; the fixture makes as many as `repetitions` all the same. */
  readonly until?: NewSweep["plan"]["until"];
  readonly description?: string;
  /** By page, of recordings that are there. */
  readonly digests?: Readonly<Record<string, string>>;
}

export type Match = Pick<HarEntry["_trilane"], "match" | "instead">;

const valid: FixtureOutcome = { status: "valid", reasons: [] };
const host = "https://shop.example.com";
const defaultUrls = [
  `${host}/`,
  `${host}/assets/app.css`,
  `${host}/assets/vendor.js`,
  ...Array.from(
    { length: 20 },
    (_, index) => `https://images.example.net/products/${1000 + index * 37}-large.jpg?w=640`,
  ),
];

/** A plausible PLT: round trips, bytes on the link, and what loss costs. */
export function modelPlt_ms(link: string, lane: Lane, page: number): number {
  const { down, rtt_ms } = parseLink(link);
  const { family } = laneFacts[lane];
  const trips = { h1: 12, h2: 8, h3: 7 }[family];
  const bits = 8 * 350_000 * (1 + 0.4 * page);
  const cpu_ms = { h1: 120, h2: 130, h3: 150 }[family];
  const loss = 1 + down.loss * { h1: 10, h2: 30, h3: 12 }[family];
  return (cpu_ms + trips * rtt_ms + (bits / (down.rate_bps ?? 1e9)) * 1000) * loss;
}

function phase(random: RandomSource, most_ms: number): number {
  return Math.round(random() * most_ms * 100) / 100;
}

function entryOf(
  url: string,
  index: number,
  lane: Lane,
  plt_ms: number,
  total: number,
  random: RandomSource,
): HarEntry {
  const start_ms = index === 0 ? 0.8 : plt_ms * (0.12 + (0.4 * index) / total) + phase(random, plt_ms * 0.03);
  const slots = lane === "h1" ? 6 : 1;
  const hostname = URL.parse(url)?.host ?? "";
  const connection = String(100 + (index === 0 ? 0 : 1 + (index % slots)) + (hostname.startsWith("images") ? 50 : 0));
  const opens = index === 0 || index <= slots;
  const left_ms = Math.max(4, plt_ms * 0.97 - start_ms);
  const connect = opens ? left_ms * 0.12 : -1;
  const timings = {
    blocked: lane === "h1" ? phase(random, left_ms * 0.3) : phase(random, left_ms * 0.03),
    dns: opens ? left_ms * 0.04 : -1,
    connect,
    ssl: opens ? connect * (lane === "h3" ? 1 : 0.5) : -1,
    send: 0.2,
    wait: left_ms * 0.15 + phase(random, left_ms * 0.1),
    receive: phase(random, left_ms * 0.3) + 0.3,
    _blocked_queueing: 0.4,
  };
  const time = [timings.blocked, timings.dns, timings.connect, timings.send, timings.wait, timings.receive]
    .filter((duration) => duration > 0)
    .reduce((sum, duration) => sum + duration, 0);
  const size = index === 0 ? 14_000 : 2600 + Math.floor(random() * 80_000);
  const protocol = laneFacts[lane].protocols[0] ?? "";
  const mimeType = index === 0 ? "text/html" : "image/jpeg";
  return harEntry(url, {
    startedDateTime: new Date(Date.UTC(2026, 2, 1) + start_ms).toISOString(),
    ...{ time, timings, serverIPAddress: "192.0.2.10", connection, _connectionId: connection, _protocol: protocol },
    request: { httpVersion: protocol, headers: [{ name: "accept", value: "*/*" }] },
    response: {
      ...{ httpVersion: protocol, headers: [{ name: "content-type", value: mimeType }], content: { size, mimeType } },
      ...{ bodySize: size, _transferSize: size + 120 },
      _securityDetails: {
        ...{ protocol: lane === "h3" ? "QUIC" : "TLS 1.3", cipher: "AES_128_GCM", keyExchangeGroup: "X25519" },
        ...{ subjectName: hostname, issuer: "Trilane local CA" },
      },
    },
    ...{ _priority: index === 0 ? "VeryHigh" : "Low", _initialPriority: "Low" },
    ...{ _resourceType: index === 0 ? "document" : "image", _initiator: { type: index === 0 ? "other" : "parser" } },
    facts: {
      ...{ requestId: String(1000 + index), documentUrl: url, connectionReused: !opens, match: "exact" },
      ...{ start_ns: Math.round(1e12 + start_ms * 1e6), startOffset_ms: start_ms },
      response_ns: Math.round(1e12 + (start_ms + time * 0.7) * 1e6),
      end_ns: Math.round(1e12 + (start_ms + time) * 1e6),
    },
  });
}

const direction = (packets: number, lost: number) => ({
  unread_packets: 0,
  packets_in: packets,
  bytes_in: packets * 1200,
  packets_out: packets - lost,
  bytes_out: (packets - lost) * 1200,
  drops: { queue: lost, loss: 0, not_ip: 0, refused: 0 },
  dropped_bytes: { queue: lost * 1200, loss: 0, not_ip: 0, refused: 0 },
  queue_peak_packets: 38,
  queue_peak_bytes: 55_400,
  busy_ns: 8e8,
  late_ns: { p50: 14_000, p99: 61_000, max: 2_400_000 },
  left_packets: 0,
});

/** Bytes at a steady rate until the load event, a queue that fills once, a drop. */
function timelineOf(plt_ms: number, rate_bps: number): ShaperTimeline {
  const bins = Math.min(256, Math.ceil(plt_ms / 10));
  const bin_ns = Math.ceil((plt_ms * 1e6) / bins);
  const each = (value: (share: number) => number): number[] =>
    Array.from({ length: bins }, (_, index) => Math.round(value(index / bins)));
  const none = each(() => 0);
  return {
    start_ns: 1e12,
    bin_ns,
    down: {
      bytes_out: each((share) => (share < 0.1 ? 0 : (bin_ns / 8e9) * rate_bps * 0.8)),
      queue_peak_bytes: each((share) => 18_000 * Math.sin(share * Math.PI) ** 2),
      dropped_packets: none.map((_, index) => (index === bins >> 1 ? 4 : 0)),
      lost_packets: none.map((_, index) => (index === bins >> 2 ? 1 : 0)),
    },
    up: { bytes_out: each(() => 80), queue_peak_bytes: none, dropped_packets: none, lost_packets: none },
  };
}

/** One page load with `plt_ms`, of the shape that cli/load stores. */
export function pageLoadOf(
  of: { page: string; link: string; lane: Lane; plt_ms: number; urls: readonly string[] } & Pick<Fixture, "match"> &
    FixtureOutcome,
  random: RandomSource,
): PageLoad {
  const profile = parseLink(of.link);
  const failed = of.status === "failed";
  const entries = failed
    ? []
    : of.urls.map((url, index) => entryOf(url, index, of.lane, of.plt_ms, of.urls.length, random));
  for (const entry of entries) if (of.match) Object.assign(entry._trilane, of.match(entry.request.url));
  const matching = (match: string): number => entries.filter((entry) => entry._trilane.match === match).length;
  const bytes = entries.reduce((sum, entry) => sum + entry.response._transferSize, 0);
  const plt_ms = failed ? null : of.plt_ms;
  const share = (of_plt: number): number | null => (plt_ms === null ? null : plt_ms * of_plt);
  const { log } = pageLoad({
    ...{ page: of.page, recording_digest: "5f".repeat(32), lane: of.lane, link: profile, status: of.status },
    ...{ reasons: [...of.reasons], plt_ms, wall_ms: (plt_ms ?? 60_000) + 700 },
  });
  const pageTimings = { onContentLoad: share(0.8) ?? -1, onLoad: plt_ms ?? -1 };
  const startedDateTime = "2026-03-01T00:00:00.000Z";
  return {
    log: {
      ...log,
      creator: { name: "Trilane", version },
      browser: { name: "Chromium", version: "156.0.0.0" },
      pages: [{ startedDateTime, id: "page_1", title: of.urls[0] ?? "", pageTimings }],
      entries,
      _trilane: {
        ...log._trilane,
        metrics: {
          ...{ plt_ms, ttfb_ms: share(0.2), dcl_ms: share(0.8), fcp_ms: share(0.4), lcp_ms: null },
          unavailable: { lcp_ms: "no paint was large enough" },
        },
        counts: {
          ...{ requests: entries.length, bytes, failed: 0, off_lane: of.status === "invalid" ? 2 : 0 },
          connections: new Set(entries.map((entry) => entry._connectionId)).size,
          ...{ matched: matching("exact"), fuzzy: matching("fuzzy"), missed: matching("missed") },
        },
        replay: failed
          ? null
          : {
              schema: "trilane/replay-report/1",
              transport: {
                tcp: { congestion_control: "cubic", initial_window_packets: 10, metrics_saved: false, pacing: false },
                quic: {
                  ...{ congestion_control: "cubic", reductions_taken_back: of.lane === "h3", pacing: true },
                  ...{ initial_window_packets: 10, max_udp_payload: 1350 },
                },
              },
            },
        shaper: failed
          ? null
          : {
              ...{ schema: "trilane/shaper-report/1", version, scheduling: "fifo", link: profile, seed: profile.seed },
              ...{ start_ns: 1e12, end_ns: 1e12 + 3e9, child_status: 0, cpu_ns: 4e7 },
              timeline: timelineOf(of.plt_ms, profile.down.rate_bps ?? 1e7),
              down: direction(900, of.lane === "h1" ? 12 : 4),
              up: direction(420, 0),
            },
        environment: {
          ...log._trilane.environment,
          versions: {
            ...{ trilane: version, node: "24.21.0", browser: "Chromium 156.0.0.0" },
            ...{ quiche: "0.30.0", nghttp2: "1.68.0" },
          },
          ...{ kernel: "6.18.5", cpu: "Example CPU 3000", memory_bytes: 8_000_000_000 },
          command_lines: {
            replay: ["trilane-replay", "--home", "$HOME_FOLDER", "--recording", of.page],
            shaper: ["trilane-shaper", "--link", of.link],
            browser: ["chromium", "--headless=new", "--user-data-dir=$PROFILE", "--disable-quic"],
          },
        },
        ...{ started_ns: 1e12, navigation_start_ns: 1e12 },
      },
    },
  };
}

/** Stores a fixture's sweep in the results of a folder; returns the sweep's number. */
export function storeFixture(home: string, fixture: Fixture): number {
  const lanes = fixture.lanes ?? (["h1", "h2", "h3"] as const);
  using results = openResults(home);
  const asked: NewSweep = {
    name: fixture.name,
    plan: {
      name: fixture.name,
      pages: [...fixture.pages] as [string, ...string[]],
      lanes: [...lanes] as [Lane, ...Lane[]],
      links: [...fixture.links] as [string, ...string[]],
      repetitions: fixture.repetitions,
      seed: 7,
      retries: 2,
      timeout_s: 60,
      ...(fixture.until === undefined ? {} : { until: fixture.until }),
      ...(fixture.description === undefined ? {} : { description: fixture.description }),
    },
    plan_digest: "ab".repeat(32),
    seed: 7,
    command: ["trilane", "sweep", `${fixture.name}.json`],
    environment: {},
    cells: fixture.pages.flatMap((page) =>
      fixture.links.flatMap((link) =>
        lanes.map((lane) => ({
          page,
          recording_digest: fixture.digests?.[page] ?? "5f".repeat(32),
          lane,
          link,
          link_profile: parseLink(link),
        })),
      ),
    ),
  };
  const { sweep } = results.beginSweep(asked, true);
  const random = randomSource(3, fixture.name);
  const urls = fixture.urls ?? defaultUrls;
  let position = 0;
  for (const cell of results.cellsOf(sweep.id)) {
    const page = fixture.pages.indexOf(cell.page);
    const middle_ms = (fixture.plt_ms ?? ((of) => modelPlt_ms(of.link, of.lane, of.page)))({
      page,
      link: cell.link,
      lane: laneOf(cell.lane),
    });
    for (let block = 0; block < fixture.repetitions; block++) {
      for (let attempt = 0; attempt < 3; attempt++) {
        const outcome =
          fixture.outcome?.({ page: cell.page, link: cell.link, lane: laneOf(cell.lane), block, attempt }) ?? valid;
        const spread = 1 + 0.03 * (random() + random() + random() - 1.5) + 0.1 * random() ** 6;
        const of = {
          page: cell.page,
          link: cell.link,
          lane: laneOf(cell.lane),
          plt_ms: middle_ms * spread,
          urls,
          ...(fixture.match ? { match: fixture.match } : {}),
          ...outcome,
        };
        const started_at = new Date(Date.UTC(2026, 2, 1, 9, 0, position)).toISOString();
        const load = pageLoadOf(of, random);
        results.recordLoad({ cell: cell.id, block, attempt, position, started_at, load });
        if (outcome.status === "valid") break;
      }
      position++;
    }
  }
  if (fixture.finished ?? true) results.finishSweep(sweep.id);
  results.release(sweep.id);
  return sweep.id;
}

/** Runs with a folder of its own that is gone afterwards. */
export async function withHome<T>(work: (home: string) => T | Promise<T>): Promise<T> {
  const home = tempFolder("trilane-report-");
  return await work(home);
}
