// A sweep of fetches as one JSON document by schemas/fetch-export.schema.json: what was asked, every attempt with its record, and what they
// say together.

import type { FetchExport } from "../../../../schemas/generated/fetch_export.ts";
import type { FetchSweep } from "../../../results/store/results.ts";
import { fetchNotes } from "../answer/notes.ts";
import { timedAttempts } from "../answer/purpose.ts";
import { summarizeFetches } from "../answer/summary.ts";
import { fetchVerdict } from "../answer/verdict.ts";
import type { FetchCell, StoredFetch } from "../store/fetch_runs.ts";

export function fetchExportDocument(
  sweep: FetchSweep,
  cells: readonly FetchCell[],
  fetches: readonly StoredFetch[],
): FetchExport {
  const { id, name, plan_digest, created_at, finished_at, seed, command, environment } = sweep;
  // The same document; stored, it may not be changed.
  const plan = sweep.plan as unknown as FetchExport["sweep"]["plan"];
  const links = new Map(
    cells.flatMap(({ link, link_profile }) => (link !== null && link_profile ? [[link, link_profile]] : [])),
  );
  const timed = timedAttempts(fetches, sweep.plan.repetitions);
  return {
    schema: "trilane/fetch-export/1",
    sweep: { id, name, plan, plan_digest, created_at, finished_at, seed, command: [...command], environment },
    links: [...links].map(([link, link_profile]) => ({ link, link_profile })),
    fetches: fetches.map((fetch) => ({ ...fetch, reasons: [...fetch.reasons] })),
    summaries: summarizeFetches(cells, timed),
    verdict: fetchVerdict(cells, timed),
    notes: fetchNotes(timed),
  };
}
