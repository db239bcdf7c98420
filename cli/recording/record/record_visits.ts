// Visits of a page, one after the other, each as record_page.ts makes it; and, where they shared connections, one more over HTTP/1.1
// that measures how long servers took: of responses that come over one connection without a break it is not known which was ready
// when. What becomes of them is visits.ts's.
import { UserError } from "../../base/errors.ts";
import { type RecordedPage, type RecordOptions, recordPage } from "./record_page.ts";

interface VisitsWanted {
  readonly visits: number;
  /** Whether servers' times are worth a visit of their own. */
  readonly timeServers: boolean;
}

export interface VisitsMade {
  readonly pages: readonly RecordedPage[];
  /** Of HTTP/1.1; null: none was needed or wanted, or it failed. */
  readonly timing: RecordedPage | null;
  /** Why it failed; null: it did not. */
  readonly untimed: string | null;
}

/** Given the number of each visit as it begins, from 1; null: of the one over HTTP/1.1. */
export type VisitBegun = (visit: number | null) => void;

/** Whether several responses came over one connection of HTTP/2 or HTTP/3. */
function isMultiplexed({ load }: RecordedPage): boolean {
  const shared = load.entries.filter(({ raw }) => typeof raw._protocol === "string" && /^h[23]/.test(raw._protocol));
  return new Set(shared.map(({ raw }) => raw._connectionId)).size < shared.length;
}

/** Large bodies of all visits can be read until the end of `use`. */
export async function recordVisits<Result>(
  options: RecordOptions,
  { visits, timeServers }: VisitsWanted,
  use: (made: VisitsMade) => Promise<Result>,
  begun: VisitBegun = () => undefined,
): Promise<Result> {
  const timed = async (pages: readonly RecordedPage[]): Promise<Result> => {
    if (!timeServers || !pages.some(isMultiplexed)) return await use({ pages, timing: null, untimed: null });
    begun(null);
    let isRecorded = false;
    try {
      return await recordPage({ ...options, lane: "h1" }, (timing) => {
        isRecorded = true;
        return use({ pages, timing, untimed: null });
      });
    } catch (error) {
      // A server may speak no HTTP/1.1, and what ends this visit is no reason to lose the others.
      if (isRecorded || error instanceof UserError) throw error;
      options.signal?.throwIfAborted();
      return await use({ pages, timing: null, untimed: error instanceof Error ? error.message : String(error) });
    }
  };
  const further = async (pages: readonly RecordedPage[]): Promise<Result> => {
    if (pages.length === visits) return await timed(pages);
    begun(pages.length + 1);
    return await recordPage(options, (page) => further([...pages, page]));
  };
  return await further([]);
}
