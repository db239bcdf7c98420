// `trilane export` of a sweep of fetches: a row per fetch, or all as JSON. Chooses fetches and writes; formats are cli/instruments/fetch/export's.

import { resolve } from "node:path";
import type { FileWritten } from "../../../../schemas/generated/file_written.ts";
import { atomicWrite } from "../../../base/atomic_write.ts";
import { UserError } from "../../../base/errors.ts";
import { printFile, printJson, printLines } from "../../../base/terminal_text.ts";
import type { ExportTerms } from "../../../engine/instrument.ts";
import { readNumber } from "../../../results/export/choose.ts";
import type { FetchSweep, Results } from "../../../results/store/results.ts";
import { systemsOf } from "../prefixes/option.ts";
import { fetchesOf, type StoredFetch, storedFetchCellsOf } from "../store/fetch_runs.ts";
import { fetchCsvLines, fetchFormats } from "./csv.ts";
import { fetchExportDocument } from "./json.ts";

type FetchFormat = (typeof fetchFormats)[number];

function readFormat({ format, json, out }: ExportTerms, { id }: FetchSweep): FetchFormat {
  const asked = format ?? (json && out === undefined ? "json" : undefined);
  const known = fetchFormats.find((each) => each === asked);
  if (known) return known;
  const got = asked === undefined ? "" : ` (got ${JSON.stringify(asked)})`;
  throw new UserError(`export: sweep ${id} has fetches: --format must be one of ${fetchFormats.join(", ")}${got}`);
}

function chooseFetches(results: Results, { id }: FetchSweep, asked: string | undefined): StoredFetch[] {
  const all = fetchesOf(results, id);
  if (all.length === 0) throw new UserError(`sweep ${id} has no fetches yet: let \`trilane fetch\` go on with it`);
  if (asked === undefined) return all;
  const number = readNumber(asked, "load");
  const chosen = all.filter((fetch) => fetch.id === number);
  if (chosen.length > 0) return chosen;
  throw new UserError(
    `no fetch ${number} in sweep ${id}: \`trilane export --format csv\` lists the fetches of a sweep`,
  );
}

export async function exportFetches(results: Results, sweep: FetchSweep, options: ExportTerms): Promise<void> {
  const format = readFormat(options, sweep);
  const systems = systemsOf(options);
  if (systems && format !== "csv")
    throw new UserError(`export: --prefixes fills columns of --format csv: leave it out, or ask for csv`);
  const fetches = chooseFetches(results, sweep, options.load);
  const ids = new Set(fetches.map(({ cell }) => cell));
  const cells = storedFetchCellsOf(results, sweep.id).filter(({ id }) => ids.has(id));
  const pieces =
    format === "csv"
      ? fetchCsvLines(fetches, systems)
      : [`${JSON.stringify(fetchExportDocument(sweep, cells, fetches), null, 1)}\n`];
  if (options.out === undefined) return await printFile(pieces);
  const path = resolve(options.out);
  await atomicWrite(path, pieces);
  const written: FileWritten = {
    schema: "trilane/file-written/1",
    kind: format,
    sweep: sweep.id,
    loads: fetches.length,
    path,
  };
  if (options.json) printJson(written);
  else printLines([`${format}: ${path}`]);
}
