// Fetches as a comparison of sweeps takes them (cli/results/compare): an object stands where pages have theirs, what it is fetched over
// where they have a lane, its download where they have the page load time. Pure.
import type { ComparedNouns, ComparedSweep } from "../../../results/compare/interleaved.ts";
import { isQuic } from "../metrics/fetched.ts";
import type { FetchCell, StoredFetch } from "../store/fetch_runs.ts";
import type { FetchSweep } from "../store/stored_plan.ts";
import { timedAttempts } from "./summary.ts";

const nouns: ComparedNouns = {
  ...{
    of: "fetches",
    lane: "lane",
    load: "fetch",
    loads: "fetches",
    place: "object, link and lane",
    metric: "download time",
  },
  heads: ["object and link", "lane"],
  budget: { names: ["page", "lane"], words: "a page (for an object), a link and a lane" },
};

/** The same in whatever sweep: TLS and IP are named unless they are the usual ones. */
const laneOf = ({ lane, tls, ip }: FetchCell): string =>
  [lane, ...(tls === "1.3" || isQuic(lane) ? [] : [`TLS ${tls}`]), ...(ip === 4 ? [] : [`IPv${ip}`])].join(", ");

/** Those that only count system calls are left out: they are slower. */
export function comparedFetches(
  { plan }: Pick<FetchSweep, "plan">,
  cells: readonly FetchCell[],
  fetches: readonly StoredFetch[],
  recording_digest: string | null = null,
): ComparedSweep {
  const far = JSON.stringify([plan.page, plan.outside]);
  const places = new Map(
    cells.map((cell) => [cell.id, { page: cell.object, link: cell.link ?? "no link", lane: laneOf(cell) }]),
  );
  const placeOf = (cell: number) => places.get(cell) ?? { page: "", link: "", lane: "" };
  return {
    nouns,
    cells: cells.map(({ id, link_profile }) => ({ ...placeOf(id), id, link_profile, recording_digest, far })),
    loads: timedAttempts(fetches, plan.repetitions).map(({ id, cell, block, status, reasons, record }) => ({
      ...{ ...placeOf(cell), id, cell, block, status, reasons },
      plt_ms: record?.download_ms ?? null,
    })),
  };
}
