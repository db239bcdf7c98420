// `trilane export` of a sweep of fetches: a row per fetch, or all as one JSON document by schemas/fetch-export.schema.json: the plan, every
// attempt with its record, and what they say together.
import type { FetchExport } from "../../../../schemas/generated/fetch_export.ts";
import { UserError } from "../../../base/errors.ts";
import {
  chosenAttempts,
  chosenFormat,
  exportedSweep,
  jsonPieces,
  linksOf,
  writeExport,
} from "../../../engine/export.ts";
import type { ExportTerms } from "../../../engine/plan_kind.ts";
import { stoppingDocument } from "../../../results/answer/rule_outcome.ts";
import type { Results } from "../../../results/store/results.ts";
import { fetchNotes } from "../answer/notes.ts";
import { summarizeFetches, timedAttempts } from "../answer/summary.ts";
import { fetchStopping, fetchVerdict } from "../answer/verdict.ts";
import { systemsOf } from "../prefixes/option.ts";
import { type FetchCell, fetchesOf, type StoredFetch, storedFetchCellsOf } from "../store/fetch_runs.ts";
import type { FetchSweep } from "../store/stored_plan.ts";
import { fetchCsvLines, fetchFormats } from "./csv.ts";

interface Exported {
  readonly cells: readonly FetchCell[];
  readonly fetches: readonly StoredFetch[];
}

/** `all`: of the sweep. */
function exportDocument(sweep: FetchSweep, { cells, fetches }: Exported, all: Exported): FetchExport {
  const stopping = stoppingDocument(fetchStopping(sweep, all.cells, all.fetches));
  const timed = timedAttempts(fetches, sweep.plan.repetitions);
  return {
    schema: "trilane/fetch-export/1",
    sweep: exportedSweep<FetchExport["sweep"]["plan"]>(sweep),
    links: linksOf(cells),
    fetches: fetches.map((fetch) => ({ ...fetch, reasons: [...fetch.reasons] })),
    summaries: summarizeFetches(cells, timed),
    verdict: fetchVerdict(cells, timed, sweep.plan),
    notes: fetchNotes(timed),
    ...(stopping ? { stopping } : {}),
  };
}

export async function exportFetches(results: Results, sweep: FetchSweep, terms: ExportTerms): Promise<void> {
  const kind = chosenFormat(fetchFormats, terms, results, sweep);
  const systems = systemsOf(terms);
  if (systems && kind !== "csv")
    throw new UserError(`export: --prefixes fills columns of --format csv: leave it out, or ask for csv`);
  const all = fetchesOf(results, sweep.id);
  const fetches = chosenAttempts(all, terms, results, sweep, ({ id }) => id, ["fetch", "fetches", "fetch"]);
  const ids = new Set(fetches.map(({ cell }) => cell));
  const allCells = storedFetchCellsOf(results, sweep.id);
  const chosen = { cells: allCells.filter(({ id }) => ids.has(id)), fetches };
  const pieces =
    kind === "csv"
      ? fetchCsvLines(fetches, systems)
      : jsonPieces(exportDocument(sweep, chosen, { cells: allCells, fetches: all }));
  await writeExport(pieces, { kind, sweep: sweep.id, loads: fetches.length }, terms);
}
