// A live page into the archive: its visits, stored as one recording. What `record` does for each of its pages, and
// `race`, `open` and `sweep` for a page that is given as a URL.
import { RunError } from "../../base/errors.ts";
import { watchSignals } from "../../base/interruption.ts";
import { formatLink, type LinkProfile } from "../../link/link.ts";
import { liveLabCommand } from "../../link/live/live_lab.ts";
import type { JsonObject } from "../archive/archive.ts";
import { withArchive } from "../archive/client.ts";
import type { Credentials } from "../import/headers.ts";
import type { RecordedLane } from "./chromium_arguments.ts";
import type { LiveChoice } from "./options.ts";
import type { RecordedPage } from "./record_page.ts";
import { type StoredPage, storeRecorded } from "./store.ts";
import { recordVisits, type UnitedVisits, uniteVisits, type VisitBegun, type VisitsMade } from "./visits.ts";

interface UrlRecording extends LiveChoice {
  readonly url: string;
  readonly name: string;
  /** Chromium's program. Default: chromiumPath. */
  readonly browser?: string | undefined;
  readonly replace: boolean;
  readonly lane: RecordedLane;
  readonly link: LinkProfile | null;
  readonly pinTime: boolean;
  readonly quiet_ms: number;
  readonly timeout_ms: number;
  readonly credentials: Credentials;
  /** Whether what is recorded is to be a page, and no error or challenge of the site's. */
  readonly onlyPages: boolean;
  /** Given a line of progress now and then. */
  readonly say: (line: string) => void;
}

export const usualQuiet_ms = 1000;
export const usualTimeout_s = 60;

export interface RecordedUrl extends Omit<UnitedVisits, "page"> {
  readonly stored: StoredPage;
  readonly page: RecordedPage;
  /** Why the visit over HTTP/1.1 measured nothing; null: it did, or was not needed. */
  readonly untimed: string | null;
}

/** Ctrl-C, also where npm passes it on a second time, ends the browser in order; nothing is stored then. */
async function untilInterrupted<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const interruption = watchSignals(new RunError("interrupted: the page was not stored"));
  try {
    return await work(interruption.signal);
  } finally {
    interruption.ignore();
  }
}

/** Stores the page whole or not at all. UserError and RunError as recordPage has them, one line each. */
export async function recordUrl(home: string, wanted: UrlRecording): Promise<RecordedUrl> {
  const { url, name, replace, lane, link, pinTime, credentials, onlyPages, visits, device } = wanted;
  const within = liveLabCommand(link);
  const of = (visit: number) => (visits > 1 ? `, visit ${visit} of ${visits}` : "");
  const begun: VisitBegun = (visit) =>
    wanted.say(`${url}: recording${visit === null ? " once more, over HTTP/1.1, for its servers' times" : of(visit)}`);
  const store = async (made: VisitsMade): Promise<RecordedUrl> => {
    const { page, added, timed } = uniteVisits(made, link !== null);
    const circumstances: JsonObject = {
      ...{ lane, link: link ? formatLink(link) : null, pin_time: pinTime },
      ...(timed ? { servers_timed_over: "h1" } : {}),
      ...(visits > 1 ? { visits, added } : {}),
    };
    const storing = { name, url, replace, credentials, device, circumstances, onlyPages, behindLink: link !== null };
    return {
      stored: await withArchive(home, (archive) => storeRecorded(archive, page, storing)),
      page,
      added,
      timed,
      untimed: made.timing && !timed ? "it was answered less than half of what the page was" : made.untimed,
    };
  };
  return await untilInterrupted((signal) => recordVisits({ ...wanted, within, signal }, wanted, store, begun));
}
