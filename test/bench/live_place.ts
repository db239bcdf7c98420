// Pages of live servers behind a link, and the recorder there: where `fidelity`, `applications` and `model` have real pages from.
// Which pages and servers those are is decided by its callers; compares nothing.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../cli/base/errors.ts";
import type { plainLanes } from "../../cli/base/lanes.ts";
import { programPath } from "../../cli/base/programs.ts";
import { formatLink, type LinkProfile, parseLink } from "../../cli/link/link.ts";
import type { Recording } from "../../cli/recording/archive/archive.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { storeRecorded } from "../../cli/recording/record/store.ts";
import { recordVisits, uniteVisits } from "../../cli/recording/record/visits.ts";
import { readTrustedKeys } from "../../cli/recording/record/words.ts";
import { type LiveServer, makeLiveSite, noLiveSite } from "../e2e/live_site.ts";
import type { LiveProgram } from "./live_programs.ts";

export const link = parseLink("10mbit/50ms");
/** Recorded through the same link, whose queue drops nothing then: a retransmission would be taken for the server's time. */
const recordingLink = parseLink("10mbit/50ms,queue=1000p");
const nameserver = "203.0.113.53";
export type PlainLane = (typeof plainLanes)[number];

/** What a page is called, and where it is for each lane: nginx speaks no HTTP/3 here, Caddy does. */
export interface LivePage {
  readonly page: string;
  readonly urls: Readonly<Record<PlainLane, string>>;
}

export interface LiveSites {
  readonly servers: readonly LiveServer[];
  /** Run by who loads the pages (live_programs.ts). */
  readonly programs?: readonly LiveProgram[];
  readonly pages: readonly LivePage[];
}

export interface Place {
  /** Removed by who asked for it. */
  readonly scratch: string;
  readonly home: string;
  /** What a browser that meets the live servers over the link is started by. */
  readonly within: readonly string[];
  /** And what the recorder's is started by. */
  readonly recordedWithin: readonly string[];
  readonly trustedKeys: readonly string[];
}

const circumstances = { bench: "fidelity" };

/** UserError where a server that is needed is not installed. */
export function refuseWithoutServers(name: string): void {
  const why = noLiveSite(["nginx", "caddy"]);
  if (why) throw new UserError(`${name}: ${why}`);
}

/** `home`: of the recordings. */
export function makePlace(scratch: string, home: string, { servers }: LiveSites): Place {
  const folder = join(scratch, "site");
  mkdirSync(folder);
  const site = makeLiveSite(folder, servers);
  const through = (of: LinkProfile) => [
    ...[...site.words, programPath("trilane-shaper"), "--link", formatLink(of), "--nameserver", nameserver],
    "--",
  ];
  const trustedKeys = readTrustedKeys(site.authority);
  return { scratch, home, within: through(link), recordedWithin: through(recordingLink), trustedKeys };
}

/** What PHP compiles and databases read for their first answer (live_programs.ts) is not in the live loads: the quickest of these counts. */
const visits = 3;

export async function recordLive(
  { home, recordedWithin, trustedKeys }: Place,
  url: string,
  lane: PlainLane,
): Promise<Recording> {
  const within = recordedWithin;
  const options = { lane, scroll: false, quiet_ms: 1000, timeout_ms: 60_000, trustedKeys, addresses: [], within };
  return await recordVisits({ ...options, url }, { visits, timeServers: true }, (made) =>
    withArchive(home, async (archive) => {
      const { host, pathname, search } = new URL(url);
      const name = `${lane}-${host}${`${pathname}${search}`.replaceAll(/\W+/g, "-")}`;
      const { page } = uniteVisits(made, true);
      return (await storeRecorded(archive, page, { name, url, replace: false, behindLink: true, circumstances }))
        .recording;
    }),
  );
}
